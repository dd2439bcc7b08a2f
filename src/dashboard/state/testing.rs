//! Agents and states for tests.

use jiff::Timestamp;
use serde_json::json;

use crate::dashboard::state::event::{DashboardEffect, DashboardEvent};
use crate::dashboard::state::{DashboardState, update};
use crate::model::{Agent, DashboardConfig, Status};

/// Returns the time that all tests call now.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

/// Returns an agent that has had its status for two minutes.
pub(crate) fn agent(name: &str, status: Status) -> Agent {
    let bytes = name.bytes().fold(7_u128, |sum, byte| sum * 31 + u128::from(byte));
    let is_live = status.is_live();
    serde_json::from_value(json!({
        "name": name,
        "id": uuid::Uuid::from_u128(bytes | (4 << 76) | (8 << 60)).to_string(),
        "title": null,
        "spec": "claude",
        "kind": "claude",
        "status": status,
        "waiting_for": null,
        "status_since": "2027-01-15T07:58:00Z",
        "reason": "its turn is over",
        "exit": null,
        "working_directory": "/home/u/src/api",
        "project": "/home/u/src/api",
        "branch": "main",
        "workspace": "in-place",
        "command": ["claude"],
        "pid": 100,
        "tmux": is_live.then(|| json!({ "socket": "/s", "session": name, "pane": "%1" })),
        "created_at": "2027-01-15T07:00:00Z",
        "last_activity": "2027-01-15T07:58:00Z",
        "clients": [],
        "conversation": { "id": null, "name": null, "begun": false },
        "parent": null,
        "ephemeral": false,
        "restart": { "policy": "no", "count": 0, "next_at": null },
        "tasks": { "queued": 0, "running": 0, "done": 0, "failed": 0 },
        "task": null,
        "host": null,
    }))
    .unwrap()
}

/// Returns an agent that asks for approval.
pub(crate) fn asking(name: &str, id: &str) -> Agent {
    let mut agent = agent(name, Status::Waiting);
    agent.waiting_for = Some(crate::model::WaitingFor::Approval);
    agent.reason = "Bash: rm -rf build".to_owned();
    agent.question = serde_json::from_value(json!({
        "id": id,
        "text": "Bash: rm -rf build\nfrom the project directory",
        "extent": "whole",
        "options": ["1. Yes", "2. Yes, and do not ask again", "3. No"],
    }))
    .unwrap();
    agent
}

/// Returns an agent of another project.
pub(crate) fn elsewhere(mut agent: Agent, project: &str) -> Agent {
    agent.project = Some(format!("/home/u/src/{project}"));
    agent
}

/// Returns a state with these agents in a terminal of this size.
pub(crate) fn state(size: (u16, u16), agents: Vec<Agent>) -> DashboardState {
    let mut state = DashboardState::new(&DashboardConfig::default(), size, now());
    state.user_home = Some("/home/u".to_owned());
    list(&mut state, agents);
    state
}

/// Replaces the agents.
pub(crate) fn list(state: &mut DashboardState, agents: Vec<Agent>) -> Vec<DashboardEffect> {
    update(state, DashboardEvent::Listed { agents, silence: None })
}

/// Presses keys, given by their names and separated by spaces.
pub(crate) fn press(state: &mut DashboardState, keys: &str) -> Vec<DashboardEffect> {
    let key = |name: &str| DashboardEvent::Key(name.parse().unwrap());
    let mut press = |name| {
        // The event loop draws before it waits for a key.
        state.note_drawn();
        update(state, key(name))
    };
    keys.split(' ').flat_map(&mut press).collect()
}

/// Lets time pass after a frame, as long as a user needs to read a question.
pub(crate) fn read(state: &mut DashboardState) {
    state.note_drawn();
    state.now += std::time::Duration::from_secs(1);
}
