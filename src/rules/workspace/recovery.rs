//! Copies of removed work: their names, how long they are kept, and the commands that restore them.

use jiff::{SignedDuration, Timestamp};

use crate::base::sanitize::shell_word;
use crate::model::{AgentName, RecoveredWork};

/// How long a copy of removed work is kept.
pub const RECOVERY_PERIOD: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Prefix of the refs that hold removed work.
pub const RECOVERY_REFS: &str = "refs/symposium/recovered/";

/// Returns the name of a copy made `now`: `AGENT-20261117T150422Z`.
pub fn copy_name(agent: &AgentName, now: Timestamp) -> String {
    format!("{agent}-{}", now.strftime("%Y%m%dT%H%M%SZ"))
}

/// Returns the time at which a copy made `now` is deleted.
pub fn kept_until(now: Timestamp) -> Timestamp {
    now.checked_add(RECOVERY_PERIOD).unwrap_or(Timestamp::MAX)
}

/// Returns whether a copy made at `made` is due for deletion.
pub fn is_expired(made: Timestamp, now: Timestamp) -> bool {
    now.duration_since(made) >= RECOVERY_PERIOD
}

/// Returns one shell command for each part of a copy, which restores the part without overwriting anything.
pub fn commands(work: &RecoveredWork) -> Vec<String> {
    let branch = format!("recovered/{}", work.name);
    let from_refs = work.refs.iter().map(|saved| {
        format!("git -C {} branch {} {}", shell_word(&saved.repository), branch, saved.reference)
    });
    let from_folder = work.folder.iter().map(|folder| format!("cp -a {} {}", shell_word(folder), work.name));
    from_refs.chain(from_folder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RecoveryRef;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn copies_expire_after_thirty_days() {
        let made = at("2026-11-17T15:04:22.7Z");
        assert_eq!(copy_name(&"parser".parse().unwrap(), made), "parser-20261117T150422Z");
        assert_eq!(kept_until(made), at("2026-12-17T15:04:22.7Z"));
        assert!(!is_expired(made, at("2026-12-17T15:04:22.6Z")));
        assert!(is_expired(made, kept_until(made)));
        assert!(!is_expired(made, at("2026-11-16T00:00:00Z")), "the clock was set back");
    }

    #[test]
    fn commands_quote_paths() {
        let work = RecoveredWork {
            agent: "a".parse().unwrap(),
            name: "a-1".into(),
            at: Timestamp::UNIX_EPOCH,
            until: Timestamp::UNIX_EPOCH,
            refs: vec![RecoveryRef { repository: "/my repo".into(), reference: "refs/x".into() }],
            folder: Some("/kept/a-1/workspace".into()),
        };
        assert_eq!(
            commands(&work),
            ["git -C '/my repo' branch recovered/a-1 refs/x", "cp -a /kept/a-1/workspace a-1"]
        );
    }
}
