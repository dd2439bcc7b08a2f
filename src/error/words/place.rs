//! Messages about the permissions of agents and about unknown callers.

use super::{report, shown, unreachable_report};
use crate::error::{Error, Report};

impl Error {
    pub(super) fn about_place(&self) -> Report {
        match self {
            Error::NotPermitted { what, hint } => report("out-of-place", 1, what)
                .saw("an agent reaches itself, those below it, its project, and its parent with messages")
                .saw("nothing was changed")
                .hint(hint),
            Error::UnknownCaller { name } => report(
                "unknown-caller",
                1,
                format!("this is asked in the name of agent `{}`, which is not there", shown(name)),
            )
            .saw("SYMPOSIUM_AGENT and SYMPOSIUM_AGENT_ID tell who asks")
            .hint("`symposium agent list --all` shows who is there"),
            Error::NoTaskAtHand { name } => report("no-task", 3, format!("agent `{name}` is at no task"))
                .saw("what is typed by a person is not a task, and one that is over needs no report")
                .hint(format!(
                    "name one by its number; `symposium task list --agent {name} --all` shows them"
                )),
            _ => unreachable_report(self),
        }
    }
}
