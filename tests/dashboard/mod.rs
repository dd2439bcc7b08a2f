//! The dashboard in a real terminal.
//!
//! - `list`: the first frame, the filter, sizes
//! - `agents`: answering, typing, attaching, starting and ending agents
//! - `review`: reading changes, commenting and sending the comments
//! - `grid`: several live agents at once
//! - `many`: operations on several agents, and a thousand of them
//! - `hostile`: nothing of an agent reaches the user's terminal as an escape sequence
//! - `terminal`: signals, panics and suspension leave the terminal as it was
//! - `idle`: a tmux server that hangs while the dashboard is left alone
//! - `trouble`: a tmux server that hangs or is gone, and no supervisor
//! - `popup`: the dashboard that switches an attached terminal

mod agents;
mod grid;
mod hostile;
mod idle;
mod list;
mod many;
mod popup;
mod review;
mod terminal;
mod trouble;

use crate::support::TestEnv;
use crate::support::terminal::Terminal;

/// Opens a terminal of 120 columns and 36 lines with the dashboard in it.
fn dashboard(env: &TestEnv) -> Terminal<'_> {
    dashboard_with(env, (120, 36), &[])
}

/// Opens a terminal of this size with the dashboard in it.
fn dashboard_with<'a>(env: &'a TestEnv, size: (u16, u16), args: &[&str]) -> Terminal<'a> {
    env.terminal_sized(size, [&[env.binary(), "dashboard"], args].concat())
}

/// Starts an agent and returns its name.
#[track_caller]
fn spawned(env: &TestEnv, args: &[&str]) -> String {
    env.symposium([&["agent", "spawn"], args].concat()).ok().stdout.trim_end().to_owned()
}

/// Starts a program that prints each line that is typed into it.
#[track_caller]
fn echoing(env: &TestEnv, name: &str) {
    let script = format!("echo this is {name}; while read -r line; do echo \"{name} got <$line>\"; done");
    spawned(env, &["--name", name, "--", "sh", "-c", &script]);
}

/// Returns a field of an agent.
#[track_caller]
fn field(env: &TestEnv, name: &str, field: &str) -> serde_json::Value {
    env.symposium(["agent", "show", name, "--json"]).ok().json()[field].clone()
}

/// Waits until an agent has this status.
#[track_caller]
fn wait_for_status(env: &TestEnv, name: &str, status: &str) {
    env.wait_until(&format!("{name} is {status}"), || field(env, name, "status") == status);
}

/// Waits until no line of the terminal contains this text.
#[track_caller]
fn wait_until_gone(env: &TestEnv, terminal: &Terminal<'_>, text: &str) {
    env.wait_until(&format!("the terminal does not show {text:?}"), || !terminal.screen().contains(text));
}
