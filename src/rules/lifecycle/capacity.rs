//! Decides which agents are hibernated when the limit on running agents is exceeded: the least recently used idle ones,
//! never an agent that works, waits, has tasks or has an attached client.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::model::{Agent, AgentName, Status};

/// Decision about capacity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CapacityDecision {
    /// The capacity suffices.
    Available,
    /// These agents are hibernated, in this order.
    Hibernate(Vec<AgentName>),
    /// Too few agents can be hibernated.
    Full {
        /// Number of running agents.
        live: usize,
        /// Maximum number of running agents.
        max: u32,
    },
}

/// Decides which agents are hibernated for `incoming` more agents. If none are incoming, an existing surplus is reduced
/// as far as possible.
pub fn choose_for_hibernation(
    agents: &[Agent],
    max: Option<u32>,
    incoming: u32,
    can_hibernate: &dyn Fn(&Agent) -> bool,
) -> CapacityDecision {
    let here = || agents.iter().filter(|agent| agent.host.is_none());
    let live = here().filter(|agent| agent.status.is_live()).count();
    let Some(max) = max else { return CapacityDecision::Available };
    let wanted = live.saturating_add(incoming as usize).saturating_sub(max as usize);
    if wanted == 0 {
        return CapacityDecision::Available;
    }
    let mut candidates: Vec<&Agent> =
        here().filter(|agent| is_unused(agent) && can_hibernate(agent)).collect();
    candidates.sort_by_key(|agent| (last_used(agent), &agent.name));
    if candidates.is_empty() || incoming > 0 && candidates.len() < wanted {
        return CapacityDecision::Full { live, max };
    }
    CapacityDecision::Hibernate(candidates.into_iter().take(wanted).map(|agent| agent.name.clone()).collect())
}

/// Returns how many of the agents that are being started are not yet counted as running.
pub fn yet_to_come<'a>(starting: &[String], live: impl Iterator<Item = &'a AgentName>) -> usize {
    let live: HashSet<&str> = live.map(AgentName::as_str).collect();
    starting.iter().filter(|name| !live.contains(name.as_str())).count()
}

fn is_unused(agent: &Agent) -> bool {
    agent.status == Status::Idle && agent.clients.is_empty() && agent.tasks.queued + agent.tasks.running == 0
}

fn last_used(agent: &Agent) -> Timestamp {
    let known = [agent.last_activity, agent.last_attached].into_iter().flatten();
    known.fold(agent.status_since, Timestamp::max)
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{AgentClient, TmuxSnapshot};
    use crate::rules::status::decide::tests::{at, record};
    use crate::rules::status::reconcile::{TmuxReply, join};

    pub(crate) fn agent(name: &str, status: Status) -> Agent {
        let snapshot = TmuxSnapshot::NoServer;
        let mut record = record(name, status);
        record.tmux = None;
        join(vec![record], TmuxReply::Snapshot(&snapshot), &|_| true, at(9)).agents.remove(0)
    }

    pub(crate) fn terminal(observer: bool) -> AgentClient {
        let (tty, driver) = ("/dev/pts/1".into(), !observer);
        AgentClient { tty, observer, driver, ..AgentClient::default() }
    }

    fn names(names: &[&str]) -> CapacityDecision {
        CapacityDecision::Hibernate(names.iter().map(|name| name.parse().unwrap()).collect())
    }

    fn used(name: &str, second: i64) -> Agent {
        Agent { last_activity: Some(at(second)), ..agent(name, Status::Idle) }
    }

    #[test]
    fn the_least_recently_used_idle_agents_are_hibernated() {
        let mut attached_lately = used("c", 10);
        attached_lately.last_attached = Some(at(500));
        let mut quiet_but_new = used("d", 10);
        quiet_but_new.status_since = at(400);
        let agents =
            [used("a", 300), used("b", 200), attached_lately, quiet_but_new, agent("w", Status::Working)];
        for (max, incoming, expected) in [
            (None, 99, CapacityDecision::Available),
            (Some(5), 0, CapacityDecision::Available),
            (Some(6), 1, CapacityDecision::Available),
            (Some(5), 1, names(&["b"])),
            (Some(5), 3, names(&["b", "a", "d"])),
            (Some(1), 0, names(&["b", "a", "d", "c"])),
            (Some(0), 0, names(&["b", "a", "d", "c"])),
            (Some(5), 5, CapacityDecision::Full { live: 5, max: 5 }),
            (Some(0), 1, CapacityDecision::Full { live: 5, max: 0 }),
        ] {
            assert_eq!(
                choose_for_hibernation(&agents, max, incoming, &|_| true),
                expected,
                "{max:?} {incoming}"
            );
        }
    }

    #[test]
    fn only_unneeded_agents_are_hibernated() {
        let full = CapacityDecision::Full { live: 1, max: 1 };
        for status in Status::ALL {
            let decided = choose_for_hibernation(&[agent("a", status)], Some(1), 1, &|_| true);
            let expected = match status {
                Status::Idle => names(&["a"]),
                status if status.is_live() => full.clone(),
                _ => CapacityDecision::Available,
            };
            assert_eq!(decided, expected, "{status}");
        }
        let mut watched = agent("a", Status::Idle);
        watched.clients.push(terminal(true));
        let mut queued = agent("a", Status::Idle);
        queued.tasks.queued = 1;
        for agent in [watched, queued] {
            assert_eq!(choose_for_hibernation(&[agent], Some(1), 1, &|_| true), full);
        }
        assert_eq!(choose_for_hibernation(&[agent("a", Status::Idle)], Some(1), 1, &|_| false), full);
        let mut elsewhere = agent("a", Status::Working);
        elsewhere.host = Some("far".into());
        assert_eq!(choose_for_hibernation(&[elsewhere], Some(1), 1, &|_| true), CapacityDecision::Available);
    }

    proptest! {
        #[test]
        fn hibernation_makes_enough_capacity(
            statuses in prop::collection::vec(prop::sample::select(Status::ALL.to_vec()), 0..20),
            max in 0u32..20,
            incoming in 1u32..5,
        ) {
            let agents: Vec<Agent> =
                statuses.iter().enumerate().map(|(at, status)| agent(&format!("a{at}"), *status)).collect();
            let live = agents.iter().filter(|agent| agent.status.is_live()).count();
            let left = match choose_for_hibernation(&agents, Some(max), incoming, &|_| true) {
                CapacityDecision::Available => live,
                CapacityDecision::Hibernate(gone) => live - gone.len(),
                CapacityDecision::Full { .. } => return Ok(()),
            };
            prop_assert!(left + incoming as usize <= max as usize);
        }
    }
}
