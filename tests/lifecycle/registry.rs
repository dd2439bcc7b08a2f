//! A registry that is damaged, replaced, or on a failing disk: it is rebuilt or refused with a clear error, and no
//! agent is lost.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use rustix::mount::{MountFlags, mount_remount};

use super::*;
use crate::support::disk::Disk;

/// Creates an environment with one running and one stopped agent.
fn env_with_two() -> TestEnv {
    let env = TestEnv::new();
    sleeper(&env, "stopped");
    env.symposium(["agent", "kill", "stopped"]).ok();
    calling_agent(&env, "running", "born");
    assert_both_are_there(&env);
    env
}

#[track_caller]
fn assert_both_are_there(env: &TestEnv) {
    let statuses = [status(env, "running"), status(env, "stopped")];
    assert_eq!(statuses, ["working", "stopped"], "{}", env.report());
    assert_eq!(assert_in_order(env).len(), 2);
    assert!(logs(env, "running").contains("born"));
}

fn registry_file(env: &TestEnv) -> PathBuf {
    env.state().join("agent-sessions.json")
}

/// Returns the contents of the damaged files that were kept.
fn kept(env: &TestEnv) -> Vec<Vec<u8>> {
    let files = fs::read_dir(env.state()).unwrap().flatten();
    let bad = files.filter(|file| file.file_name().to_string_lossy().contains("agent-sessions.json.bad-"));
    bad.map(|file| fs::read(file.path()).unwrap()).collect()
}

#[test]
fn a_damaged_registry_is_kept_and_rebuilt_with_all_agents() {
    let env = env_with_two();
    let whole = fs::read(registry_file(&env)).unwrap();
    let cut = |at: usize| whole[..at].to_vec();
    let damages = [
        Vec::new(),
        cut(1),
        cut(whole.len() / 2),
        cut(whole.len() - 2),
        b"not json at all".to_vec(),
        b"[]".to_vec(),
        b"null".to_vec(),
        vec![0; 4096],
        vec![0xff; 64],
    ];
    for (n, damage) in damages.iter().enumerate() {
        fs::write(registry_file(&env), damage).unwrap();
        let output = env.symposium(["agent", "list", "--all"]).ok();
        assert!(output.stderr.contains("warning: the registry was unusable"), "{output:?}");
        assert!(output.stderr.contains("the original is kept as"), "{output:?}");
        assert_both_are_there(&env);
        assert_eq!(kept(&env).len(), n + 1);
        assert!(kept(&env).contains(damage), "damage {n} was not kept");
    }
    let silent = env.symposium(["agent", "list", "--all"]).ok();
    assert_eq!(silent.stderr, "", "a repair is reported once");
}

#[test]
fn a_rebuild_killed_at_any_step_is_finished_by_the_next_command() {
    let env = env_with_two();
    for step in ["store.aside", "store.written", "store.bak", "store.synced", "store.renamed"] {
        fs::write(registry_file(&env), "garbage").unwrap();
        env.symposium(["agent", "list"]).env("SYMPOSIUM_FAILPOINT", step).fails(137);
        assert_both_are_there(&env);
        assert!(kept(&env).iter().all(|bytes| bytes == b"garbage") && !kept(&env).is_empty(), "{step}");
    }
}

#[test]
fn every_command_repairs_a_damaged_registry() {
    let env = env_with_two();
    for (n, verb) in [["show", "running"], ["kill", "running"], ["resume", "running"], ["peek", "running"]]
        .iter()
        .enumerate()
    {
        fs::write(registry_file(&env), "garbage").unwrap();
        env.symposium([&["agent"], &verb[..]].concat()).ok();
        assert_eq!(kept(&env).len(), n + 1, "{verb:?}");
    }
    assert_both_are_there(&env);
}

#[test]
fn a_lost_registry_and_backup_are_rebuilt_from_directories_and_tmux() {
    let env = env_with_two();
    for damage in ["garbage", ""] {
        fs::write(registry_file(&env), damage).unwrap();
        fs::write(env.state().join("agent-sessions.json.bak"), damage).unwrap();
        let running = agent(&env, "running");
        assert_eq!(running["status"], "working", "{running}");
        assert!(running["pid"].is_i64() && running["tmux"]["pane"].is_string(), "{running}");
        assert!(find(&env, "stopped").is_some(), "a stopped agent is known by its directory");
        assert_in_order(&env);
    }
    env.symposium(["agent", "kill", "running"]).ok();
    assert_in_order(&env);
}

#[test]
fn newer_events_in_the_ledger_update_an_older_registry() {
    let env = TestEnv::new();
    env.symposium(["agent", "spawn", "demo", "--name", "a", "--task", "hello"]).ok();
    env.symposium(["agent", "wait", "a", "--for", "idle", "--timeout", "20s"]).ok();
    env.symposium(["supervisor", "stop"]).ok();
    env.edit_registry(|registry| {
        let record = &mut registry["sessions"]["a"];
        record["changes"] = (record["changes"].as_u64().unwrap() - 1).into();
        record["status"]["status"] = "working".into();
    });
    fs::copy(registry_file(&env), env.state().join("agent-sessions.json.bak")).unwrap();
    fs::write(registry_file(&env), "garbage").unwrap();
    let output = env.symposium(["agent", "list", "--json"]).ok();
    assert_eq!(output.json()[0]["status"], "idle", "{output:?}");
    let both = env.state().join("agent-sessions.json.bak");
    for file in [both, registry_file(&env)] {
        fs::write(file, "garbage").unwrap();
    }
    assert_eq!(agent(&env, "a")["status"], "idle");
}

/// Replaces a ledger that no process has open.
fn spoil_ledger(env: &TestEnv) {
    for file in ["ledger.db-wal", "ledger.db-shm"] {
        let _ = fs::remove_file(env.state().join(file));
    }
    fs::write(env.state().join("ledger.db"), "garbage").unwrap();
}

#[test]
fn a_damaged_ledger_and_registry_hide_no_agent() {
    let env = env_with_two();
    // The backup equals the registry, so a list has nothing to write, and therefore no reason to create a new ledger.
    fs::copy(registry_file(&env), env.state().join("agent-sessions.json.bak")).unwrap();
    fs::write(registry_file(&env), "garbage").unwrap();
    spoil_ledger(&env);
    let output = env.symposium(["agent", "list", "--all"]).ok();
    assert!(output.stdout.contains("running") && output.stdout.contains("stopped"), "{output:?}");
    assert_eq!(output.stderr.matches("ledger.db is damaged").count(), 1, "{output:?}");
    assert_both_are_there(&env);
}

#[test]
fn a_damaged_ledger_is_reported_with_a_hint() {
    let env = env_with_two();
    spoil_ledger(&env);
    let output = env.symposium(["task", "list"]).fails(5).stderr;
    let hint = "hint: `symposium supervisor start` moves it aside and creates a new one";
    assert!(output.contains(hint), "{output}");
    env.symposium(["supervisor", "start"]).ok();
    env.wait_until("the ledger is valid", || env.symposium(["task", "list"]).outcome().code == 0);
    assert_eq!([status(&env, "running"), status(&env, "stopped")], ["working", "stopped"]);
}

#[test]
fn a_repair_by_a_hook_is_reported_to_the_next_user() {
    let env = env_with_two();
    fs::write(registry_file(&env), "garbage").unwrap();
    // A hook of an agent, whose output is discarded.
    let session = ["event", "session-closed", "--session=nobody"];
    assert_eq!(env.symposium(session).ok().stderr, "");
    assert_eq!(kept(&env).len(), 1, "the hook has repaired it");
    let quiet = env.symposium(["agent", "list", "--json"]).ok();
    assert!(!quiet.stderr.contains("unusable"), "a program shows it to nobody: {quiet:?}");
    let output = env.symposium(["agent", "list"]).ok();
    assert_eq!(output.stderr.matches("warning: the registry was unusable").count(), 1, "{output:?}");
    assert!(
        !env.symposium(["agent", "list"]).ok().stderr.contains("unusable"),
        "the repair is reported once"
    );
    let health = env.symposium(["doctor"]).outcome();
    assert!(health.stdout.contains("damaged files were repaired, and copies are kept: 1"), "{health:?}");
}

#[test]
fn running_agents_are_recovered_from_tmux_alone() {
    let env = env_with_two();
    env.symposium([
        "agent",
        "spawn",
        "demo",
        "--name",
        "demo",
        "--task",
        "remember me",
        "--title",
        "a title",
    ])
    .ok();
    env.symposium(["agent", "wait", "demo", "--for", "idle", "--timeout", "15s"]).ok();
    env.symposium(["agent", "rename", "demo", "renamed"]).ok();
    let before = agent(&env, "renamed");
    for file in ["agent-sessions.json", "agent-sessions.json.bak"] {
        fs::remove_file(env.state().join(file)).unwrap();
    }
    fs::remove_dir_all(env.state().join("instances")).unwrap();
    let names: Vec<_> = agents(&env).iter().map(|one| text(one, "name")).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(status(&env, "running"), "working");
    let after = agent(&env, "renamed");
    for field in ["id", "title", "command", "working_directory", "created_at", "pid", "tmux"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert_eq!(after["conversation"]["id"], before["conversation"]["id"]);
    assert!(is_live(&after), "{after}");
    env.symposium(["agent", "send", "renamed", "recall"]).ok();
    env.symposium(["agent", "kill", "renamed"]).ok();
    env.symposium(["agent", "resume", "renamed"]).ok();
    assert_eq!(agent(&env, "renamed")["conversation"]["id"], before["conversation"]["id"]);
}

#[test]
fn a_registry_of_a_newer_format_is_refused_and_unchanged() {
    let env = env_with_two();
    let pid = agent(&env, "running")["pid"].as_i64().unwrap();
    let newer = r#"{"format":2,"sessions":{"running":{"everything":"is different"}}}"#;
    fs::write(registry_file(&env), newer).unwrap();
    let verbs: [&[&str]; 6] = [
        &["list"],
        &["show", "running"],
        &["kill", "running"],
        &["rm", "--force", "running"],
        &["rename", "running", "other"],
        &["spawn", "--name", "new", "--", "sleep", "1000"],
    ];
    for verb in verbs {
        let refused = env.symposium([&["agent"], verb].concat()).fails(5);
        assert!(
            refused.stderr.contains(
                "it was written by a newer version of symposium (format 2, this version supports 1)"
            ),
            "{refused:?}"
        );
        assert!(refused.stderr.contains("nothing was changed"), "{refused:?}");
        assert!(refused.stderr.contains("hint: upgrade symposium"), "{refused:?}");
    }
    assert_eq!(fs::read_to_string(registry_file(&env)).unwrap(), newer);
    assert!(is_running(pid.try_into().unwrap()) && kept(&env).is_empty());
    assert_eq!(sessions(&env).len(), 1);
}

#[test]
fn a_registry_that_is_a_symbolic_link_is_refused_and_unchanged() {
    let env = env_with_two();
    let elsewhere = env.root().join("elsewhere.json");
    fs::rename(registry_file(&env), &elsewhere).unwrap();
    symlink(&elsewhere, registry_file(&env)).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    for verb in [&["list"][..], &["kill", "running"], &["spawn", "--", "sleep", "1000"]] {
        let refused = env.symposium([&["agent"], verb].concat()).fails(5);
        assert!(refused.stderr.contains("is a symbolic link"), "{refused:?}");
        assert!(refused.stderr.contains("hint: "), "{refused:?}");
    }
    assert_eq!(fs::read_link(registry_file(&env)).unwrap(), elsewhere);
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
    fs::rename(&elsewhere, registry_file(&env)).unwrap();
    assert_both_are_there(&env);
}

#[test]
fn a_read_only_disk_can_be_read_and_refuses_changes() {
    let env = TestEnv::new();
    let Some(disk) = Disk::under(&env.state()) else { return };
    calling_agent(&env, "one", "born");
    // The transcript writer would prevent the file system from becoming read-only.
    env.symposium(["agent", "kill", "one"]).ok();
    let mut remounted = false;
    env.wait_until("no process writes there", || {
        remounted |= mount_remount(disk.path(), MountFlags::RDONLY, c"size=256k,mode=0700").is_ok();
        remounted
    });
    let listed = env.symposium(["agent", "list", "--all"]).ok();
    assert!(listed.stdout.contains("one") && listed.stdout.contains("stopped"), "{listed:?}");
    assert!(logs(&env, "one").contains("born"));
    for verb in
        [&["resume", "one"][..], &["rm", "one"], &["rename", "one", "two"], &["spawn", "--", "sleep", "9"]]
    {
        let refused = env.symposium([&["agent"], verb].concat()).fails(5);
        assert!(refused.stderr.contains("Read-only file system"), "{refused:?}");
        assert!(refused.stderr.contains("hint: "), "{refused:?}");
    }
    assert!(sessions(&env).is_empty());
    disk.remount(MountFlags::empty());
    env.symposium(["agent", "resume", "one"]).ok();
    assert_eq!(status(&env, "one"), "working");
    env.symposium(["agent", "kill", "one"]).ok();
}

#[test]
fn a_full_disk_loses_nothing_and_is_reported_with_a_hint() {
    let env = TestEnv::new();
    let Some(disk) = Disk::under(&env.state()) else { return };
    calling_agent(&env, "one", "born");
    let before = env.registry();
    let filler = disk.fill();
    for verb in [&["spawn", "--name", "new", "--", "sleep", "1000"][..], &["rename", "one", "two"]] {
        let refused = env.symposium([&["agent"], verb].concat()).fails(5);
        assert!(refused.stderr.contains("No space left on device"), "{refused:?}");
        assert!(refused.stderr.contains("free some space"), "{refused:?}");
    }
    assert_eq!(env.registry(), before);
    assert!(!env.state().join("instances/new").exists(), "a spawn that failed leaves no directory");
    assert_eq!(status(&env, "one"), "working");
    let names: Vec<_> = sessions(&env).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["one"]);
    fs::remove_file(filler).unwrap();
    sleeper(&env, "new");
    assert_eq!((status(&env, "one"), status(&env, "new")), ("working".into(), "working".into()));
    assert!(logs(&env, "one").contains("born"));
    assert_in_order(&env);
    let filler = disk.fill();
    let ended = env.symposium(["agent", "kill", "new"]).fails(5);
    assert!(ended.stderr.contains("\n  it was ended, but this could not be stored\n"), "{ended:?}");
    fs::remove_file(filler).unwrap();
    env.symposium(["agent", "kill", "new"]).ok();
    assert_eq!(status(&env, "new"), "stopped");
    env.symposium(["agent", "kill", "--all"]).ok();
}

#[test]
fn removing_a_crashed_agent_changes_nothing_while_the_disk_is_full() {
    let env = TestEnv::new();
    let Some(disk) = Disk::under(&env.state()) else { return };
    env.symposium(["agent", "spawn", "--name", "one", "--", "sh", "-c", "read line; exit 3"]).ok();
    let filler = disk.fill();
    env.tmux(["send-keys", "-t", "=one:", "Enter"]).ok();
    env.wait_until("the exit is recorded", || status(&env, "one") == "crashed");
    let refused = env.symposium(["agent", "rm", "one"]).fails(5);
    assert!(refused.stderr.contains("it was not running"), "{refused:?}");
    assert_eq!(status(&env, "one"), "crashed");
    fs::remove_file(filler).unwrap();
    assert_eq!(status(&env, "one"), "crashed");
    env.symposium(["agent", "rm", "one"]).ok();
}
