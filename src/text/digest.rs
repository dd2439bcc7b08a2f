//! The recap of all agents as text, with those that need the user first.

use std::path::Path;

use super::ages::{clock, span};
use super::fit::{below_home, clean};
use super::recap::{counted, recap_status};
use crate::model::{Digest, DigestProject, Recap, Task, TaskState};

/// Maximum number of ended tasks that are listed for a project.
const MAX_TASKS: usize = 8;

/// Returns the lines of a digest. They are not cut to a width.
pub fn digest_lines(digest: &Digest, user_home: Option<&str>) -> Vec<String> {
    let seconds = digest.until.duration_since(digest.since).as_secs().unsigned_abs();
    let mut lines = vec![format!("the last {}:", span(seconds))];
    let needing = needs_you(digest);
    if !needing.is_empty() {
        lines.extend([String::new(), "NEEDS YOU".to_owned()]);
        lines.extend(needing);
    }
    for project in &digest.projects {
        lines.extend([String::new(), title(project, user_home)]);
        lines.extend(project.agents.iter().map(agent));
        lines.extend(tasks(&project.tasks));
    }
    if digest.projects.is_empty() {
        lines.push("  nothing happened".to_owned());
    }
    lines
}

fn needs_you(digest: &Digest) -> Vec<String> {
    let recaps = digest.projects.iter().flat_map(|project| &project.agents);
    let agents = digest.needs_you.agents.iter().filter_map(|name| {
        let recap = recaps.clone().find(|recap| recap.name == *name)?;
        Some(format!("  {:<20} {:<18} {}", recap.name, recap_status(recap), clean(&recap.reason)))
    });
    let tasks = digest.projects.iter().flat_map(|project| &project.tasks);
    let failed = tasks.filter(|task| digest.needs_you.tasks.contains(&task.id)).map(|task| {
        let state = if task.flagged { "unknown" } else { "failed" };
        let what = format!("{}: {}", task.title(), task.why);
        format!(
            "  {:<20} {state:<18} {}",
            format!("task {} ({})", task.id, task.assignee_name()),
            clean(&what)
        )
    });
    agents.chain(failed).collect()
}

/// Returns the name and path of a project. The user's home directory is written as `~`.
fn title(project: &DigestProject, user_home: Option<&str>) -> String {
    match project.project.as_deref() {
        Some(path) => {
            let name = Path::new(path).file_name().map(|name| name.to_string_lossy().to_uppercase());
            format!(
                "{}  {}",
                clean(&name.unwrap_or_else(|| path.into())),
                clean(&below_home(path, user_home))
            )
        }
        None => "TASKS OF AGENTS THAT WERE REMOVED".to_owned(),
    }
}

/// Renders one line for an agent: its status and a summary of its activity.
fn agent(recap: &Recap) -> String {
    let commits = recap.commits.as_ref().map_or(0, Vec::len);
    let files = recap.uncommitted.as_ref().map_or(0, |changes| changes.files.len());
    let counts = counted(&[
        (recap.prompts as usize, "prompt", "prompts"),
        (recap.done.len(), "task done", "tasks done"),
        (recap.failed.len(), "task failed", "tasks failed"),
        (recap.restarts as usize, "restart", "restarts"),
        (commits, "commit", "commits"),
        (files, "file not committed", "files not committed"),
        (recap.messages.len(), "message", "messages"),
    ]);
    let counts = if counts.is_empty() { clean(&recap.reason) } else { counts };
    format!("  {:<20} {:<18} {counts}", recap.name, recap_status(recap))
}

/// Lists the newest ended tasks, each with its result or the reason for its state.
fn tasks(tasks: &[Task]) -> Vec<String> {
    let line = |task: &Task| {
        let outcome = match task.state {
            TaskState::Done => task.result.as_deref().unwrap_or_default(),
            _ => &task.why,
        };
        let outcome = outcome.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let outcome = if outcome.is_empty() { String::new() } else { format!(" → {outcome}") };
        let what = format!("{}{outcome}", task.title());
        format!("  {} #{} {}: {}", clock(task.changed_at), task.id, task.state, clean(&what))
    };
    let mut lines: Vec<String> = tasks.iter().rev().take(MAX_TASKS).map(line).collect();
    if let more @ 1.. = tasks.len().saturating_sub(MAX_TASKS) {
        lines.push(format!("  … and {more} more; `symposium task list --all` shows them"));
    }
    lines
}
