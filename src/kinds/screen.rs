//! Reads the bottom of an agent's visible screen: what state it shows, and what stands in its composer.
//!
//! Patterns come from the kind; nothing is guessed when none of them matches. Old text further up is not looked at.

mod rows;

use regex_lite::{Regex, RegexBuilder};

use self::rows::Row;
use crate::model::Kind;

/// How many non-empty lines from the bottom are read: an approval dialog with its options fits, old turns rarely do.
const BOTTOM: usize = 15;

/// What a screen shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenReading {
    /// The state, when a pattern of the kind was found.
    pub state: Option<ScreenState>,
    /// What stands in the composer and has not been submitted; none when it is empty or not to be seen.
    ///
    /// A line that was wrapped on the screen cannot be told from two lines.
    pub draft: Option<String>,
}

/// The states a screen can show. The text is the line that asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenState {
    /// It would take a prompt.
    Ready,
    /// It works.
    Busy,
    /// It wants a yes or no.
    Approval(String),
    /// It asks something.
    Question(String),
    /// Login, trust, consent.
    Setup(String),
}

/// Reads a visible screen as `capture-pane -e` gives it, escape sequences and all.
pub fn read_screen(kind: &Kind, styled_screen: &str) -> ScreenReading {
    let rows = rows::bottom(styled_screen, BOTTOM);
    let text = rows.iter().map(Row::text).collect::<Vec<_>>().join("\n");
    let state = state(kind, &text);
    let draft = match state {
        // Their `❯` marks an option, not a composer.
        Some(ScreenState::Approval(_) | ScreenState::Setup(_)) => None,
        Some(ScreenState::Question(_)) => draft(kind, &rows).filter(|text| !is_an_option(text)),
        _ => draft(kind, &rows),
    };
    ScreenReading { state, draft }
}

fn state(kind: &Kind, text: &str) -> Option<ScreenState> {
    let screen = &kind.screen;
    let found = |patterns: &[String]| {
        patterns.iter().filter_map(|pattern| regex(pattern)).find_map(|regex| {
            let start = regex.find(text)?.start();
            let line = text[text[..start].rfind('\n').map_or(0, |at| at + 1)..].lines().next();
            Some(line.unwrap_or_default().trim().to_owned())
        })
    };
    None.or_else(|| found(&screen.setup).map(ScreenState::Setup))
        .or_else(|| found(&screen.approval).map(ScreenState::Approval))
        .or_else(|| found(&screen.question).map(ScreenState::Question))
        .or_else(|| found(&screen.busy).map(|_| ScreenState::Busy))
        .or_else(|| found(&screen.ready).map(|_| ScreenState::Ready))
}

fn draft(kind: &Kind, rows: &[Row]) -> Option<String> {
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
    // A composer of several lines ends at its lower rule; without one we cannot tell it from a footer.
    if let Some(more) = rows[at + 1..].iter().position(Row::is_rule) {
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

/// Whether a text is the numbered option that a dialog's marker stands on.
fn is_an_option(text: &str) -> bool {
    text.split_once(". ").is_some_and(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()))
}

/// A pattern that is no regular expression was refused when it was loaded.
fn regex(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).multi_line(true).build().ok()
}

#[cfg(test)]
mod tests;
