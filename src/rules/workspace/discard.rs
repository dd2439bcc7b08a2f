//! Describes in sentences what `agent discard` removes and what stays.

use crate::base::plural::counted;
use crate::model::{Commit, RemovalPreview, is_deceptive};
use crate::rules::workspace::unsaved_work::{ignored_remark, named};

/// Handling of the branch of a discarded agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchFate {
    /// It was created for the agent and is removed.
    Removed,
    /// It existed before the agent and stays.
    Kept,
}

/// Returns one line for each thing that discarding an agent removes or leaves. `log` has the newest of its commits.
pub fn lines(preview: &RemovalPreview, log: &[Commit], fate: BranchFate) -> Vec<String> {
    let (unsaved, branch) = (&preview.unsaved, preview.branch.as_deref().unwrap_or_default());
    let mut lines = Vec::new();
    if !unsaved.files.is_empty() {
        let what = if preview.branch.is_some() { "uncommitted file" } else { "file" };
        lines.push(named(what, &unsaved.files));
    }
    if unsaved.commits > 0 {
        let commits = counted(unsaved.commits, "commit", "commits");
        lines.push(format!("{commits} that no remote and no other branch has:"));
        lines.extend(log.iter().map(|commit| format!("  {} {}", commit.id, commit.subject)));
        let more = unsaved.commits.saturating_sub(log.len() as u64);
        lines.extend((more > 0).then(|| format!("  and {more} more")));
    }
    lines.extend(unsaved.unknown.clone());
    lines.extend(ignored_remark(&preview.ignored));
    lines.extend(
        preview.shared_with.iter().map(|other| format!("agent `{other}` works in it and must end first")),
    );
    lines.extend(preview.path.as_ref().map(|path| format!("directory {path}")));
    match (branch, fate) {
        ("", _) => {}
        (branch, BranchFate::Removed) => lines.push(format!("branch `{branch}`")),
        (branch, BranchFate::Kept) => {
            lines.push(format!("branch `{branch}` existed before the agent and stays"))
        }
    }
    if unsaved.stashes > 0 {
        lines.push(format!(
            "{} on `{branch}` in the repository",
            match unsaved.stashes {
                1 => "1 stash stays".to_owned(),
                count => format!("{count} stashes stay"),
            }
        ));
    }
    lines.into_iter().map(|line| line.replace(is_deceptive, " ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ChangeKind, ChangedFile, UnsavedWork, Workspace};

    fn preview(unsaved: UnsavedWork) -> RemovalPreview {
        RemovalPreview {
            name: "fix".parse().unwrap(),
            running: false,
            workspace: Workspace::Worktree,
            path: Some("/w".into()),
            branch: Some("symposium/fix".into()),
            unsaved,
            summary: Vec::new(),
            ignored: vec!["target/".into(), ".env".into()],
            shared_with: vec!["child".parse().unwrap()],
            needs_force: true,
        }
    }

    #[test]
    fn work_that_is_thrown_away_and_work_that_stays_are_named() {
        let files = vec![ChangedFile { kind: ChangeKind::Untracked, path: "new".into() }];
        let unsaved = UnsavedWork { files, commits: 2, stashes: 1, unknown: None };
        let commit =
            Commit { id: "abc".into(), subject: "fix\u{1b}[2J".into(), at: jiff::Timestamp::UNIX_EPOCH };
        assert_eq!(
            lines(&preview(unsaved), &[commit], BranchFate::Removed),
            [
                "1 uncommitted file: new",
                "2 commits that no remote and no other branch has:",
                "  abc fix [2J",
                "  and 1 more",
                "ignored files are removed without a copy: .env, target/",
                "agent `child` works in it and must end first",
                "directory /w",
                "branch `symposium/fix`",
                "1 stash stays on `symposium/fix` in the repository",
            ]
        );
        let empty = RemovalPreview {
            ignored: Vec::new(),
            shared_with: Vec::new(),
            ..preview(UnsavedWork::default())
        };
        assert_eq!(
            lines(&empty, &[], BranchFate::Kept),
            ["directory /w", "branch `symposium/fix` existed before the agent and stays"]
        );
    }
}
