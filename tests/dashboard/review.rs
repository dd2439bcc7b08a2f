//! The review of an agent's changes in a real terminal.

use std::fs;

use super::{spawned, wait_for_status, wait_until_gone};
use crate::cli::prompts;
use crate::cli::workspace::{repository, workspace};

#[test]
fn a_comment_is_written_in_the_diff_and_sent_to_the_agent() {
    let env = repository();
    spawned(&env, &["demo", "--name", "other"]);
    spawned(&env, &["demo", "--name", "fix", "--workspace", "worktree"]);
    wait_for_status(&env, "fix", "idle");
    let at = workspace(&env, "fix");
    fs::write(at.join("src/lib.rs"), "fn a() {\n    two(\"\u{1b}[2J\");\n}\n").unwrap();
    fs::write(at.join("new.txt"), "new\n").unwrap();
    let terminal = env.terminal_sized((120, 36), [env.binary(), "agent", "review", "fix"]);
    terminal.wait_for_text("fix: 2 files, +4 -1");
    terminal.wait_for_text("A   +1   -0 new.txt");
    terminal.keys(&["Tab"]);
    terminal.wait_for_text("fn a() {");
    // The head line of the hunk, a removed line and the first added line come before it.
    terminal.keys(&["j", "j", "j", "c"]);
    terminal.wait_for_text("Comment on src/lib.rs:2");
    terminal.type_text("rename it");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("1 draft: rename it");
    // The comment belongs to the diff that is shown, although the agent has changed the file in the meantime.
    fs::write(at.join("src/lib.rs"), "// above\nfn a() {\n    two(\"\u{1b}[2J\");\n}\n").unwrap();
    terminal.keys(&["c"]);
    terminal.wait_for_text("Comment on src/lib.rs:2");
    terminal.type_text("and test it");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("2 draft: and test it");
    terminal.keys(&["x"]);
    terminal.wait_for_text(", 1 reviewed");
    terminal.keys(&["C"]);
    terminal.wait_for_text("2 comments delivered to `fix`");
    let taken = prompts(&env, "fix");
    assert_eq!(taken.len(), 1, "{taken:?}");
    let expected = "1. src/lib.rs, line 3\n>     two(\"\u{fffd}[2J\");\nrename it\n\n2. src/lib.rs, line 3\n";
    assert!(taken[0].contains(expected), "{taken:?}");
    // The file has changed since it was marked, so it is not reviewed any more.
    wait_until_gone(&env, &terminal, ", 1 reviewed");
    terminal.wait_for_text("1 sent: rename it");
    terminal.keys(&["q"]);
    terminal.wait_for_text("other");
    terminal.keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}
