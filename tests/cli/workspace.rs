//! `agent spawn --workspace worktree`: the agent has its own tree and branch, and its removal loses nothing.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;
use serde_json::Value;

use super::{agent, shown, spawned, status, wait_for};
use crate::support::TestEnv;

/// Runs git in a directory of this environment.
#[track_caller]
pub(crate) fn git(env: &TestEnv, dir: &std::path::Path, args: &[&str]) -> String {
    // A commit would start `git maintenance` as well.
    let settings = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "maintenance.auto=false"];
    env.program("git", settings.iter().chain(args)).current_dir(dir).ok().stdout.trim_end().to_owned()
}

/// Creates an environment whose project is a repository with a commit.
pub(crate) fn repository() -> TestEnv {
    let env = TestEnv::new();
    let project = env.project();
    git(&env, &project, &["init", "-q", "-b", "main"]);
    fs::create_dir_all(project.join("src")).unwrap();
    fs::write(project.join("src/lib.rs"), "// one\n").unwrap();
    fs::write(project.join(".gitignore"), "target\n").unwrap();
    git(&env, &project, &["add", "-A"]);
    git(&env, &project, &["commit", "-q", "-m", "first"]);
    env
}

/// Returns the path of an agent's workspace.
pub(crate) fn workspace(env: &TestEnv, name: &str) -> PathBuf {
    env.state().join("instances").join(name).join("workspace")
}

fn config(env: &TestEnv, text: &str) {
    super::without_settling(env, &[]);
    fs::write(env.state().join("config.toml"), text).unwrap();
}

#[test]
fn a_worktree_agent_gets_its_own_tree_and_branch() {
    let env = repository();
    fs::write(env.project().join("src/lib.rs"), "// dirty\n").unwrap();
    let spawn =
        ["spawn", "--name", "fix", "--workspace", "worktree", "--", "sh", "-c", "pwd; exec sleep 1000"];
    agent(&env, &spawn).current_dir(env.project().join("src")).ok();
    let at = workspace(&env, "fix");
    let output = shown(&env, "fix");
    assert_eq!(output["working_directory"], at.join("src").to_str().unwrap());
    assert_eq!(output["project"], env.project().to_str().unwrap());
    assert_eq!((&output["branch"], &output["workspace"]), (&"symposium/fix".into(), &"worktree".into()));
    assert_eq!(output["work"]["changed"], 0);
    assert!(output["work"]["size"].as_u64().unwrap() > 0);
    assert_eq!(fs::read_to_string(at.join("src/lib.rs")).unwrap(), "// one\n");
    assert_eq!(fs::read_to_string(env.project().join("src/lib.rs")).unwrap(), "// dirty\n");
    env.wait_until("the agent works in the worktree", || {
        super::printed(&env, "fix").contains("workspace/src")
    });
    agent(&env, &["rm", "--force", "fix"]).ok();
    assert!(!at.exists());
    assert_eq!(git(&env, &env.project(), &["branch", "--list", "symposium/*"]), "");
    assert!(!env.project().join(".git/worktrees").exists());
}

#[test]
fn uncommitted_changes_stay_behind_with_a_warning_or_are_copied() {
    let env = repository();
    let project = env.project();
    fs::write(project.join("gone"), "x\n").unwrap();
    git(&env, &project, &["add", "gone"]);
    git(&env, &project, &["commit", "-q", "-m", "second"]);
    fs::write(project.join("src/lib.rs"), "// staged\n").unwrap();
    git(&env, &project, &["add", "src/lib.rs"]);
    fs::write(project.join("src/lib.rs"), "// changed\n").unwrap();
    fs::write(project.join("new"), "new\n").unwrap();
    fs::write(project.join("target"), "ignored\n").unwrap();
    fs::remove_file(project.join("gone")).unwrap();
    let before = git(&env, &project, &["status", "--porcelain"]);
    let spawn = ["spawn", "--name", "a", "--workspace", "worktree", "--", "sleep", "1000"];
    let stderr = agent(&env, &spawn).ok().stderr;
    let warning = "warning: not in the new worktree: 3 uncommitted files: gone, src/lib.rs, new \
                   (`--with-changes` copies them)\n";
    assert!(stderr.contains(warning), "{stderr}");
    assert_eq!(git(&env, &workspace(&env, "a"), &["status", "--porcelain"]), "");
    let spawn = ["spawn", "--name", "b", "--workspace", "worktree", "--with-changes", "--", "sleep", "1000"];
    let stderr = agent(&env, &spawn).ok().stderr;
    assert!(!stderr.contains("warning"), "{stderr}");
    let at = workspace(&env, "b");
    assert_eq!(git(&env, &at, &["status", "--porcelain"]), before);
    assert_eq!(fs::read_to_string(at.join("src/lib.rs")).unwrap(), "// changed\n");
    assert!(!at.join("target").exists());
    assert_eq!(git(&env, &project, &["status", "--porcelain"]), before, "the original is as it was");
    let refused = agent(&env, &["spawn", "--with-changes", "--", "sleep", "1000"]).fails(2).stderr;
    assert!(refused.contains("`--with-changes` is for a worktree"), "{refused}");
}

#[test]
fn rm_needs_force_for_unsaved_work_and_always_keeps_commits() {
    let env = repository();
    spawned(&env, &["--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"]);
    let at = workspace(&env, "fix");
    fs::write(at.join("src/lib.rs"), "// two\n").unwrap();
    git(&env, &at, &["commit", "-q", "-a", "-m", "work"]);
    fs::write(at.join("src/lib.rs"), "// stashed\n").unwrap();
    git(&env, &at, &["stash", "-q"]);
    fs::write(at.join("new"), "?\n").unwrap();
    agent(&env, &["kill", "fix"]).ok();
    assert_snapshot!(env.redacted(&agent(&env, &["rm", "fix"]).fails(1).stderr), @"
    error: the worktree of agent `fix` contains unsaved work
      1 uncommitted file: new
      1 commit on `symposium/fix` that no remote and no other branch has
      1 stash made on `symposium/fix`
      nothing was changed
    hint: commit and push it in `[ROOT]/home/.symposium/instances/fix/workspace`
    hint: or remove it and keep a copy of uncommitted files for 30 days: `symposium agent rm --force fix`
    ");
    let pruned = agent(&env, &["prune"]).ok().stderr;
    assert!(
        pruned.starts_with("warning: `fix` stays: the worktree of agent `fix` contains unsaved work"),
        "{pruned}"
    );
    let listed = agent(&env, &["list", "--all", "--work", "--json"]).ok().json();
    let work = &listed[0]["work"];
    assert_eq!((&work["changed"], &work["ahead"], &work["stashes"]), (&1.into(), &1.into(), &1.into()));
    assert_eq!(agent(&env, &["list", "--all", "--json"]).ok().json()[0]["work"], Value::Null);
    let card = agent(&env, &["show", "fix"]).ok().stdout;
    assert!(card.contains("work  1 changed, 1 ahead, 1 stashed, "), "{card}");
    let stderr = agent(&env, &["rm", "--force", "fix"]).ok().stderr;
    assert!(stderr.contains("branch `symposium/fix` is kept: it has commits of its own"), "{stderr}");
    assert!(!at.exists());
    assert_eq!(git(&env, &env.project(), &["log", "-1", "--format=%s", "symposium/fix"]), "work");
    // The name can be used again, with the same branch if requested.
    assert_snapshot!(agent(&env, &["spawn", "--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"]).fails(1).stderr, @"
    error: no worktree was created: branch `symposium/fix` already exists with 1 commit of its own
      nothing was started
    hint: continue on it: `--branch symposium/fix`; or choose another name
    ");
    let again =
        ["--name", "fix", "--workspace", "worktree", "--branch", "symposium/fix", "--", "sleep", "1000"];
    spawned(&env, &again);
    assert_eq!(fs::read_to_string(at.join("src/lib.rs")).unwrap(), "// two\n");
}

#[test]
fn a_worktree_outside_of_a_repository_is_refused() {
    let env = TestEnv::new();
    let spawn = ["spawn", "--name", "a", "--workspace", "worktree", "--", "sleep", "1000"];
    assert_snapshot!(env.redacted(&agent(&env, &spawn).fails(1).stderr), @"
    error: `[ROOT]/project` is not in a git repository, so no worktree can be created
      nothing was started
    hint: change to a repository, or create one with `git init`
    hint: or start an agent in an empty directory: `symposium agent spawn --workspace scratch`
    ");
    git(&env, &env.project(), &["init", "-q", "-b", "main"]);
    let stderr = agent(&env, &spawn).fails(1).stderr;
    assert!(stderr.contains("its repository has no commit yet"), "{stderr}");
    agent(&env, &["spawn", "--name", "a", "--branch", "x", "--", "sleep", "1000"]).fails(2);
    assert!(!env.state().join("instances/a").exists());
    assert!(!env.project().join(".git/worktrees").exists());
    assert_eq!(agent(&env, &["list", "--all", "--json"]).ok().stdout, "[]\n");
}

#[test]
fn an_in_place_agent_has_the_branch_of_its_last_turn() {
    let env = repository();
    spawned(&env, &["demo", "--name", "a"]);
    wait_for(&env, "a", "idle");
    git(&env, &env.project(), &["checkout", "-q", "-b", "other"]);
    env.symposium(["agent", "send", "a", "hello"]).ok();
    env.wait_until("the branch is known", || env.registry()["sessions"]["a"]["branch"] == "other");
}

#[test]
fn setup_files_are_copied_and_setup_commands_run() {
    let env = repository();
    fs::write(env.project().join(".env"), "KEY=dummy\n").unwrap();
    config(
        &env,
        "[workspace]\ncopy = ['.env', 'nowhere']\nsetup = ['cat .env > made', 'test -d .git || test -f .git']\n",
    );
    let stderr =
        agent(&env, &["spawn", "--name", "a", "--workspace", "worktree", "--", "sleep", "1000"]).ok().stderr;
    assert!(stderr.contains("setting up: cat .env > made"), "{stderr}");
    let at = workspace(&env, "a");
    assert_eq!(fs::read_to_string(at.join("made")).unwrap(), "KEY=dummy\n");
    // An unchanged copy is not unsaved work; the output of the setup is.
    agent(&env, &["kill", "a"]).ok();
    let stderr = agent(&env, &["rm", "a"]).fails(1).stderr;
    assert!(stderr.contains("1 uncommitted file: made\n"), "{stderr}");
    fs::remove_file(at.join("made")).unwrap();
    agent(&env, &["rm", "a"]).ok();
}

const NEEDS: &str = r#"
[agents.web]
command = ["sleep", "1000"]
env = { STAGE = "spec" }
max_instances = 2
[agents.web.params.region]
default = "asia"
[agents.web.workspace]
mode = "worktree"
copy = [".env*", "conf/*.local", "away/secret", "away"]
setup = ["printf '%s %s %s' \"$STAGE\" \"$GIVEN\" \"$SYMPOSIUM_PARAM_REGION\" > setup.out; : a line of more than eighty characters"]
"#;

#[test]
fn a_spec_configures_copies_and_setup_of_its_worktrees() {
    let env = repository();
    config(&env, "[workspace]\ncopy = ['.env']\nsetup = ['echo first > setup.out']\n");
    for (file, text) in [
        (".env", "a"),
        (".env.local", "b"),
        ("conf/db.local", "c"),
        ("conf/db.shared", "d"),
        (".envs/.git/x", "e"),
    ] {
        super::in_project(&env, file, text);
    }
    super::trusted_specs(&env, NEEDS);
    fs::create_dir(env.root().join("outside")).unwrap();
    fs::write(env.root().join("outside/secret"), "s").unwrap();
    std::os::unix::fs::symlink(env.root().join("outside"), env.project().join("away")).unwrap();
    let run = agent(&env, &["spawn", "web", "--env", "GIVEN=flag"]).ok();
    assert_snapshot!(env.redacted(&run.stderr), @r#"
    creating a worktree on branch `symposium/web-1`
    setting up: echo first > setup.out (config.toml)
    setting up: printf '%s %s %s' "$STAGE" "$GIVEN" "$SYMPOSIUM_PARAM_REGION" > setup.out; : a line of more than eighty characters ([ROOT]/project/.symposium/agents.toml:11)
    warning: `away/secret` was not copied into the worktree: it is behind a symbolic link
    warning: not in the new worktree: 2 uncommitted files: .symposium/agents.toml, conf/db.shared (`--with-changes` copies them)
    "#);
    let at = workspace(&env, "web-1");
    assert_eq!(fs::read_to_string(at.join("setup.out")).unwrap(), "spec flag asia");
    for file in [".env", ".env.local", "conf/db.local"] {
        assert!(at.join(file).is_file(), "{file}");
    }
    for file in ["conf/db.shared", ".envs/.git", "away/secret/secret"] {
        assert!(!at.join(file).exists(), "{file}");
    }
    assert!(at.join("away").is_symlink(), "a link is copied as a link");
    let frozen = fs::read_to_string(env.state().join("instances/web-1/spec.json")).unwrap();
    let frozen: Value = serde_json::from_str(&frozen).unwrap();
    assert_eq!(frozen["spec"]["worktree"]["copy"][0], ".env*");
    let card = env.symposium(["spec", "show", "web"]).ok().stdout;
    assert!(card.contains("workspace.copy  .env*, conf/*.local, away/secret, away  ["), "{card}");
    assert!(card.contains("workspace.setup  printf"), "{card}");
    // Without a worktree, copies and setup are skipped. That is reported unless `--workspace` asked for it.
    let stderr = agent(&env, &["spawn", "web", "--workspace", "in-place"]).ok().stderr;
    assert!(!stderr.contains("setting up") && !stderr.contains("nothing was copied"), "{stderr}");
    super::trusted_specs(&env, &NEEDS.replace("mode = \"worktree\"\n", ""));
    agent(&env, &["kill", "web-1"]).ok();
    let stderr = agent(&env, &["spawn", "web"]).ok().stderr;
    assert!(stderr.contains("`web` works in-place: nothing was copied or run"), "{stderr}");
}

#[test]
fn a_long_setup_does_not_block_other_spawns() {
    let env = repository();
    let text = "[agents.web]\ncommand = ['sleep', '1000']\nmax_instances = 2\nworkspace = { mode = 'worktree', \
                setup = ['while ! test -e \"$GO\"; do sleep 0.05; done'] }\n";
    super::trusted_specs(&env, text);
    let go = env.root().join("go");
    let variable = format!("GO={}", go.display());
    let slow = agent(&env, &["spawn", "web", "--env", &variable]).start();
    env.wait_until("the record is stored", || agent(&env, &["show", "web-1"]).outcome().code == 0);
    assert_eq!(status(&env, "web-1"), "starting");
    assert_eq!(spawned(&env, &["web", "--workspace", "in-place"]), "web-2");
    agent(&env, &["spawn", "web", "--workspace", "in-place"]).fails(1);
    fs::write(&go, "").unwrap();
    slow.finish().ok();
    assert_eq!(status(&env, "web-1"), "working");
}

#[test]
fn a_renamed_agent_keeps_its_worktree() {
    let env = repository();
    spawned(&env, &["--name", "old", "--workspace", "worktree", "--", "sleep", "1000"]);
    agent(&env, &["rename", "old", "new"]).ok();
    assert_eq!(shown(&env, "new")["working_directory"], workspace(&env, "new").to_str().unwrap());
    assert_eq!(shown(&env, "new")["work"]["changed"], 0);
    agent(&env, &["restart", "new"]).ok();
    assert_eq!(status(&env, "new"), "working");
    agent(&env, &["rm", "--force", "new"]).ok();
    assert!(!env.project().join(".git/worktrees").exists());
    assert_eq!(git(&env, &env.project(), &["branch", "--list", "symposium/*"]), "");
}

#[test]
fn concurrent_worktrees_are_created() {
    let env = repository();
    let names = ["a", "b", "c", "d"];
    let runs = names.map(|name| {
        agent(&env, &["spawn", "--name", name, "--workspace", "worktree", "--", "sleep", "1000"]).start()
    });
    runs.into_iter().for_each(|run| drop(run.finish().ok()));
    for name in names {
        assert_eq!(
            git(&env, &workspace(&env, name), &["branch", "--show-current"]),
            format!("symposium/{name}")
        );
    }
    runs_out(&env, &names);
}

fn runs_out(env: &TestEnv, names: &[&str]) {
    for name in names {
        agent(env, &["rm", "--force", name]).ok();
    }
    assert!(!env.project().join(".git/worktrees").exists());
}

#[test]
fn a_list_does_not_start_git() {
    let env = repository();
    spawned(&env, &["--name", "a", "--workspace", "worktree", "--", "sleep", "1000"]);
    env.fake_program("git", "touch ../git-was-started; exit 1");
    agent(&env, &["list", "--all"]).ok();
    assert!(!env.root().join("git-was-started").exists());
    let started = || {
        ["git-was-started", "home/.symposium/instances/a/git-was-started"]
            .iter()
            .any(|file| env.root().join(file).exists())
    };
    agent(&env, &["list", "--work"]).ok();
    assert!(started());
}

#[test]
fn an_agent_can_be_removed_after_its_repository_was_deleted() {
    let env = repository();
    spawned(&env, &["--name", "a", "--workspace", "worktree", "--", "sleep", "1000"]);
    agent(&env, &["kill", "a"]).ok();
    fs::remove_dir_all(env.project().join(".git")).unwrap();
    let stderr = agent(&env, &["rm", "a"]).fails(1).stderr;
    assert!(
        stderr.contains("git no longer recognizes it") || stderr.contains("git cannot report"),
        "{stderr}"
    );
    let removed = agent(&env, &["rm", "--force", "a", "--json"]).ok().json();
    assert!(!env.state().join("instances/a").exists());
    let kept = std::path::Path::new(removed["recovered"]["folder"].as_str().unwrap()).join("src/lib.rs");
    assert_eq!(fs::read_to_string(kept).unwrap(), "// one\n", "the files themselves are kept");
}

#[test]
fn spawn_warns_about_another_agent_in_the_directory() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "one"]);
    let stderr = agent(&env, &["spawn", "demo", "--name", "two"]).ok().stderr;
    assert!(stderr.contains("warning: agent `one` works in this directory too"), "{stderr}");
    let stderr = agent(&env, &["spawn", "demo", "--name", "three", "--workspace", "scratch"]).ok().stderr;
    assert!(!stderr.contains("warning"), "{stderr}");
}

#[test]
fn spawn_does_not_overwrite_the_worktree_of_a_lost_record() {
    let env = repository();
    spawned(&env, &["--name", "a", "--workspace", "worktree", "--", "sleep", "1000"]);
    agent(&env, &["kill", "a"]).ok();
    let file = workspace(&env, "a").join("precious");
    fs::write(&file, "x").unwrap();
    env.edit_registry(|registry| registry["sessions"] = serde_json::json!({}));
    let stderr = agent(&env, &["spawn", "--name", "a", "--", "sleep", "1000"]).fails(1).stderr;
    assert!(stderr.contains("1 uncommitted file: precious"), "{stderr}");
    assert!(file.exists());
}

#[test]
fn unsaved_work_is_listed_in_80_columns() {
    let env = repository();
    spawned(&env, &["--name", "lead", "--", "sleep", "1000"]);
    let long = "a-name-that-takes-much-room-in-a-list";
    let spawn = ["--name", long, "--parent", "lead", "--workspace", "worktree", "--", "sleep", "1000"];
    spawned(&env, &spawn);
    fs::write(workspace(&env, long).join("new"), "?\n").unwrap();
    spawned(&env, &["--name", "none", "--workspace", "scratch", "--", "sleep", "1000"]);
    let text = agent(&env, &["list", "--work", "--tree"]).env("COLUMNS", "80").ok().stdout;
    // The size of a tree on disk depends on the file system.
    let without_sizes: Vec<&str> = text
        .lines()
        .map(|line| line.trim_end_matches(|c: char| c.is_ascii_digit() || ".kB ,".contains(c)))
        .collect();
    assert_snapshot!(without_sizes.join("\n"), @"
    NAME          STATUS   BRANCH         CHANGED  AHEAD  BEHIND  MERGE       SIZE
    lead          working  main                 0      -       -  -
    └ a-name-th…  working  …om-in-a-list        1      0       0  clean
    none          working  -                    -      -       -  not in git
    ");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn unchanged_copies_with_odd_names_and_links_do_not_count_as_work() {
    use std::os::unix::ffi::OsStrExt;
    let env = repository();
    config(&env, "[workspace]\ncopy = ['odd', '*.link']\n");
    super::in_project(&env, "odd/a\n\u{1b}[2J", "x");
    std::os::unix::fs::symlink("/nowhere", env.project().join("a.link")).unwrap();
    std::os::unix::fs::symlink("loop.link", env.project().join("loop.link")).unwrap();
    let spawn = ["--name", "a", "--workspace", "worktree", "--", "sleep", "1000"];
    spawned(&env, &spawn);
    let at = workspace(&env, "a");
    assert!(at.join("loop.link").is_symlink());
    agent(&env, &["kill", "a"]).ok();
    fs::remove_file(at.join("a.link")).unwrap();
    std::os::unix::fs::symlink("/elsewhere", at.join("a.link")).unwrap();
    let stderr = agent(&env, &["rm", "a"]).fails(1).stderr;
    assert!(stderr.contains("1 uncommitted file: a.link\n"), "{stderr}");
    fs::remove_file(at.join("a.link")).unwrap();
    agent(&env, &["rm", "a"]).ok();

    // A file name that cannot be recorded counts as work, and nothing else is lost with it.
    fs::write(env.project().join("odd").join(std::ffi::OsStr::from_bytes(b"\xff")), "x").unwrap();
    spawned(&env, &spawn);
    agent(&env, &["kill", "a"]).ok();
    let stderr = agent(&env, &["rm", "a"]).fails(1).stderr;
    assert!(stderr.contains("1 uncommitted file: "), "{stderr}");
    agent(&env, &["rm", "--force", "a"]).ok();
    assert_eq!(git(&env, &env.project(), &["branch", "--list", "symposium/*"]), "");
}

#[test]
fn an_agent_in_another_agents_worktree_belongs_to_the_repository() {
    let env = repository();
    spawned(&env, &["--name", "outer", "--workspace", "worktree", "--", "sleep", "1000"]);
    let at = workspace(&env, "outer");
    agent(&env, &["spawn", "--name", "inner", "--", "sleep", "1000"]).current_dir(&at).ok();
    assert_eq!(shown(&env, "inner")["project"], env.project().to_str().unwrap());
    assert_eq!(shown(&env, "inner")["working_directory"], at.to_str().unwrap());
}
