//! Messages about sharing agents with other users.

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
            Error::StillShared { name, left, closed } => {
                let who: Vec<&str> = left.iter().map(|(with, _)| with.as_str()).collect();
                let what = format!("`{name}` may still be shared with {}", shown(&who.join(", ")));
                let mut report = report("still-shared", 4, what);
                for (with, why) in left {
                    report = report.saw(format!("the door for {} could not be closed: {why}", shown(with)));
                }
                if !closed.is_empty() {
                    report = report.saw(format!("closed: {}", shown(&closed.join(", "))));
                }
                report
                    .hint("`symposium doctor` names the tmux server; a stopped one goes on with `kill -CONT PID`")
                    .hint(format!("then once more: `symposium agent unshare {name}`"))
            }
            Error::DoorSilent { what, after } => {
                let what = format!("`{}` did not answer within {}", shown(what), seconds(*after));
                report("door-silent", 7, what)
                    .saw("the owner's share process did not complete the handshake")
                    .hint("try again, or ask its owner to share it anew: `symposium agent share`")
            }
            Error::ShareNotReady { name, with, after } => {
                let what = format!("the door to `{name}` for {} did not open within {}", shown(with), seconds(*after));
                report("door-shut", 7, what)
                    .saw("nothing is shared")
                    .hint("`symposium doctor` checks tmux; on a busy machine try again")
            }
            _ => unreachable_report(self),
        }
    }
}
