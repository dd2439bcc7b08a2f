//! The commands of a user, one by one, on real tmux: output, exit code and what remains afterwards.

mod agent_keys;
mod approve;
mod attach;
mod attach_cost;
mod attach_crowd;
mod attach_shell;
mod attach_size;
mod attach_together;
mod attach_versions;
mod bad_input;
mod board;
mod checkpoint;
mod compare;
mod completions;
mod conversation;
mod delegate;
mod demo_agent;
mod descriptors;
mod detach;
mod dialogs;
mod diff;
mod discard;
mod discard_others;
mod doctor;
mod environment;
mod errors;
mod event;
mod family;
mod finish;
mod finish_cases;
mod finish_property;
mod first_task;
mod foreground;
mod fork;
mod handoff;
mod handoff_cut;
mod handoff_file;
mod handoff_hostile;
mod handoff_screen;
mod hidden_work;
mod hostile_filters;
mod kill;
mod kinds;
mod list;
mod list_work;
mod logs;
mod message;
mod metrics;
mod needing_answer;
mod no_tmux;
mod params;
mod ports;
mod pull_request;
mod recap;
mod recover;
mod rename;
mod restart;
mod restore;
mod resume;
mod review;
mod rm;
mod schema;
mod scrolled_back;
mod send;
mod send_plain;
mod service;
mod share;
mod share_end;
mod share_list;
mod share_safety;
mod shell;
mod shortcuts;
mod show;
mod spawn;
mod spawn_group;
mod spawn_spec;
mod spec;
mod stuck_server;
mod sweep;
mod taskspace;

pub(crate) mod no_hooks;
mod tmux_conf;
mod trust;
mod wait;
mod watch;
pub mod workspace;

use std::os::unix::fs::DirBuilderExt;

use serde_json::Value;

use crate::support::TestEnv;
use crate::support::run::Run;

/// Runs `symposium agent …`.
fn agent(env: &TestEnv, args: &[&str]) -> Run {
    env.symposium(["agent"].iter().chain(args))
}

/// Starts an agent and returns its name.
#[track_caller]
fn spawned(env: &TestEnv, args: &[&str]) -> String {
    agent(env, &[&["spawn"], args].concat()).ok().stdout.trim_end().to_owned()
}

/// Returns the output of `agent show --json`.
#[track_caller]
fn shown(env: &TestEnv, name: &str) -> Value {
    agent(env, &["show", name, "--json"]).ok().json()
}

/// Returns the status of an agent.
#[track_caller]
fn status(env: &TestEnv, name: &str) -> String {
    shown(env, name)["status"].as_str().expect("a status is a word").to_owned()
}

/// Waits for a status with `agent wait`, as a user's script does.
#[track_caller]
fn wait_for(env: &TestEnv, name: &str, status: &str) {
    let waited = agent(env, &["wait", name, "--for", status, "--timeout", "20s"]).outcome();
    assert_eq!(waited.code, 0, "{waited:?}\n{}", env.report());
}

/// Returns everything that an agent printed, as text.
#[track_caller]
fn printed(env: &TestEnv, name: &str) -> String {
    agent(env, &["logs", name, "--plain"]).ok().stdout
}

/// Returns the prompts that the demo agent of this name took, from its own record.
#[track_caller]
pub(crate) fn prompts(env: &TestEnv, name: &str) -> Vec<String> {
    let id =
        shown(env, name)["conversation"]["id"].as_str().expect("a demo agent has a conversation").to_owned();
    let text =
        std::fs::read_to_string(env.state().join("demo").join(format!("{id}.jsonl"))).unwrap_or_default();
    let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("one entry a line"));
    entries
        .filter(|entry| entry["type"] == "user")
        .map(|entry| entry["text"].as_str().expect("a prompt is a text").to_owned())
        .collect()
}

/// Makes spawn return at once for these kinds, instead of checking for a moment whether the program keeps running.
fn without_settling(env: &TestEnv, kinds: &[&str]) {
    let text: String = kinds.iter().map(|kind| format!("[{kind}]\nsettle_ms = 0\n")).collect();
    let mut private = std::fs::DirBuilder::new();
    private.recursive(true).mode(0o700).create(env.state()).expect("a state directory");
    std::fs::write(env.state().join("kinds.toml"), text).expect("writing kinds.toml");
}

/// Writes `.symposium/agents.toml` of the project and trusts it.
#[track_caller]
pub(crate) fn trusted_specs(env: &TestEnv, text: &str) {
    in_project(env, ".symposium/agents.toml", text);
    env.symposium(["spec", "trust", "--yes"]).ok();
}

/// Writes a file below the project and creates its directories.
fn in_project(env: &TestEnv, path: &str, text: &str) {
    let file = env.project().join(path);
    std::fs::create_dir_all(file.parent().expect("it is below the project")).expect("its directory");
    std::fs::write(file, text).expect("writing a file of the project");
}
