//! Errors about sharing agents with other users.

use std::time::Duration;

use super::{Code, Error, seconds, shown};
use crate::model::AgentName;

impl Error {
    /// This machine has no such user.
    pub(crate) fn no_such_user(name: &str) -> Error {
        Error::new(Code::NoSuchUser, format!("this machine has no user `{}`", shown(name)))
            .saw("nothing was changed")
            .hint("`getent passwd` lists the users")
    }

    /// The agent of another user is not shared with this user.
    pub(crate) fn not_shared(what: &str) -> Error {
        Error::new(Code::NotShared, format!("`{}` is not shared with you", shown(what))).hint(
            "`symposium agent list --shared` lists the agents that are; the owner shares one with `symposium agent share`",
        )
    }

    /// The user's own agent is not shared with this guest.
    pub(crate) fn not_shared_with(name: &AgentName, with: &str) -> Error {
        Error::new(Code::NotSharedWith, format!("`{name}` is not shared with `{}`", shown(with)))
            .hint(format!("`symposium agent show {name}` shows with whom it is shared"))
    }

    /// The owner's share process did not complete the handshake.
    pub(crate) fn share_timed_out(what: &str, after: Duration) -> Error {
        Error::new(Code::ShareTimedOut, format!("{} did not answer within {}", shown(what), seconds(after)))
            .saw("the owner's share process did not complete the handshake")
            .hint("try again, or ask its owner to share it again: `symposium agent share`")
    }
}
