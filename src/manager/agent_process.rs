//! The processes that belong to an agent's record.

use std::path::Path;

use crate::env::{AGENT_ID, HOME};
use crate::model::AgentRecord;
use crate::process::{self, AgentProcesses, ProcessMark, StateDirectory};

/// Returns the environment variable that marks an agent's processes.
pub(in crate::manager) fn mark_of(record: &AgentRecord) -> ProcessMark {
    ProcessMark { variable: AGENT_ID.into(), value: record.id.to_string(), home: None }
}

/// Returns whether the recorded process is alive: outside tmux, or in the server that it was started in.
pub(in crate::manager) fn is_alive(record: &AgentRecord) -> bool {
    match (record.pid, &record.tmux) {
        (Some(pid), None) => process::is_alive(pid, &mark_of(record)),
        (Some(pid), Some(_)) => {
            server_of(record).is_some_and(|server| process::is_held(pid, server, &mark_of(record)))
        }
        (None, _) => false,
    }
}

/// Returns the process id of the tmux server that an agent was started in.
pub(in crate::manager) fn server_of(record: &AgentRecord) -> Option<i32> {
    record.tmux.as_ref()?.server.split_once(':')?.1.parse().ok()
}

/// Returns how to find the processes of an agent in the environment `home`. The tmux server is never one of them.
pub(in crate::manager) fn target_of(home: &Path, record: &AgentRecord) -> AgentProcesses {
    let home = StateDirectory { variable: HOME.into(), path: home.to_owned() };
    let mark = ProcessMark { home: Some(home), ..mark_of(record) };
    AgentProcesses { mark, root: record.pid, server: server_of(record) }
}
