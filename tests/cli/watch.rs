//! `agent list --watch` prints the list at each change, as soon as it happens.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{agent, spawned};
use crate::support::TestEnv;

fn statuses(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|agents| agents[0]["status"].as_str().unwrap_or("none").to_owned())
        .collect()
}

#[test]
fn watch_prints_each_change_as_one_json_line() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let mut watch = agent(&env, &["list", "--watch", "--json"]).start();
    env.wait_until("the first list is printed", || statuses(&watch.stdout_so_far()) == ["working"]);
    agent(&env, &["kill", "a"]).ok();
    env.wait_until("the end is printed", || {
        statuses(&watch.stdout_so_far()).last().is_some_and(|last| last == "stopped")
    });
    agent(&env, &["rm", "a"]).ok();
    env.wait_until("the empty list is printed", || watch.stdout_so_far().ends_with("[]\n"));
    watch.kill();
}

#[test]
fn watch_reports_task_changes_of_an_agent() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let mut watch = agent(&env, &["list", "--watch", "--json"]).start();
    let queued = || {
        let output = watch.stdout_so_far();
        let last: Option<Value> = output.lines().last().and_then(|line| serde_json::from_str(line).ok());
        last.and_then(|agents| agents[0]["tasks"]["queued"].as_u64())
    };
    env.wait_until("the first list is printed", || queued() == Some(0));
    env.symposium(["task", "add", "a", "count to three"]).ok();
    env.wait_until("the new task is reported", || queued() == Some(1));
    env.symposium(["task", "cancel", "1"]).ok();
    env.wait_until("the end is reported", || queued() == Some(0));
    watch.kill();
}

/// Returns the processor time that a process has used so far, in hundredths of a second.
fn used(pid: i32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let behind: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    behind[11].parse::<u64>().unwrap() + behind[12].parse::<u64>().unwrap()
}

#[test]
fn watch_is_idle_while_nothing_changes() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let mut watch = agent(&env, &["list", "--watch", "--json"]).start();
    env.wait_until("the first list is printed", || !watch.stdout_so_far().is_empty());
    // As root, SQLite touches the files of the ledger when it opens them, which counts as a change for the watcher.
    env.symposium(["task", "add", "a", "count to three"]).ok();
    env.wait_until("the new task is reported", || watch.stdout_so_far().contains("\"queued\":1"));
    let before = used(watch.pid());
    agent(&env, &["wait", "a", "--for", "crashed", "--timeout", "2s"]).fails(7);
    let spent = used(watch.pid()) - before;
    assert!(spent < 20, "{spent} hundredths of a second in two seconds");
    watch.kill();
}

#[test]
fn watch_reports_the_loss_of_the_server_at_once() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let mut watch = agent(&env, &["list", "--watch", "--json"]).start();
    env.wait_until("the first list is printed", || statuses(&watch.stdout_so_far()) == ["working"]);
    let server = env.tmux(["display-message", "-p", "#{pid}"]).ok().stdout;
    env.program("kill", ["-9", server.trim()]).ok();
    env.wait_until("the loss is reported", || {
        statuses(&watch.stdout_so_far()).last().is_some_and(|last| last == "lost")
    });
    watch.kill();
}

#[test]
fn watch_reports_a_repair() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let mut watch = agent(&env, &["list", "--watch", "--json"]).start();
    env.wait_until("the first list is printed", || statuses(&watch.stdout_so_far()) == ["working"]);
    std::fs::write(env.state().join("agent-sessions.json"), "garbage").unwrap();
    env.wait_until("the warning is printed", || watch.stderr_so_far().contains("{\"warning\":"));
    watch.kill();
}

#[test]
fn watch_ends_when_its_reader_is_gone() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let script = format!("{} agent list --watch --json | head -n 1", env.binary());
    let piped = env.program("sh", ["-c", &script]).start();
    env.wait_until("one line is printed", || !piped.stdout_so_far().is_empty());
    agent(&env, &["kill", "a"]).ok();
    piped.finish().ok();
}

#[test]
fn watch_redraws_the_list_in_a_terminal() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let terminal = env.terminal([env.binary(), "agent", "list", "--watch"]);
    terminal.wait_for_text("working");
    agent(&env, &["kill", "a"]).ok();
    env.wait_until("the agent is not listed", || !terminal.screen().contains("working"));
}

#[test]
fn watch_redraws_after_a_resize() {
    let env = TestEnv::new();
    for name in ["a", "b", "c", "d", "e"] {
        spawned(&env, &["--name", name, "--", "sleep", "1000"]);
    }
    let terminal = env.terminal([env.binary(), "agent", "list", "--watch"]);
    terminal.wait_for_text("working");
    let resized = Instant::now();
    terminal.resize(60, 4);
    terminal.wait_for_text("… and 4 more");
    terminal.resize(60, 20);
    env.wait_until("all agents are shown", || terminal.screen().matches("working").count() == 5);
    // The ages are updated every ten seconds, which redraws the list too.
    assert!(resized.elapsed() < Duration::from_secs(8), "{:?}", resized.elapsed());
}
