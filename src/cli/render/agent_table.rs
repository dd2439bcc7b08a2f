//! The table of agents, which fits the given width and is readable without colour.

use jiff::Timestamp;
use unicode_width::UnicodeWidthStr;

use crate::cli::render::ui::style;
use crate::model::Agent;
use crate::rules::lifecycle::tree::TreeRow;
use crate::text::agent::{Location, about, status_word};
use crate::text::ages::age;
use crate::text::fit::{Keep, clean, cut};

/// Space between two columns.
const GAP: usize = 2;

/// Renders one line for each agent below a head line.
pub(in crate::cli) fn table(
    agents: &[TreeRow],
    user_home: Option<&str>,
    width: usize,
    now: Timestamp,
) -> String {
    let locations: Vec<Location> =
        agents.iter().map(|branch| Location::of(&branch.agent, user_home)).collect();
    let mut cells: Vec<[String; 5]> =
        agents.iter().zip(&locations).map(|(branch, location)| row(branch, location, now)).collect();
    let head = ["NAME", "STATUS", "SINCE", "WHERE", "WHAT"].map(str::to_owned);
    let mut widths = [0; 5];
    for row in cells.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    widths[0] = widths[0].min(width / 3);
    widths[3] = widths[3].min(width / 4);
    // The last column has the most useful information, so it keeps a third of the width if its text is long enough.
    let least = widths[4].min(width / 3).max(8);
    let taken: usize = widths[..4].iter().sum::<usize>() + 4 * GAP;
    widths[4] = width.saturating_sub(taken).max(least);
    fit(&mut widths, width);
    for (cells, location) in cells.iter_mut().zip(&locations) {
        cells[3] = location.fitted(widths[3]);
    }
    let mut text = line(&head, &widths, anstyle::Style::new().bold(), anstyle::Style::new().bold());
    for (cells, branch) in cells.iter().zip(agents) {
        text.push_str(&line(cells, &widths, anstyle::Style::new(), style(branch.agent.status)));
    }
    text
}

/// Narrows the columns for a small terminal, least important ones first. A width of zero hides a column.
fn fit(widths: &mut [usize; 5], width: usize) {
    for (column, least) in [(3, 12), (0, 16), (3, 8), (3, 0), (2, 0), (0, 8), (1, 7), (4, 0), (0, 1), (1, 0)]
    {
        let columns = widths.iter().filter(|width| **width > 0).count();
        let taken = widths.iter().sum::<usize>() + columns.saturating_sub(1) * GAP;
        let over = taken.saturating_sub(width);
        widths[column] = match widths[column].saturating_sub(over) {
            left if over == 0 || left >= least.max(1) => left,
            _ => least.min(widths[column]),
        };
    }
}

fn line(cells: &[String; 5], widths: &[usize; 5], plain: anstyle::Style, status: anstyle::Style) -> String {
    let mut text = String::new();
    for (at, (cell, width)) in cells.iter().zip(widths).enumerate().filter(|(_, (_, width))| **width > 0) {
        let style = if at == 1 { status } else { plain };
        let cell = cut(cell, *width, Keep::Beginning);
        let pad = if at == 4 { 0 } else { width.saturating_sub(cell.width()) + GAP };
        text.push_str(&format!("{style}{cell}{style:#}{:pad$}", ""));
    }
    format!("{}\n", text.trim_end())
}

fn row(branch: &TreeRow, location: &Location, now: Timestamp) -> [String; 5] {
    let agent = &branch.agent;
    [
        name(branch),
        status_word(agent),
        age(agent.status_since, now),
        location.to_string(),
        clean(&description(agent)),
    ]
}

/// Returns the name, indented below the name of its parent.
pub(in crate::cli) fn name(branch: &TreeRow) -> String {
    let twig = if branch.depth == 0 { "" } else { "└ " };
    let host = branch.agent.host.as_ref().map(|host| format!("{host}:")).unwrap_or_default();
    format!("{:indent$}{twig}{host}{}", "", branch.agent.name, indent = 2 * branch.depth.saturating_sub(1))
}

/// Returns the description of an agent and the number of attached clients.
pub(in crate::cli) fn description(agent: &Agent) -> String {
    let watched = match agent.clients.len() {
        0 => String::new(),
        1 => "[attached] ".to_owned(),
        n => format!("[{n} attached] "),
    };
    format!("{watched}{}", about(agent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_column_keeps_a_third_of_the_width() {
        let mut widths = [20, 17, 5, 20, 27];
        fit(&mut widths, 80);
        assert!(widths[4] >= 80 / 3 && widths[0] >= 16 && widths[3] > 0, "{widths:?}");
        assert!(widths.iter().sum::<usize>() + 4 * GAP <= 80, "{widths:?}");
    }
}
