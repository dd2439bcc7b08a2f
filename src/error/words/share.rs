//! The words about sharing with other users.

use super::{report, seconds, shown, unreachable_report};
use crate::error::{Error, Report};

impl Error {
    pub(super) fn about_sharing(&self) -> Report {
        match self {
            Error::NoSuchUser { name } => {
                report("no-such-user", 3, format!("this machine knows no user `{}`", shown(name)))
                    .saw("nothing was changed")
                    .hint("`getent passwd` lists the users")
            }
            Error::NotShared { what } => {
                report("not-shared", 3, format!("`{}` is not shared with you", shown(what)))
                    .hint("`symposium agent list --shared` shows what is; its owner shares with `symposium agent share`")
            }
            Error::NotSharedWith { name, with } => {
                report("not-shared-with", 3, format!("`{name}` is not shared with `{}`", shown(with)))
                    .hint(format!("`symposium agent show {name}` tells with whom it is"))
            }
            Error::DoorSilent { what, after } => {
                let what = format!("`{}` did not answer within {}", shown(what), seconds(*after));
                report("door-silent", 7, what)
                    .saw("somebody keeps a door there and lets nobody in")
                    .hint("try again, or ask its owner to share it anew: `symposium agent share`")
            }
            _ => unreachable_report(self),
        }
    }
}
