//! Compares branches with their base, counts uncommitted files and conflicts with git, and asks the forge for pull
//! requests, all in the background.

use std::collections::HashMap;
use std::sync::mpsc::Receiver;

use jiff::{SignedDuration, Timestamp};

use crate::dashboard::effects::EventSender;
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::DashboardEvent;
use crate::manager::{Context, Reviews};
use crate::model::Agent;

/// Shortest time between two comparisons while an agent prints.
const COUNT_INTERVAL: SignedDuration = SignedDuration::from_secs(30);

/// Compares until the dashboard ends.
pub(super) fn run(context: &Context, events: &EventSender, lists: &Receiver<Vec<Agent>>) {
    for agent in lists.iter().flatten() {
        let position = Reviews(context).branch_position(&agent);
        events.send(DashboardEvent::BranchCompared(AgentKey::of(&agent), position));
    }
}

/// Reads pull requests until the dashboard ends. The forge may take seconds, so a thread of its own waits for it.
pub(super) fn read_pull_requests(context: &Context, events: &EventSender, lists: &Receiver<Vec<Agent>>) {
    for agents in lists {
        let read = Reviews(context).branch_pull_requests(&agents);
        let keyed = agents.iter().map(AgentKey::of).zip(read).collect();
        events.send(DashboardEvent::PullRequestsRead(keyed));
    }
}

/// Signs that the work of an agent may have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WorkSigns {
    status_since: Timestamp,
    last_activity: Option<Timestamp>,
    /// The last tool or the last line of output.
    activity: Option<String>,
}

/// The agents whose work was counted, with its signs and the time.
#[derive(Debug, Default)]
pub(super) struct WorkSchedule(HashMap<AgentKey, (WorkSigns, Timestamp)>);

impl WorkSchedule {
    /// Returns the visible agents whose work has to be counted: at once after a change of the status, and at intervals
    /// while they print.
    pub(super) fn take_due(&mut self, state: &DashboardState) -> Vec<Agent> {
        let has_work =
            |agent: &&Agent| agent.branch.is_some() && agent.directory_gone.is_none() && agent.host.is_none();
        let mut due = Vec::new();
        for agent in state.visible_agents().filter(has_work) {
            let key = AgentKey::of(agent);
            let signs = WorkSigns {
                status_since: agent.status_since,
                last_activity: agent.last_activity,
                activity: state.activities.get(&key).cloned(),
            };
            let is_current = self.0.get(&key).is_some_and(|(counted, at)| {
                let is_recent = state.now.duration_since(*at) < COUNT_INTERVAL;
                counted.status_since == signs.status_since && (is_recent || *counted == signs)
            });
            if !is_current {
                self.0.insert(key, (signs, state.now));
                due.push(agent.clone());
            }
        }
        due
    }

    /// Makes the work of all agents due.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::state::testing::{agent, list, state};
    use crate::dashboard::state::update;
    use crate::model::Status;

    #[test]
    fn work_is_counted_after_a_new_status_and_now_and_then_while_the_agent_prints() {
        let mut state = state((100, 30), vec![agent("a", Status::Working)]);
        let mut counts = WorkSchedule::default();
        let mut is_due = |state: &DashboardState| !counts.take_due(state).is_empty();
        assert!(is_due(&state), "it was never counted");
        state.now += SignedDuration::from_secs(60);
        assert!(!is_due(&state), "the agent has done nothing");
        let print = |state: &mut DashboardState, line: &str| {
            let key = AgentKey::of(&state.agents[0]);
            update(state, DashboardEvent::ActivityRead(vec![(key, Some(line.to_owned()))]));
        };
        print(&mut state, "one");
        assert!(is_due(&state));
        state.now += SignedDuration::from_secs(29);
        print(&mut state, "two");
        assert!(!is_due(&state));
        state.now += SignedDuration::from_secs(1);
        assert!(is_due(&state) && !is_due(&state));
        let mut idle = agent("a", Status::Idle);
        idle.status_since = state.now;
        list(&mut state, vec![idle]);
        assert!(is_due(&state) && !is_due(&state), "a new status does not wait");
        counts.forget();
        assert_eq!(counts.take_due(&state).len(), 1);
    }
}
