//! The table of tasks: one line for each task, with its result or the reason for its state.

use jiff::Timestamp;
use unicode_width::UnicodeWidthStr;

use crate::manager::TaskView;
use crate::model::TaskStatus;
use crate::text::ages::age;
use crate::text::fit::{Keep, clean, cut};

/// Space between two columns.
const GAP: usize = 2;
/// Titles of the columns, in the order in which they are printed.
const HEAD: [&str; 6] = ["ID", "STATE", "AGENT", "SINCE", "TASK", "RESULT"];
/// Minimum width of the last two columns.
const MIN_WIDTH: usize = 8;

/// Renders one line for each task below a head line, at most `width` columns wide.
pub(super) fn table(tasks: &[TaskView], width: usize, now: Timestamp) -> String {
    let head = HEAD.map(str::to_owned);
    let rows: Vec<[String; 6]> = tasks.iter().map(|view| row(view, now)).collect();
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    // A column without any text is left out.
    let is_shown = widths.map(|width| width > 0);
    for (width, title) in widths.iter_mut().zip(HEAD).filter(|(width, _)| **width > 0) {
        *width = (*width).max(title.len());
    }
    widths[2] = widths[2].min(width / 4);
    let columns = is_shown.iter().filter(|is_shown| **is_shown).count();
    let taken: usize = widths[..4].iter().sum::<usize>() + GAP * columns.saturating_sub(1);
    let left = width.saturating_sub(taken);
    // The task and its result share the remaining width; neither takes more than half unless the other needs less.
    let (task, result) = (widths[4], widths[5]);
    widths[4] = task.min(left.saturating_sub(result).max(left / 2)).max(MIN_WIDTH.min(task));
    widths[5] = result.min(left.saturating_sub(widths[4])).max(MIN_WIDTH.min(result));
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(widths).zip(is_shown).filter(|(_, is_shown)| *is_shown);
        let mut text = String::new();
        for ((cell, width), _) in cells {
            let cell = cut(cell, width, Keep::Beginning);
            let pad = width.saturating_sub(cell.width()) + GAP;
            text.push_str(&format!("{cell}{:pad$}", ""));
        }
        format!("{}\n", text.trim_end())
    };
    [head].iter().chain(&rows).map(line).collect()
}

fn row(view: &TaskView, now: Timestamp) -> [String; 6] {
    let task = &view.task;
    let state = match (&task.progress, view.status) {
        (Some(progress), TaskStatus::Running) => format!("running {}%", progress.percent),
        (_, status) => status.to_string(),
    };
    [
        task.id.to_string(),
        state,
        task.assignee_name(),
        age(task.changed_at, now),
        clean(&task.title()),
        clean(&result(view)),
    ]
}

/// Returns the result of a done task, the progress of a running one, or the reason for any other state.
fn result(view: &TaskView) -> String {
    let task = &view.task;
    let first_line =
        |text: &str| text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    let outcome = match view.status {
        TaskStatus::Done => task.result.as_deref().and_then(first_line),
        TaskStatus::Running => task.progress.as_ref().and_then(|progress| first_line(&progress.note)),
        TaskStatus::Waiting | TaskStatus::Blocked | TaskStatus::Queued | TaskStatus::Dispatched => {
            view.waits_for.clone()
        }
        TaskStatus::Failed | TaskStatus::Unknown | TaskStatus::Cancelled => first_line(&task.why),
    };
    outcome.unwrap_or_default()
}
