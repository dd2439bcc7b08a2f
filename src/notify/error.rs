//! Errors of the notify adapter. They hold facts only.

use std::io;
use std::time::Duration;

use crate::model::Exit;

/// Reason why a notice could not be delivered.
#[derive(Debug, thiserror::Error)]
pub enum NoticeError {
    /// The address of the bus is not a socket on this machine.
    #[error("the bus address `{address}` is not supported; only `unix:path=` and `unix:abstract=` are")]
    Address {
        /// Address of the bus.
        address: String,
    },
    /// The bus could not be reached or did not answer.
    #[error("{what} failed: {source}")]
    Bus {
        /// Operation that failed.
        what: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The bus or the notification service rejected the call.
    #[error("the bus answered {name}: {detail}")]
    Refused {
        /// Name of the D-Bus error.
        name: String,
        /// Message of the D-Bus error.
        detail: String,
    },
    /// The answer of the bus is not valid D-Bus.
    #[error("the bus sent an invalid message")]
    Garbled,
    /// The command of the user is empty.
    #[error("no program is configured")]
    NoProgram,
    /// The command of the user could not be started.
    #[error("cannot run `{program}`: {source}")]
    NotRun {
        /// Name of the program.
        program: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The command of the user did not end in time and was killed.
    #[error("`{program}` did not end within {} s, and was killed", bound.as_secs())]
    TimedOut {
        /// Name of the program.
        program: String,
        /// Time limit of the command.
        bound: Duration,
    },
    /// The command of the user failed.
    #[error("`{program}` ended with {exit}")]
    Failed {
        /// Name of the program.
        program: String,
        /// Exit status of the command.
        exit: Exit,
    },
    /// The token or the key of a service cannot be read.
    #[error("the token or key cannot be read: {why}")]
    Secret {
        /// Reason, without the secret.
        why: String,
    },
    /// The address of ntfy names no topic.
    #[error("the address of ntfy has no topic")]
    NoTopic,
    /// A service could not be reached.
    #[error("{host} could not be reached: {why}")]
    Unreachable {
        /// Name of the host.
        host: String,
        /// Reason of the HTTP client.
        why: String,
    },
    /// A service refused the notice.
    #[error("{host} answered {status}")]
    Answered {
        /// Name of the host.
        host: String,
        /// Status of HTTP.
        status: u16,
    },
}

impl NoticeError {
    /// Returns a conversion for `map_err` on operations on the bus.
    pub(super) fn bus(what: &'static str) -> impl FnOnce(io::Error) -> NoticeError {
        move |source| NoticeError::Bus { what, source }
    }

    /// Returns `true` if the same request may succeed a moment later.
    pub fn is_temporary(&self) -> bool {
        match self {
            NoticeError::Unreachable { .. } => true,
            // 408 and 429 ask for another attempt; the others are faults of the service.
            NoticeError::Answered { status, .. } => matches!(*status, 408 | 429 | 500..),
            _ => false,
        }
    }

    /// Returns `true` if there is no notification service: a bus without a desktop, for example on a server.
    pub fn is_absence(&self) -> bool {
        const UNANSWERED: [&str; 3] = [
            "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.Spawn.ServiceNotFound",
        ];
        matches!(self, NoticeError::Refused { name, .. } if UNANSWERED.contains(&name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bus_without_a_desktop_differs_from_a_refusal() {
        let refused = |name: &str| NoticeError::Refused { name: name.into(), detail: String::new() };
        assert!(refused("org.freedesktop.DBus.Error.ServiceUnknown").is_absence());
        assert!(!refused("org.freedesktop.DBus.Error.AccessDenied").is_absence());
    }
}
