//! Decides when an ephemeral agent is done and can be removed.

use crate::model::{AgentRecord, Status, TaskCounts};

/// Returns whether the agent can be removed. An agent whose task failed is kept until the user has checked it.
pub fn is_done(record: &AgentRecord, tasks: TaskCounts) -> bool {
    let nothing_open = tasks.queued == 0 && tasks.running == 0 && tasks.failed == 0;
    record.ephemeral
        && nothing_open
        && match record.status.status {
            Status::Exited => true,
            Status::Idle | Status::Hibernated => tasks.done > 0,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::status::decide::tests::record;

    #[test]
    fn an_ephemeral_agent_is_removed_after_success_and_kept_after_failure() {
        let tasks = |queued, running, done, failed| TaskCounts { queued, running, done, failed };
        for (status, tasks, expected) in [
            (Status::Idle, tasks(0, 0, 1, 0), true),
            (Status::Hibernated, tasks(0, 0, 1, 0), true),
            (Status::Exited, tasks(0, 0, 0, 0), true),
            (Status::Idle, tasks(0, 0, 0, 0), false),
            (Status::Idle, tasks(1, 0, 1, 0), false),
            (Status::Idle, tasks(0, 1, 1, 0), false),
            (Status::Idle, tasks(0, 0, 1, 1), false),
            (Status::Working, tasks(0, 0, 1, 0), false),
            (Status::Crashed, tasks(0, 0, 1, 0), false),
            (Status::Stopped, tasks(0, 0, 1, 0), false),
        ] {
            let agent = AgentRecord { ephemeral: true, ..record("a", status) };
            assert_eq!(is_done(&agent, tasks), expected, "{status} {tasks:?}");
            assert!(!is_done(&AgentRecord { ephemeral: false, ..agent }, tasks));
        }
    }
}
