//! The widths of the columns in a list of a given width.

use crate::dashboard::columns::MIN_ACTIVITY_WIDTH;
use crate::dashboard::state::DashboardState;
use crate::model::DashboardColumn;

/// Columns in the order in which they give way in a narrow list: the first one goes first.
const LEAST_IMPORTANT_FIRST: [DashboardColumn; 6] = [
    DashboardColumn::Kind,
    DashboardColumn::Branch,
    DashboardColumn::Task,
    DashboardColumn::Status,
    DashboardColumn::Age,
    DashboardColumn::Activity,
];
/// Width of the activity from which on other columns get more room than they need for their short form.
const ROOMY_ACTIVITY_WIDTH: usize = 40;
/// Space between two columns.
pub(super) const COLUMN_GAP: usize = 1;

/// A column with its width.
pub(super) type SizedColumn = (DashboardColumn, usize);

/// Returns the columns that fit into a width.
pub(super) fn fitted_columns(state: &DashboardState, width: usize) -> Vec<SizedColumn> {
    let mut columns: Vec<SizedColumn> = state
        .columns
        .iter()
        .map(|column| (*column, state.widths.of(*column)))
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
    let for_task = left
        .saturating_sub(ROOMY_ACTIVITY_WIDTH - MIN_ACTIVITY_WIDTH)
        .min(state.widths.whole_task().saturating_sub(state.widths.of(DashboardColumn::Task)));
    let mut left = left;
    if let Some((_, task)) = columns.iter_mut().find(|(column, _)| *column == DashboardColumn::Task) {
        *task += for_task;
        left -= for_task;
    }
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
