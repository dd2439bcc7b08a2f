//! Events that follow from a change of a record.

use jiff::Timestamp;

use crate::model::{AgentRecord, EventKind, LedgerEvent, StatusNote};

/// Returns the event for a record that was created, changed or removed, or `None` if nothing happened.
pub fn change_events(
    before: Option<&AgentRecord>,
    after: Option<&AgentRecord>,
    now: Timestamp,
) -> Option<LedgerEvent> {
    let line = |record: &AgentRecord, at, what, why: String| LedgerEvent {
        at,
        agent: record.id,
        name: record.name.clone(),
        what,
        why,
    };
    match (before, after) {
        (None, None) => None,
        (Some(before), None) => Some(line(before, now, EventKind::Removed, "it was removed".into())),
        (Some(before), Some(after)) if before.name != after.name => {
            Some(line(after, now, EventKind::Renamed, format!("its name was {}", before.name)))
        }
        (before, Some(after)) => {
            let note = &after.status;
            let what = EventKind::Status {
                seq: after.changes,
                from: before.map(|before| before.status.status),
                to: note.status,
                waiting_for: note.waiting_for,
                exit: after.exit,
            };
            Some(line(after, note.since, what, note.reason.clone()))
        }
    }
}

/// Returns the event for a turn that failed between two states of a record. A turn that the agent CLI continues by
/// itself has not failed.
pub fn failed_turn_event(before: Option<&AgentRecord>, after: Option<&AgentRecord>) -> Option<LedgerEvent> {
    let failure = after?.status.failure().filter(|failure| !failure.paused)?;
    let is_new = before.and_then(|before| before.status.failure()) != Some(failure);
    let event = |record: &AgentRecord| LedgerEvent {
        at: failure.at,
        agent: record.id,
        name: record.name.clone(),
        what: EventKind::TurnFailed,
        why: record.status.reason.clone(),
    };
    after.filter(|_| is_new).map(event)
}

/// Returns an outdated record updated to the last status change in the ledger, or `None` if the record already includes
/// it.
pub fn caught_up(record: &AgentRecord, last: LedgerEvent) -> Option<AgentRecord> {
    let EventKind::Status { seq, to, waiting_for, exit, .. } = last.what else { return None };
    if seq <= record.changes {
        return None;
    }
    let status = StatusNote { waiting_for, ..StatusNote::new(to, last.at, last.why) };
    Some(AgentRecord { status, exit, changes: seq - 1, ..record.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;
    use crate::rules::status::decide::tests::{at, record};

    #[test]
    fn record_from_a_backup_gets_later_events() {
        let working = AgentRecord { changes: 3, ..record("a", Status::Working) };
        let mut idle = AgentRecord { changes: 5, ..record("a", Status::Idle) };
        idle.status.since = at(7);
        let last = change_events(Some(&working), Some(&idle), at(9)).unwrap();
        let caught = caught_up(&working, last.clone()).unwrap();
        assert_eq!((&caught.status, caught.changes), (&idle.status, 4), "writing it down counts one more");
        assert_eq!(caught_up(&idle, last), None);
        assert_eq!(caught_up(&working, change_events(Some(&idle), None, at(9)).unwrap()), None);
    }

    #[test]
    fn every_change_produces_an_event() {
        let idle = record("a", Status::Idle);
        let mut working = AgentRecord { changes: 3, ..idle.clone() };
        working.status.status = Status::Working;
        let named = AgentRecord { name: "b".parse().unwrap(), ..idle.clone() };
        let word = |before, after| change_events(before, after, at(9)).map(|h| h.what.word());
        assert_eq!(word(None, None), None);
        assert_eq!(word(None, Some(&idle)), Some("status"));
        assert_eq!(word(Some(&idle), Some(&named)), Some("renamed"));
        assert_eq!(word(Some(&idle), None), Some("removed"));
        let changed = change_events(Some(&idle), Some(&working), at(9)).unwrap();
        assert_eq!(
            changed.what,
            EventKind::Status {
                seq: 3,
                from: Some(Status::Idle),
                to: Status::Working,
                waiting_for: None,
                exit: None
            }
        );
        assert_eq!(changed.at, idle.status.since);
    }
}
