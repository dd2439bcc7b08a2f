//! `agent fork` with the real agent CLIs: the copy knows the conversation of the original, which stays as it was.

use std::fs;

use serde_json::{Value, json};

use super::claude::claude;
use super::codex::codex;
use super::{PATIENCE, Real};
use crate::cli::workspace::{git, workspace};

/// Starts an agent that knows a word, forks it and checks that the fork knows the word, too.
#[track_caller]
fn check_fork(real: &Real, kind: &str, below_home: &str) {
    let project = real.env.project();
    git(&real.env, &project, &["init", "-q", "-b", "main"]);
    git(&real.env, &project, &["commit", "-q", "--allow-empty", "-m", "first"]);
    real.spawn(kind, "the word is plum");
    real.wait_for_words("I heard 1 lines.");
    real.wait_until_kept(below_home, "I heard 1 lines.");
    let before = real.shown()["conversation"].clone();
    let forked = real.env.symposium(["agent", "fork", "a", "--name", "b", "--json"]).ok().json();
    assert_eq!(forked["conversation"], "copy");
    real.env.symposium(["agent", "wait", "b", "--for", "idle", "--timeout", PATIENCE]).ok();
    real.env.symposium(["agent", "send", "b", "what was the word?"]).ok();
    real.wait_for_words_of("b", "The word was plum.");
    let fork = real.env.symposium(["agent", "show", "b", "--json"]).ok().json();
    assert_ne!(fork["conversation"]["id"], before["id"]);
    assert_eq!(real.shown()["conversation"], before);
    real.agent("send", &["hello"]);
    real.wait_for_words("I heard 1 lines.");
}

#[test]
fn fork_of_claude_knows_the_conversation() {
    let Some(real) = claude() else { return };
    // The dialog about trust in a new directory is answered.
    let path = real.env.home().join(".claude.json");
    let mut gates: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let directory = workspace(&real.env, "b");
    gates["projects"][directory.to_str().unwrap()] =
        json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    fs::write(&path, gates.to_string()).unwrap();
    check_fork(&real, "claude", ".claude/projects");
}

#[test]
fn fork_of_codex_knows_the_conversation() {
    let Some(real) = codex() else { return };
    let trusted = [real.env.project(), workspace(&real.env, "b")]
        .map(|dir| format!("[projects.{:?}]\ntrust_level = \"trusted\"\n", dir.display().to_string()));
    fs::create_dir_all(real.env.home().join(".codex")).unwrap();
    fs::write(real.env.home().join(".codex/config.toml"), trusted.concat()).unwrap();
    check_fork(&real, "codex", ".codex/sessions");
}
