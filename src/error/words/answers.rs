//! The words for answers that cannot be given to an agent's dialog.

use super::{report, unreachable_report};
use crate::error::{Error, Report};
use crate::model::visible;

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
            Error::NothingAsked { name, status, saw } => report(
                "nothing-asked",
                6,
                format!("agent `{name}` shows no approval dialog; nothing was pressed"),
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
