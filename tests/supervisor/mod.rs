//! The supervisor on real tmux: its background work, and that it cannot be ended by accident.

mod capacity_limit;
mod cleanup;
pub(crate) mod editor;
mod environments;
mod ephemeral;
mod failed_turns;
mod hang;
mod heartbeat;
mod keeping;
mod message;
mod moved_binary;
mod notify;
mod queue;
mod queue_failure;
mod queue_survival;
mod queue_trouble;
mod restart;
mod standing_still;
mod survival;
mod task_list;

use serde_json::Value;

use crate::support::TestEnv;
use crate::support::run::Run;

/// Runs `symposium …`; a supervisor is started when a command needs one.
fn symposium(env: &TestEnv, args: &[&str]) -> Run {
    env.symposium(args).env("SYMPOSIUM_SUPERVISOR", "on")
}

/// Returns the output of `agent show --json`.
#[track_caller]
fn shown(env: &TestEnv, name: &str) -> Value {
    symposium(env, &["agent", "show", name, "--json"]).ok().json()
}

/// Returns the output of `supervisor status --json`.
#[track_caller]
fn supervision(env: &TestEnv) -> Value {
    symposium(env, &["supervisor", "status", "--json"]).ok().json()
}

/// Writes a configuration. It must be called first.
fn configure(env: &TestEnv, text: &str) {
    use std::os::unix::fs::DirBuilderExt;
    let mut private = std::fs::DirBuilder::new();
    private.recursive(true).mode(0o700).create(env.state()).expect("a state directory");
    std::fs::write(env.state().join("config.toml"), text).expect("writing config.toml");
}

/// Returns the lines of the supervisor's log as JSON objects.
fn log(env: &TestEnv) -> Vec<Value> {
    let text = std::fs::read_to_string(env.state().join("supervisor.log")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("one object a line")).collect()
}
