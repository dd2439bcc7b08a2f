//! `agent checkpoint`: the files before each turn are stored, and come back with staged and unstaged changes.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::workspace::{git, repository, workspace};
use super::{agent, spawned, wait_for};
use crate::support::TestEnv;

/// Starts an idle demo agent in a worktree.
fn demo(env: &TestEnv, name: &str) {
    spawned(env, &["demo", "--name", name, "--workspace", "worktree"]);
    wait_for(env, name, "idle");
}

#[track_caller]
fn list(env: &TestEnv, name: &str) -> Value {
    agent(env, &["checkpoint", "list", name, "--json"]).ok().json()
}

fn numbers(list: &Value) -> Vec<u64> {
    let all = list["checkpoints"].as_array().expect("checkpoints is a list").iter();
    all.map(|checkpoint| checkpoint["number"].as_u64().expect("a number")).collect()
}

/// Lets the agent take a turn, and waits for its checkpoint with this number.
#[track_caller]
fn turn(env: &TestEnv, name: &str, number: u64) {
    agent(env, &["send", name, &format!("turn {number}")]).ok();
    env.wait_until("the checkpoint is stored", || numbers(&list(env, name)).first() == Some(&number));
    wait_for(env, name, "idle");
}

/// Takes a checkpoint as the hook does, with this failpoint.
fn take(env: &TestEnv, name: &str, failpoint: &str) -> i32 {
    let id = env.registry()["sessions"][name]["id"].as_str().expect("an id").to_owned();
    let take = env.symposium(["take-checkpoint", name, &id]);
    take.env("SYMPOSIUM_FAILPOINT", failpoint).outcome().code
}

fn state(env: &TestEnv, at: &Path) -> String {
    let status = git(env, at, &["status", "--porcelain", "--untracked-files=all"]);
    let staged = git(env, at, &["diff", "--cached"]);
    let unstaged = git(env, at, &["diff"]);
    let head = git(env, at, &["rev-parse", "HEAD"]);
    format!("{status}\n{staged}\n{unstaged}\n{head}")
}

#[test]
fn line_endings_come_back_as_they_were() {
    let env = repository();
    fs::write(env.project().join(".gitattributes"), "* text=auto\n").unwrap();
    git(&env, &env.project(), &["add", "-A"]);
    git(&env, &env.project(), &["commit", "-q", "-m", "attributes"]);
    demo(&env, "fix");
    let at = workspace(&env, "fix");
    let contents = ["a\r\nb\nc\r\n", "a\nb\nc\n", "gone\r\n"];
    for (number, text) in contents.iter().enumerate() {
        fs::write(at.join("mixed"), text).unwrap();
        assert_eq!(take(&env, "fix", ""), 0);
        assert_eq!(numbers(&list(&env, "fix")).first(), Some(&(number as u64 + 1)), "{number}");
    }
    for number in [1, 2, 1, 3] {
        let number_text = number.to_string();
        agent(&env, &["checkpoint", "restore", "fix", &number_text, "--yes"]).ok();
        assert_eq!(fs::read_to_string(at.join("mixed")).unwrap(), contents[number - 1], "{number}");
    }
    agent(&env, &["checkpoint", "restore", "fix", "1", "--yes"]).ok();
    agent(&env, &["discard", "fix", "--yes"]).ok();
    let back: Value = agent(&env, &["recover", "fix", "--json"]).ok().json();
    let copy = format!("{}:mixed", back["branch"].as_str().unwrap());
    let shown = env.program("git", ["-C", env.project().to_str().unwrap(), "cat-file", "blob", &copy]).ok();
    assert_eq!(shown.stdout, contents[0]);
}

#[test]
fn files_and_staged_changes_come_back_as_before_the_turn() {
    let env = repository();
    demo(&env, "fix");
    let at = workspace(&env, "fix");
    fs::write(at.join("src/lib.rs"), "// staged\n").unwrap();
    git(&env, &at, &["add", "src/lib.rs"]);
    fs::write(at.join("src/lib.rs"), "// unstaged\n").unwrap();
    fs::write(at.join("untracked"), b"\xff\x00").unwrap();
    let before = state(&env, &at);
    turn(&env, "fix", 1);
    assert_eq!(state(&env, &at), before, "a checkpoint changes nothing");
    let listed = list(&env, "fix");
    assert_eq!(listed["checkpoints"][0]["prompt"], "turn 1");
    assert_eq!(listed["checkpoints"][0]["branch"], "symposium/fix");
    assert_eq!((&listed["skipped"], &listed["unfinished_restore"]), (&Value::Null, &Value::Null));
    let text = agent(&env, &["checkpoint", "list", "fix"]).ok().stdout;
    assert!(text.starts_with("   1  ") && text.ends_with("before: turn 1\n"), "{text}");

    fs::remove_file(at.join("untracked")).unwrap();
    fs::write(at.join("src/lib.rs"), "// wrong\n").unwrap();
    fs::create_dir(at.join("new")).unwrap();
    fs::write(at.join("new/file"), "new\n").unwrap();
    git(&env, &at, &["add", "-A"]);
    fs::write(at.join("target"), "ignored\n").unwrap();
    let after = state(&env, &at);
    let names = agent(&env, &["checkpoint", "diff", "fix", "--name-only"]).ok().stdout;
    assert_eq!(names, "new/file\nsrc/lib.rs\nuntracked\n");
    let diff: Value = agent(&env, &["checkpoint", "diff", "fix", "1", "--json"]).ok().json();
    assert_eq!(
        (&diff["base"]["name"], &diff["base"]["source"]),
        (&"checkpoint 1".into(), &"checkpoint".into())
    );

    let refused = agent(&env, &["checkpoint", "restore", "fix", "1"]).fails(2);
    assert!(refused.stderr.contains("add `--yes`"), "{}", refused.stderr);
    assert_eq!(state(&env, &at), after);
    let done: Value = agent(&env, &["checkpoint", "restore", "fix", "1", "--yes", "--json"]).ok().json();
    assert_eq!(
        done,
        json!({
            "restored": 1, "saved": 2, "changed": ["new/file", "src/lib.rs", "untracked"], "remarks": [],
        })
    );
    assert_eq!(state(&env, &at), before);
    assert_eq!(fs::read(at.join("untracked")).unwrap(), b"\xff\x00");
    assert!(!at.join("new").exists() && at.join("target").exists());
    // The restore can be undone.
    let undone = agent(&env, &["checkpoint", "restore", "fix", "2", "--yes"]).ok();
    assert!(undone.stderr.contains("checkpoint 2 is restored: 3 files changed"), "{}", undone.stderr);
    assert_eq!(state(&env, &at), after);

    let missing = agent(&env, &["checkpoint", "restore", "fix", "9", "--yes"]).fails(3);
    assert!(missing.stderr.contains("agent `fix` has no checkpoint 9"), "{}", missing.stderr);
    agent(&env, &["send", "fix", "/work 60s"]).ok();
    let busy = agent(&env, &["checkpoint", "restore", "fix", "1", "--yes"]).fails(1);
    assert!(busy.stderr.contains("agent `fix` is working in this directory"), "{}", busy.stderr);
    assert_eq!(state(&env, &at), after);
}

#[test]
fn checkpoints_are_private_refs_that_disappear_with_the_agent() {
    let env = repository();
    demo(&env, "fix");
    turn(&env, "fix", 1);
    let refs = || git(&env, &env.project(), &["for-each-ref", "--format=%(refname)", "refs/symposium/"]);
    assert!(refs().starts_with("refs/symposium/checkpoints/"), "{}", refs());
    assert_eq!(
        git(&env, &env.project(), &["branch", "-a", "--format=%(refname)"]),
        "refs/heads/main\nrefs/heads/symposium/fix"
    );
    agent(&env, &["kill", "fix"]).ok();
    // The checkpoint is neither unsaved work nor a commit of the branch.
    agent(&env, &["rm", "fix"]).ok();
    assert_eq!(refs(), "");
    assert_eq!(git(&env, &env.project(), &["branch", "--list", "symposium/*"]), "");
}

#[test]
fn no_checkpoints_are_taken_if_they_are_disabled() {
    let env = repository();
    spawned(&env, &["demo", "--name", "fix", "--workspace", "worktree"]);
    fs::write(env.state().join("config.toml"), "[checkpoints]\nenabled = false\n").unwrap();
    wait_for(&env, "fix", "idle");
    agent(&env, &["send", "fix", "hello"]).ok();
    wait_for(&env, "fix", "idle");
    fs::remove_file(env.state().join("config.toml")).unwrap();
    // The second turn has the first checkpoint.
    turn(&env, "fix", 1);
    assert_eq!(list(&env, "fix")["checkpoints"][0]["prompt"], "turn 1");
}

#[test]
fn the_turn_does_not_wait_for_its_checkpoint() {
    let env = repository();
    demo(&env, "fix");
    let gate = env.root().join("gate");
    let real = env.root().join("tools/git");
    let wait =
        format!("while ! test -e {}; do sleep 0.02; done; exec {} \"$@\"", gate.display(), real.display());
    let fake = env.fake_program("git", &wait);
    // The prompt is confirmed by the hook and the turn ends while git is blocked.
    agent(&env, &["send", "fix", "turn 1"]).ok();
    wait_for(&env, "fix", "idle");
    fs::write(&gate, "").unwrap();
    fs::remove_file(fake).unwrap();
    env.wait_until("the checkpoint is stored", || numbers(&list(&env, "fix")) == [1]);
}

#[test]
fn large_files_are_reported_and_never_touched() {
    let env = repository();
    demo(&env, "fix");
    let at = workspace(&env, "fix");
    let big = vec![b'x'; (10 << 20) + 1];
    fs::write(at.join("big"), &big).unwrap();
    turn(&env, "fix", 1);
    let listed = list(&env, "fix");
    assert_eq!(listed["checkpoints"][0]["left_out"], json!([{"path": "big", "bytes": big.len()}]));
    let text = agent(&env, &["checkpoint", "list", "fix"]).ok().stdout;
    assert!(text.contains("(too large and left out: 1 file)"), "{text}");
    fs::write(at.join("src/lib.rs"), "// wrong\n").unwrap();
    let done: Value = agent(&env, &["checkpoint", "restore", "fix", "--yes", "--json"]).ok().json();
    assert_eq!(done["changed"], json!(["src/lib.rs"]));
    assert_eq!(fs::read(at.join("big")).unwrap(), big);
}

#[test]
fn a_checkpoint_killed_at_any_step_leaves_the_working_tree_as_it_was() {
    let env = repository();
    demo(&env, "fix");
    let at = workspace(&env, "fix");
    fs::write(at.join("src/lib.rs"), "// staged\n").unwrap();
    git(&env, &at, &["add", "-A"]);
    fs::write(at.join("new"), "new\n").unwrap();
    let before = state(&env, &at);
    for step in ["checkpoint.planned", "checkpoint.trees", "checkpoint.commits"] {
        assert_eq!(take(&env, "fix", step), 137, "{step}");
        assert_eq!(state(&env, &at), before, "{step}");
        assert_eq!(numbers(&list(&env, "fix")), [0; 0], "{step}");
    }
    assert_eq!(take(&env, "fix", "checkpoint.stored"), 137);
    assert_eq!((state(&env, &at), numbers(&list(&env, "fix"))), (before, vec![1]));
    assert_eq!(take(&env, "fix", ""), 0);
}

#[test]
fn a_restore_killed_at_any_step_loses_nothing() {
    let env = repository();
    demo(&env, "fix");
    let at = workspace(&env, "fix");
    fs::write(at.join("src/lib.rs"), "// one\nstaged\n").unwrap();
    git(&env, &at, &["add", "-A"]);
    fs::write(at.join("old"), "old\n").unwrap();
    let before = state(&env, &at);
    turn(&env, "fix", 1);
    for step in [
        "checkpoint.trees",
        "checkpoint.commits",
        "restore.saved",
        "restore.noted",
        "restore.files",
        "restore.index",
    ] {
        fs::write(at.join("src/lib.rs"), format!("// {step}\n")).unwrap();
        git(&env, &at, &["add", "-A"]);
        fs::write(at.join(step), "new\n").unwrap();
        let _ = fs::remove_file(at.join("old"));
        let after = state(&env, &at);
        let restore = env.symposium(["agent", "checkpoint", "restore", "fix", "1", "--yes"]);
        assert_eq!(restore.env("SYMPOSIUM_FAILPOINT", step).outcome().code, 137, "{step}");
        let is_restored = fs::read_to_string(at.join("old")).is_ok();
        match is_restored {
            true => assert!(!at.join(step).exists(), "{step}: all files are restored"),
            false => assert_eq!(state(&env, &at), after, "{step}: nothing was changed"),
        }
        assert_eq!(is_restored, ["restore.files", "restore.index"].contains(&step), "{step}");
        if step.starts_with("restore.") {
            let newest = numbers(&list(&env, "fix"))[0].to_string();
            let copy: Value = git(&env, &at, &["for-each-ref", "--format=%(refname)", "refs/symposium/"])
                .lines()
                .find(|name| name.ends_with(&format!("/{newest}")))
                .into();
            let copy = copy.as_str().expect("the copy exists");
            assert_eq!(git(&env, &at, &["show", &format!("{copy}:{step}")]), "new", "{step}");
        }
        let is_noted = ["restore.noted", "restore.files", "restore.index"].contains(&step);
        assert_eq!(list(&env, "fix")["unfinished_restore"], if is_noted { json!(1) } else { Value::Null });
        // The next call completes it.
        agent(&env, &["checkpoint", "restore", "fix", "1", "--yes"]).ok();
        assert_eq!(state(&env, &at), before, "{step}");
        assert_eq!(list(&env, "fix")["unfinished_restore"], Value::Null);
    }
}

#[test]
fn a_worktree_that_uses_another_directory_is_neither_stored_nor_restored() {
    let env = repository();
    demo(&env, "fix");
    let at = workspace(&env, "fix");
    fs::write(at.join("notes"), "one\n").unwrap();
    assert_eq!(take(&env, "fix", ""), 0);
    let elsewhere = env.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("private"), "private\n").unwrap();
    fs::remove_file(at.join(".git")).unwrap();
    git(&env, &at, &["init", "-q"]);
    git(&env, &at, &["fetch", "-q", env.project().to_str().unwrap(), "refs/symposium/*:refs/symposium/*"]);
    let diff: Value = agent(&env, &["diff", "fix", "--json"]).ok().json();
    let remarks = diff["remarks"].to_string();
    assert!(remarks.contains("the worktree belongs to another repository now"), "{remarks}");
    git(&env, &at, &["config", "core.worktree", elsewhere.to_str().unwrap()]);
    assert_ne!(take(&env, "fix", ""), 0);
    let skipped = list(&env, "fix")["skipped"]["reason"].to_string();
    assert!(skipped.contains("another repository"), "{skipped}");
    let refused = agent(&env, &["checkpoint", "restore", "fix", "1", "--yes"]).fails(1).stderr;
    assert!(refused.contains("another repository"), "{refused}");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1, "no file was written there");
}
