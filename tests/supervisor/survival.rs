//! The supervisor can be killed at any moment: nothing is lost, nothing happens twice, and it is restarted.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::{configure, shown, supervision, symposium};
use crate::support::TestEnv;
use crate::support::disk::Disk;

/// Number of kills. Each agent exits and starts several times meanwhile.
const KILLS: usize = 50;

/// Returns the numbers of each agent's status changes in the ledger.
fn changes(env: &TestEnv) -> BTreeMap<String, Vec<i64>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let ledger = Connection::open_with_flags(env.state().join("ledger.db"), flags).expect("a ledger");
    let mut rows = ledger
        .prepare("SELECT name, seq FROM happenings WHERE what = 'status' ORDER BY name, seq")
        .expect("a table of what happened");
    let mut changes: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let found = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    for (name, seq) in found.map(|row| row.expect("a row")) {
        changes.entry(name).or_default().push(seq);
    }
    changes
}

/// Returns the recorded number of restarts.
fn restarts(env: &TestEnv) -> i64 {
    let registry = env.registry();
    let agents = registry["sessions"].as_object().expect("agents");
    agents.values().filter_map(|agent| agent["restart"]["count"].as_i64()).sum()
}

/// Returns how often the agents really started.
fn starts(env: &TestEnv) -> usize {
    let lines = |name| std::fs::read_to_string(env.project().join(name)).unwrap_or_default().lines().count();
    ["starts-a", "starts-b", "starts-c"].into_iter().map(lines).sum()
}

#[test]
fn a_supervisor_killed_repeatedly_loses_and_repeats_nothing() {
    let env = TestEnv::new();
    configure(&env, "[restart]\nfirst = \"20ms\"\nlongest = \"40ms\"\nmost = 100000\n");
    // Records an error if the previous process still runs.
    let script = "kill -0 \"$(cat pid-$SYMPOSIUM_AGENT)\" 2>/dev/null && echo x >>twice; echo $$ >pid-$SYMPOSIUM_AGENT; \
                  echo x >>starts-$SYMPOSIUM_AGENT; sleep 0.15; exit 3";
    let names = ["a", "b", "c"];
    for name in names {
        let args = ["agent", "spawn", "--name", name, "--restart", "always", "--", "sh", "-c", script];
        // It may have exited before spawn is done; spawn reports that.
        symposium(&env, &args).outcome();
    }
    symposium(&env, &["supervisor", "start"]).ok();
    let file = env.state().join("run/_supervisor.lock");
    let holder = || std::fs::read_to_string(&file).ok()?.split(' ').next()?.parse::<i32>().ok();
    let mut killed = 0;
    let begun = Instant::now();
    while killed < KILLS {
        assert!(begun.elapsed() < Duration::from_secs(120), "it came back {killed} times only");
        let Some(pid) = holder().and_then(rustix::process::Pid::from_raw) else { continue };
        // Some supervisors are killed as soon as they run, the others during their work.
        let (noted, begun) = (restarts(&env), starts(&env));
        env.wait_until("a process was restarted", || match killed % 3 {
            0 => true,
            1 => restarts(&env) != noted,
            _ => starts(&env) != begun,
        });
        if rustix::process::kill_process(pid, rustix::process::Signal::KILL).is_ok() {
            killed += 1;
            env.wait_until("another supervisor took over", || {
                holder().is_some_and(|now| now != pid.as_raw_pid())
            });
        }
    }
    for name in names {
        symposium(&env, &["agent", "stop", name]).ok();
        assert_eq!(shown(&env, name)["status"], "stopped");
    }
    env.wait_until("the supervisor is running", || supervision(&env)["running"] == true);
    assert!(!env.project().join("twice").exists(), "a restart happened twice");
    let noted = changes(&env);
    for name in names {
        let record = &env.registry()["sessions"][name];
        let expected: Vec<i64> = (1..=record["changes"].as_i64().unwrap()).collect();
        assert_eq!(noted[name], expected, "every change of {name} is in the ledger, once");
        let starts =
            std::fs::read_to_string(env.project().join(format!("starts-{name}"))).unwrap().lines().count();
        let restarts = usize::try_from(shown(&env, name)["restart"]["count"].as_i64().unwrap()).unwrap();
        assert!(starts <= restarts + 1, "{starts} starts, {restarts} restarts");
    }
    assert!(starts(&env) > KILLS / 4, "the supervisor made progress between the kills");
}

#[test]
fn a_temporarily_full_disk_only_delays_a_restart() {
    let env = TestEnv::new();
    let Some(disk) = Disk::under(&env.state()) else { return };
    configure(&env, "[restart]\nfirst = \"20ms\"\nlongest = \"40ms\"\n[supervisor]\nreconcile = \"1s\"\n");
    let script = "echo $$ >pid; exec sleep 1000";
    let args = ["agent", "spawn", "--name", "a", "--restart", "always", "--", "sh", "-c", script];
    symposium(&env, &args).ok();
    env.wait_until("the supervisor is running", || supervision(&env)["running"] == true);
    let pid = || std::fs::read_to_string(env.project().join("pid")).unwrap_or_default();
    env.wait_until("the agent is running", || !pid().is_empty());
    let first = pid();
    let filler = disk.fill();
    env.program("kill", ["-9", first.trim()]).ok();
    env.wait_until("the supervisor has seen the full disk", || {
        symposium(&env, &["agent", "show", "a", "--json"]).ok().json()["status"] == "crashed"
    });
    std::fs::remove_file(filler).unwrap();
    env.wait_until("the process is back", || pid() != first && shown(&env, "a")["status"] == "working");
    symposium(&env, &["agent", "stop", "a"]).ok();
    symposium(&env, &["supervisor", "stop"]).ok();
    // No process writes any more.
    let last = env.registry()["sessions"]["a"]["changes"].as_i64().unwrap();
    assert_eq!(changes(&env)["a"], (1..=last).collect::<Vec<_>>());
}

#[test]
fn events_that_a_locked_ledger_refused_are_stored_later() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        env.symposium(["agent", "spawn", "--name", name, "--", "sleep", "1000"]).ok();
    }
    let held = Connection::open(env.state().join("ledger.db")).unwrap();
    held.execute_batch("BEGIN IMMEDIATE").unwrap();
    let outcome = env.symposium(["agent", "kill", "a"]).ok();
    assert!(outcome.stderr.contains("could not be stored yet"), "{outcome:?}");
    env.symposium(["agent", "rm", "b", "--force"]).ok();
    assert_eq!(env.registry()["owed"][0]["to"], "stopped", "{}", env.registry());
    held.execute_batch("ROLLBACK").unwrap();
    let recap = env.symposium(["agent", "recap", "a", "--since", "1h"]).ok().stdout;
    assert!(recap.contains("stopped"), "{recap}");
    assert_eq!(env.registry()["owed"], serde_json::Value::Null);
    env.symposium(["agent", "restart", "a"]).ok();
    let last = env.registry()["sessions"]["a"]["changes"].as_i64().unwrap();
    assert!(last > 2);
    assert_eq!(changes(&env)["a"], (1..=last).collect::<Vec<_>>());
    let removed = "SELECT count(*) FROM happenings WHERE name = 'b' AND what = 'removed'";
    let lines: i64 = held.query_row(removed, [], |row| row.get(0)).unwrap();
    assert_eq!(lines, 1);
}

#[test]
fn a_flood_of_events_blocks_nothing_and_keeps_the_state_valid() {
    let env = TestEnv::new();
    env.symposium(["agent", "spawn", "demo", "--name", "a"]).ok();
    env.symposium(["agent", "wait", "a", "--for", "idle", "--timeout", "20s"]).ok();
    let id = shown(&env, "a")["id"].as_str().unwrap().to_owned();
    symposium(&env, &["supervisor", "start"]).ok();
    let good = r#"{"hook_event_name":"UserPromptSubmit","prompt":"x"}"#;
    let over = r#"{"hook_event_name":"Stop","last_assistant_message":"done"}"#;
    let script = format!(
        "for n in $(seq 50); do printf '%s' '{good}' | {s} event agent & printf '%s' '{over}' | {s} event agent & \
         echo '{{' | {s} event agent & {s} event pane-died --session=nobody --pane=%9 --code=1 & wait; done",
        s = env.binary()
    );
    let floods: Vec<_> = (0..2)
        .map(|_| {
            let flood = env.program("sh", ["-c", &script]).within(Duration::from_secs(180));
            flood.env("SYMPOSIUM_AGENT", "a").env("SYMPOSIUM_AGENT_ID", &id).start()
        })
        .collect();
    env.symposium(["agent", "send", "a", "still there?", "--timeout", "60s"]).outcome();
    for flood in floods {
        flood.finish().ok();
    }
    let changes = changes(&env).remove("a").unwrap();
    assert_eq!(
        changes,
        (1..=env.registry()["sessions"]["a"]["changes"].as_i64().unwrap()).collect::<Vec<_>>()
    );
    let screen = env.symposium(["agent", "peek", "a"]).ok().stdout;
    assert!(screen.contains('❯'), "{screen}");
}
