//! `agent diff`: everything an agent changed since its base, in repositories of many shapes.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::workspace::{git, repository, workspace};
use super::{agent, spawned};
use crate::support::TestEnv;

/// Starts an agent with its own worktree.
#[track_caller]
fn worktree_agent(env: &TestEnv, name: &str, dir: &Path) {
    let spawn = ["spawn", "--name", name, "--workspace", "worktree", "--", "sleep", "1000"];
    agent(env, &spawn).current_dir(dir).ok();
}

#[track_caller]
fn diff(env: &TestEnv, args: &[&str]) -> Value {
    agent(env, &[&["diff", "--json"], args].concat()).ok().json()
}

fn paths(diff: &Value) -> Vec<String> {
    let files = diff["files"].as_array().expect("files is a list").iter();
    files.map(|file| file["path"].as_str().expect("a path is a text").to_owned()).collect()
}

#[test]
fn commits_uncommitted_and_untracked_files_are_shown_together() {
    let env = repository();
    worktree_agent(&env, "fix", &env.project());
    let at = workspace(&env, "fix");
    fs::write(at.join("committed"), "one\n").unwrap();
    git(&env, &at, &["add", "committed"]);
    git(&env, &at, &["commit", "-q", "-m", "add a file"]);
    fs::write(at.join("src/lib.rs"), "// two\n").unwrap();
    fs::write(at.join("untracked"), "three\n").unwrap();
    fs::write(at.join("target"), "ignored\n").unwrap();
    // The base branch moves on; its changes are not the agent's.
    fs::write(env.project().join("other"), "x\n").unwrap();
    git(&env, &env.project(), &["add", "other"]);
    git(&env, &env.project(), &["commit", "-q", "-m", "second"]);
    let before = git(&env, &at, &["status", "--porcelain"]);

    let found = diff(&env, &["fix"]);
    assert_eq!(paths(&found), ["committed", "src/lib.rs", "untracked"]);
    assert_eq!((&found["base"]["name"], &found["base"]["source"]), (&"main".into(), &"spawn".into()));
    assert_eq!(found["commits"][0]["subject"], "add a file");
    assert_eq!(found["uncommitted"], serde_json::json!(["src/lib.rs", "untracked"]));
    assert_eq!(paths(&diff(&env, &["fix", "--commits"])), ["committed"]);
    assert_eq!(paths(&diff(&env, &["fix", "--uncommitted"])), ["src/lib.rs", "untracked"]);

    let stat = agent(&env, &["diff", "fix", "--stat"]).ok();
    assert_eq!(stat.stdout, "A +1 -0  committed\nM +1 -1  src/lib.rs\nA +1 -0  untracked\n");
    let names = agent(&env, &["diff", "fix", "--name-only"]).ok().stdout;
    assert_eq!(names, "committed\nsrc/lib.rs\nuntracked\n");
    assert!(
        stat.stderr
            .contains("3 files changed, +3 -1; 1 commit and 2 files with uncommitted changes since main")
    );
    assert_eq!(git(&env, &at, &["status", "--porcelain"]), before, "the index stays as it is");

    // The patch can be applied to the base.
    let patch = env.root().join("patch");
    fs::write(&patch, agent(&env, &["diff", "fix"]).ok().stdout).unwrap();
    git(&env, &env.project(), &["apply", patch.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(env.project().join("untracked")).unwrap(), "three\n");
}

#[test]
fn unusual_repositories_are_compared() {
    let env = repository();
    let project = env.project();
    // A bare repository with worktrees.
    let bare = env.root().join("bare.git");
    git(&env, &project, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let tree = env.root().join("tree");
    git(&env, &bare, &["worktree", "add", "-q", tree.to_str().unwrap(), "main"]);
    worktree_agent(&env, "bare", &tree);
    fs::write(workspace(&env, "bare").join("new"), "x\n").unwrap();
    assert_eq!(paths(&diff(&env, &["bare"])), ["new"]);
    // A shallow clone, and a detached HEAD in it.
    fs::write(project.join("second"), "x\n").unwrap();
    git(&env, &project, &["add", "-A"]);
    git(&env, &project, &["commit", "-q", "-m", "second"]);
    let shallow = env.root().join("shallow");
    let from = format!("file://{}", project.display());
    git(&env, &project, &["clone", "-q", "--depth", "1", &from, shallow.to_str().unwrap()]);
    git(&env, &shallow, &["checkout", "-q", "--detach"]);
    worktree_agent(&env, "shallow", &shallow);
    let at = workspace(&env, "shallow");
    git(&env, &at, &["mv", "second", "renamed"]);
    fs::write(at.join("bin"), b"a\0b").unwrap();
    let found = diff(&env, &["shallow"]);
    assert_eq!(paths(&found), ["bin", "renamed"]);
    assert_eq!(found["files"][1]["old_path"], "second");
    assert_eq!(found["files"][0]["added"], Value::Null);
    // A rebase that stopped at a conflict.
    worktree_agent(&env, "rebase", &project);
    let at = workspace(&env, "rebase");
    fs::write(at.join("second"), "theirs\n").unwrap();
    git(&env, &at, &["commit", "-q", "-a", "-m", "theirs"]);
    fs::write(project.join("second"), "ours\n").unwrap();
    git(&env, &project, &["commit", "-q", "-a", "-m", "ours"]);
    env.program("git", ["-c", "user.name=a", "-c", "user.email=a@b", "rebase", "main"])
        .current_dir(&at)
        .fails(1);
    assert_eq!(paths(&diff(&env, &["rebase"])), ["second"]);
    assert!(at.join("second").exists() && git(&env, &at, &["status"]).contains("rebase in progress"));
}

#[test]
fn the_tool_is_the_external_diff_program_of_the_user_and_not_of_the_repository() {
    let env = repository();
    let project = env.project();
    worktree_agent(&env, "fix", &project);
    let at = workspace(&env, "fix");
    fs::write(at.join("src/lib.rs"), "// changed\n").unwrap();
    fs::write(at.join(".gitattributes"), "* diff=evil\n").unwrap();
    let marker = env.root().join("marker");
    let evil = format!("touch {}", marker.display());
    for key in ["diff.external", "diff.evil.command", "diff.evil.textconv", "core.pager"] {
        git(&env, &project, &["config", key, &evil]);
    }
    let tool = env.fake_program("my-diff", "echo \"compared $1:\" && tail -n 1 \"$5\"");
    git(&env, &project, &["config", "--global", "diff.external", tool.to_str().unwrap()]);
    git(&env, &project, &["config", "--global", "core.pager", "cat"]);
    let terminal = env.terminal([env.binary(), "agent", "diff", "fix", "--tool"]);
    terminal.wait_for_text("compared src/lib.rs:");
    terminal.wait_for_text("// changed");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(!marker.exists());
}

#[test]
fn a_hostile_repository_starts_nothing() {
    let env = repository();
    worktree_agent(&env, "fix", &env.project());
    let at = workspace(&env, "fix");
    fs::write(at.join(".gitattributes"), "* diff=evil filter=evil\n").unwrap();
    fs::write(at.join("src/lib.rs"), "\x1b[2J\x1b]0;owned\x07// two\n").unwrap();
    let marker = env.root().join("marker");
    let command = format!("touch {}", marker.display());
    let keys = [
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "core.fsmonitor",
        "core.pager",
        "pager.diff",
        "interactive.diffFilter",
    ];
    for key in keys {
        git(&env, &env.project(), &["config", key, &command]);
    }
    for args in [&["fix"][..], &["fix", "--stat"], &["fix", "--uncommitted"], &["fix", "--json"]] {
        agent(&env, &[&["diff"], args].concat()).ok();
        assert!(!marker.exists(), "{args:?}");
    }
    // The terminal gets no escape sequence of a file.
    let terminal = env.terminal([env.binary(), "agent", "diff", "fix"]);
    terminal.wait_for_text("// two");
    terminal.wait_for_text("with uncommitted changes");
    assert!(terminal.screen().contains("diff --git"), "{}", terminal.screen());
    assert!(!marker.exists());
}

#[test]
fn an_agent_in_place_is_compared_with_its_start_and_says_what_is_unknown() {
    let env = repository();
    spawned(&env, &["--name", "here", "--", "sleep", "1000"]);
    fs::write(env.project().join("new"), "x\n").unwrap();
    let found = diff(&env, &["here"]);
    assert_eq!(paths(&found), ["new"]);
    assert!(found["remarks"][0].as_str().unwrap().contains("works in place"), "{found}");
    let spawn = ["spawn", "--name", "outside", "--", "sleep", "1000"];
    agent(&env, &spawn).current_dir(env.root()).ok();
    let refused = agent(&env, &["diff", "outside"]).fails(1);
    assert!(refused.stderr.contains("is not in a git repository"), "{}", refused.stderr);
}

#[test]
fn a_scratch_agent_has_no_diff_of_the_repository_around_its_folder() {
    let env = repository();
    git(&env, &env.home(), &["init", "-q"]);
    agent(&env, &["spawn", "--name", "s", "--workspace", "scratch", "--", "sleep", "1000"]).ok();
    let stderr = agent(&env, &["diff", "s"]).fails(1).stderr;
    assert!(stderr.contains("the directory of agent `s` is not in a git repository"), "{stderr}");
}
