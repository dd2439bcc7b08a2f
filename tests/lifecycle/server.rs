//! A tmux server that dies, hangs, or is replaced: agents are lost or unknown, but never forgotten or confused.

use std::time::{Duration, Instant};

use super::*;

/// Kills our server with SIGKILL, and waits until all processes in it are gone.
#[track_caller]
fn crash_server(env: &TestEnv) {
    let pid = server_pid(env).expect("a server");
    env.program("kill", ["-9", &pid.to_string()]).ok();
    env.wait_until("the server has ended", || !is_running(pid));
}

/// Spawns a demo agent that remembers a word in its conversation.
#[track_caller]
fn one_that_remembers(env: &TestEnv, name: &str, word: &str) {
    let task = format!("remember {word}");
    env.symposium(["agent", "spawn", "demo", "--name", name, "--task", &task]).ok();
    env.symposium(["agent", "wait", name, "--for", "idle", "--timeout", "15s"]).ok();
}

#[test]
fn agents_lost_in_a_tmux_crash_are_restored_where_they_were() {
    let env = TestEnv::new();
    let dir = env.project().join("deep down");
    fs::create_dir(&dir).unwrap();
    one_that_remembers(&env, "demo", "the blue door");
    let here = dir.to_str().unwrap();
    let print =
        ["agent", "spawn", "--name", "plain", "--dir", here, "--", "sh", "-c", "pwd; exec sleep 1000"];
    env.symposium(print).ok();
    sleeper(&env, "stopped");
    env.symposium(["agent", "kill", "stopped"]).ok();
    let before = agents(&env);
    crash_server(&env);

    let lost = agents(&env);
    assert_eq!(lost.len(), 3);
    for name in ["demo", "plain"] {
        let agent = agent(&env, name);
        assert_eq!((&agent["status"], &agent["pid"]), (&"lost".into(), &Value::Null), "{agent}");
        assert!(agent["reason"].as_str().unwrap().contains("server is gone"), "{agent}");
    }
    assert_eq!(status(&env, "stopped"), "stopped");
    assert!(logs(&env, "demo").contains("blue door"), "the transcript outlives the server");

    let refused = env.symposium(["agent", "restore"]).fails(2);
    assert!(refused.stderr.contains("2 agents are lost: demo, plain"), "{refused:?}");
    let output = env.symposium(["agent", "restore", "--all"]).ok();
    assert!(output.stderr.contains("`demo` continues conversation"), "{output:?}");
    let after = assert_in_order(&env);
    for old in &before {
        let new = after.iter().find(|one| one["id"] == old["id"]).expect("every agent is listed");
        for field in ["name", "working_directory", "command", "created_at"] {
            assert_eq!(new[field], old[field]);
        }
        assert_eq!(new["conversation"]["id"], old["conversation"]["id"]);
    }
    assert_eq!((status(&env, "plain"), status(&env, "stopped")), ("working".into(), "stopped".into()));
    env.wait_until("the agent is in its directory again", || logs(&env, "plain").matches(here).count() == 2);
    env.symposium(["agent", "wait", "demo", "--for", "idle", "--timeout", "15s"]).ok();
    let output = || logs(&env, "demo").matches("the blue door").count();
    let before = output();
    env.symposium(["agent", "send", "demo", "recall"]).ok();
    env.wait_until("the agent recalls its conversation", || output() > before);
    let none = env.symposium(["agent", "restore", "--all"]).ok();
    assert!(none.stderr.contains("no agent is lost"), "{none:?}");
}

#[test]
fn a_renamed_agent_is_restored_in_its_scratch_folder() {
    let env = TestEnv::new();
    let script = "echo work >>made; pwd; exec sleep 1000";
    env.symposium(["agent", "spawn", "--name", "old", "--workspace", "scratch", "--", "sh", "-c", script])
        .ok();
    env.wait_until("the agent has printed its directory", || {
        logs(&env, "old").contains("/instances/old/workspace")
    });
    env.symposium(["agent", "rename", "old", "new"]).ok();
    crash_server(&env);
    env.symposium(["agent", "restore", "--all"]).ok();
    env.wait_until("the agent continues in the new directory", || {
        logs(&env, "new").contains("/instances/new/workspace")
    });
    let made = env.state().join("instances/new/workspace/made");
    assert_eq!(fs::read_to_string(made).unwrap(), "work\nwork\n");
    for file in ["agent-sessions.json", "agent-sessions.json.bak"] {
        fs::remove_file(env.state().join(file)).unwrap();
    }
    let rebuilt = agent(&env, "new");
    assert!(text(&rebuilt, "working_directory").ends_with("/instances/new/workspace"), "{rebuilt}");
}

#[test]
fn many_lost_agents_are_restored_at_once() {
    let env = TestEnv::new();
    let started: Vec<_> = (0..7)
        .map(|n| {
            let name = format!("agent-{n}");
            env.symposium(["agent", "spawn", "--name", &name, "--", "sleep", "1000"]).start()
        })
        .collect();
    started.into_iter().for_each(|one| drop(one.finish().ok()));
    crash_server(&env);
    let rows = env.symposium(["agent", "restore", "--all", "--json"]).ok().json();
    assert_eq!(rows.as_array().unwrap().len(), 7);
    assert!(rows.as_array().unwrap().iter().all(|row| row["restored"] == true), "{rows}");
    assert!(assert_in_order(&env).iter().all(|one| one["status"] == "working"));
}

#[test]
fn a_hung_tmux_is_reported_in_time_and_not_taken_for_gone() {
    let env = TestEnv::new();
    sleeper(&env, "one");
    sleeper(&env, "stopped");
    env.symposium(["agent", "kill", "stopped"]).ok();
    let before = env.registry();
    let server = server_pid(&env).expect("a server").to_string();
    env.program("kill", ["-STOP", &server]).ok();

    let begun = Instant::now();
    let list = env.symposium(["agent", "list", "--all", "--json"]).start();
    let spawn = env.symposium(["agent", "spawn", "--name", "late", "--", "sleep", "1000"]).start();
    let restore = env.symposium(["agent", "restore", "--all"]).start();
    let listed = list.finish().fails(4);
    // A command that waits for tmux twice takes ten seconds.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert!(listed.stderr.contains("tmux did not answer within 5.0s"), "{listed:?}");
    assert!(listed.stderr.contains("their status was not changed"), "{listed:?}");
    let shown: Vec<_> = listed.json().as_array().unwrap().iter().map(|one| one["status"].clone()).collect();
    assert!(shown.contains(&"unknown".into()) && shown.contains(&"stopped".into()), "{shown:?}");
    let spawned = spawn.finish().fails(4);
    assert!(
        spawned.stderr.contains("tmux may still start agent `late` when it answers again"),
        "{spawned:?}"
    );
    restore.finish().fails(4);
    let peeked = env.symposium(["agent", "peek", "one"]).fails(4);
    let notice = "warning: these are the last lines of the transcript of `one`, not its current screen\nerror: tmux did not answer";
    assert!(peeked.stderr.starts_with(notice), "{peeked:?}");
    let refused = [
        (&["agent", "show", "one"][..], "status  unknown"),
        (&["agent", "show", "one", "--json"], "\"status\":\"unknown\""),
        (&["agent", "recap", "one"], "one: "),
        (&["metrics"], "symposium_agents{status=\"unknown\"} 1"),
    ];
    for (running, seen) in refused.map(|(words, seen)| (env.symposium(words).start(), seen)) {
        let text = running.finish().fails(4);
        assert!(text.stdout.contains(seen), "{text:?}");
        assert!(text.stderr.contains("tmux did not answer within 5.0s"), "{text:?}");
    }
    env.symposium(["agent", "show", "stopped"]).ok();
    let doctor = env.symposium(["doctor"]).fails(1).stdout;
    let text = format!("its process {server} is stopped\n      do: kill -CONT {server}\n");
    assert!(doctor.contains(&text), "{doctor}");
    let one = |registry: &Value| registry["sessions"]["one"].clone();
    assert_eq!(one(&env.registry()), one(&before), "a hung tmux changed the registry");

    env.program("kill", ["-CONT", &server]).ok();
    env.wait_until("tmux answers again", || status(&env, "one") == "working");
    assert_eq!(status(&env, "stopped"), "stopped");
    // A request of the timed-out spawn may still have been executed; the agent is known then.
    assert_in_order(&env);
}

#[test]
fn kill_ends_the_processes_while_tmux_hangs() {
    let env = TestEnv::new();
    sleeper(&env, "one");
    let (pid, server) = (agent(&env, "one")["pid"].as_i64().unwrap(), server_pid(&env).unwrap().to_string());
    env.program("kill", ["-STOP", &server]).ok();
    let output = env.symposium(["agent", "kill", "one"]).ok();
    assert!(output.stderr.contains("its tmux session may remain"), "{output:?}");
    assert!(!is_running(pid.try_into().unwrap()));
    env.program("kill", ["-CONT", &server]).ok();
    env.wait_until("the agent is stopped", || status(&env, "one") == "stopped");
    env.symposium(["agent", "resume", "one"]).ok();
    assert_in_order(&env);
}

#[test]
fn a_foreign_session_with_a_lost_agents_name_is_not_the_agent() {
    let env = TestEnv::new();
    calling_agent(&env, "one", "born");
    crash_server(&env);
    env.tmux(["-f", "/dev/null", "new-session", "-d", "-s", "one", "sleep 1000"]).ok();
    assert_eq!(status(&env, "one"), "lost");
    let refused = env.symposium(["agent", "restore", "--all"]).fails(1);
    assert!(
        refused.stderr.contains("a tmux session named `one` exists and does not belong to this agent"),
        "{refused:?}"
    );
    assert!(refused.stderr.contains("hint: use another name (`--name`, or `symposium agent rename`), or end that session if it is unused"), "{refused:?}");
    assert_eq!(status(&env, "one"), "lost", "agents that could not be restored stay lost");
    let killed = env.symposium(["agent", "kill", "one"]).ok();
    assert!(killed.stderr.contains("was not running"), "{killed:?}");
    assert_eq!(
        env.tmux(["list-sessions", "-F", "#{session_name}"]).stdout,
        "one\n",
        "it was not ours to end"
    );
    assert_eq!(status(&env, "one"), "stopped", "a killed lost agent is not restored");
    env.tmux(["kill-session", "-t", "=one"]).ok();
    env.symposium(["agent", "restore", "--all"]).ok();
    assert_eq!(status(&env, "one"), "stopped");
    env.symposium(["agent", "resume", "one"]).ok();
    assert_eq!(status(&env, "one"), "working");
    assert!(logs(&env, "one").contains("born"));
}

#[test]
fn an_agent_whose_session_was_closed_is_lost_and_restorable() {
    let env = TestEnv::new();
    sleeper(&env, "one");
    sleeper(&env, "other");
    env.tmux(["kill-session", "-t", "=one"]).ok();
    let lost = agent(&env, "one");
    assert_eq!(lost["status"], "lost");
    assert!(lost["reason"].as_str().unwrap().contains("closed from outside"), "{lost}");
    env.symposium(["agent", "restore", "one"]).ok();
    assert_eq!((status(&env, "one"), status(&env, "other")), ("working".into(), "working".into()));
    assert_in_order(&env);
}

#[test]
fn restore_ends_a_process_that_outlived_its_closed_session() {
    let env = TestEnv::new();
    let script = "trap '' HUP; touch ready; sleep 1000; :";
    env.symposium(["agent", "spawn", "--name", "one", "--", "sh", "-c", script]).ok();
    env.wait_until("the program ignores hang-ups", || env.project().join("ready").exists());
    sleeper(&env, "other");
    let before = agent(&env, "one")["pid"].as_i64();
    env.tmux(["kill-session", "-t", "=one"]).ok();
    assert_eq!(status(&env, "one"), "lost");
    let outcome = env.symposium(["agent", "restore", "one"]).ok();
    assert!(outcome.stderr.contains("of `one` had outlived its terminal and w"), "{outcome:?}");
    assert_eq!((status(&env, "one"), status(&env, "other")), ("working".into(), "working".into()));
    assert_ne!(agent(&env, "one")["pid"].as_i64(), before);
}

#[test]
fn a_lost_agent_can_be_renamed_killed_and_removed() {
    let env = TestEnv::new();
    for name in ["one", "two", "three", "four"] {
        calling_agent(&env, name, "born");
    }
    crash_server(&env);
    assert_eq!(status(&env, "one"), "lost");
    env.symposium(["agent", "rename", "one", "uno"]).ok();
    env.symposium(["agent", "rm", "three"]).ok();
    let killed = env.symposium(["agent", "kill", "four"]).ok();
    assert!(killed.stderr.contains("was not running"), "{killed:?}");
    assert_eq!((status(&env, "uno"), status(&env, "two")), ("lost".into(), "lost".into()));
    assert!(find(&env, "three").is_none());
    sleeper(&env, "other");
    env.symposium(["agent", "rename", "two", "duo"]).ok();
    env.symposium(["agent", "restore", "--all"]).ok();
    for name in ["uno", "duo"] {
        assert_eq!(status(&env, name), "working");
        env.wait_until("both starts are in one transcript", || logs(&env, name).matches("born").count() == 2);
    }
    assert_in_order(&env);
}

#[test]
fn an_agent_on_another_socket_is_not_lost_while_it_runs() {
    let env = TestEnv::new();
    let on_other = |args: &[&str]| {
        env.symposium(["agent"].iter().chain(args))
            .env("SYMPOSIUM_TMUX_SOCKET", env.root().join("sockets/other"))
    };
    on_other(&["spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    let before = env.registry();
    assert_eq!(status(&env, "a"), "unknown");
    assert_eq!(env.symposium(["agent", "restore", "--all"]).ok().stderr, "no agent is lost\n");
    let refused = env.symposium(["agent", "resume", "a"]).fails(1);
    assert!(refused.stderr.contains("still running"), "{refused:?}");
    sleeper(&env, "b");
    assert_eq!(status(&env, "a"), "unknown", "another server is not its own");
    assert_eq!(env.registry()["sessions"]["a"], before["sessions"]["a"]);
    on_other(&["kill", "a"]).ok();
    assert_eq!(status(&env, "a"), "stopped");
}

#[test]
fn a_deleted_socket_is_recreated_by_the_server() {
    let env = TestEnv::new();
    sleeper(&env, "a");
    let (before, server) = (agent(&env, "a"), server_pid(&env));
    let directory = env.socket().parent().unwrap().to_owned();
    fs::remove_file(env.socket()).unwrap();
    assert_eq!(agent(&env, "a"), before);
    fs::remove_dir_all(&directory).unwrap();
    sleeper(&env, "b");
    assert_eq!(server_pid(&env), server, "there is one server");
    assert_eq!(agent(&env, "a"), before);
    assert_in_order(&env);
}
