//! The table of `agent list --work`: where the work of each agent is, how much of it there is, whether it merges, and
//! its pull request. It fits the terminal.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::cli::render::agent_table::name;
use crate::cli::render::ui::style;
use crate::model::WorkSummary;
use crate::rules::lifecycle::tree::TreeRow;
use crate::rules::workspace::pull_requests::pull_request_words;
use crate::rules::workspace::unsaved_work::{bytes, merge_word};
use crate::text::agent::status_word;
use crate::text::fit::{Keep, clean, cut};

/// Space between two columns.
const GAP: usize = 2;
/// Minimum width of names and branches; fewer characters would make them unreadable.
const MIN_WIDTH: usize = 8;

const HEAD: [&str; COLUMNS] =
    ["NAME", "STATUS", "BRANCH", "CHANGED", "AHEAD", "BEHIND", "MERGE", "PR", "SIZE"];
const COLUMNS: usize = 9;
const NAME: usize = 0;
const STATUS: usize = 1;
const BRANCH: usize = 2;
/// Columns with numbers, which are aligned to the right.
const NUMBERS: std::ops::RangeInclusive<usize> = 3..=5;
const PULL_REQUEST: usize = 7;
/// Columns that a narrow terminal does not show, the least important one first.
const OPTIONAL: [usize; 3] = [8, BRANCH, PULL_REQUEST];

/// Renders one line for each agent below a head line. `work` has the summaries of the agents in the same order.
pub(in crate::cli) fn table(agents: &[TreeRow], work: &[WorkSummary], width: usize) -> String {
    let rows: Vec<[String; COLUMNS]> =
        agents.iter().zip(work).map(|(branch, work)| row(branch, work)).collect();
    let head = HEAD.map(str::to_owned);
    let widths = widths(&rows, &head, width);
    let bold = Style::new().bold();
    let mut text = line(&head, &widths, bold, bold);
    for (cells, branch) in rows.iter().zip(agents) {
        text.push_str(&line(cells, &widths, Style::new(), style(branch.agent.status)));
    }
    text
}

fn row(branch: &TreeRow, work: &WorkSummary) -> [String; COLUMNS] {
    let agent = &branch.agent;
    let number = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
    let base = work.base.as_ref();
    [
        name(branch),
        status_word(agent),
        clean(agent.branch.as_deref().unwrap_or("-")),
        number(work.counts.changed.map(|count| count as u64)),
        number(base.map(|base| base.ahead)),
        number(base.map(|base| base.behind)),
        merge_word(work),
        work.pull_request.as_ref().map(pull_request_words).unwrap_or_default(),
        work.counts.size.map(bytes).unwrap_or_default(),
    ]
}

/// Returns the column widths; zero hides a column. Names and branches share the width that the others leave.
fn widths(rows: &[[String; COLUMNS]], head: &[String; COLUMNS], width: usize) -> [usize; COLUMNS] {
    let mut widths = [0; COLUMNS];
    for row in rows.iter().chain([head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    if rows.iter().all(|row| row[PULL_REQUEST].is_empty()) {
        widths[PULL_REQUEST] = 0;
    }
    let wanted = [widths[NAME], widths[BRANCH]];
    let taken = |widths: &[usize; COLUMNS]| {
        widths.iter().filter(|width| **width > 0).map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
    };
    (widths[NAME], widths[BRANCH]) = (wanted[0].min(MIN_WIDTH), wanted[1].min(MIN_WIDTH));
    for column in OPTIONAL {
        if taken(&widths) > width {
            widths[column] = 0;
        }
    }
    let left = width.saturating_sub(taken(&widths)) + widths[NAME] + widths[BRANCH];
    widths[NAME] = match widths[BRANCH] {
        0 => wanted[0].min(left),
        _ => wanted[0].min(left.saturating_sub(wanted[1]).max(left / 2)),
    };
    if widths[BRANCH] > 0 {
        widths[BRANCH] = wanted[1].min(left - widths[NAME]);
    }
    widths
}

fn line(cells: &[String; COLUMNS], widths: &[usize; COLUMNS], plain: Style, status: Style) -> String {
    let mut text = String::new();
    for (at, (cell, width)) in cells.iter().zip(widths).enumerate().filter(|(_, (_, width))| **width > 0) {
        let style = if at == STATUS { status } else { plain };
        let cell = cut(cell, *width, if at == BRANCH { Keep::End } else { Keep::Beginning });
        let pad = width.saturating_sub(cell.width());
        match NUMBERS.contains(&at) {
            true => text.push_str(&format!("{:pad$}{style}{cell}{style:#}{:GAP$}", "", "")),
            false => text.push_str(&format!("{style}{cell}{style:#}{:1$}", "", pad + GAP)),
        }
    }
    format!("{}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_table_fits_eighty_columns() {
        let head = HEAD.map(str::to_owned);
        for row in [
            [
                "fix",
                "idle",
                "symposium/fix",
                "12",
                "3",
                "1",
                "2 conflicts",
                "#12 open, checks pending",
                "120 MB",
            ],
            [
                "a-rather-long-name-of-an-agent",
                "waiting(approval)",
                "symposium/a-rather-long",
                "1",
                "2",
                "3",
                "clean",
                "#1 merged",
                "1 kB",
            ],
            ["fix", "crashed(signal 15)", &"日本".repeat(30), "1200", "30", "10", "not in git", "", ""],
        ] {
            let row = row.map(str::to_owned);
            for columns in [80, 100] {
                let widths = widths(std::slice::from_ref(&row), &head, columns);
                let text = line(&row, &widths, Style::new(), Style::new());
                assert!(text.trim_end().width() <= columns, "{} {text}", text.width());
                assert!(text.contains(&row[1]) && text.contains(&row[6]), "{text}");
            }
        }
        let row = ["fix", "idle", "symposium/fix", "0", "2", "0", "merged", "", "1 kB"].map(str::to_owned);
        let fitting = widths(std::slice::from_ref(&row), &head, 80);
        let text = line(&row, &fitting, Style::new(), Style::new());
        assert_eq!(text, "fix   idle    symposium/fix        0      2       0  merged  1 kB\n");
    }
}
