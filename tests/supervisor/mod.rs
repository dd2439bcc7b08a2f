//! The supervisor on real tmux: what it does while nobody looks, and that it cannot be got rid of by accident.

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
mod room;
mod standing_still;
mod survival;
mod task_list;
mod tidy;

use serde_json::Value;

use crate::support::TestEnv;
use crate::support::run::Run;

/// `symposium …` with a supervisor started by whoever needs one.
fn symposium(env: &TestEnv, args: &[&str]) -> Run {
    env.symposium(args).env("SYMPOSIUM_SUPERVISOR", "on")
}

/// Everything `agent show --json` tells of an agent.
#[track_caller]
fn shown(env: &TestEnv, name: &str) -> Value {
    symposium(env, &["agent", "show", name, "--json"]).ok().json()
}

/// What `supervisor status` tells.
#[track_caller]
fn supervision(env: &TestEnv) -> Value {
    symposium(env, &["supervisor", "status", "--json"]).ok().json()
}

/// Writes a configuration; to be called before anything else.
fn configure(env: &TestEnv, text: &str) {
    use std::os::unix::fs::DirBuilderExt;
    let mut private = std::fs::DirBuilder::new();
    private.recursive(true).mode(0o700).create(env.state()).expect("a state directory");
    std::fs::write(env.state().join("config.toml"), text).expect("writing config.toml");
}

/// The lines of the supervisor's log, each an object.
fn log(env: &TestEnv) -> Vec<Value> {
    let text = std::fs::read_to_string(env.state().join("supervisor.log")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("one object a line")).collect()
}
