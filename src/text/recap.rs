//! The recap of one agent as text: what happened in a period, on one screen.

use super::agent::status_with_detail;
use super::ages::{clock, span};
use super::fit::clean;
use crate::model::{ChangeKind, ChangedFile, Recap, RecapChange, Status, UncommittedWork};

/// Maximum number of lines of a list, so that a recap fits on one screen.
const MAX_LISTED: usize = 5;

/// Renders a recap as text that fits on one screen.
pub fn recap_text(recap: &Recap) -> String {
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
    list("events", events(recap), &mut lines);
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
        let files =
            changes.files.iter().map(|file| format!("{} {}", change_letter(file.kind), clean(&file.path)));
        let files: Vec<String> = files.collect();
        if !files.is_empty() {
            lines.push(format!("  changed   {}, not committed", amount(changes)));
            list("", files, &mut lines);
        }
    }
    for (name, words) in [("prompt", &recap.last_prompt), ("reply", &recap.last_words)] {
        let words = words.iter().flat_map(|text| text.lines()).map(clean);
        list(name, words.filter(|line| !line.trim().is_empty()).collect(), &mut lines);
    }
    if let Some(asks) = &recap.asks {
        lines.push(format!("  asks      {}", clean(asks)));
    }
    lines.join("\n")
}

/// Returns the reported status changes and the failed turns, the newest first. A failed turn may also have changed the
/// status, and is listed once.
fn events(recap: &Recap) -> Vec<String> {
    let is_failure = |change: &RecapChange| recap.failed_turns.iter().any(|turn| turn.at == change.at);
    let changes = recap.changes.iter().filter(|change| is_reported(change.to) && !is_failure(change));
    let changes = changes.map(|change| (change.at, change.to.to_string(), &change.why));
    let failures = recap.failed_turns.iter().map(|turn| (turn.at, "turn failed".to_owned(), &turn.why));
    let mut events: Vec<_> = changes.chain(failures).collect();
    events.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    events.into_iter().map(|(at, what, why)| format!("{} {what}: {}", clock(at), clean(why))).collect()
}

fn headline(recap: &Recap) -> String {
    let seconds = recap.until.duration_since(recap.since).as_secs().unsigned_abs();
    let now = recap_status(recap);
    let gave_up = if recap.gave_up { ", given up after too many restarts" } else { "" };
    format!("{}: {now} now{gave_up}; the last {}:", recap.name, span(seconds))
}

/// Returns the current status with its detail: `waiting(approval)`, `idle(failed)`.
pub(super) fn recap_status(recap: &Recap) -> String {
    status_with_detail(recap.status, recap.waiting_for, recap.failure.as_ref(), None)
}

/// Describes the amount of changes. Lines are counted only in files that git tracks, so new files are counted
/// separately.
fn amount(changes: &UncommittedWork) -> String {
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
pub(super) fn counted(counts: &[(usize, &str, &str)]) -> String {
    let counts = counts.iter().filter(|(n, ..)| *n > 0);
    let words =
        counts.map(|(n, singular, plural)| format!("{n} {}", if *n == 1 { singular } else { plural }));
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
fn is_reported(status: Status) -> bool {
    matches!(status, Status::Waiting | Status::Crashed | Status::Lost | Status::Exited | Status::Stopped)
}

fn change_letter(kind: ChangeKind) -> char {
    match kind {
        ChangeKind::Added => 'A',
        ChangeKind::Modified => 'M',
        ChangeKind::Deleted => 'D',
        ChangeKind::Untracked => '?',
        ChangeKind::Conflicted => 'U',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EventKind, FailureCause, FailureSource, LedgerEvent, TurnFailure};
    use crate::rules::report::digest::{DigestAgent, digest};
    use crate::rules::report::recap::{RecapSources, build_recap};
    use crate::rules::status::decide::tests::{at, record};
    use crate::rules::status::events::failed_turn_event;
    use crate::rules::status::turn_failure::note_after;
    use crate::text::digest::digest_lines;

    /// Returns the recap of an agent whose turn failed for this cause at second 150.
    fn recap_of_failure(cause: FailureCause) -> Recap {
        let mut record = record("api", Status::Working);
        let failure = TurnFailure { cause, message: "API Error: 500".into(), resets_at: None };
        record.status = note_after(&record.status, &failure, FailureSource::Hook, at(150));
        let status = EventKind::Status {
            seq: 1,
            from: Some(Status::Working),
            to: record.status.status,
            waiting_for: record.status.waiting_for,
            exit: None,
        };
        let failed = failed_turn_event(None, Some(&record)).expect("its turn failed");
        let events = [LedgerEvent { what: status, ..failed.clone() }, failed];
        build_recap(RecapSources {
            record: &record,
            since: at(100),
            until: at(200),
            events: &events,
            tasks: &[],
            messages: &[],
            commits: None,
            uncommitted: None,
            last_prompt: None,
            last_words: None,
        })
    }

    #[test]
    fn failed_turn_is_in_the_headline_the_digest_and_once_in_the_events() {
        let recap = recap_of_failure(FailureCause::Error);
        let text = recap_text(&recap);
        assert!(text.starts_with("api: idle(failed) now"), "{text}");
        assert_eq!(text.matches("turn failed: API Error: 500").count(), 1, "{text}");
        let agent = DigestAgent { id: record("api", Status::Idle).id, project: None, recap };
        let lines = digest_lines(&digest(vec![agent], vec![], (at(100), at(200))), None);
        let at = lines.iter().position(|line| line == "NEEDS YOU").expect("it needs the user");
        assert!(lines[at + 1].contains("idle(failed)") && lines[at + 1].contains("API Error"), "{lines:?}");
        let limited = events(&recap_of_failure(FailureCause::Limit));
        assert_eq!(limited.len(), 1, "the change to waiting is the same event: {limited:?}");
    }

    #[test]
    fn new_files_are_distinguished_from_changed_lines() {
        let file = |kind| ChangedFile { kind, path: "a".into() };
        let (new, known) = (file(ChangeKind::Untracked), file(ChangeKind::Modified));
        let changes = |files: &[&ChangedFile], insertions| UncommittedWork {
            files: files.iter().map(|file| (*file).clone()).collect(),
            insertions,
            deletions: 0,
        };
        assert_eq!(amount(&changes(&[&new], 0)), "1 new file");
        assert_eq!(amount(&changes(&[&known, &new, &new], 3)), "1 file, +3 -0 lines, 2 new files");
        assert_eq!(amount(&changes(&[&known, &known], 3)), "2 files, +3 -0 lines");
    }
}
