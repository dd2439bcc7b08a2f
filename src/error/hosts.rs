//! Errors about other machines.

use std::time::Duration;

use super::{Code, Error, seconds, shown};
use crate::model::{HostName, InvalidHost};

impl Error {
    /// The name or the address of a host is not valid.
    pub(crate) fn bad_host(given: &str, why: InvalidHost) -> Error {
        Error::new(Code::BadHost, format!("`{}` is not a valid host: {why}", shown(given)))
            .hint("example: `symposium host add gpu1 me@gpu1.example.org --port 22`")
    }

    /// The host returned an unexpected answer.
    pub(crate) fn unexpected_answer(name: &HostName, answer: impl IntoIterator<Item = String>) -> Error {
        Error::new(Code::UnexpectedAnswer, format!("host `{name}` sent an unexpected answer"))
            .saw_all(answer)
            .hint(format!("`symposium host add --force {name} …` checks it again"))
    }

    /// The version of Symposium on the host is too old.
    pub(crate) fn host_older(name: &HostName, version: Option<&str>) -> Error {
        let there = version.map_or_else(|| "symposium".to_owned(), |version| format!("symposium {version}"));
        let ours = env!("CARGO_PKG_VERSION");
        Error::new(Code::HostTooOld, format!("{there} on host `{name}` is too old for this version ({ours})"))
            .saw("nothing was done")
            .hint("upgrade symposium on that host")
    }

    /// It is unknown whether a command was executed on a host.
    pub(crate) fn outcome_unknown(name: &HostName, after: Option<Duration>) -> Error {
        let lost = match after {
            Some(after) => {
                format!("the connection was lost and could not be restored within {}", seconds(after))
            }
            None => "the command was started there and interrupted".to_owned(),
        };
        Error::new(Code::OutcomeUnknown, format!("it is unknown whether host `{name}` executed the command"))
            .saw(lost)
            .hint(format!("look with `symposium agent list --host {name}` before you run the command again"))
    }

    /// The command cannot run on another machine.
    pub(crate) fn local_only(what: &str, why: &str, host: &str) -> Error {
        Error::new(Code::LocalOnly, format!("`{what}` cannot run on another machine: {why}"))
            .hint(format!("log in there: `ssh {}`, then `symposium {what}`", shown(host)))
    }
}
