//! Decides which worktrees and branches `agent sweep` may remove. Work that is uncommitted, not merged or in use is
//! never proposed, and no option changes that.

use crate::base::plural::counted;
use crate::model::{MergeState, Status, SweepReason};

/// The facts about a worktree or branch that decide whether it may be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepFacts {
    /// Status of the agent; `None` for a branch without an agent.
    pub status: Option<Status>,
    /// Why the agent is in use, such as an attached client or a queued task.
    pub in_use: Option<String>,
    /// Why the work could not be examined.
    pub unknown: Option<String>,
    /// Whether the agent was finished, which keeps its record.
    pub is_finished: bool,
    /// Whether the directory of the worktree exists.
    pub has_directory: bool,
    /// Number of uncommitted and untracked files.
    pub uncommitted: usize,
    /// Number of stashes made on the branch.
    pub stashes: u64,
    /// What the branch and the commit that is checked out have that the base lacks.
    pub merge: MergeState,
}

/// Returns why the work may be removed, or why it is kept.
pub fn decide(facts: &SweepFacts) -> Result<SweepReason, String> {
    if let Some(status) = facts.status
        && !matches!(status, Status::Exited | Status::Stopped | Status::Crashed)
    {
        return Err(format!("its agent is {status}"));
    }
    if let Some(why) = facts.in_use.as_ref().or(facts.unknown.as_ref()) {
        return Err(why.clone());
    }
    if facts.uncommitted > 0 {
        return Err(counted(facts.uncommitted, "uncommitted file", "uncommitted files"));
    }
    if facts.stashes > 0 {
        return Err(counted(facts.stashes, "stash", "stashes"));
    }
    if facts.is_finished && !facts.has_directory {
        return Err("it is finished; `agent rm` removes its record".to_owned());
    }
    match facts.merge {
        MergeState::Unmerged(commits) => {
            Err(counted(commits, "commit is not merged", "commits are not merged"))
        }
        MergeState::Gone => Ok(SweepReason::Gone),
        _ if facts.status.is_some() && !facts.has_directory => Ok(SweepReason::Gone),
        MergeState::Empty => Ok(SweepReason::Empty),
        MergeState::Merged => Ok(SweepReason::Merged),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> SweepFacts {
        SweepFacts {
            status: Some(Status::Stopped),
            in_use: None,
            unknown: None,
            is_finished: false,
            has_directory: true,
            uncommitted: 0,
            stashes: 0,
            merge: MergeState::Merged,
        }
    }

    #[test]
    fn only_merged_empty_and_gone_work_of_ended_agents_is_proposed() {
        assert_eq!(decide(&facts()), Ok(SweepReason::Merged));
        assert_eq!(decide(&SweepFacts { merge: MergeState::Empty, ..facts() }), Ok(SweepReason::Empty));
        assert_eq!(decide(&SweepFacts { has_directory: false, ..facts() }), Ok(SweepReason::Gone));
        assert_eq!(decide(&SweepFacts { merge: MergeState::Gone, ..facts() }), Ok(SweepReason::Gone));
        let branch = SweepFacts { status: None, has_directory: false, ..facts() };
        assert_eq!(decide(&branch), Ok(SweepReason::Merged));
    }

    #[test]
    fn work_that_would_be_lost_or_is_in_use_is_kept() {
        for status in Status::ALL {
            let is_over = matches!(status, Status::Exited | Status::Stopped | Status::Crashed);
            assert_eq!(decide(&SweepFacts { status: Some(status), ..facts() }).is_ok(), is_over, "{status}");
        }
        for (facts, expected) in [
            (SweepFacts { uncommitted: 1, ..facts() }, "1 uncommitted file"),
            (SweepFacts { stashes: 2, ..facts() }, "2 stashes"),
            (SweepFacts { merge: MergeState::Unmerged(1), ..facts() }, "1 commit is not merged"),
            (
                SweepFacts { merge: MergeState::Unmerged(3), has_directory: false, ..facts() },
                "3 commits are not merged",
            ),
            (
                SweepFacts { is_finished: true, has_directory: false, ..facts() },
                "it is finished; `agent rm` removes its record",
            ),
            (SweepFacts { unknown: Some("git is missing".into()), ..facts() }, "git is missing"),
            (SweepFacts { in_use: Some("a client is attached".into()), ..facts() }, "a client is attached"),
        ] {
            assert_eq!(decide(&facts).unwrap_err(), expected);
        }
    }
}
