//! What can go wrong with telling, as facts.

use std::io;
use std::time::Duration;

use crate::model::Exit;

/// Why something could not be told.
#[derive(Debug, thiserror::Error)]
pub enum NoticeError {
    /// An address of a bus that is no socket of this machine.
    #[error("the bus address `{address}` is not one we can use: only `unix:path=` and `unix:abstract=` are")]
    Address {
        /// The address.
        address: String,
    },
    /// The bus could not be reached or did not answer.
    #[error("{what} failed: {source}")]
    Bus {
        /// What was being done.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The bus, or who shows notices, said no.
    #[error("the bus answered {name}: {said}")]
    Refused {
        /// The error's name.
        name: String,
        /// What was said.
        said: String,
    },
    /// The bus said something that is not D-Bus.
    #[error("the bus said something that cannot be understood")]
    Garbled,
    /// There is no program to run.
    #[error("no program is named")]
    NoProgram,
    /// The user's program could not be started.
    #[error("cannot run `{program}`: {source}")]
    NotRun {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The user's program did not end in time, and was killed.
    #[error("`{program}` did not end within {} s, and was killed", bound.as_secs())]
    TimedOut {
        /// The program.
        program: String,
        /// How long it had.
        bound: Duration,
    },
    /// The user's program said that it failed.
    #[error("`{program}` ended with {exit}")]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        exit: Exit,
    },
}

impl NoticeError {
    /// For `map_err` on what talks to the bus.
    pub(super) fn bus(what: &'static str) -> impl FnOnce(io::Error) -> NoticeError {
        move |source| NoticeError::Bus { what, source }
    }

    /// Whether nobody is there who shows notices: a bus without a desktop, as on a server.
    pub fn is_absence(&self) -> bool {
        const NOBODY: [&str; 3] = [
            "org.freedesktop.DBus.Error.ServiceUnknown",
            "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.Spawn.ServiceNotFound",
        ];
        matches!(self, NoticeError::Refused { name, .. } if NOBODY.contains(&name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bus_without_a_desktop_is_told_from_one_that_refuses() {
        let refused = |name: &str| NoticeError::Refused { name: name.into(), said: String::new() };
        assert!(refused("org.freedesktop.DBus.Error.ServiceUnknown").is_absence());
        assert!(!refused("org.freedesktop.DBus.Error.AccessDenied").is_absence());
    }
}
