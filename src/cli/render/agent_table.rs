//! The table of agents, which fits the given width and is readable without colour.

use jiff::Timestamp;
use unicode_width::UnicodeWidthStr;

use crate::cli::render::times::age;
use crate::cli::render::ui::style;
use crate::model::{Agent, Status, Workspace, is_deceptive};
use crate::rules::lifecycle::tree::Branch;
use crate::rules::status::from_hook::is_routine;

/// Space between two columns.
const GAP: usize = 2;

/// Renders one line for each agent below a head line.
pub(in crate::cli) fn table(
    agents: &[Branch],
    user_home: Option<&str>,
    width: usize,
    now: Timestamp,
) -> String {
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
    // The last column has the most useful information, so it keeps a third of the width if its text is long enough.
    let least = widths[4].min(width / 3).max(8);
    let taken: usize = widths[..4].iter().sum::<usize>() + 4 * GAP;
    widths[4] = width.saturating_sub(taken).max(least);
    fit(&mut widths, width);
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
        let is_path = at == 3 && cell.starts_with(['/', '~']);
        let cell = cut(cell, *width, if is_path { Keep::End } else { Keep::Beginning });
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

/// Returns the name, indented below the name of its parent.
pub(in crate::cli) fn name(branch: &Branch) -> String {
    let twig = if branch.depth == 0 { "" } else { "└ " };
    let host = branch.agent.host.as_ref().map(|host| format!("{host}:")).unwrap_or_default();
    format!("{:indent$}{twig}{host}{}", "", branch.agent.name, indent = 2 * branch.depth.saturating_sub(1))
}

/// Replaces control characters and deceptive characters: a directory or a branch can have any name.
pub(in crate::cli) fn clean(text: &str) -> String {
    text.replace(is_deceptive, " ")
}

/// Returns the status with its detail: `waiting(approval)`, `crashed(1)`.
pub(crate) fn status_word(agent: &Agent) -> String {
    let detail = match (agent.status, agent.waiting_for, agent.exit) {
        (Status::Waiting, Some(what), _) => Some(what.to_string()),
        (Status::Idle, ..) if agent.failure.is_some() => Some("failed".to_owned()),
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

/// Returns where an agent works: the project for a worktree, because it says more than the worktree's path, otherwise
/// the directory.
fn place(agent: &Agent, user_home: Option<&str>) -> String {
    let dir = &agent.working_directory;
    let project =
        agent.project.as_deref().and_then(|project| project.rsplit('/').find(|part| !part.is_empty()));
    let short = match (agent.workspace, project) {
        (Workspace::Worktree, Some(project)) => project.to_owned(),
        (Workspace::Scratch, _) => "scratch".to_owned(),
        _ => below_home(dir, user_home),
    };
    match &agent.branch {
        _ if agent.directory_gone.is_some() => format!("{short} (gone)"),
        Some(branch) => format!("{short} ({branch})"),
        None => short,
    }
}

/// Replaces the user's home directory in a path by `~`.
pub(in crate::cli) fn below_home(dir: &str, user_home: Option<&str>) -> String {
    match user_home.and_then(|home| dir.strip_prefix(home)) {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => dir.to_owned(),
    }
}

/// Returns the description of an agent and the number of attached clients.
pub(in crate::cli) fn what(agent: &Agent) -> String {
    let watched = match agent.clients.len() {
        0 => String::new(),
        1 => "[attached] ".to_owned(),
        n => format!("[{n} attached] "),
    };
    format!("{watched}{}", about(agent))
}

/// Returns the description of an agent: its title, the reason for its status, or its command.
pub(in crate::cli) fn about(agent: &Agent) -> String {
    let is_told = matches!(
        agent.status,
        Status::Waiting | Status::Crashed | Status::Lost | Status::Unknown | Status::Idle
    );
    // A status that requires an action of the user takes precedence over the description.
    let is_urgent = matches!(agent.status, Status::Waiting | Status::Crashed | Status::Lost)
        || agent.reason.starts_with("no sign of life")
        || agent.failure.is_some();
    let prompt =
        agent.prompt.as_ref().filter(|_| agent.status == Status::Working || is_routine(&agent.reason));
    match &agent.title {
        _ if is_urgent => relative(&agent.reason, &agent.working_directory),
        _ if agent.status == Status::Working && agent.task.is_some() => at_work(agent),
        Some(title) => title.clone(),
        None if prompt.is_some() => prompt.cloned().unwrap_or_default(),
        None if is_told => relative(&agent.reason, &agent.working_directory),
        None if agent.kind == "command" => agent.command.join(" "),
        None => agent.kind.clone(),
    }
}

/// Shortens a tool call such as `Write: PATH` by making the path relative to the agent's working directory. A shell
/// command is shown unchanged, because it may change the directory first.
fn relative(reason: &str, dir: &str) -> String {
    let shells = ["bash", "shell", "exec", "run", "command", "terminal"];
    let call = reason.split_once(": ").filter(|(tool, _)| {
        let tool = tool.to_lowercase();
        !shells.iter().any(|shell| tool.contains(shell))
    });
    let inside = |path: &str| path.strip_prefix(dir)?.strip_prefix('/').map(str::to_owned);
    match call.and_then(|(tool, path)| Some((tool, inside(path).filter(|path| !path.is_empty())?))) {
        Some((tool, path)) => format!("{tool}: {path}"),
        None => reason.to_owned(),
    }
}

/// Returns the task that the agent works on, with its progress.
fn at_work(agent: &Agent) -> String {
    let Some(task) = &agent.task else { return String::new() };
    match &task.progress {
        Some(progress) => format!("{}% {} (task {})", progress.percent, task.title, task.id),
        None => format!("{} (task {})", task.title, task.id),
    }
}

/// The part of a text that is kept when it is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Keep {
    /// For a command or a sentence.
    Beginning,
    /// For a path.
    End,
}

/// Cuts a text to a number of columns and marks the cut with `…`.
pub(in crate::cli) fn cut(text: &str, columns: usize, keep: Keep) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    // Characters can combine into wider or narrower ones, so only the complete text has a reliable width.
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

    #[test]
    fn paths_in_the_working_directory_are_relative() {
        for (reason, expected) in [
            ("Write: /w/a/new.rs", "Write: new.rs"),
            ("Edit: /w/a/src/b c.rs", "Edit: src/b c.rs"),
            ("Write: /w/abc/new.rs", "Write: /w/abc/new.rs"),
            ("Write: /w/a/", "Write: /w/a/"),
            ("Bash: /w/a/run.sh", "Bash: /w/a/run.sh"),
            ("run_shell_command: /w/a/run.sh", "run_shell_command: /w/a/run.sh"),
            ("look at: the result", "look at: the result"),
        ] {
            assert_eq!(relative(reason, "/w/a"), expected);
        }
    }

    #[test]
    fn the_last_column_keeps_a_third_of_the_width() {
        let mut widths = [20, 17, 5, 20, 27];
        fit(&mut widths, 80);
        assert!(widths[4] >= 80 / 3 && widths[0] >= 16 && widths[3] > 0, "{widths:?}");
        assert!(widths.iter().sum::<usize>() + 4 * GAP <= 80, "{widths:?}");
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
