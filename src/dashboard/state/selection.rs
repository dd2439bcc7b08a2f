//! The selected row, marks and scrolling of the list. The selection stays on its agent when the list changes.

use crate::dashboard::state::DashboardState;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{AgentTarget, StaleState};
use crate::dashboard::state::filter::matching_agents;
use crate::dashboard::state::rows::{FoldKey, ListRow, arrange, needs_you};
use crate::model::Agent;

/// Identifies a row across changes of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RowKey {
    Group(String),
    Agent(AgentKey),
}

/// A direction in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

impl DashboardState {
    /// Builds the rows again and keeps the selection on its row.
    pub(crate) fn rebuild(&mut self) {
        let in_scope: Vec<usize> =
            (0..self.agents.len()).filter(|index| self.scope.includes(&self.agents[*index])).collect();
        let shown: Vec<usize> = match self.filter.is_empty() {
            true => in_scope,
            false => {
                let agents = in_scope.iter().map(|index| &self.agents[*index]);
                matching_agents(agents, &self.filter).into_iter().map(|at| in_scope[at]).collect()
            }
        };
        self.rows = arrange(&self.agents, &shown, &self.arrangement);
        self.measure_columns();
        let known = self.selected_key.as_ref().and_then(|key| self.position(key));
        let first_agent = || self.rows.iter().position(|row| matches!(row, ListRow::Agent(_))).unwrap_or(0);
        let at = match (known, &self.selected_key) {
            (Some(at), _) => at,
            (None, None) => first_agent(),
            (None, Some(_)) => self.selected,
        };
        self.select(at);
        let agents: std::collections::HashSet<AgentKey> = self.agents.iter().map(AgentKey::of).collect();
        self.marks.retain(|key| agents.contains(key));
        self.taken.retain(|key, _| agents.contains(key));
    }

    /// Selects a row by its index, or the nearest one.
    pub(crate) fn select(&mut self, at: usize) {
        self.selected = at.min(self.rows.len().saturating_sub(1));
        let key = self.rows.get(self.selected).map(row_key);
        if key != self.selected_key {
            self.detail.scroll = 0;
            self.detail.shift = 0;
        }
        // While the list is empty, for example because of a filter, the selection is remembered.
        if key.is_some() {
            self.selected_key = key;
        }
        self.scroll_to_selection();
    }

    /// Moves the selection by a number of rows.
    pub(crate) fn move_selection(&mut self, by: isize) {
        self.select(self.selected.saturating_add_signed(by));
    }

    fn position(&self, key: &RowKey) -> Option<usize> {
        self.rows.iter().position(|row| row_key(row) == *key)
    }

    /// Scrolls the list so that the selected row is visible.
    pub(crate) fn scroll_to_selection(&mut self) {
        let height = usize::from(self.areas().list.height).max(1);
        self.offset = self.offset.min(self.selected).max((self.selected + 1).saturating_sub(height));
        self.offset = self.offset.min(self.rows.len().saturating_sub(height));
    }

    /// Returns the selected agent.
    pub(crate) fn selected_agent(&self) -> Option<&Agent> {
        match self.rows.get(self.selected)? {
            ListRow::Agent(row) => self.agents.get(row.index),
            ListRow::Group(_) => None,
        }
    }

    /// Returns the agents whose rows are visible.
    pub(crate) fn visible_agents(&self) -> impl Iterator<Item = &Agent> {
        let rows = self.rows.iter().skip(self.offset).take(self.areas().list.height.into());
        rows.filter_map(|row| match row {
            ListRow::Agent(row) => self.agents.get(row.index),
            ListRow::Group(_) => None,
        })
    }

    /// Returns the last known state of an agent's host, if the host does not answer.
    pub(crate) fn stale(&self, agent: &Agent) -> Option<&StaleState> {
        self.hosts.get(agent.host.as_ref()?)?.stale.as_ref()
    }

    /// Returns the selected agent as the target of an effect.
    pub(crate) fn selected_target(&self) -> Option<AgentTarget> {
        self.selected_agent().map(target)
    }

    /// Returns the marked agents, or else the selected one.
    pub(crate) fn targets(&self) -> Vec<&Agent> {
        match self.marks.is_empty() {
            true => self.selected_agent().into_iter().collect(),
            false => self.agents.iter().filter(|agent| self.marks.contains(&AgentKey::of(agent))).collect(),
        }
    }

    /// Selects the next agent that needs the user, beyond the end of the list again from the other end. Unfolds what
    /// hides it. Returns `false` if no agent needs the user.
    pub(crate) fn jump_to_waiting(&mut self, direction: Direction) -> bool {
        let all = arrange(
            &self.agents,
            &(0..self.agents.len()).collect::<Vec<_>>(),
            &crate::dashboard::state::rows::Arrangement {
                folded: std::collections::HashSet::new(),
                ..self.arrangement.clone()
            },
        );
        let order: Vec<(AgentKey, bool)> = all
            .iter()
            .filter_map(|row| match row {
                ListRow::Agent(row) => Some((row.key.clone(), needs_you(&self.agents[row.index]))),
                ListRow::Group(_) => None,
            })
            .collect();
        let current = self.selected_agent().map(AgentKey::of);
        let at = order.iter().position(|(key, _)| Some(key) == current.as_ref());
        let count = order.len();
        let next = (1..=count).map(|step| match (direction, at) {
            (Direction::Forward, Some(at)) => (at + step) % count,
            (Direction::Forward, None) => step - 1,
            (Direction::Backward, Some(at)) => (at + count - step) % count,
            (Direction::Backward, None) => count - step,
        });
        let Some(key) = next.map(|at| &order[at]).find(|(_, needs)| *needs).map(|(key, _)| key.clone())
        else {
            return false;
        };
        self.reveal(&key);
        true
    }

    /// Selects an agent and removes what hides it: folds, the scope and the filter.
    pub(crate) fn reveal(&mut self, key: &AgentKey) {
        let wanted = RowKey::Agent(key.clone());
        self.selected_key = Some(wanted.clone());
        if self.position(&wanted).is_none() {
            self.arrangement.folded.clear();
            self.filter.clear();
            self.scope = crate::dashboard::state::rows::ListScope::All;
            self.rebuild();
        } else if let Some(at) = self.position(&wanted) {
            self.select(at);
        }
        self.detail.scroll = 0;
    }

    /// Returns the key with which the selected row is folded, if it can be folded.
    pub(crate) fn selected_fold(&self) -> Option<FoldKey> {
        match self.rows.get(self.selected)? {
            ListRow::Group(row) => Some(FoldKey::Group(self.arrangement.grouping, row.title.clone())),
            ListRow::Agent(row) if row.below > 0 => Some(FoldKey::Agent(row.key.clone())),
            ListRow::Agent(_) => None,
        }
    }
}

/// Returns an agent as the target of an effect.
pub(crate) fn target(agent: &Agent) -> AgentTarget {
    AgentTarget { key: AgentKey::of(agent), name: agent.name.clone() }
}

fn row_key(row: &ListRow) -> RowKey {
    match row {
        ListRow::Group(row) => RowKey::Group(row.title.clone()),
        ListRow::Agent(row) => RowKey::Agent(row.key.clone()),
    }
}
