//! The `agent recap` command, and the recap that is shown when a user attaches after a longer absence.

use clap::Args;
use jiff::Timestamp;

use crate::cli::render::agent_table::{Keep, clean, cut};
use crate::cli::{Invocation, agent::attach_shared, recap, render::times};
use crate::env::Env;
use crate::error::Error;
use crate::manager::CoverPage;
use crate::manager::{Recaps, StatusTracker};
use crate::model::{AgentName, ChangeKind, ChangedFile, Changes, Recap, Status};

/// Maximum number of lines of a list, so that a recap fits on one screen.
const MAX_LISTED: usize = 5;
/// The last line of a recap that covers an agent's screen.
const HOW_TO_CLOSE: &str = "Esc or Enter closes this, any other key goes to the agent";

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// The agent; without one, a digest over all agents and tasks
    #[arg(allow_hyphen_values = true)]
    name: Option<String>,
    /// Begin at this time, or so long ago (`2h`) [default: when you last looked]
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Print as much as fits on a page of this size, and how to close it
    #[arg(long, hide = true, requires = "name", value_name = "COLUMNSxLINES", value_parser = page_size)]
    page: Option<(usize, usize)>,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let since = args.since.as_deref().map(|text| times::moment(text, Env::now())).transpose();
    let since = since.map_err(|what| Error::Usage { what, hint: None })?;
    let Some(name) = &args.name else { return recap::run(since, context) };
    let name = attach_shared::own(name)?;
    let recap = Recaps(&context.manager).recap(&name, since)?;
    if let Some((columns, lines)) = args.page {
        context.ui.data(&page(&text(&recap), columns, lines));
    } else if context.ui.json {
        context.ui.json(&recap);
    } else {
        context.ui.data(&text(&recap));
    }
    StatusTracker(&context.manager).unheard().map_or(Ok(0), Err)
}

/// Returns the page that covers the agent's screen after the user was away for a while.
pub(in crate::cli) fn after_absence(name: &AgentName, context: &Invocation) -> Option<CoverPage> {
    let since = Recaps(&context.manager).absent_since(name)?;
    Some(CoverPage { argv: Recaps(&context.manager).recap_command(name, since) })
}

fn page_size(text: &str) -> Result<(usize, usize), String> {
    let size =
        text.split_once('x').and_then(|(columns, lines)| Some((columns.parse().ok()?, lines.parse().ok()?)));
    size.ok_or_else(|| "expected a size such as 80x24".to_owned())
}

/// Returns the part of a recap that fits on a page of this size, headline first, with the keys that close it below.
fn page(text: &str, width: usize, height: usize) -> String {
    let lines = text.lines().take(height.saturating_sub(1));
    let lines = lines.chain([HOW_TO_CLOSE]).map(|line| cut(line, width, Keep::Beginning));
    lines.collect::<Vec<_>>().join("\n")
}

/// Renders a recap as text that fits on one screen.
pub(crate) fn text(recap: &Recap) -> String {
    let mut lines = vec![headline(recap)];
    let spent: Vec<String> = recap
        .spent
        .iter()
        .filter(|spent| spent.seconds > 0)
        .map(|spent| format!("{} {}", spent.status, span(spent.seconds)))
        .collect();
    if !spent.is_empty() {
        lines.push(format!("  time      {}", spent.join(" · ")));
    }
    let counts = counted(&[
        (recap.prompts as usize, "prompt", "prompts"),
        (recap.restarts as usize, "restart", "restarts"),
        (recap.done.len(), "task done", "tasks done"),
        (recap.failed.len(), "task failed", "tasks failed"),
    ]);
    if !counts.is_empty() {
        lines.push(format!("  work      {counts}"));
    }
    let changes = recap.changes.iter().filter(|change| is_news(change.to));
    let changes = changes.map(|change| format!("{} {}: {}", clock(change.at), change.to, clean(&change.why)));
    list("events", changes.rev().collect::<Vec<_>>(), &mut lines);
    let tasks = recap.failed.iter().map(|task| format!("#{} failed: {}", task.id, clean(&task.title)));
    let tasks =
        tasks.chain(recap.done.iter().map(|task| format!("#{} done: {}", task.id, clean(&task.title))));
    list("tasks", tasks.collect(), &mut lines);
    let mail = recap.messages.iter().rev().map(|message| {
        let other = match (message.from == recap.name.as_str(), &message.to) {
            (false, _) => format!("from {}", message.from),
            (true, Some(name)) => format!("to {name}"),
            (true, None) => "to you".to_owned(),
        };
        format!("{} {other}: {}", clock(message.at), clean(&message.text))
    });
    list("messages", mail.collect(), &mut lines);
    if let Some(commits) = &recap.commits {
        let commits = commits.iter().map(|commit| format!("{} {}", commit.id, clean(&commit.subject)));
        list("commits", commits.collect(), &mut lines);
    }
    if let Some(changes) = &recap.uncommitted {
        let files = changes.files.iter().map(|file| format!("{} {}", letter(file.kind), clean(&file.path)));
        let files: Vec<String> = files.collect();
        if !files.is_empty() {
            lines.push(format!("  changed   {}, not committed", amount(changes)));
            list("", files, &mut lines);
        }
    }
    for (name, words) in [("last told", &recap.last_prompt), ("last said", &recap.last_words)] {
        let words = words.iter().flat_map(|text| text.lines()).map(clean);
        list(name, words.filter(|line| !line.trim().is_empty()).collect(), &mut lines);
    }
    if let Some(asks) = &recap.asks {
        lines.push(format!("  asks      {}", clean(asks)));
    }
    lines.join("\n")
}

fn headline(recap: &Recap) -> String {
    let seconds = recap.until.duration_since(recap.since).as_secs().unsigned_abs();
    let now = match recap.waiting_for {
        Some(what) => format!("{}({what})", recap.status),
        None => recap.status.to_string(),
    };
    let gave_up = if recap.gave_up { ", given up after too many restarts" } else { "" };
    format!("{}: {now} now{gave_up}; the last {}:", recap.name, span(seconds))
}

/// Describes the amount of changes. Lines are counted only in files that git tracks, so new files are counted
/// separately.
fn amount(changes: &Changes) -> String {
    let is_new = |file: &&ChangedFile| file.kind == ChangeKind::Untracked;
    let new = changes.files.iter().filter(is_new).count();
    let known = changes.files.len() - new;
    let mut parts = counted(&[(known, "file", "files")]);
    if known > 0 {
        parts.push_str(&format!(", +{} -{} lines", changes.insertions, changes.deletions));
    }
    let new = counted(&[(new, "new file", "new files")]);
    [parts, new].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Joins the counts that are not zero, each with its noun in the singular or plural.
pub(in crate::cli) fn counted(counts: &[(usize, &str, &str)]) -> String {
    let counts = counts.iter().filter(|(n, ..)| *n > 0);
    let words = counts.map(|(n, one, many)| format!("{n} {}", if *n == 1 { one } else { many }));
    words.collect::<Vec<_>>().join(" · ")
}

/// Appends the first entries of a list under its name, and the number of further entries.
fn list(name: &str, entries: Vec<String>, lines: &mut Vec<String>) {
    let more = entries.len().saturating_sub(MAX_LISTED);
    for (at, entry) in entries.into_iter().take(MAX_LISTED).enumerate() {
        let name = if at == 0 { name } else { "" };
        lines.push(format!("  {name:<9} {entry}"));
    }
    if more > 0 {
        lines.push(format!("  {:<9} … and {more} more", ""));
    }
}

/// Checks whether a change to this status is listed. Working and idle periods are reported as durations instead.
fn is_news(status: Status) -> bool {
    matches!(status, Status::Waiting | Status::Crashed | Status::Lost | Status::Exited | Status::Stopped)
}

fn letter(kind: ChangeKind) -> char {
    match kind {
        ChangeKind::Added => 'A',
        ChangeKind::Modified => 'M',
        ChangeKind::Deleted => 'D',
        ChangeKind::Untracked => '?',
        ChangeKind::Conflicted => 'U',
    }
}

pub(in crate::cli) fn clock(at: Timestamp) -> String {
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M").to_string()
}

pub(in crate::cli) fn span(seconds: u64) -> String {
    match seconds {
        0..=59 => format!("{seconds}s"),
        60..=3_599 => format!("{}m", seconds / 60),
        3_600..=86_399 => format!("{}h {}m", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{}d {}h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_files_are_told_apart_from_changed_lines() {
        let file = |kind| ChangedFile { kind, path: "a".into() };
        let (new, known) = (file(ChangeKind::Untracked), file(ChangeKind::Modified));
        let changes = |files: &[&ChangedFile], insertions| Changes {
            files: files.iter().map(|file| (*file).clone()).collect(),
            insertions,
            deletions: 0,
        };
        assert_eq!(amount(&changes(&[&new], 0)), "1 new file");
        assert_eq!(amount(&changes(&[&known, &new, &new], 3)), "1 file, +3 -0 lines, 2 new files");
        assert_eq!(amount(&changes(&[&known, &known], 3)), "2 files, +3 -0 lines");
    }

    #[test]
    fn on_a_small_screen_the_headline_and_the_way_out_stay() {
        let text = "a: idle now; the last 29m:\n  time      idle 29m\n  last said yes";
        assert_eq!(page(text, 80, 24), format!("{text}\n{HOW_TO_CLOSE}"));
        assert_eq!(page(text, 12, 3), "a: idle now…\n  time     …\nEsc or Ente…");
        assert_eq!(page(text, 80, 1), HOW_TO_CLOSE);
        assert_eq!(page(text, 80, usize::MAX), format!("{text}\n{HOW_TO_CLOSE}"));
    }
}
