//! The list for people: fits the terminal, 80 columns when nobody can tell, and reads without colour.

use jiff::Timestamp;
use unicode_width::UnicodeWidthStr;

use super::times::age;
use super::ui::style;
use crate::model::{Agent, Status, is_deceptive};
use crate::rules::family::Branch;

/// Between two columns.
const GAP: usize = 2;

/// One line an agent, with a head line.
pub(super) fn table(agents: &[Branch], user_home: Option<&str>, width: usize, now: Timestamp) -> String {
    let cells: Vec<[String; 5]> = agents.iter().map(|branch| row(branch, user_home, now)).collect();
    let head = ["NAME", "STATUS", "SINCE", "WHERE", "WHAT"].map(str::to_owned);
    let mut widths = [0; 5];
    for row in cells.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    widths[0] = widths[0].min(width / 3);
    widths[3] = widths[3].min(width / 4);
    let taken: usize = widths[..4].iter().sum::<usize>() + 4 * GAP;
    widths[4] = width.saturating_sub(taken).max(8);
    fit(&mut widths, width);
    let mut text = line(&head, &widths, anstyle::Style::new().bold(), anstyle::Style::new().bold());
    for (cells, branch) in cells.iter().zip(agents) {
        text.push_str(&line(cells, &widths, anstyle::Style::new(), style(branch.agent.status)));
    }
    text
}

/// Takes from the columns what a narrow terminal has no room for, from what can be spared first; none is a column that
/// is left out.
fn fit(widths: &mut [usize; 5], width: usize) {
    for (column, least) in [(3, 8), (3, 0), (2, 0), (0, 8), (1, 7), (4, 0), (0, 1), (1, 0)] {
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
        let cell = cut(cell, *width, if at == 3 { Keep::End } else { Keep::Beginning });
        let pad = if at == 4 { 0 } else { width.saturating_sub(cell.width()) + GAP };
        text.push_str(&format!("{style}{cell}{style:#}{:pad$}", ""));
    }
    format!("{}\n", text.trim_end())
}

fn row(branch: &Branch, user_home: Option<&str>, now: Timestamp) -> [String; 5] {
    let agent = &branch.agent;
    [
        name(branch),
        status_word(agent),
        age(agent.status_since, now),
        clean(&place(agent, user_home)),
        clean(&what(agent)),
    ]
}

/// The name, below its parent's in a tree.
pub(super) fn name(branch: &Branch) -> String {
    let twig = if branch.depth == 0 { "" } else { "└ " };
    let host = branch.agent.host.as_ref().map(|host| format!("{host}:")).unwrap_or_default();
    format!("{:indent$}{twig}{host}{}", "", branch.agent.name, indent = 2 * branch.depth.saturating_sub(1))
}

/// Without what a terminal would obey: a directory or a branch may be called anything.
pub(super) fn clean(text: &str) -> String {
    text.replace(is_deceptive, " ")
}

/// The status with what belongs to it: `waiting(approval)`, `crashed(1)`.
pub(crate) fn status_word(agent: &Agent) -> String {
    let detail = match (agent.status, agent.waiting_for, agent.exit) {
        (Status::Waiting, Some(what), _) => Some(what.to_string()),
        (Status::Crashed, _, Some(exit)) => {
            exit.signal.map(|signal| format!("signal {signal}")).or(exit.code.map(|code| code.to_string()))
        }
        _ => None,
    };
    match detail {
        Some(detail) => format!("{}({detail})", agent.status),
        None => agent.status.to_string(),
    }
}

fn place(agent: &Agent, user_home: Option<&str>) -> String {
    let dir = &agent.working_directory;
    let short = match user_home.and_then(|home| dir.strip_prefix(home)) {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => dir.clone(),
    };
    match &agent.branch {
        _ if agent.directory_gone.is_some() => format!("{short} (gone)"),
        Some(branch) => format!("{short} ({branch})"),
        None => short,
    }
}

/// What a person wants to know of it, and whether somebody is there.
pub(super) fn what(agent: &Agent) -> String {
    let watched = match agent.clients.len() {
        0 => String::new(),
        1 => "[attached] ".to_owned(),
        n => format!("[{n} attached] "),
    };
    format!("{watched}{}", about(agent))
}

/// What it is about: its title, or why it has its status, or what it runs.
pub(super) fn about(agent: &Agent) -> String {
    let is_told = matches!(
        agent.status,
        Status::Waiting | Status::Crashed | Status::Lost | Status::Unknown | Status::Idle
    );
    // What a person has to act on comes before what it is about.
    let is_urgent = matches!(agent.status, Status::Waiting | Status::Crashed | Status::Lost)
        || agent.reason.starts_with("no sign of life");
    match &agent.title {
        _ if is_urgent => agent.reason.clone(),
        _ if agent.status == Status::Working && agent.task.is_some() => at_work(agent),
        Some(title) => title.clone(),
        None if is_told => agent.reason.clone(),
        None if agent.kind == "command" => agent.command.join(" "),
        None => agent.kind.clone(),
    }
}

/// The task it is at, and how far it says it is.
fn at_work(agent: &Agent) -> String {
    let Some(task) = &agent.task else { return String::new() };
    match &task.progress {
        Some(progress) => format!("{}% {} (task {})", progress.percent, task.title, task.id),
        None => format!("{} (task {})", task.title, task.id),
    }
}

/// What of a text that is too long is worth more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Of a command or a sentence.
    Beginning,
    /// Of a path.
    End,
}

/// Cuts a text to a number of columns; what is cut shows as `…`.
pub(super) fn cut(text: &str, columns: usize, keep: Keep) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    // Characters join into wider or narrower ones, so that only the whole tells its width.
    let fits = |text: &String| text.width() <= columns;
    let steps = text.char_indices().map(|(at, _)| at);
    let cut = if keep == Keep::End {
        steps.rev().map(|at| format!("…{}", &text[at..])).take_while(fits).last()
    } else {
        steps.map(|at| format!("{}…", &text[..at])).take_while(fits).last()
    };
    cut.unwrap_or_else(|| "…".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_keeps_its_end_and_a_text_its_beginning() {
        assert_eq!(cut("/home/somebody/src/api", 8, Keep::End), "…src/api");
        assert_eq!(cut("fix the login bug", 8, Keep::Beginning), "fix the…");
        assert_eq!(cut("日本語日本語", 6, Keep::Beginning), "日本…");
        assert_eq!(cut(&format!("/{}", "❤\u{fe0f}".repeat(9)), 6, Keep::End).width(), 5);
    }

    proptest! {
        #[test]
        fn what_is_cut_fits(text in any::<String>(), columns in 1usize..90) {
            for keep in [Keep::Beginning, Keep::End] {
                prop_assert!(cut(&clean(&text), columns, keep).width() <= columns);
            }
        }
    }
}
