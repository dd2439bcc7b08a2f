//! When an agent may be given its next task, and when the one it has is over.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::{Agent, AgentRecord, Status, Task};

/// Somebody who typed so recently is not interrupted.
const HANDS_OFF: Duration = Duration::from_secs(10);

/// Whether a task can be typed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ready {
    /// It is idle, or sleeps and can be woken.
    Yes,
    /// Not now.
    No,
}

/// Decides whether an agent takes a task now.
pub fn ready(agent: &Agent, now: Timestamp) -> Ready {
    let driven = agent.clients.iter().any(|client| !client.observer);
    let lately = agent.last_activity.is_some_and(|at| now.duration_since(at).unsigned_abs() < HANDS_OFF);
    match agent.status {
        Status::Idle if driven && lately => Ready::No,
        Status::Idle | Status::Hibernated => Ready::Yes,
        _ => Ready::No,
    }
}

/// How a running task ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It is still worked on.
    NotYet,
    /// Its turn is over; the agent's last words.
    Done(String),
    /// Its agent is, and why.
    Failed(String),
}

/// Decides whether a task that runs is over.
pub fn ending(task: &Task, record: Option<&AgentRecord>) -> Ending {
    let Some(record) = record else { return Ending::Failed("its agent is gone".into()) };
    let note = &record.status;
    match note.status {
        Status::Idle | Status::Hibernated if note.since >= task.changed_at => {
            Ending::Done(note.reason.clone())
        }
        // One that is there for a task may leave when that is done.
        Status::Exited if record.ephemeral => Ending::Done(note.reason.clone()),
        status if status.is_live() || status == Status::Hibernated => Ending::NotYet,
        status => Ending::Failed(format!("its agent is {status}: {}", note.reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AgentId, Priority, TaskId, TaskState};
    use crate::rules::status::tests::{at, record};

    fn task(changed: i64) -> Task {
        Task {
            id: TaskId(1),
            agent: AgentId::fresh(),
            agent_name: "a".parse().unwrap(),
            text: "x".into(),
            priority: Priority::Normal,
            state: TaskState::Running,
            source: "person".into(),
            created_at: at(1),
            changed_at: at(changed),
            attempts: 1,
            why: String::new(),
            result: None,
        }
    }

    #[test]
    fn a_task_is_over_when_its_turn_or_its_agent_is() {
        // Every record's status is since second 3.
        for (status, begun, expected) in [
            (Status::Working, 2, Ending::NotYet),
            (Status::Waiting, 2, Ending::NotYet),
            (Status::Idle, 2, Ending::Done("noted".into())),
            (Status::Idle, 9, Ending::NotYet),
            (Status::Crashed, 2, Ending::Failed("its agent is crashed: noted".into())),
            (Status::Stopped, 2, Ending::Failed("its agent is stopped: noted".into())),
        ] {
            assert_eq!(ending(&task(begun), Some(&record("a", status))), expected, "{status} {begun}");
        }
        assert_eq!(ending(&task(1), None), Ending::Failed("its agent is gone".into()));
    }
}
