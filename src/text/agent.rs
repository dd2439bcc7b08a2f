//! One agent in a few words: its status, where it works and what it does.

use std::fmt;
use std::path::Path;

use super::fit::{Keep, below_home, clean, cut, display_width};
use crate::model::{Agent, Exit, FailedTurn, Status, WaitingFor, Workspace};
use crate::rules::status::from_hook::is_routine;

/// Returns the status with its detail: `waiting(approval)`, `crashed(1)`.
pub fn status_word(agent: &Agent) -> String {
    status_with_detail(agent.status, agent.waiting_for, agent.failure.as_ref(), agent.exit)
}

/// Returns the status with what the agent waits for, that its last turn failed, or how its process ended.
pub(super) fn status_with_detail(
    status: Status,
    waiting_for: Option<WaitingFor>,
    failure: Option<&FailedTurn>,
    exit: Option<Exit>,
) -> String {
    let detail = match (status, waiting_for, exit) {
        (Status::Waiting, Some(what), _) => Some(what.to_string()),
        (Status::Idle, ..) if failure.is_some() => Some("failed".to_owned()),
        (Status::Crashed, _, Some(exit)) => {
            exit.signal.map(|signal| format!("signal {signal}")).or(exit.code.map(|code| code.to_string()))
        }
        _ => None,
    };
    match detail {
        Some(detail) => format!("{status}({detail})"),
        None => status.to_string(),
    }
}

/// Where an agent works: the project for a worktree, because it says more than the worktree's path, otherwise the
/// directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    directory: String,
    /// The branch, or that the directory is gone.
    remark: Option<String>,
}

impl Location {
    /// Returns the location of an agent, with the user's home directory as `~`.
    pub fn of(agent: &Agent, user_home: Option<&str>) -> Location {
        let project =
            agent.project.as_deref().and_then(|project| project.rsplit('/').find(|part| !part.is_empty()));
        // An agent can also work in the worktree of another one, whose path says as little as its own would.
        let is_outside =
            agent.project.as_deref().is_some_and(|top| !Path::new(&agent.working_directory).starts_with(top));
        let directory = match (agent.workspace, project) {
            (Workspace::Worktree, Some(project)) => project.to_owned(),
            (Workspace::InPlace, Some(project)) if is_outside => project.to_owned(),
            (Workspace::Scratch, _) => "scratch".to_owned(),
            _ => below_home(&agent.working_directory, user_home),
        };
        let remark = match agent.directory_gone {
            Some(_) => Some("gone".to_owned()),
            None => agent.branch.as_deref().map(clean),
        };
        Location { directory: clean(&directory), remark }
    }

    /// Returns the number of columns that the whole text takes.
    pub fn width(&self) -> usize {
        display_width(&self.to_string())
    }

    /// Returns the text in at most the given number of columns. The parent directories are shortened first, then the
    /// branch, and the name of the directory last, because it is the name of the project.
    pub fn fitted(&self, columns: usize) -> String {
        /// Columns of a branch below which it says nothing.
        const MIN_REMARK: usize = 3;
        if self.width() <= columns {
            return self.to_string();
        }
        let is_path = self.directory.starts_with(['/', '~']);
        let keep = if is_path { Keep::End } else { Keep::Beginning };
        let Some(remark) = &self.remark else { return cut(&self.directory, columns, keep) };
        let name = match self.directory.rsplit_once('/') {
            Some((_, name)) if is_path && !name.is_empty() => name,
            _ => &self.directory,
        };
        let brackets = " ()".len();
        let beside = columns.saturating_sub(display_width(remark) + brackets);
        let left = columns.saturating_sub(display_width(name) + brackets);
        if is_path && beside > display_width(name) {
            format!("{} ({remark})", cut(&self.directory, beside, keep))
        } else if left >= MIN_REMARK {
            format!("{name} ({})", cut(remark, left, Keep::Beginning))
        } else {
            cut(name, columns, Keep::Beginning)
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.remark {
            Some(remark) => write!(f, "{} ({remark})", self.directory),
            None => f.write_str(&self.directory),
        }
    }
}

/// Returns the description of an agent: its title, the reason for its status, or its command.
pub fn about(agent: &Agent) -> String {
    let has_reason = matches!(
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
        None if has_reason => relative(&agent.reason, &agent.working_directory),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FailureCause, FailureSource, TurnFailure};
    use crate::rules::lifecycle::capacity::tests::agent;
    use crate::rules::status::decide::tests::{at, record};
    use crate::rules::status::turn_failure::note_after;

    #[test]
    fn status_word_says_what_an_agent_waits_for_and_that_its_last_turn_failed() {
        let waiting = Agent { waiting_for: Some(WaitingFor::Limit), ..agent("a", Status::Waiting) };
        assert_eq!(status_word(&waiting), "waiting(limit)");
        let error = TurnFailure { cause: FailureCause::Error, message: "500".into(), resets_at: None };
        let note = note_after(&record("a", Status::Idle).status, &error, FailureSource::Hook, at(9));
        let failed = Agent { failure: note.failure().cloned(), ..agent("a", Status::Idle) };
        assert_eq!(status_word(&failed), "idle(failed)");
        assert_eq!(status_word(&agent("a", Status::Idle)), "idle");
    }

    #[test]
    fn a_narrow_location_keeps_the_name_of_the_project() {
        let location = |directory: &str, branch: &str| {
            let branch = Some(branch.to_owned());
            let working_directory = directory.to_owned();
            Location::of(&Agent { working_directory, branch, ..agent("a", Status::Idle) }, Some("/home/u"))
        };
        for (directory, branch, columns, expected) in [
            ("/home/u/src/shop", "main", 20, "~/src/shop (main)"),
            ("/home/u/work/src/shop", "main", 14, "…c/shop (main)"),
            ("/home/u/work/src/shop", "main", 12, "…shop (main)"),
            ("/home/u/src/shop", "main", 10, "shop (ma…)"),
            ("/home/u/src/shop", "feature/basket", 16, "shop (feature/…)"),
            ("/home/u/src/shop", "main", 9, "shop"),
            ("/home/u/src/a-long-name", "main", 8, "a-long-…"),
            ("/home/u", "main", 6, "~"),
            ("/", "main", 6, "/"),
        ] {
            assert_eq!(location(directory, branch).fitted(columns), expected, "{columns}");
        }
        let worktree = Agent {
            workspace: Workspace::Worktree,
            project: Some("/home/u/docs".to_owned()),
            branch: Some("symposium/guide".to_owned()),
            ..agent("a", Status::Idle)
        };
        assert_eq!(Location::of(&worktree, None).to_string(), "docs (symposium/guide)");
        assert_eq!(Location::of(&worktree, None).fitted(14), "docs (sympos…)");
        let child = Agent {
            workspace: Workspace::InPlace,
            working_directory: "/home/u/.symposium/instances/guide/workspace".to_owned(),
            ..worktree
        };
        assert_eq!(Location::of(&child, None).to_string(), "docs (symposium/guide)");
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
}
