//! `agent handoff export` and `import`: an agent moves to another home without loss and without exposing secrets.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use serde_json::Value;

use super::workspace::{git, repository, workspace};
use super::{agent, printed, prompts, shown, spawned, trusted_specs, wait_for};
use crate::support::TestEnv;

/// Creates another account: a home, a tmux server and a clone of the project of the first one.
pub(super) fn elsewhere(from: &TestEnv) -> TestEnv {
    let env = TestEnv::new();
    git(
        &env,
        env.root(),
        &["clone", "-q", from.project().to_str().unwrap(), env.project().to_str().unwrap()],
    );
    env
}

/// Exports an agent to a file.
#[track_caller]
pub(super) fn exported(env: &TestEnv, name: &str) -> PathBuf {
    let file = env.root().join(format!("{name}.handoff.tar.gz"));
    agent(env, &["handoff", "export", name, "-o", file.to_str().unwrap()]).ok();
    file
}

#[track_caller]
pub(super) fn import(env: &TestEnv, file: &Path, more: &[&str]) -> crate::support::run::Run {
    agent(env, &[&["handoff", "import", file.to_str().unwrap(), "--yes"][..], more].concat())
}

/// Starts a demo agent in a worktree that has taken a prompt and has its own commit.
pub(super) fn prompted_agent(env: &TestEnv) -> PathBuf {
    spawned(env, &["demo", "--name", "fix", "--workspace", "worktree", "--task", "remember plum"]);
    wait_for(env, "fix", "idle");
    let at = workspace(env, "fix");
    fs::write(at.join("src/lib.rs"), "// two\n").unwrap();
    git(env, &at, &["commit", "-q", "-a", "-m", "second"]);
    at
}

fn status_of(env: &TestEnv, at: &Path) -> String {
    git(env, at, &["status", "--porcelain=v1", "--untracked-files=all"])
}

/// Asserts that a refused import changed nothing.
#[track_caller]
pub(super) fn assert_untouched(env: &TestEnv) {
    let agents = agent(env, &["list", "--all", "--json"]).ok().json();
    assert_eq!(agents, Value::Array(vec![]));
    let left = |dir: &str| fs::read_dir(env.state().join(dir)).map_or(0, Iterator::count);
    assert_eq!(left("instances"), 0, "an instance is left");
    let run = fs::read_dir(env.state().join("run")).into_iter().flatten().flatten();
    let rooms: Vec<_> = run
        .map(|entry| entry.file_name())
        .filter(|name| name.to_string_lossy().starts_with("_staging"))
        .collect();
    assert!(rooms.is_empty(), "{rooms:?}");
    assert!(!env.state().join("run/fix.lock").exists(), "its lock is left");
    if env.project().join(".git").exists() {
        assert_eq!(git(env, &env.project(), &["branch", "--format=%(refname:short)"]), "main");
        assert!(!env.project().join(".git/worktrees").exists());
        assert_eq!(status_of(env, &env.project()), "");
    }
    assert!(!env.state().join("demo").exists(), "a conversation is left");
}

#[test]
fn an_imported_agent_continues_with_its_work_and_conversation() {
    let one = repository();
    let at = prompted_agent(&one);
    fs::write(at.join("staged"), "s\n").unwrap();
    git(&one, &at, &["add", "staged"]);
    fs::write(at.join("src/lib.rs"), "// three\n").unwrap();
    fs::write(at.join("new"), [0, 159, 146, 150]).unwrap();
    fs::write(at.join("target"), "ignored").unwrap();
    one.symposium(["task", "add", "fix", "first of all"]).ok();
    one.symposium(["task", "add", "fix", "and then", "--after", "1", "--priority", "low"]).ok();
    one.symposium(["message", "send", "fix", "mind the gap"]).ok();
    let file = exported(&one, "fix");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let two = elsewhere(&one);
    let shown_card = agent(&two, &["handoff", "import", file.to_str().unwrap(), "--show"]).ok().stdout;
    assert!(shown_card.contains("2 tasks, 1 message"), "{shown_card}");
    assert_untouched(&two);
    let output = import(&two, &file, &[]).ok();
    assert_eq!(output.stdout, "fix\n");
    assert!(output.stderr.contains("continues conversation"), "{output:?}");
    assert!(output.stderr.contains("2 tasks and 1 message wait on its queue"), "{output:?}");
    let there = workspace(&two, "fix");
    // The first line lacks its leading space, because the output of a command is trimmed.
    assert_eq!(status_of(&two, &there).trim(), "M src/lib.rs\nA  staged\n?? new");
    assert_eq!(fs::read(there.join("new")).unwrap(), [0, 159, 146, 150]);
    assert!(!there.join("target").exists());
    assert_eq!(git(&two, &there, &["log", "--format=%s"]), "second\nfirst");
    let prompted_agent = shown(&two, "fix");
    assert_eq!(
        (&prompted_agent["branch"], &prompted_agent["workspace"]),
        (&"symposium/fix".into(), &"worktree".into())
    );
    assert_eq!(prompted_agent["conversation"]["id"], shown(&one, "fix")["conversation"]["id"]);
    assert_eq!(prompted_agent["conversation"]["begun"], true);
    wait_for(&two, "fix", "idle");
    agent(&two, &["send", "fix", "recall"]).ok();
    two.wait_until("the agent recalls its conversation", || printed(&two, "fix").contains("plum"));
    assert_eq!(prompts(&two, "fix"), ["remember plum", "recall"]);
    assert_eq!(prompts(&one, "fix"), ["remember plum"], "the first agent continues");
    let tasks = two.symposium(["task", "list", "--all", "--json"]).ok().json();
    assert_eq!((&tasks[0]["text"], &tasks[0]["source"]), (&"first of all".into(), &"handoff".into()));
    assert_eq!((&tasks[1]["priority"], &tasks[1]["after"]), (&"low".into(), &serde_json::json!([1])));
    let mail = two.symposium(["message", "list", "--agent", "fix", "--json"]).ok().json();
    assert!(mail[0]["text"].as_str().unwrap().contains("mind the gap"), "{mail}");
    assert_eq!(
        git(&two, &two.project(), &["rev-parse", "--abbrev-ref", "HEAD"]),
        "main",
        "the clone itself stays"
    );
}

#[test]
fn clone_to_creates_a_repository_where_there_is_no_clone() {
    let one = repository();
    let at = prompted_agent(&one);
    fs::write(at.join("new"), "x\n").unwrap();
    let file = exported(&one, "fix");
    let two = TestEnv::new();
    let refused = import(&two, &file, &[]).fails(1);
    assert_snapshot!(two.redacted(&refused.stderr), @"
    error: `[ROOT]/project` is not in a git repository
      nothing was changed
    hint: change to a clone of its repository, or choose one with `--dir`; `--clone-to DIR` creates one from the hand-off
    ");
    assert_untouched(&two);
    git(&two, &two.project(), &["init", "-q", "-b", "main"]);
    git(&two, &two.project(), &["commit", "-q", "--allow-empty", "-m", "another"]);
    let refused = import(&two, &file, &[]).fails(1);
    assert!(refused.stderr.contains("shares no history with it"), "{refused:?}");
    assert_untouched(&two);
    let fresh = two.root().join("fresh");
    import(&two, &file, &["--clone-to", fresh.to_str().unwrap(), "--name", "mine"]).ok();
    let prompted_agent = shown(&two, "mine");
    assert_eq!(
        (&prompted_agent["working_directory"], &prompted_agent["branch"]),
        (&fresh.to_str().unwrap().into(), &"symposium/fix".into())
    );
    assert_eq!(git(&two, &fresh, &["log", "--format=%s"]), "second\nfirst");
    assert_eq!(status_of(&two, &fresh), "?? new");
    wait_for(&two, "mine", "idle");
    let again = import(&two, &file, &["--clone-to", fresh.to_str().unwrap()]).fails(1);
    assert_snapshot!(two.redacted(&again.stderr), @"
    error: cannot create a repository in `[ROOT]/fresh`: it already exists
      nothing was changed
    hint: choose a directory that does not exist with `--clone-to`
    ");
}

#[test]
fn import_leaves_existing_agents_and_branches_unchanged() {
    let one = repository();
    prompted_agent(&one);
    let file = exported(&one, "fix");
    let two = elsewhere(&one);
    git(&two, &two.project(), &["branch", "symposium/fix"]);
    git(&two, &two.project(), &["branch", "handoff/fix-2"]);
    spawned(&two, &["--name", "fix", "--", "sleep", "1000"]);
    let before = git(&two, &two.project(), &["rev-parse", "symposium/fix", "handoff/fix-2", "main"]);
    let output = import(&two, &file, &[]).ok();
    assert_eq!(output.stdout, "fix-2\n");
    assert!(
        output.stderr.contains("`fix` is the name of another agent: this agent is `fix-2`"),
        "{output:?}"
    );
    assert!(output.stderr.contains("its work is on a new branch, `handoff/fix-2-2`"), "{output:?}");
    assert_eq!(git(&two, &two.project(), &["rev-parse", "symposium/fix", "handoff/fix-2", "main"]), before);
    import(&two, &file, &["--name", "fix"]).fails(1);
    // The conversation exists here by now: a third import continues with a copy of it.
    let output = import(&two, &file, &[]).ok();
    assert!(output.stderr.contains("it continues with a copy"), "{output:?}");
    let ids = ["fix-2", "fix-3"].map(|name| shown(&two, name)["conversation"]["id"].clone());
    assert_ne!(ids[0], ids[1]);
    wait_for(&two, "fix-3", "idle");
    agent(&two, &["send", "fix-3", "recall"]).ok();
    assert_eq!(prompts(&two, "fix-3"), ["remember plum", "recall"]);
    assert_eq!(prompts(&two, "fix-2"), ["remember plum"]);
}

#[test]
fn secrets_are_refused_and_reported_masked() {
    let env = repository();
    let key = ["ghp", "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa42Kx"].join("_");
    spawned(
        &env,
        &[
            "demo",
            "--name",
            "fix",
            "--workspace",
            "worktree",
            "--env",
            "MY_TOKEN=correct-horse",
            "--task",
            "remember correct-horse",
        ],
    );
    wait_for(&env, "fix", "idle");
    let at = workspace(&env, "fix");
    fs::write(at.join("config"), format!("token = {key}\n")).unwrap();
    git(&env, &at, &["add", "config"]);
    git(&env, &at, &["commit", "-q", "-m", "with a key"]);
    git(&env, &at, &["rm", "-q", "config"]);
    git(&env, &at, &["commit", "-q", "-m", "without"]);
    let file = env.root().join("f");
    let export = ["handoff", "export", "fix", "-o", file.to_str().unwrap()];
    let refused = agent(&env, &export).fails(1);
    let output = &refused.stderr;
    assert!(
        output.contains(
            "conversation.jsonl line 2: the value of MY_TOKEN: hidden (too short to show a prefix)"
        ),
        "{output}"
    );
    assert!(output.contains("(config line 1): a GitHub token: ghp_… (40 characters)"), "{output}");
    assert!(!output.contains(&key) && !output.contains("correct-horse"), "{output}");
    assert!(!file.exists());
    let json = agent(&env, &[&export[..], &["--json"]].concat()).fails(1);
    assert!(json.stderr.contains("\"code\":\"secrets\""), "{json:?}");
    agent(&env, &[&export[..], &["--allow-secrets"]].concat()).ok();
    let seen =
        env.symposium(["agent", "handoff", "import", file.to_str().unwrap(), "--show", "--json"]).ok().json();
    assert_eq!(seen["manifest"]["variables"], serde_json::json!(["MY_TOKEN"]));
    // Manifest and spec omit it even with `--allow-secrets`; only the prompts that the agent received contain it.
    for part in [&seen["manifest"], &seen["spec"]] {
        assert!(!part.to_string().contains("correct-horse"), "{seen}");
    }
}

#[test]
fn a_secret_of_the_spawners_environment_is_found_in_the_process() {
    let env = repository();
    let spawn = ["spawn", "demo", "--name", "fix", "--task", "remember battery-staple"];
    agent(&env, &spawn).env("THEIR_TOKEN", "battery-staple").ok();
    wait_for(&env, "fix", "idle");
    let refused = agent(&env, &["handoff", "export", "fix"]).fails(1);
    assert!(refused.stderr.contains("the value of THEIR_TOKEN: hidden (too short"), "{refused:?}");
}

#[test]
fn concurrent_imports_do_not_share_names_branches_or_conversations() {
    let one = repository();
    prompted_agent(&one);
    let file = exported(&one, "fix");
    let two = elsewhere(&one);
    let all: Vec<_> = (0..3).map(|_| import(&two, &file, &[]).start()).collect();
    let mut names = Vec::new();
    for running in all {
        let outcome = running.finish();
        // An import that lost the race for a branch or the conversation reports it and leaves nothing.
        if outcome.code == 0 {
            names.push(outcome.stdout.trim_end().to_owned());
        }
    }
    assert!(!names.is_empty());
    let known = agent(&two, &["list", "--all", "--json"]).ok().json();
    assert_eq!(known.as_array().map(Vec::len), Some(names.len()), "{known}");
    for name in &names {
        wait_for(&two, name, "idle");
        assert_eq!(prompts(&two, name), ["remember plum"]);
        assert_eq!(git(&two, &workspace(&two, name), &["log", "-1", "--format=%s"]), "second");
    }
}

#[test]
fn import_asks_for_agreement_to_commands_and_permissions() {
    let one = repository();
    let text = "[agents.busy]\nkind = \"demo\"\nshell_tier = \"free\"\ntools = [\"Bash\"]\n\
                workspace = { mode = \"worktree\", setup = [\"touch set-up-here\"] }\n";
    trusted_specs(&one, text);
    spawned(&one, &["busy", "--name", "busy"]);
    let file = exported(&one, "busy");
    let two = elsewhere(&one);
    assert_snapshot!(two.redacted(&import(&two, &file, &[]).fails(1).stderr), @"
    error: agent `busy` would perform actions on this machine that need your consent
      it sets up its worktree with `touch set-up-here`
      it uses without asking: Bash
      it runs any command without asking (tier `free`)
      nothing was changed
    hint: inspect it with `--show`; if you agree, add `--yes --trust`
    ");
    assert_untouched(&two);
    let refused = agent(&two, &["handoff", "import", file.to_str().unwrap()]).fails(2);
    assert!(refused.stderr.contains("needs a confirmation"), "{refused:?}");
    import(&two, &file, &["--trust"]).ok();
    assert!(workspace(&two, "busy").join("set-up-here").exists());
    let command = shown(&two, "busy")["command"].to_string();
    assert!(command.contains("bypassPermissions"), "{command}");
}

#[test]
fn without_its_conversation_the_agent_gets_the_recap() {
    let one = repository();
    one.fake_program("claude", &format!("exec {} demo-agent \"$@\"", one.binary()));
    spawned(&one, &["claude", "--name", "fix", "--title", "the plum", "--task", "remember plum"]);
    wait_for(&one, "fix", "idle");
    let output = agent(&one, &["handoff", "export", "fix", "-o", "f"]).ok();
    assert!(output.stderr.contains("begins a new conversation with the recap"), "{output:?}");
    let file = one.project().join("f");
    let two = elsewhere(&one);
    // The files of the work may tell an agent CLI what to run.
    let refused = import(&two, &file, &[]).fails(1);
    assert!(refused.stderr.contains("it runs `claude` in the imported work"), "{refused:?}");
    let refused = import(&two, &file, &["--trust"]).fails(1);
    assert!(refused.stderr.contains("`claude` is not installed"), "{refused:?}");
    assert_untouched(&two);
    two.fake_program("claude", &format!("exec {} demo-agent \"$@\"", two.binary()));
    import(&two, &file, &["--trust"]).ok();
    wait_for(&two, "fix", "idle");
    let prompted_agent = prompts(&two, "fix");
    assert!(
        prompted_agent.len() == 1 && prompted_agent[0].contains("You take over the work of agent `fix`"),
        "{prompted_agent:?}"
    );
    assert_eq!(shown(&two, "fix")["title"], "the plum");
}

#[test]
fn export_reports_files_outside_of_a_repository_as_not_packed() {
    let one = TestEnv::new();
    spawned(&one, &["demo", "--name", "fix", "--workspace", "scratch", "--task", "remember plum"]);
    wait_for(&one, "fix", "idle");
    let output = agent(&one, &["handoff", "export", "fix", "-o", "f"]).ok();
    assert!(
        output.stderr.contains("is not in a git repository: the files in it are not packed"),
        "{output:?}"
    );
    let two = TestEnv::new();
    import(&two, &one.project().join("f"), &[]).ok();
    assert_eq!(shown(&two, "fix")["workspace"], "scratch");
    wait_for(&two, "fix", "idle");
    agent(&two, &["send", "fix", "recall"]).ok();
    assert_eq!(prompts(&two, "fix"), ["remember plum", "recall"]);
}

#[test]
fn an_import_killed_at_any_step_is_cleaned_up_by_rm() {
    let one = repository();
    let at = prompted_agent(&one);
    fs::write(at.join("new"), "x\n").unwrap();
    let file = exported(&one, "fix");
    let two = elsewhere(&one);
    // The commit then exists nowhere else.
    git(&two, &two.project(), &["update-ref", "-d", "refs/remotes/origin/symposium/fix"]);
    for step in [
        "handoff.commits",
        "handoff.noted",
        "worktree.noted",
        "worktree.added",
        "worktree.copied",
        "worktree.ready",
        "handoff.settled",
        "handoff.placed",
        "handoff.queued",
    ] {
        let outcome = import(&two, &file, &[]).env("SYMPOSIUM_FAILPOINT", step).outcome();
        assert_eq!(outcome.code, 137, "{step}: {outcome:?}");
        let there = agent(&two, &["show", "fix"]).outcome().code == 0;
        if there {
            assert_eq!(shown(&two, "fix")["status"], "crashed", "{step}");
            let refused = agent(&two, &["resume", "fix"]).fails(1);
            let why = ["was not imported completely", "it no longer exists"];
            assert!(why.iter().any(|why| refused.stderr.contains(why)), "{step}: {refused:?}");
            let output = agent(&two, &["rm", "fix"]).ok();
            assert!(!output.stderr.contains("stays"), "{step}: {output:?}");
        }
        // The remains of an import that was killed before it was recorded are removed by the next import of that name.
        let demo = two.state().join("demo");
        assert_eq!(fs::read_dir(&demo).map_or(0, Iterator::count), 0, "{step}");
        let branches = git(&two, &two.project(), &["branch", "--format=%(refname:short)"]);
        assert_eq!(branches, "main", "{step}");
        assert!(!two.project().join(".git/worktrees").exists(), "{step}");
    }
    for step in ["handoff.moved", "launch.started", "launch.noted"] {
        let outcome = import(&two, &file, &[]).env("SYMPOSIUM_FAILPOINT", step).outcome();
        assert_eq!(outcome.code, 137, "{step}");
        if step == "handoff.moved" {
            agent(&two, &["resume", "fix"]).ok();
        }
        wait_for(&two, "fix", "idle");
        assert_eq!(prompts(&two, "fix"), ["remember plum"], "{step}");
        agent(&two, &["kill", "fix"]).ok();
        agent(&two, &["rm", "--force", "fix"]).ok();
        fs::remove_dir_all(two.state().join("demo")).unwrap();
    }
    import(&two, &file, &[]).ok();
    wait_for(&two, "fix", "idle");
    assert_eq!(prompts(&two, "fix"), ["remember plum"]);
    let run = fs::read_dir(two.state().join("run")).unwrap().flatten();
    assert!(run.into_iter().all(|entry| !entry.file_name().to_string_lossy().starts_with("_staging")));
}

#[test]
fn a_partial_clone_remains_only_after_a_kill_and_is_reported() {
    let one = repository();
    prompted_agent(&one);
    let file = exported(&one, "fix");
    let two = TestEnv::new();
    let fresh = two.root().join("fresh");
    let to = ["--clone-to", fresh.to_str().unwrap()];
    let outcome = import(&two, &file, &to).env("SYMPOSIUM_FAILPOINT", "handoff.settled").outcome();
    assert_eq!(outcome.code, 137, "{outcome:?}");
    assert_eq!(shown(&two, "fix")["status"], "crashed");
    let refused = agent(&two, &["resume", "fix"]).fails(1);
    assert!(refused.stderr.contains("was not imported completely"), "{refused:?}");
    let output = agent(&two, &["rm", "fix"]).ok();
    assert!(output.stderr.contains("was created for it and remains"), "{output:?}");
    assert!(fresh.join("src/lib.rs").exists());
    import(&two, &file, &to).fails(1);
    fs::remove_dir_all(&fresh).unwrap();
    import(&two, &file, &to).ok();
    wait_for(&two, "fix", "idle");
}
