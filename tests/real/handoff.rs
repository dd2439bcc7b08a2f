//! A handoff between two homes with the real programs: the second model receives the conversation of the first.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::Real;
use super::claude::claude;
use super::codex::codex;

fn git(real: &Real, args: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    real.env.program("git", who.iter().chain(args)).ok();
}

/// Returns the workspace of the agent in a home.
fn workspace(real: &Real) -> PathBuf {
    real.env.state().join("instances/a/workspace")
}

/// Creates a repository in the first home and a clone of it in the second.
fn repositories(one: &Real, two: &Real) {
    git(one, &["init", "-q", "-b", "main"]);
    git(one, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(two, &["clone", "-q", one.env.project().to_str().expect("a path"), "."]);
}

/// Hands over an agent that was told a word, and asks the second agent for the word.
fn hand_over(one: &Real, two: &Real, kind: &str, kept: &str) {
    one.spawn(kind, "the word is plum");
    one.wait_for_words("I heard 1 lines.");
    one.wait_until_kept(kept, "I heard 1 lines.");
    fs::write(one.env.project().join("not-committed"), "x\n").expect("a file");
    let file = one.env.root().join("a.handoff.tar.gz");
    one.env.symposium(["agent", "handoff", "export", "a", "-o", file.to_str().expect("a path")]).ok();
    let mut import =
        two.env.symposium(["agent", "handoff", "import", file.to_str().expect("a path"), "--yes", "--trust"]);
    for variable in &two.variables {
        let (key, value) = variable.split_once('=').expect("NAME=VALUE");
        import = import.env(key, value);
    }
    let outcome = import.ok();
    assert!(outcome.stderr.contains("continues conversation"), "{outcome:?}");
    let ids = [one, two].map(|real| real.shown()["conversation"]["id"].clone());
    assert_eq!(ids[0], ids[1]);
    let there = workspace(two);
    assert_eq!(two.shown()["working_directory"], there.to_str().expect("a path"));
    assert!(there.join("not-committed").exists());
    two.reason_when("idle");
    two.agent("send", &["what was the word?"]);
    two.wait_for_words("The word was plum.");
}

#[test]
fn claude_continues_in_another_home_with_its_conversation() {
    let (Some(one), Some(two)) = (claude(), claude()) else { return };
    repositories(&one, &two);
    let file = two.env.home().join(".claude.json");
    let mut gates: Value = serde_json::from_slice(&fs::read(&file).expect("it was written")).expect("JSON");
    let there = workspace(&two);
    gates["projects"][there.to_str().expect("a path")] =
        json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    fs::write(&file, gates.to_string()).expect("writing .claude.json");
    hand_over(&one, &two, "claude", ".claude/projects");
    let request = two.model.last_request().to_string();
    assert!(request.contains("the word is plum") && request.contains("I heard 1 lines."), "{request}");
}

#[test]
fn codex_continues_in_another_home_with_its_conversation() {
    let (Some(one), Some(two)) = (codex(), codex()) else { return };
    repositories(&one, &two);
    for (real, dirs) in [(&one, vec![one.env.project()]), (&two, vec![two.env.project(), workspace(&two)])] {
        let trusted = dirs
            .iter()
            .map(|dir| format!("[projects.{:?}]\ntrust_level = \"trusted\"\n", dir.display().to_string()));
        fs::create_dir_all(real.env.home().join(".codex")).expect("a directory");
        fs::write(real.env.home().join(".codex/config.toml"), trusted.collect::<String>())
            .expect("writing config.toml");
    }
    hand_over(&one, &two, "codex", ".codex/sessions");
}
