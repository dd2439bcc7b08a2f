//! `board get`, `set`, `append`, `list` and `rm`: the notes of a project, their authors and their size limit.

use insta::assert_snapshot;
use serde_json::json;

use super::{agent, shown, spawned};
use crate::support::TestEnv;
use crate::support::run::Run;

/// Runs `symposium board …` as the user.
fn board(env: &TestEnv, args: &[&str]) -> Run {
    env.symposium(["board"].iter().chain(args))
}

/// Runs `symposium board …` as an agent's shell does.
fn by(env: &TestEnv, name: &str, args: &[&str]) -> Run {
    let id = shown(env, name)["id"].as_str().expect("an agent has an id").to_owned();
    board(env, args).env("SYMPOSIUM_AGENT", name).env("SYMPOSIUM_AGENT_ID", id)
}

#[test]
fn a_note_can_be_set_read_appended_to_and_removed() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "fix", "--", "sleep", "1000"]);
    assert_snapshot!(board(&env, &["list"]).ok().stderr, @"the board is empty; `symposium board set KEY TEXT` writes on it");
    assert_snapshot!(board(&env, &["set", "plan", "- one"]).ok().stderr, @"note `plan` has 5 bytes now");
    // The board of an agent is that of its project, whatever the current directory of its shell is.
    by(&env, "fix", &["append", "plan", "-"]).stdin("- two\n").current_dir(env.root()).ok();
    assert_eq!(board(&env, &["get", "plan"]).ok().stdout, "- one\n- two\n");
    let note = board(&env, &["get", "plan", "--json"]).ok().json();
    assert_eq!((&note["author"], &note["version"], &note["size"]), (&json!("fix"), &json!(2), &json!(12)));
    let said = board(&env, &["set", "auth/next steps", "x"]).ok().stderr;
    assert_snapshot!(said, @"note `auth/next steps` has 1 byte now");
    let list = board(&env, &["list"]).ok().stdout;
    let keys: Vec<&str> = list.lines().skip(1).filter_map(|line| line.rsplit("  ").next()).collect();
    assert_eq!(keys, ["auth/next steps", "plan"]);
    assert!(list.starts_with("SIZE  BY      WHEN  KEY\n1     person  "), "{list}");
    assert!(board(&env, &["list", "--json"]).ok().json()[0].get("value").is_none());
    assert_snapshot!(board(&env, &["rm", "plan"]).ok().stderr, @"note `plan` was removed");
    board(&env, &["rm", "plan"]).fails(3);
    agent(&env, &["rm", "--force", "fix"]).ok();
    assert_eq!(board(&env, &["get", "auth/next steps"]).ok().stdout, "x", "notes outlive their agents");
}

#[test]
fn each_project_has_one_board_shared_by_its_worktrees() {
    let env = TestEnv::new();
    let git = |args: &[&str]| env.program("git", args).ok();
    git(&["init", "-q", "-b", "trunk"]);
    git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "begin"]);
    spawned(&env, &["--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"]);
    by(&env, "fix", &["set", "plan", "from the worktree"]).ok();
    let below = env.project().join("below");
    std::fs::create_dir(&below).unwrap();
    assert_eq!(board(&env, &["get", "plan"]).current_dir(&below).ok().stdout, "from the worktree");
    let worktree = shown(&env, "fix")["working_directory"].as_str().unwrap().to_owned();
    assert_ne!(worktree, env.project().to_str().unwrap());
    assert_eq!(board(&env, &["get", "plan"]).current_dir(&worktree).ok().stdout, "from the worktree");
    let home = env.home();
    board(&env, &["get", "plan"]).current_dir(&home).fails(3);
    let project = env.project();
    let project = project.to_str().unwrap();
    let elsewhere = board(&env, &["get", "plan", "--project", project]).current_dir(&home).ok();
    assert_eq!(elsewhere.stdout, "from the worktree");
    let wrong = board(&env, &["list", "--project", "no-such-place"]).fails(2);
    assert!(wrong.stderr.contains("is not a project directory"), "{wrong:?}");
}

#[test]
fn missing_and_invalid_notes_are_reported() {
    let env = TestEnv::new();
    let failure = |args: &[&str], code| env.redacted(&board(&env, args).fails(code).stderr);
    assert_snapshot!(failure(&["get", "plan"], 3), @"
    error: the board has no note `plan`
      the board of [ROOT]/project
      it is empty
    hint: `symposium board set plan TEXT` writes one; `--project DIR` names another board
    ");
    board(&env, &["set", "the plan", "x"]).ok();
    assert_snapshot!(failure(&["get", "the pla"], 3), @"
    error: the board has no note `the pla`
      the board of [ROOT]/project
    hint: did you mean `symposium board get 'the plan'`?
    ");
    assert_snapshot!(failure(&["set", "a\nb", "x"], 2), @"
    error: `a�b` cannot be the name of a note: it holds a control character
    hint: a key is any line of at most 200 bytes, such as `plan` or `auth/next`
    ");
    board(&env, &["set", "plan"]).fails(2);
    board(&env, &["set", "plan", "x", "--file", "y"]).fails(2);
    board(&env, &["set", "plan", "--file", "no-such-file"]).fails(1);
}

#[test]
fn large_notes_are_read_from_files_and_limited_in_size() {
    let env = TestEnv::new();
    let file = env.project().join("large");
    let text = format!("\u{1b}[2J{}\n", "x".repeat(1024 * 1024 - 5));
    std::fs::write(&file, &text).unwrap();
    board(&env, &["set", "large", "--file", "large"]).ok();
    assert_eq!(board(&env, &["get", "large"]).ok().stdout, text, "output to a pipe is unchanged");
    let failure = board(&env, &["get", "large", "-o", "copy"]).ok();
    assert_eq!((failure.stdout.as_str(), failure.stderr.as_str()), ("", "1048576 bytes are in copy\n"));
    assert_eq!(std::fs::read_to_string(env.project().join("copy")).unwrap(), text);
    assert_snapshot!(board(&env, &["append", "large", "y"]).fails(1).stderr, @"
    error: note `large` would have 1048577 bytes, at most 1048576 are allowed
      nothing was changed
    hint: put the text into a file, and write the path of the file on the board
    ");
    std::fs::write(&file, format!("{text}y")).unwrap();
    board(&env, &["set", "large", "--file", "large"]).fails(1);
    board(&env, &["set", "large", "-"]).stdin(format!("{text}y")).fails(1);
    assert_eq!(board(&env, &["get", "large", "--json"]).ok().json()["version"], 1);
    let terminal = env.terminal([env.binary(), "board", "list"]);
    terminal.wait_for_text("1024K  person");
}

#[test]
fn control_characters_of_a_note_do_not_reach_the_terminal() {
    let env = TestEnv::new();
    board(&env, &["set", "k", "-"]).stdin("one \u{1b}[31mred\u{202e}\nline two\n").ok();
    let script = format!("{} board get k; sleep 1000", env.binary());
    let terminal = env.terminal(["sh", "-c", &script]);
    terminal.wait_for_text("line two");
    terminal.wait_for_text("one  [31mred");
}
