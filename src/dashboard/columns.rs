//! The columns of the list: their contents, and the widths that they need. Pure.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::dashboard::state::DashboardState;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::StaleState;
use crate::dashboard::state::rows::ListRow;
use crate::model::{
    Agent, BranchOutcome, CheckState, DashboardColumn, PullRequest, PullRequestState, Status,
};
use crate::text::agent::{about, status_word};
use crate::text::ages::{age, ago};
use crate::text::fit::display_width;

/// Width that the activity keeps before other columns give way.
pub(crate) const MIN_ACTIVITY_WIDTH: usize = 16;
/// Prefix of the branches of worktrees.
const WORKTREE_BRANCH_PREFIX: &str = "symposium/";
/// Maximum width of a task with its text.
const MAX_TASK_WIDTH: usize = 48;

/// The widths of the columns. A column never becomes narrower while the terminal keeps its size, so that the list stays
/// calm when a text gets shorter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ColumnWidths {
    size: (u16, u16),
    widths: HashMap<DashboardColumn, usize>,
    /// Width of tasks with their texts.
    whole_task: usize,
}

impl ColumnWidths {
    /// Returns the width of a column; 0 if it has no content.
    pub(crate) fn of(&self, column: DashboardColumn) -> usize {
        self.widths.get(&column).copied().unwrap_or(0)
    }

    /// Returns the width of tasks with their texts.
    pub(crate) fn whole_task(&self) -> usize {
        self.whole_task
    }
}

impl DashboardState {
    /// Measures the columns after a change of the agents, of the rows or of the size.
    pub(crate) fn measure_columns(&mut self) {
        let mut widths = std::mem::take(&mut self.widths);
        if widths.size != self.size {
            widths = ColumnWidths { size: self.size, ..ColumnWidths::default() };
        }
        for column in &self.columns {
            let width = widths.widths.entry(*column).or_default();
            let natural = match natural_width(self, *column) {
                0 => 0,
                // The name of the column is above it.
                content => content.max(heading(*column).len()),
            };
            *width = natural.max(*width);
        }
        let tasks = self.agents.iter().map(|agent| display_width(&whole_task(agent)).min(MAX_TASK_WIDTH));
        widths.whole_task = tasks.max().unwrap_or(0).max(widths.whole_task);
        self.widths = widths;
    }
}

/// Returns the name of a column.
pub(crate) fn heading(column: DashboardColumn) -> &'static str {
    DashboardColumn::ALL.iter().find(|(_, known)| *known == column).map_or("", |(name, _)| *name)
}

fn natural_width(state: &DashboardState, column: DashboardColumn) -> usize {
    let widest = |least: usize, most: usize| {
        let texts = state.agents.iter().map(|agent| display_width(&content(state, agent, column)));
        texts.max().unwrap_or(0).clamp(least, most)
    };
    match column {
        DashboardColumn::Name => {
            let rows = state.rows.iter().filter_map(|row| match row {
                ListRow::Agent(row) => {
                    Some(display_width(&name(&state.agents[row.index])) + 2 * row.depth + 2)
                }
                ListRow::Group(_) => None,
            });
            rows.max().unwrap_or(0).clamp(8, 28)
        }
        DashboardColumn::Status => widest(4, 17),
        DashboardColumn::Age => 4,
        DashboardColumn::Kind => widest(0, 10),
        DashboardColumn::Branch => widest(0, 24),
        DashboardColumn::Task => widest(0, 28),
        DashboardColumn::Activity => MIN_ACTIVITY_WIDTH,
    }
}

/// Returns the name of an agent with its host.
pub(crate) fn name(agent: &Agent) -> String {
    match &agent.host {
        Some(host) => format!("{host}:{}", agent.name),
        None => agent.name.to_string(),
    }
}

/// Returns the text of a column.
pub(crate) fn content(state: &DashboardState, agent: &Agent, column: DashboardColumn) -> String {
    match column {
        DashboardColumn::Name => name(agent),
        DashboardColumn::Status => status_word(agent),
        DashboardColumn::Age => age(agent.status_since, state.now),
        DashboardColumn::Kind => agent.kind.clone(),
        DashboardColumn::Branch => branch(state, agent),
        DashboardColumn::Task => task(agent),
        DashboardColumn::Activity => activity(state, agent),
    }
}

fn branch(state: &DashboardState, agent: &Agent) -> String {
    let Some(branch) = &agent.branch else { return String::new() };
    let counts = state.branches.get(&AgentKey::of(agent)).copied().unwrap_or_default();
    // The branches of worktrees have the name of their agent, so the prefix would only take room from the activity.
    let mut text = branch.strip_prefix(WORKTREE_BRANCH_PREFIX).unwrap_or(branch).to_owned();
    match counts.outcome {
        Some(BranchOutcome::Merged) => text.push_str(" merged"),
        Some(BranchOutcome::Conflicts(count)) => text.push_str(&format!(" ≠{count}")),
        None => {}
    }
    if let Some(changed @ 1..) = counts.changed {
        text.push_str(&format!(" ±{changed}"));
    }
    if let Some(ahead @ 1..) = counts.ahead {
        text.push_str(&format!(" ↑{ahead}"));
    }
    if let Some(behind @ 1..) = counts.behind {
        text.push_str(&format!(" ↓{behind}"));
    }
    if let Some(pull_request) = state.pull_requests.get(&AgentKey::of(agent)) {
        text.push_str(&format!(" {}", short_pull_request(pull_request, counts.outcome)));
    }
    text
}

/// Returns the number of a pull request with its outcome or the result of its checks. A branch that is shown as merged
/// needs no other word.
fn short_pull_request(pull_request: &PullRequest, outcome: Option<BranchOutcome>) -> String {
    let mark = match (pull_request.state, pull_request.checks) {
        (PullRequestState::Merged, _) if outcome == Some(BranchOutcome::Merged) => "",
        (PullRequestState::Merged, _) => " merged",
        (PullRequestState::Closed, _) => " closed",
        (PullRequestState::Open, None) => "",
        (PullRequestState::Open, Some(CheckState::Pass)) => "✓",
        (PullRequestState::Open, Some(CheckState::Fail)) => "✗",
        (PullRequestState::Open, Some(CheckState::Pending)) => "…",
    };
    format!("#{}{mark}", pull_request.number)
}

/// Returns the task of an agent with its progress, and the number of tasks on its queue.
fn task(agent: &Agent) -> String {
    let queued = match agent.tasks.queued {
        0 => String::new(),
        count => format!(" +{count}"),
    };
    match &agent.task {
        Some(task) => {
            let progress = task.progress.as_ref().map(|progress| format!(" {}%", progress.percent));
            format!("#{}{}{queued}", task.id, progress.unwrap_or_default())
        }
        None => queued.trim_start().to_owned(),
    }
}

/// Returns the task of an agent with its text.
pub(crate) fn whole_task(agent: &Agent) -> String {
    match &agent.task {
        Some(current) => format!("{} {}", task(agent), current.title),
        None => task(agent),
    }
}

fn activity(state: &DashboardState, agent: &Agent) -> String {
    let stale = state.stale(agent).map(|stale| stale_age(stale, state.now));
    let taken = agent.question.as_ref().and_then(|question| state.taken_label(agent, question));
    match (taken, stale) {
        (Some(label), _) => label.to_owned(),
        (None, Some(ago)) => format!("as of {ago}: {}", about(agent)),
        (None, None) if agent.status == Status::Waiting => agent.reason.clone(),
        (None, None) if agent.status == Status::Working => {
            state.activities.get(&AgentKey::of(agent)).cloned().unwrap_or_else(|| about(agent))
        }
        (None, None) => about(agent),
    }
}

/// Returns the age of the last known state of a host that does not answer.
pub(crate) fn stale_age(stale: &StaleState, now: Timestamp) -> String {
    stale.as_of.map_or_else(|| "an unknown time".to_owned(), |at| ago(at, now))
}

/// Returns the ages of the visible rows.
pub(crate) fn visible_ages(state: &DashboardState) -> Vec<String> {
    let ages = state.visible_agents().flat_map(|agent| {
        let stale = state.stale(agent).map(|stale| stale_age(stale, state.now));
        std::iter::once(age(agent.status_since, state.now)).chain(stale)
    });
    ages.collect()
}
