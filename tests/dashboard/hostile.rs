//! Escape sequences of an agent. The bytes that the dashboard writes are recorded and must have none of them.

use super::{dashboard, spawned};
use crate::support::TestEnv;

/// Sequences that no part of the dashboard writes: clipboard, title, queries, and commands of some terminals.
const SEQUENCES: [&str; 8] = [
    "\x1b]52;c;b3duZWQ=\x07",
    "\x1b]0;owned\x07",
    "\x1b[c",
    "\x1b[6n",
    "\x1bP$q q\x1b\\",
    "\x1b]1337;File=inline=1:AAAA\x07",
    "\x1b[?1049l",
    "\x1bc",
];

#[test]
fn no_escape_sequence_of_an_agent_reaches_the_terminal() {
    let env = TestEnv::new();
    let file = env.root().join("hostile.txt");
    std::fs::write(&file, format!("{}visible\u{9b}2J\u{202e}end\n", SEQUENCES.concat())).expect("a new file");
    let script = format!("cat {}; exec cat", file.display());
    spawned(&env, &["--name", "a", "--", "sh", "-c", &script]);
    let title = format!("{}title", SEQUENCES.concat());
    env.edit_registry(|registry| registry["sessions"]["a"]["title"] = title.into());
    let terminal = dashboard(&env);
    terminal.wait_for_text("visible");
    let recorded = env.root().join("recorded");
    terminal.record(&recorded);
    // Every cell is written again.
    terminal.keys(&["C-l"]);
    let written = || std::fs::read(&recorded).unwrap_or_default();
    let contains = |text: &str| written().windows(text.len()).any(|part| part == text.as_bytes());
    env.wait_until("the screen was written again", || contains("visible") && contains("quit"));
    // Live output takes another way than the first capture.
    env.symposium(["agent", "send", "a", "later"]).ok();
    terminal.keys(&["G"]);
    env.wait_until("the tile was drawn", || contains("later"));
    terminal.keys(&["Escape"]);
    terminal.wait_for_text("recap");
    terminal.keys(&["Tab", "Tab", "Tab", "Tab"]);
    terminal.wait_for_text("visible");
    for sequence in SEQUENCES.iter().copied().chain(["\u{9b}", "\u{202e}", "owned\x07"]) {
        assert!(!contains(sequence), "the dashboard wrote {sequence:?}");
    }
}

#[test]
fn terminal_queries_of_an_agent_are_not_answered() {
    let env = TestEnv::new();
    // tmux 3.3 answers none of these, so each answer would come from the dashboard or from its terminal.
    let queries = "\\033[?u\\033P+q544e\\033\\\\\\033]4;1;?\\007";
    let script = format!("stty raw -echo; printf 'asked{queries}'; cat -v");
    spawned(&env, &["--name", "a", "--", "sh", "-c", &script]);
    let terminal = dashboard(&env);
    terminal.wait_for_text("asked");
    env.tmux(["send-keys", "-t", "=a:", "-l", "first"]).ok();
    terminal.wait_for_text("first");
    // The queries are part of the transcript that the tile and the live screen interpret.
    env.tmux(["send-keys", "-t", "=a:", "-l", "second"]).ok();
    terminal.wait_for_text("firstsecond");
    terminal.keys(&["G"]);
    env.tmux(["send-keys", "-t", "=a:", "-l", "third"]).ok();
    terminal.wait_for_text("firstsecondthird");
    let screen = env.symposium(["agent", "peek", "a"]).ok().stdout;
    assert_eq!(screen.trim(), "askedfirstsecondthird");
}
