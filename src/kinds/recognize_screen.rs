//! Reads the bottom of an agent's visible screen: the state that it shows and the text in its composer.
//!
//! The patterns come from the kind. If none of them matches, the state is unknown. Older text further up is ignored.

mod rows;

use regex_lite::{Regex, RegexBuilder};

use self::rows::ScreenRow;
use super::parse_hook::failure::cause_of;
use crate::model::{FailureCause, Kind, ScreenReading, ScreenState, TurnFailure};

/// Maximum number of lines between a question and the command that it concerns.
const MAX_COMMAND_LINES: usize = 6;

/// Number of non-empty lines that are read from the bottom: an approval dialog with its options fits, earlier turns
/// rarely do.
const BOTTOM_ROWS: usize = 15;

/// Reads a visible screen in the format of `capture-pane -e`, including escape sequences.
pub fn read_screen(kind: &Kind, styled_screen: &str) -> ScreenReading {
    let rows = rows::bottom(styled_screen, BOTTOM_ROWS);
    let text = rows.iter().map(ScreenRow::text).collect::<Vec<_>>().join("\n");
    let state = state(kind, &text);
    let draft = match state {
        // In these states `❯` marks an option, not a composer.
        Some(ScreenState::Approval(_) | ScreenState::Setup(_)) => None,
        Some(ScreenState::Question(_)) => draft(kind, &rows).filter(|text| !is_an_option(text)),
        _ => draft(kind, &rows),
    };
    ScreenReading { state, draft }
}

/// Returns the lowest non-empty lines of a screen, without borders and styles.
pub(super) fn bottom_lines(styled_screen: &str) -> Vec<String> {
    rows::bottom(styled_screen, BOTTOM_ROWS).iter().map(ScreenRow::text).collect()
}

/// Returns the labels of the lowest row of buttons, each with whether it is selected. Empty if no button is selected.
pub(super) fn buttons(kind: &Kind, styled_screen: &str) -> Vec<(String, bool)> {
    let patterns: Vec<Regex> = kind.screen.buttons.iter().filter_map(|pattern| regex(pattern)).collect();
    let read = |row: &ScreenRow| patterns.iter().find_map(|pattern| button_row(pattern, row));
    rows::bottom(styled_screen, BOTTOM_ROWS).iter().rev().find_map(read).unwrap_or_default()
}

fn button_row(pattern: &Regex, row: &ScreenRow) -> Option<Vec<(String, bool)>> {
    let text = row.text();
    let groups = pattern.captures(&text)?;
    let labels: Vec<_> = groups.iter().skip(1).flatten().collect();
    let [first, second, ..] = &labels[..] else { return None };
    // A selected button is wider than its label by a column on either side. The middle of a gap belongs to no button.
    let plain = row.background((first.end() + second.start()) / 2)?;
    let buttons: Vec<(String, bool)> = labels
        .iter()
        .map(|label| (label.as_str().to_owned(), row.background(label.start()) != Some(plain)))
        .collect();
    buttons.iter().any(|(_, is_selected)| *is_selected).then_some(buttons)
}

/// Returns the last line above the composer, or of the whole text if there is no composer. The text below a composer
/// is the CLI's footer.
pub fn last_line(kind: &Kind, lines: &[String]) -> Option<String> {
    let rows = rows::bottom(&lines.join("\n"), lines.len());
    let composers: Vec<Regex> = kind.screen.composer.iter().filter_map(|pattern| regex(pattern)).collect();
    let is_composer = |row: &ScreenRow| composers.iter().any(|composer| composer.is_match(&row.text()));
    let end = rows.iter().rposition(is_composer).unwrap_or(rows.len());
    rows[..end].iter().rev().find(|row| !row.is_rule()).map(ScreenRow::text)
}

/// Checks whether the last lines of an agent report that its conversation does not exist.
pub fn lacks_conversation(kind: &Kind, last_lines: &[String]) -> bool {
    let patterns = kind.conversation.missing.iter().filter_map(|pattern| regex(pattern));
    patterns.into_iter().any(|missing| last_lines.iter().any(|line| missing.is_match(line)))
}

fn state(kind: &Kind, text: &str) -> Option<ScreenState> {
    let screen = &kind.screen;
    let found = |patterns: &[String]| {
        patterns.iter().filter_map(|pattern| regex(pattern)).find_map(|regex| {
            let start = regex.find(text)?.start();
            Some(text[..start].rfind('\n').map_or(0, |at| at + 1))
        })
    };
    // Text above a composer is an answer that mentions a dialog, not a dialog.
    let composer = composer_at(kind, text);
    let dialog_at = |patterns| found(patterns).filter(|at| composer.is_none_or(|below| below < *at));
    None.or_else(|| dialog_at(&screen.setup).map(|at| ScreenState::Setup(question(text, at))))
        .or_else(|| dialog_at(&screen.approval).map(|at| ScreenState::Approval(approval(kind, text, at))))
        // A question may be answered in the composer below it.
        .or_else(|| found(&screen.question).map(|at| ScreenState::Question(question(text, at))))
        .or_else(|| found(&screen.busy).map(|_| ScreenState::Busy))
        .or_else(|| failure(kind, text).map(ScreenState::Failed))
        .or_else(|| found(&screen.ready).map(|_| ScreenState::Ready))
}

/// Returns the failed turn that the screen shows. If the pattern does not determine the cause, the message does. The
/// caller, which knows the time of day, determines the reset time.
fn failure(kind: &Kind, text: &str) -> Option<TurnFailure> {
    let screen = &kind.screen;
    let patterns = [
        (FailureCause::Login, &screen.failed_login),
        (FailureCause::Credit, &screen.failed_credit),
        (FailureCause::Limit, &screen.failed_limit),
        (FailureCause::Error, &screen.failed_error),
    ];
    patterns.into_iter().find_map(|(cause, patterns)| {
        let found = patterns.iter().filter_map(|pattern| regex(pattern)).find_map(|pattern| {
            let groups = pattern.captures(text)?;
            Some(groups.get(1).or(groups.get(0))?.as_str().to_owned())
        })?;
        let message = found.split_whitespace().collect::<Vec<_>>().join(" ");
        let cause = if cause == FailureCause::Error { cause_of(&message) } else { cause };
        Some(TurnFailure { cause, message, resets_at: None })
    })
}

/// Returns the position of the lowest composer that accepts a prompt. An option of a dialog has the same marker.
fn composer_at(kind: &Kind, text: &str) -> Option<usize> {
    let ready = kind.screen.ready.iter().filter_map(|pattern| regex(pattern));
    let line_of = |at: usize| {
        let begin = text[..at].rfind('\n').map_or(0, |before| before + 1);
        text[begin..].lines().next().unwrap_or_default()
    };
    let written = |line: &str| line.trim_start_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let stands = |end: usize| (!is_an_option(&written(line_of(end)))).then_some(end);
    ready.filter_map(|ready| ready.find_iter(text).filter_map(|found| stands(found.end())).last()).max()
}

/// Returns the line that asks for an approval, with the command above or below it.
fn approval(kind: &Kind, text: &str, at: usize) -> String {
    let patterns = kind.screen.subject.iter().filter_map(|pattern| regex(pattern));
    let command = patterns.into_iter().find_map(|pattern| {
        Some(pattern.captures(text)?.get(1)?.as_str().lines().map(str::trim).collect::<Vec<_>>().join("\n"))
    });
    match command.filter(|command| !command.trim().is_empty()) {
        Some(command) => format!("{} $ {}", question(text, at), command.trim()),
        None => question(text, at),
    }
}

/// Returns the line that asks, with the command below it if there is one.
fn question(text: &str, at: usize) -> String {
    let mut lines = text[at..].lines().map(str::trim).filter(|line| !line.is_empty());
    let asks = lines.next().unwrap_or_default();
    match lines.take(MAX_COMMAND_LINES).find(|line| line.starts_with("$ ")) {
        Some(command) => format!("{asks} {command}"),
        None => asks.to_owned(),
    }
}

fn draft(kind: &Kind, rows: &[ScreenRow]) -> Option<String> {
    let composers: Vec<Regex> = kind.screen.composer.iter().filter_map(|pattern| regex(pattern)).collect();
    // Earlier prompts look like a composer too; the composer is the lowest.
    let (at, first) = rows.iter().enumerate().rev().find_map(|(at, row)| {
        let line = row.text();
        composers.iter().find_map(|composer| {
            let group = composer.captures(&line)?.get(1).map(|group| group.range());
            Some((at, row.written(&line, group.unwrap_or(line.len()..line.len()))))
        })
    })?;
    let mut lines = vec![first];
    // A composer of several lines ends at its lower rule; without a rule it cannot be distinguished from a footer.
    if let Some(more) = rows[at + 1..].iter().position(ScreenRow::is_rule) {
        lines.extend(rows[at + 1..at + 1 + more].iter().map(|row| {
            let line = row.text();
            row.written(&line, 0..line.len())
        }));
    }
    let draft = lines.join("\n").trim().to_owned();
    let is_placeholder = kind
        .screen
        .ready
        .iter()
        .filter_map(|pattern| regex(pattern))
        .any(|ready| ready.find(&draft).is_some_and(|found| found.len() == draft.len()));
    (!draft.is_empty() && !is_placeholder).then_some(draft)
}

/// Checks whether a text is the numbered option of a dialog that the marker selects.
fn is_an_option(text: &str) -> bool {
    text.split_once(". ").is_some_and(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()))
}

/// Compiles a pattern. Invalid regular expressions were rejected when the kind was loaded.
fn regex(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).multi_line(true).build().ok()
}

#[cfg(test)]
mod tests;
