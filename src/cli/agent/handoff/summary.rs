//! Renders the contents of a hand-off before the user accepts it, as text and as JSON. All of it is untrusted input,
//! so control sequences are removed before it reaches a terminal.

use serde::Serialize;
use unicode_width::UnicodeWidthChar;

use crate::base::plural::counted;
use crate::cli::agent::handoff::bytes;
use crate::manager::{OpenedHandoff, QueueImport};
use crate::model::{HandedMessage, HandedTask, Manifest, Part, Spec};
use crate::rules::workspace::handoff::{HandedTexts, listed_names};
use crate::text::fit::clean;

/// JSON form of a hand-off. The field names are a public contract.
#[derive(Serialize)]
pub(super) struct HandoffView<'a> {
    manifest: &'a Manifest,
    title: Option<&'a str>,
    spec: &'a Spec,
    /// Effects that the agent would have on this machine without further confirmation.
    acts: Vec<String>,
    /// The complete text of everything that the agent would receive as input.
    #[serde(rename = "told")]
    handed_texts: HandedTexts,
    tasks: usize,
    messages: usize,
    /// Tasks and messages as they are in the file.
    queue: QueueView<'a>,
}

#[derive(Serialize)]
struct QueueView<'a> {
    tasks: &'a [HandedTask],
    messages: &'a [HandedMessage],
}

impl HandoffView<'_> {
    pub(super) fn of(opened: &OpenedHandoff, queue: QueueImport) -> HandoffView<'_> {
        HandoffView {
            manifest: &opened.manifest,
            title: opened.record.title.as_deref(),
            spec: &opened.spec,
            acts: opened.effects_of_import(queue),
            handed_texts: opened.handed_texts(queue),
            tasks: opened.tasks.len(),
            messages: opened.messages.len(),
            queue: QueueView { tasks: &opened.tasks, messages: &opened.messages },
        }
    }
}

/// Renders a hand-off as text: one line for each field, then the texts that the agent receives, and last what it
/// does, so that this is visible next to the question. Lines are broken at `width` here and not by the terminal,
/// because a continuation at the beginning of a line could pass for a line of this program.
pub(super) fn card(opened: &OpenedHandoff, queue: QueueImport, width: Option<usize>) -> String {
    let about = about(opened).into_iter().map(|(key, value)| (key, clean(&value)));
    // These have lines of their own and are printed in full.
    let handed_texts =
        opened.handed_texts(queue).sentences().into_iter().map(|text| ("receives", format!("it {text}")));
    let runs = opened.runs().into_iter().map(|act| ("acts", format!("it {act}")));
    about.chain(handed_texts).chain(runs).map(|(key, value)| row(key, &value, width)).collect()
}

/// Column at which the values begin.
const INDENT: usize = 15;

fn row(key: &str, value: &str, width: Option<usize>) -> String {
    // One column less, because some terminals move to the next line when the last column is filled.
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(INDENT + 1).max(10));
    let keys = std::iter::once(key).chain(std::iter::repeat(""));
    let lines = value.split('\n').flat_map(|line| broken(line, room));
    keys.zip(lines).map(|(key, line)| format!("{key:>13}  {line}\n")).collect()
}

/// Breaks a line into pieces of at most `room` columns. If the line has the bar that marks untrusted text, each piece
/// gets it.
fn broken(line: &str, room: usize) -> Vec<String> {
    let (bar, text) = line.strip_prefix("| ").map_or(("", line), |text| ("| ", text));
    let mut pieces = vec![bar.to_owned()];
    let mut taken = bar.len();
    for c in text.chars() {
        let wide = c.width().unwrap_or(1);
        if taken + wide > room && taken > bar.len() {
            pieces.push(bar.to_owned());
            taken = bar.len();
        }
        taken += wide;
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
    }
    pieces
}

fn about(opened: &OpenedHandoff) -> Vec<(&'static str, String)> {
    let manifest = &opened.manifest;
    let size =
        |part: Part| manifest.entries.iter().find(|entry| entry.name == part).map_or(0, |entry| entry.size);
    let some = |text: Option<&str>| text.filter(|text| !text.is_empty()).unwrap_or("-").to_owned();
    let conversation = match manifest.has(Part::Conversation) {
        true => {
            format!("{} ({})", some(manifest.conversation.id.as_deref()), bytes(size(Part::Conversation)))
        }
        false if manifest.conversation.begun => "not included: a new one begins with the recap".to_owned(),
        false => "none yet".to_owned(),
    };
    let work = manifest.work.as_ref().map(|work| {
        let changes = size(Part::Staged) + size(Part::Unstaged);
        let loose = if changes > 0 { format!(", {} not committed", bytes(changes)) } else { String::new() };
        let branch = work.branch.as_deref().unwrap_or("no branch");
        format!(
            "{branch} at {} ({}){loose}",
            &work.head[..12.min(work.head.len())],
            bytes(size(Part::Bundle))
        )
    });
    let remotes = manifest.work.as_ref().map(|work| work.remotes.join(", "));
    let params: Vec<String> =
        opened.record.params.iter().map(|given| format!("{}={}", given.name, given.value)).collect();
    let queue = format!(
        "{}, {}",
        counted(opened.tasks.len(), "task", "tasks"),
        counted(opened.messages.len(), "message", "messages")
    );
    vec![
        ("agent", manifest.name.to_string()),
        ("made", format!("{} by symposium {}", manifest.made_at, manifest.symposium)),
        ("title", some(opened.record.title.as_deref())),
        ("kind", manifest.kind.clone()),
        ("spec", manifest.spec.clone()),
        ("model", some(opened.spec.model.as_deref())),
        ("parameters", some(Some(&params.join(", ")))),
        ("was", manifest.status.to_string()),
        ("conversation", conversation),
        ("work", work.unwrap_or_else(|| "none: it was in no git repository".to_owned())),
        ("remotes", some(remotes.as_deref())),
        ("queue", queue),
        ("variables", some(Some(&listed_names(manifest.variables.iter().map(String::as_str))))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_the_terminal_and_cannot_imitate_output_of_symposium() {
        let forged = format!("it is given the task:\n| look{}         acts  nothing", " ".repeat(40));
        assert_eq!(
            row("receives", &forged, Some(40)),
            "     receives  it is given the task:\n               | look                  \n               \
             |                       \n               |          acts  nothing\n"
        );
        let wide = row("title", &"漢".repeat(30), Some(40));
        assert!(wide.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) < 40), "{wide}");
        assert!(wide.lines().skip(1).all(|line| line.starts_with(&" ".repeat(INDENT))), "{wide}");
        assert_eq!(row("kind", &"x".repeat(500), None), format!("         kind  {}\n", "x".repeat(500)));
        // A terminal that is narrower than any word still shows all of the text.
        assert_eq!(row("kind", "abc", Some(1)).matches(|c: char| "abc".contains(c)).count(), 3);
    }
}
