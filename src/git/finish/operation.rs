//! Operations that stopped half-way in a working tree, such as a rebase with conflicts. git stores them as files in the
//! git directory of the working tree.

use std::path::Path;

use super::super::git_dir;
use super::super::untrusted_file::read_short_file;

/// Files and directories that exist while an operation is in progress, with its name.
const OPERATIONS: [(&str, &str); 6] = [
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase or am"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
];

/// Returns the name of the operation that is in progress in a working tree.
pub fn operation_in_progress(top: &Path) -> Option<&'static str> {
    let dir = git_dir(top)?;
    OPERATIONS.iter().find(|(file, _)| dir.join(file).symlink_metadata().is_ok()).map(|(_, name)| *name)
}

/// Returns whether a working tree is in the middle of a rebase of this branch. HEAD is detached in the meantime.
pub(super) fn is_rebasing(top: &Path, branch: &str) -> bool {
    let Some(dir) = git_dir(top) else { return false };
    ["rebase-merge", "rebase-apply"].iter().any(|name| {
        let head = read_short_file(&dir.join(name).join("head-name")).unwrap_or_default();
        head.trim().strip_prefix("refs/heads/") == Some(branch)
    })
}
