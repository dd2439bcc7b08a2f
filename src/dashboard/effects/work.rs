//! Compares branches with their base and counts uncommitted files and conflicts with git, in the background.

use std::sync::mpsc::Receiver;

use crate::dashboard::effects::EventSender;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::DashboardEvent;
use crate::manager::{Context, Reviews};
use crate::model::Agent;

/// Compares until the dashboard ends.
pub(super) fn run(context: &Context, events: &EventSender, lists: &Receiver<Vec<Agent>>) {
    for agent in lists.iter().flatten() {
        let position = Reviews(context).branch_position(&agent);
        events.send(DashboardEvent::BranchCompared(AgentKey::of(&agent), position));
    }
}
