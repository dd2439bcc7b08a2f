//! The table of `agent list --work`: where the work of each agent is, and how much of it there is. It fits the
//! terminal.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::cli::render::agent_table::{Keep, clean, cut, name, status_word};
use crate::cli::render::ui::style;
use crate::model::{Agent, WorkCounts};
use crate::rules::lifecycle::tree::Branch;
use crate::rules::workspace::unsaved_work;

/// Space between two columns.
const GAP: usize = 2;
/// Minimum width of names and branches; fewer columns would make them unreadable.
const LEAST: usize = 8;

/// Renders one line for each agent below a head line. Each agent takes one git query.
pub(in crate::cli) fn table(agents: &[Branch], width: usize, count: &dyn Fn(&Agent) -> WorkCounts) -> String {
    let head = ["NAME", "STATUS", "BRANCH", "WORK"].map(str::to_owned);
    let rows: Vec<[String; 4]> = agents.iter().map(|branch| row(branch, count)).collect();
    let widths = widths(&rows, &head, width);
    let bold = Style::new().bold();
    let mut text = line(&head, &widths, bold, bold);
    for (cells, branch) in rows.iter().zip(agents) {
        text.push_str(&line(cells, &widths, Style::new(), style(branch.agent.status)));
    }
    text
}

fn row(branch: &Branch, count: &dyn Fn(&Agent) -> WorkCounts) -> [String; 4] {
    let agent = &branch.agent;
    let counts = unsaved_work::short(&count(agent));
    let counts = if counts.is_empty() { "not in git".to_owned() } else { counts };
    [name(branch), status_word(agent), clean(agent.branch.as_deref().unwrap_or("-")), counts]
}

/// Returns the column widths. Names and branches share the width that the other columns leave.
fn widths(rows: &[[String; 4]], head: &[String; 4], width: usize) -> [usize; 4] {
    let widest = |at: usize| rows.iter().chain([head]).map(|row| row[at].width()).max().unwrap_or(0);
    let [names, status, branch, counts] = [0, 1, 2, 3].map(widest);
    let left = width.saturating_sub(status + counts + 3 * GAP).max(2 * LEAST);
    let names = names.min(left.saturating_sub(branch).max(left / 2));
    let branch = branch.min(left - names.min(left));
    [names, status, branch, width.saturating_sub(names + status + branch + 3 * GAP).max(LEAST)]
}

fn line(cells: &[String; 4], widths: &[usize; 4], plain: Style, status: Style) -> String {
    let mut text = String::new();
    for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let style = if at == 1 { status } else { plain };
        let cell = cut(cell, *width, if at == 2 { Keep::End } else { Keep::Beginning });
        let pad = if at == 3 { 0 } else { width.saturating_sub(cell.width()) + GAP };
        text.push_str(&format!("{style}{cell}{style:#}{:pad$}", ""));
    }
    format!("{}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(cells: [&str; 4]) -> [String; 4] {
        cells.map(str::to_owned)
    }

    #[test]
    fn eighty_columns_hold_it() {
        let head = cells(["NAME", "STATUS", "BRANCH", "WORK"]);
        let much = "12 changed, 3 ahead, 1 stashed, 120 MB";
        for row in [
            cells(["fix", "idle", "symposium/fix", much]),
            cells(["a-rather-long-name-of-an-agent", "waiting(approval)", "symposium/a-rather-long", much]),
            cells(["fix", "crashed(signal 15)", &"日本".repeat(30), "not in git"]),
        ] {
            for columns in [80, 100] {
                let widths = widths(std::slice::from_ref(&row), &head, columns);
                let text = line(&row, &widths, Style::new(), Style::new());
                assert!(text.trim_end().width() <= columns, "{} {text}", text.width());
                assert!(text.contains(&row[1]) && text.contains(&row[3]), "{text}");
            }
        }
        let row = cells(["fix", "idle", "symposium/fix", "clean"]);
        let fitting = widths(std::slice::from_ref(&row), &head, 80);
        assert_eq!(line(&row, &fitting, Style::new(), Style::new()), "fix   idle    symposium/fix  clean\n");
    }
}
