//! The columns of the list: their contents and their widths.

use jiff::Timestamp;

use crate::dashboard::state::DashboardState;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::StaleState;
use crate::dashboard::state::rows::ListRow;
use crate::model::{Agent, DashboardColumn, Status};
use crate::text::agent::{about, status_word};
use crate::text::ages::{age, ago};
use crate::text::fit::display_width;

/// Columns in the order in which they give way in a narrow list: the first one goes first.
const LEAST_IMPORTANT_FIRST: [DashboardColumn; 6] = [
    DashboardColumn::Kind,
    DashboardColumn::Branch,
    DashboardColumn::Task,
    DashboardColumn::Status,
    DashboardColumn::Age,
    DashboardColumn::Activity,
];
/// Width that the activity keeps before other columns give way.
const MIN_ACTIVITY_WIDTH: usize = 16;
/// Space between two columns.
pub(super) const COLUMN_GAP: usize = 1;

/// A column with its width.
pub(super) type SizedColumn = (DashboardColumn, usize);

/// Returns the columns that fit into a width.
pub(super) fn fitted_columns(state: &DashboardState, width: usize) -> Vec<SizedColumn> {
    let mut columns: Vec<SizedColumn> = state
        .columns
        .iter()
        .map(|column| (*column, natural_width(state, *column)))
        .filter(|(_, width)| *width > 0)
        .collect();
    let taken = |columns: &[SizedColumn]| columns.iter().map(|(_, width)| width + COLUMN_GAP).sum::<usize>();
    for column in LEAST_IMPORTANT_FIRST {
        if taken(&columns) <= width || columns.len() == 1 {
            break;
        }
        columns.retain(|(shown_column, _)| *shown_column != column);
    }
    let left = width.saturating_sub(taken(&columns));
    match columns.iter_mut().find(|(column, _)| *column == DashboardColumn::Activity) {
        Some((_, activity)) => *activity += left,
        None => {
            if let Some((_, last)) = columns.last_mut() {
                *last += left;
            }
        }
    }
    if let [(_, only)] = &mut columns[..] {
        *only = width;
    }
    columns
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
pub(super) fn name(agent: &Agent) -> String {
    match &agent.host {
        Some(host) => format!("{host}:{}", agent.name),
        None => agent.name.to_string(),
    }
}

/// Returns the text of a column.
pub(super) fn content(state: &DashboardState, agent: &Agent, column: DashboardColumn) -> String {
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
    let mut text = branch.clone();
    if let Some(changed @ 1..) = counts.changed {
        text.push_str(&format!(" ±{changed}"));
    }
    if let Some(ahead @ 1..) = counts.ahead {
        text.push_str(&format!(" ↑{ahead}"));
    }
    if let Some(behind @ 1..) = counts.behind {
        text.push_str(&format!(" ↓{behind}"));
    }
    text
}

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
pub(super) fn stale_age(stale: &StaleState, now: Timestamp) -> String {
    stale.as_of.map_or_else(|| "an unknown time".to_owned(), |at| ago(at, now))
}

/// Returns the ages of the visible rows.
pub(super) fn visible_ages(state: &DashboardState) -> Vec<String> {
    let ages = state.visible_agents().flat_map(|agent| {
        let stale = state.stale(agent).map(|stale| stale_age(stale, state.now));
        std::iter::once(age(agent.status_since, state.now)).chain(stale)
    });
    ages.collect()
}
