//! Robustness: concurrent commands, a kill at any step, a damaged registry, a dead or hung tmux, hostile texts,
//! stubborn programs. This file lists agents and checks that registry, tmux and processes are consistent.

mod concurrency;
mod hostile;
mod killed;
mod privacy;
mod registry;
mod server;
mod tree;
mod worktree;

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::TestEnv;

/// Spawns `sleep 1000` under this name.
#[track_caller]
fn sleeper(env: &TestEnv, name: &str) {
    env.symposium(["agent", "spawn", "--name", name, "--", "sleep", "1000"]).ok();
}

/// Spawns a program that prints `words` and keeps running, and waits until they are in the transcript.
#[track_caller]
fn calling_agent(env: &TestEnv, name: &str, words: &str) {
    let script = format!("echo {words}; exec sleep 1000");
    env.symposium(["agent", "spawn", "--name", name, "--", "sh", "-c", &script]).ok();
    env.wait_until("the text is in the transcript", || logs(env, name).contains(words));
}

/// Returns the transcript as text.
fn logs(env: &TestEnv, name: &str) -> String {
    env.symposium(["agent", "logs", "--plain", name]).outcome().stdout
}

/// Returns all agents, after the repair that every list does.
#[track_caller]
fn agents(env: &TestEnv) -> Vec<Value> {
    let listed = env.symposium(["agent", "list", "--all", "--json"]).ok().json();
    listed.as_array().expect("a list").clone()
}

/// Returns one agent of the list, or `None`.
#[track_caller]
fn find(env: &TestEnv, name: &str) -> Option<Value> {
    agents(env).into_iter().find(|agent| agent["name"] == name)
}

/// Returns one agent of the list.
#[track_caller]
fn agent(env: &TestEnv, name: &str) -> Value {
    find(env, name).unwrap_or_else(|| panic!("no agent `{name}`\n{}", env.report()))
}

/// Returns the status of an agent.
#[track_caller]
fn status(env: &TestEnv, name: &str) -> String {
    agent(env, name)["status"].as_str().expect("a word").to_owned()
}

/// Returns whether an agent of the list has a process, according to its status.
fn is_live(agent: &Value) -> bool {
    ["starting", "working", "waiting", "idle", "unknown"].contains(&agent["status"].as_str().expect("a word"))
}

/// Returns the process id of our tmux server, or `None`.
fn server_pid(env: &TestEnv) -> Option<i32> {
    env.tmux(["display-message", "-p", "#{pid}"]).stdout.trim().parse().ok()
}

/// Returns each session with the agent id that is stored in it.
fn sessions(env: &TestEnv) -> BTreeSet<(String, String)> {
    let listed = env.tmux(["list-sessions", "-F", "#{session_name} #{@symposium_id}"]).stdout;
    let pair = |line: &str| line.split_once(' ').map(|(name, id)| (name.to_owned(), id.to_owned()));
    listed.lines().filter_map(pair).collect()
}

/// Returns whether a process exists and is not a zombie.
fn is_running(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Returns the agent ids that are marked in the environments of all processes.
fn marks(env: &TestEnv) -> BTreeSet<String> {
    let server = server_pid(env);
    let mark_of = |pid: i32| {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let texts = environ.split(|byte| *byte == 0).map(|one| String::from_utf8_lossy(one).into_owned());
        texts.into_iter().find_map(|one| Some(one.strip_prefix("SYMPOSIUM_AGENT_ID=")?.to_owned()))
    };
    let others = env.processes().into_iter().filter(|one| Some(one.pid) != server && is_running(one.pid));
    others.filter_map(|one| mark_of(one.pid)).collect()
}

/// Asserts that registry, tmux, directories and processes are consistent after a list.
#[track_caller]
fn assert_in_order(env: &TestEnv) -> Vec<Value> {
    let mut listed = agents(env);
    // Another process of ours, a hook that tmux ran, may be recording the same change at this moment.
    env.wait_until("registry and list agree", || {
        listed = agents(env);
        noted(&env.registry()) == listed.iter().map(|one| (text(one, "name"), text(one, "status"))).collect()
    });
    let registry = env.registry();
    let known: BTreeSet<_> = listed.iter().map(|one| (text(one, "name"), text(one, "id"))).collect();
    for session in sessions(env) {
        assert!(known.contains(&session), "the registry does not know session {session:?}\n{}", env.report());
    }
    for agent in &listed {
        let record = &registry["sessions"][text(agent, "name")];
        assert_eq!(record["renamed_from"], Value::Null, "a move is half done: {record}");
        if is_live(agent) {
            assert!(record["pid"].is_i64() && record["tmux"]["pane"].is_string(), "half written: {record}");
            assert_eq!(record["tmux"]["session"], agent["name"], "{record}");
            let dir = env.state().join("instances").join(text(agent, "name"));
            assert!(dir.is_dir(), "{} is missing", dir.display());
        }
    }
    let live: BTreeSet<_> = listed.iter().filter(|one| is_live(one)).map(|one| text(one, "id")).collect();
    env.wait_until("only live agents have processes", || marks(env) == live);
    listed
}

/// Returns the recorded names and statuses.
fn noted(registry: &Value) -> BTreeSet<(String, String)> {
    let records = registry["sessions"].as_object().expect("sessions").iter();
    records.map(|(name, record)| (name.clone(), text(&record["status"], "status"))).collect()
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_else(|| panic!("no text `{field}` in {value}")).to_owned()
}
