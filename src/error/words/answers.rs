//! Messages for answers that an agent's dialog does not accept.

use super::{report, shown, unreachable_report};
use crate::error::{Error, Report};
use crate::model::{Dialog, visible};

impl Error {
    pub(super) fn about_answers(&self) -> Report {
        match self {
            Error::CannotAnswer { name, kind, verb } => {
                report("cannot-answer", 1, format!("nothing is known about how to {verb} in `{kind}`"))
                    .saw(format!("agent `{name}` is of that kind"))
                    .hint(format!("answer it yourself: `symposium agent attach {name}`"))
            }
            Error::NotYours { name, by, verb, why } => {
                report("not-yours", 1, format!("agent `{by}` may not {verb} `{name}`: {why}"))
                    .saw("nothing was pressed")
                    .hint(format!("a person can: `symposium agent {verb} {name}` in a terminal of their own"))
            }
            Error::NoSuchOption { name, given, dialog } => {
                let what = format!("`{}` is not an option of the dialog of agent `{name}`", shown(given));
                report("no-such-option", 2, what)
                    .saw_all(&shown_dialog(dialog))
                    .saw("nothing was pressed")
                    .hint(format!("name an option by its number: `symposium agent answer {name} 1`"))
            }
            Error::AsksForChoice { name, verb, dialog } => {
                let what = format!("agent `{name}` asks a question that `{verb}` does not answer");
                let example = if dialog.options.is_empty() { "TEXT" } else { "1" };
                report("asks-for-choice", 6, what)
                    .saw_all(&shown_dialog(dialog))
                    .saw("nothing was pressed")
                    .hint(format!("answer it: `symposium agent answer {name} {example}`"))
            }
            Error::NothingAsked { name, status, saw } => report(
                "nothing-asked",
                6,
                format!("agent `{name}` shows no dialog that can be answered; nothing was pressed"),
            )
            .saw(format!("it is {status}; the end of its screen:"))
            .saw_all(saw)
            .hint(format!("look with `symposium agent peek {name}`")),
            Error::AsksAnother { name, verb, now } => report(
                "asks-another",
                6,
                format!("agent `{name}` asks for something else by now; nothing was pressed"),
            )
            .saw_all(&visible(&now.text))
            .hint(format!("if that is right too: `symposium agent {verb} {name} --if-asks {}`", now.id)),
            _ => unreachable_report(self),
        }
    }
}

/// Returns the question of a dialog and its options, one per line.
fn shown_dialog(dialog: &Dialog) -> Vec<String> {
    let options = dialog.options.iter().map(|option| format!("  {}", option.line()));
    std::iter::once(dialog.asks.clone()).chain(options).flat_map(|line| visible(&line)).collect()
}
