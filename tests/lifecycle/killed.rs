//! A command that dies by `kill -9` at any step: the next command repairs its unfinished changes.
//!
//! `SYMPOSIUM_FAILPOINT` names the step; it works in debug builds only (`src/failpoint.rs`). Every command has a table
//! of all its steps; each step has its own agent, beside one that must not be affected.

use super::*;

/// The steps of a registry write, which every command has.
const STORE: [&str; 4] = ["store.written", "store.bak", "store.synced", "store.renamed"];

/// Runs a command that dies at this step, and checks that the registry is valid afterwards.
#[track_caller]
fn die_at(env: &TestEnv, step: &str, args: &[&str]) {
    let outcome = env.symposium(args).env("SYMPOSIUM_FAILPOINT", step).outcome();
    assert_eq!(outcome.code, 137, "it did not die at {step}: {outcome:?}");
    env.registry();
}

/// Creates an environment with an agent that must not be affected.
fn env_with_bystander() -> TestEnv {
    let env = TestEnv::new();
    sleeper(&env, "bystander");
    env
}

/// Asserts what must hold after every step.
#[track_caller]
fn assert_repaired(env: &TestEnv) {
    assert_in_order(env);
    assert_eq!(status(env, "bystander"), "working");
}

/// Returns a name for the agent of a step.
fn name_of(step: &str, about: &str) -> String {
    format!("{}-{about}", step.replace('.', "-"))
}

#[test]
fn a_spawn_killed_at_any_step_is_live_or_repeatable() {
    let env = env_with_bystander();
    let bodies: [(&str, &[&str]); 2] = [("plain", &["--", "sleep", "1000"]), ("demo", &["demo"])];
    for step in
        STORE.into_iter().chain(["spawn.reserved", "spawn.instance", "launch.started", "launch.noted"])
    {
        for (about, body) in bodies {
            let name = name_of(step, about);
            let spawn = [&["agent", "spawn", "--name", &name], body].concat();
            die_at(&env, step, &spawn);
            assert_repaired(&env);
            let found = find(&env, &name);
            if ["spawn.reserved", "spawn.instance"].contains(&step) {
                assert!(found.is_none(), "nothing was started: {found:?}");
                env.symposium(&spawn).ok();
                assert!(is_live(&agent(&env, &name)), "{step}");
                continue;
            }
            let found = found.expect("it was started, and its session carries its record");
            let is_placed = found["pid"].is_i64() && found["tmux"]["pane"].is_string();
            assert!(is_live(&found) && is_placed, "{found}");
            let taken = env.symposium(&spawn).fails(1);
            assert!(taken.stderr.contains("already"), "{taken:?}");
        }
    }
    assert_repaired(&env);
}

#[test]
fn a_kill_killed_at_any_step_is_done_or_repeatable() {
    let env = env_with_bystander();
    for step in STORE.into_iter().chain(["kill.marked", "kill.signalled", "kill.closed", "kill.noted"]) {
        let name = name_of(step, "victim");
        calling_agent(&env, &name, "born");
        die_at(&env, step, &["agent", "kill", &name]);
        assert_repaired(&env);
        let expected = if step == "kill.marked" { "working" } else { "stopped" };
        assert_eq!(agent(&env, &name)["status"], expected, "{step}: {}", agent(&env, &name));
        env.symposium(["agent", "kill", &name]).ok();
        let killed = agent(&env, &name);
        assert_eq!(
            (&killed["status"], &killed["pid"]),
            (&"stopped".into(), &Value::Null),
            "{step}: {killed}"
        );
        assert!(sessions(&env).iter().all(|(session, _)| *session != name), "{step}");
        assert!(logs(&env, &name).contains("born"), "{step}");
        env.symposium(["agent", "resume", &name]).ok();
        assert_eq!(status(&env, &name), "working", "{step}");
    }
    assert_repaired(&env);
}

#[test]
fn a_rename_killed_at_any_step_is_complete_or_undone() {
    let env = env_with_bystander();
    for step in STORE.into_iter().chain(["rename.noted", "rename.moved", "rename.session"]) {
        for about in ["running", "stopped"] {
            let old = name_of(step, about);
            let new = format!("{old}-new");
            calling_agent(&env, &old, "born");
            if about == "stopped" {
                env.symposium(["agent", "kill", &old]).ok();
            }
            die_at(&env, step, &["agent", "rename", &old, &new]);
            assert_repaired(&env);
            let done = !["store.written", "store.bak", "store.synced"].contains(&step);
            let (now, never) = if done { (&new, &old) } else { (&old, &new) };
            assert!(find(&env, never).is_none(), "{step}: {never}");
            assert_eq!(status(&env, now), if about == "running" { "working" } else { "stopped" }, "{step}");
            let dir = |name: &str| env.state().join("instances").join(name);
            assert!(dir(now).is_dir() && !dir(never).exists(), "{step} {about}: the directory is elsewhere");
            assert!(logs(&env, now).contains("born"), "{step} {about}");
            env.symposium(["agent", "rename", now, "again"]).ok();
            assert!(logs(&env, "again").contains("born"), "{step} {about}");
            env.symposium(["agent", "rm", "--force", "again"]).ok();
        }
    }
    assert_repaired(&env);
}

#[test]
fn a_new_agent_takes_nothing_from_an_unfinished_rename() {
    let env = env_with_bystander();
    for (name, taker) in [("a", "spawn"), ("b", "rename")] {
        calling_agent(&env, name, "precious");
        env.symposium(["agent", "kill", name]).ok();
        let new = format!("{name}-new");
        die_at(&env, "rename.noted", &["agent", "rename", name, &new]);
        match taker {
            "spawn" => sleeper(&env, name),
            _ => drop(env.symposium(["agent", "rename", "bystander", name]).ok()),
        }
        assert!(logs(&env, &new).contains("precious"), "{taker}");
        assert_in_order(&env);
    }
}

#[test]
fn a_removal_killed_at_any_step_is_repeatable() {
    let env = env_with_bystander();
    let of_running = ["kill.marked", "kill.signalled", "kill.closed", "kill.noted", "rm.killed", "rm.files"];
    let of_stopped = ["rm.killed", "rm.files"];
    let running = STORE.into_iter().chain(of_running).map(|step| (step, "running"));
    let stopped = STORE.into_iter().chain(of_stopped).map(|step| (step, "stopped"));
    for (step, about) in running.chain(stopped) {
        let name = name_of(step, about);
        sleeper(&env, &name);
        if about == "stopped" {
            env.symposium(["agent", "kill", &name]).ok();
        }
        die_at(&env, step, &["agent", "rm", "--force", &name]);
        assert_repaired(&env);
        let left = find(&env, &name);
        let gone = step == "store.renamed" && about == "stopped";
        assert_eq!(left.is_none(), gone, "{step} {about}: {left:?}");
        if let Some(left) = left {
            let expected = if step == "kill.marked" { "working" } else { "stopped" };
            assert_eq!(left["status"], expected, "{step} {about}: {left}");
            env.symposium(["agent", "rm", "--force", &name]).ok();
        }
        assert!(find(&env, &name).is_none(), "{step} {about}");
        assert!(!env.state().join("instances").join(&name).exists(), "{step} {about}");
        sleeper(&env, &name);
    }
    assert_repaired(&env);
}

#[test]
fn an_agent_removed_during_its_adoption_stays_removed() {
    let env = env_with_bystander();
    die_at(&env, "launch.started", &["agent", "spawn", "--name", "a", "--", "sleep", "1000"]);
    let list = ["agent", "list", "--all", "--json"];
    let slow = env.symposium(list).env("SYMPOSIUM_FAILPOINT", "stop:adopt.seen").start();
    env.wait_until("the command has found the unrecorded session", || slow.is_stopped());
    assert_eq!(status(&env, "a"), "working", "another process reverted the change");
    env.symposium(["agent", "rm", "--force", "a"]).ok();
    slow.go_on();
    slow.finish().ok();
    assert!(find(&env, "a").is_none(), "{}", env.report());
    assert_repaired(&env);
}

#[test]
fn a_restore_killed_at_any_step_is_completed_by_the_next() {
    for step in
        STORE.into_iter().chain(["restore.begun", "resume.reserved", "launch.started", "launch.noted"])
    {
        let env = TestEnv::new();
        for name in ["a", "b", "c"] {
            calling_agent(&env, name, "born");
        }
        env.tmux(["kill-server"]).ok();
        env.wait_until("all processes have ended", || env.processes().is_empty());
        assert_eq!(status(&env, "a"), "lost");
        die_at(&env, step, &["agent", "restore", "--all"]);
        env.symposium(["agent", "restore", "--all"]).ok();
        for name in ["a", "b", "c"] {
            assert_eq!(status(&env, name), "working", "{step}: {}", agent(&env, name));
        }
    }
}

#[test]
fn restore_waits_for_the_lock_of_an_interrupted_restore() {
    let env = TestEnv::new();
    calling_agent(&env, "a", "born");
    env.tmux(["kill-server"]).ok();
    env.wait_until("all processes have ended", || env.processes().is_empty());
    assert_eq!(status(&env, "a"), "lost");
    die_at(&env, "resume.reserved", &["agent", "restore", "--all"]);
    // A child process that the killed command had just forked holds the lock like this.
    let lock = fs::File::open(env.state().join("run/a.lock")).expect("the agent was locked before");
    lock.lock().expect("locks work here");
    let restore = env.symposium(["agent", "restore", "--all"]).start();
    env.wait_until("the second restore waits or has ended", || {
        waits_for_a_lock(restore.pid()) || !is_running(restore.pid())
    });
    drop(lock);
    restore.finish().ok();
    assert_eq!(status(&env, "a"), "working", "{}", agent(&env, "a"));
}

/// Returns whether a process waits for a lock, which it does in a thread of that name.
fn waits_for_a_lock(pid: i32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut names = threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    names.any(|name| name.trim_end() == "lock")
}

#[test]
fn a_resume_killed_at_any_step_is_live_or_repeatable() {
    let env = env_with_bystander();
    for step in STORE.into_iter().chain(["resume.reserved", "launch.started", "launch.noted"]) {
        let name = name_of(step, "sleeper");
        calling_agent(&env, &name, "born");
        env.symposium(["agent", "kill", &name]).ok();
        die_at(&env, step, &["agent", "resume", &name]);
        assert_repaired(&env);
        let found = agent(&env, &name);
        let expected = match step {
            "launch.started" | "launch.noted" => "working",
            _ => "stopped",
        };
        assert_eq!(found["status"], expected, "{step}: {found}");
        let again = env.symposium(["agent", "resume", &name]);
        if expected == "working" {
            again.fails(1)
        } else {
            again.ok()
        };
        assert_eq!(status(&env, &name), "working", "{step}");
        assert!(logs(&env, &name).contains("born"), "{step}");
    }
    assert_repaired(&env);
}
