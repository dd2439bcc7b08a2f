//! Decides which agents need an answer from the user.

use crate::model::{AgentName, AgentRecord, Status, WaitingFor};

/// Returns the agents that wait for the user and can be attached, those that have waited longest first.
pub fn needing_answer(records: &[AgentRecord]) -> Vec<AgentName> {
    let mut waiting: Vec<&AgentRecord> =
        records.iter().filter(|record| record.tmux.is_some() && needs_answer(record)).collect();
    waiting.sort_by(|a, b| (a.status.since, &a.name).cmp(&(b.status.since, &b.name)));
    waiting.into_iter().map(|record| record.name.clone()).collect()
}

/// Returns whether an agent waits for the user. An agent that waits for the reset of a limit continues by itself.
pub fn needs_answer(record: &AgentRecord) -> bool {
    record.status.status == Status::Waiting && record.status.waiting_for != Some(WaitingFor::Limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TmuxLocation;
    use crate::rules::status::decide::tests::{at, record};

    #[test]
    fn agents_that_have_waited_longest_come_first_and_only_attachable_ones_count() {
        let waiting = |name: &str, since: i64| {
            let mut record = record(name, Status::Waiting);
            record.status.since = at(since);
            record.tmux = Some(TmuxLocation {
                socket: "/s".into(),
                server: "1:2".into(),
                session: name.into(),
                pane: "%1".into(),
            });
            record
        };
        let mut in_terminal = waiting("foreground", 1);
        in_terminal.tmux = None;
        let mut limited = waiting("limited", 2);
        limited.status.waiting_for = Some(WaitingFor::Limit);
        let records = [
            waiting("b", 9),
            waiting("a", 9),
            in_terminal,
            limited,
            record("idle", Status::Idle),
            waiting("c", 3),
        ];
        let names: Vec<String> = needing_answer(&records).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["c", "a", "b"]);
    }
}
