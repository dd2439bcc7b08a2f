//! Decides which ledger rows can be processed. A status change is written to the ledger before the registry, so the
//! newest rows of an agent can be ahead of its record. Only that agent's rows wait, and only for a bounded time.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};

use crate::model::{AgentId, EventKind, LedgerEvent};

/// Maximum time that a row may be ahead of the registry. An older row belongs to a command that was killed between its
/// two writes; the next change of that agent reuses its sequence number.
const REGISTRY_LAG_LIMIT: SignedDuration = SignedDuration::from_secs(10);

/// Ledger rows split into those that can be processed and those that wait for the registry.
#[derive(Debug, Default, PartialEq)]
pub struct SettledRows {
    /// Rows that can be processed and have not been handled before, in ledger order.
    pub ready: Vec<(i64, LedgerEvent)>,
    /// Last row before the first waiting one; a reader's cursor may move there.
    pub cursor: Option<i64>,
    /// Time of the next check if the registry does not change before.
    pub retry_at: Option<Timestamp>,
}

impl SettledRows {
    /// Splits rows by the number of changes that the registry records for each agent. An agent that the registry does
    /// not know was removed, and its rows never wait. Rows in `handled` lie behind a waiting row of another agent and
    /// were processed in an earlier round.
    pub fn split(
        rows: Vec<(i64, LedgerEvent)>,
        changes: &HashMap<AgentId, u64>,
        handled: &BTreeSet<i64>,
        now: Timestamp,
    ) -> SettledRows {
        let mut settled = SettledRows::default();
        let mut waiting: HashSet<AgentId> = HashSet::new();
        for (id, event) in rows {
            if !waiting.contains(&event.agent) {
                let retry_at = retry_time(&event, changes.get(&event.agent).copied(), now);
                if retry_at.is_some() {
                    waiting.insert(event.agent);
                    settled.retry_at = settled.retry_at.into_iter().chain(retry_at).min();
                }
            }
            if waiting.is_empty() {
                settled.cursor = Some(id);
            }
            if !waiting.contains(&event.agent) && !handled.contains(&id) {
                settled.ready.push((id, event));
            }
        }
        settled
    }
}

/// Returns when to check a row again that is ahead of the registry, or `None` if the row need not wait.
fn retry_time(event: &LedgerEvent, changes: Option<u64>, now: Timestamp) -> Option<Timestamp> {
    let EventKind::Status { seq, .. } = event.what else { return None };
    let age = now.duration_since(event.at);
    // A row with a time in the future was written before the clock was set back, and is old.
    let is_recent = !age.is_negative() && age < REGISTRY_LAG_LIMIT;
    (is_recent && changes? < seq).then(|| event.at + REGISTRY_LAG_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;
    use crate::rules::status::decide::tests::at;

    fn agent(number: u128) -> AgentId {
        AgentId(uuid::Uuid::from_u128(number))
    }

    fn change(of: u128, seq: u64, second: i64) -> LedgerEvent {
        LedgerEvent {
            at: at(second),
            agent: agent(of),
            name: "a".parse().unwrap(),
            what: EventKind::Status { seq, from: None, to: Status::Idle, waiting_for: None, exit: None },
            why: String::new(),
        }
    }

    fn ready(settled: &SettledRows) -> Vec<i64> {
        settled.ready.iter().map(|(id, _)| *id).collect()
    }

    fn split(rows: Vec<LedgerEvent>, registry: &[(u128, u64)], handled: &[i64], now: i64) -> SettledRows {
        let rows = (1..).zip(rows).collect();
        let changes = registry.iter().map(|(of, changes)| (agent(*of), *changes)).collect();
        SettledRows::split(rows, &changes, &handled.iter().copied().collect(), at(now))
    }

    #[test]
    fn rows_of_a_removed_agent_hold_nothing_back() {
        let settled = split(vec![change(1, 7, 100), change(2, 3, 100)], &[(2, 3)], &[], 101);
        assert_eq!((ready(&settled), settled.cursor, settled.retry_at), (vec![1, 2], Some(2), None));
    }

    #[test]
    fn a_row_ahead_of_the_registry_holds_back_its_own_agent_only() {
        let rows = vec![change(1, 1, 99), change(2, 5, 100), change(1, 2, 100), change(2, 6, 100)];
        let settled = split(rows.clone(), &[(1, 2), (2, 4)], &[], 101);
        assert_eq!((ready(&settled), settled.cursor, settled.retry_at), (vec![1, 3], Some(1), Some(at(110))));
        // The next round starts after the cursor; handled rows are not handled again.
        let again = split(rows.clone(), &[(1, 2), (2, 6)], &[3], 102);
        assert_eq!((ready(&again), again.cursor, again.retry_at), (vec![1, 2, 4], Some(4), None));
        // A row of a command that was killed between its two writes is skipped after a while.
        let late = split(rows, &[(1, 2), (2, 4)], &[], 110);
        assert_eq!((ready(&late), late.cursor, late.retry_at), (vec![1, 2, 3, 4], Some(4), None));
    }

    #[test]
    fn a_row_from_before_the_clock_was_set_back_does_not_wait() {
        let settled = split(vec![change(1, 7, 500)], &[(1, 6)], &[], 100);
        assert_eq!((ready(&settled), settled.retry_at), (vec![1], None));
    }
}
