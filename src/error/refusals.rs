//! Errors about requests that are refused: invalid arguments, data at risk, missing permissions and terminals.

use std::time::Duration;

use super::{Code, Error, seconds};

impl Error {
    /// An argument is invalid.
    pub(crate) fn usage(what: impl Into<String>) -> Error {
        Error::new(Code::Usage, what)
    }

    /// The request would lose data or is not safe for another reason.
    pub(crate) fn not_safe(what: impl Into<String>) -> Error {
        Error::new(Code::Unsafe, what).saw("nothing was changed")
    }

    /// The permissions of an agent do not allow the action.
    pub(crate) fn not_permitted(what: impl Into<String>) -> Error {
        Error::new(Code::NotPermitted, what)
            .saw("an agent may act on itself, its descendants and its project, and send messages to its parent")
            .saw("nothing was changed")
    }

    /// The command needs a terminal.
    pub(crate) fn no_terminal(verb: &str, name: Option<String>) -> Error {
        let error =
            Error::new(Code::NoTerminal, format!("`agent {verb}` needs a terminal, and this is not one"));
        if verb == "spawn --attach" {
            return error
                .saw("nothing was started")
                .hint("omit `--attach`, and attach later with `symposium agent attach`");
        }
        let name = name.as_deref().unwrap_or("NAME");
        // A shared agent of another user can only be attached.
        let peek = match name.contains('/') {
            true => String::new(),
            false => format!(", or look with `symposium agent peek {name}`"),
        };
        error.hint(format!("run `symposium agent {verb} {name}` in a terminal{peek}"))
    }

    /// An awaited condition did not occur in time.
    pub(crate) fn timed_out(what: impl AsRef<str>, after: Duration) -> Error {
        Error::new(Code::TimedOut, format!("{} within {}", what.as_ref(), seconds(after)))
    }

    /// Another supervisor is already running.
    pub(crate) fn supervisor_runs(pid: Option<i32>) -> Error {
        let holder = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
        Error::new(Code::SupervisorRunning, format!("a supervisor is already running{holder}"))
            .hint("stop it first: `symposium supervisor stop`; `symposium supervisor status` describes it")
    }

    /// The user's configuration contains an error.
    pub(crate) fn bad_config(what: impl Into<String>) -> Error {
        Error::new(Code::BadConfig, what).hint("correct the file, or move it away")
    }
}
