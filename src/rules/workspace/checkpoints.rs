//! Checkpoints of working trees: their refs, what they leave out, and when they are deleted.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::{AgentId, Checkpoint, CheckpointsConfig, LeftOutFile};
use crate::rules::workspace::finish::refusal::listed;

/// Prefix of the refs that hold checkpoints.
pub const CHECKPOINT_REFS: &str = "refs/symposium/checkpoints/";

/// Files above this size are left out. Source files are smaller, and git stores each version completely at first.
const MAX_FILE_BYTES: u64 = 10 << 20;
/// No checkpoint is taken if the changed files are larger than this together: it would take seconds at every turn.
const MAX_TOTAL_BYTES: u64 = 200 << 20;
/// No checkpoint is taken of more changed files than this.
const MAX_CHANGED_FILES: usize = 20_000;
/// No checkpoint is taken in a repository with more tracked files than this, because git examines each of them.
const MAX_TRACKED_FILES: u32 = 300_000;
/// Number of left-out files that are named; the others are counted.
const MAX_NAMED_FILES: usize = 20;

/// A file with uncommitted changes, as a candidate for a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointCandidate {
    /// Path relative to the root of the working tree.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// The files that a checkpoint leaves out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckpointSelection {
    /// Paths of all files that are left out.
    pub left_out: Vec<String>,
    /// The first of them with their sizes.
    pub named: Vec<LeftOutFile>,
}

/// Returns the prefix of the refs of one agent. The id is unique and survives a rename.
pub fn refs_of(agent: AgentId) -> String {
    format!("{CHECKPOINT_REFS}{agent}/")
}

/// Decides which files a checkpoint leaves out, or why no checkpoint is taken.
pub fn select(tracked: u32, candidates: &[CheckpointCandidate]) -> Result<CheckpointSelection, String> {
    if tracked > MAX_TRACKED_FILES {
        return Err(format!("the repository has {tracked} files; the limit is {MAX_TRACKED_FILES}"));
    }
    if candidates.len() > MAX_CHANGED_FILES {
        let count = candidates.len();
        return Err(format!("{count} files have uncommitted changes; the limit is {MAX_CHANGED_FILES}"));
    }
    let (large, small): (Vec<_>, Vec<_>) =
        candidates.iter().partition(|candidate| candidate.bytes > MAX_FILE_BYTES);
    let total: u64 = small.iter().map(|candidate| candidate.bytes).sum();
    if total > MAX_TOTAL_BYTES {
        let (total, most) = (total >> 20, MAX_TOTAL_BYTES >> 20);
        return Err(format!("the uncommitted files have {total} MiB together; the limit is {most} MiB"));
    }
    let named = large.iter().take(MAX_NAMED_FILES);
    Ok(CheckpointSelection {
        named: named.map(|file| LeftOutFile { path: file.path.clone(), bytes: file.bytes }).collect(),
        left_out: large.iter().map(|file| file.path.clone()).collect(),
    })
}

/// Files that a restore would overwrite and that a checkpoint cannot store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnstorableFiles {
    /// The first of their paths, and how many follow.
    pub paths: Vec<String>,
    /// Why they cannot be stored.
    pub reason: String,
}

/// Returns the files that a restore would overwrite and that the checkpoint before it cannot store: copies that may
/// hold secrets, other repositories, and files above the limits of a checkpoint.
pub fn unstorable(candidates: &[CheckpointCandidate], never_stored: &[String]) -> Option<UnstorableFiles> {
    let refused = |is_refused: &dyn Fn(&CheckpointCandidate) -> bool, reason: String| {
        let paths: Vec<String> =
            candidates.iter().filter(|file| is_refused(file)).map(|file| file.path.clone()).collect();
        (!paths.is_empty()).then(|| UnstorableFiles { paths: listed(&paths), reason })
    };
    let is_copy = |file: &CheckpointCandidate| never_stored.contains(&file.path);
    let is_repository = |file: &CheckpointCandidate| file.path.ends_with('/');
    let is_large = |file: &CheckpointCandidate| file.bytes > MAX_FILE_BYTES;
    refused(&is_copy, "they were copied into the worktree and may hold secrets".to_owned())
        .or_else(|| refused(&is_repository, "they are other repositories".to_owned()))
        .or_else(|| refused(&is_large, format!("they are larger than {} MiB", MAX_FILE_BYTES >> 20)))
        .or_else(|| select(0, candidates).err().and_then(|reason| refused(&|_| true, reason)))
}

/// Returns the numbers of the checkpoints to delete, so that `room` more can be added. The newest one is kept
/// regardless of its age.
pub fn expired(
    checkpoints: &[Checkpoint],
    config: &CheckpointsConfig,
    room: usize,
    now: Timestamp,
) -> Vec<u64> {
    let mut newest_first: Vec<&Checkpoint> = checkpoints.iter().collect();
    newest_first.sort_by_key(|checkpoint| std::cmp::Reverse(checkpoint.number));
    let keep = usize::try_from(config.keep).unwrap_or(usize::MAX).max(1).saturating_sub(room);
    let is_old = |checkpoint: &Checkpoint| {
        let age = Duration::try_from(now.duration_since(checkpoint.at)).unwrap_or_default();
        age > config.max_age
    };
    let with_position = newest_first.into_iter().enumerate();
    with_position
        .filter(|(position, checkpoint)| *position >= keep || (*position > 0 && is_old(checkpoint)))
        .map(|(_, checkpoint)| checkpoint.number)
        .collect()
}

/// Returns the number of the next checkpoint.
pub fn next_number(checkpoints: &[Checkpoint]) -> u64 {
    checkpoints.iter().map(|checkpoint| checkpoint.number).max().unwrap_or_default().saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CheckpointNote;

    fn candidate(path: &str, bytes: u64) -> CheckpointCandidate {
        CheckpointCandidate { path: path.into(), bytes }
    }

    fn checkpoint(number: u64, at: &str) -> Checkpoint {
        let at = at.parse().unwrap();
        let note = CheckpointNote::default();
        Checkpoint { number, commit: String::new(), tree: String::new(), at, note }
    }

    #[test]
    fn large_files_are_left_out_and_large_trees_are_refused() {
        let found = select(10, &[candidate("a", 5), candidate("big", MAX_FILE_BYTES + 1)]).unwrap();
        assert_eq!(found.left_out, ["big"]);
        assert_eq!(found.named[0].bytes, MAX_FILE_BYTES + 1);
        assert!(select(MAX_TRACKED_FILES + 1, &[]).unwrap_err().contains("300001 files"));
        let many = vec![candidate("a", 1); MAX_CHANGED_FILES + 1];
        assert!(select(1, &many).unwrap_err().contains("20001 files"));
        let heavy = vec![candidate("a", MAX_FILE_BYTES); 21];
        assert_eq!(
            select(1, &heavy).unwrap_err(),
            "the uncommitted files have 210 MiB together; the limit is 200 MiB"
        );
    }

    #[test]
    fn files_that_a_checkpoint_cannot_store_are_named_with_the_reason() {
        let with =
            |path: &str, bytes| unstorable(&[candidate("a", 5), candidate(path, bytes)], &[".env".into()]);
        assert_eq!(with("b", 5), None);
        let named = |path: &str, bytes| with(path, bytes).map(|found| (found.paths.concat(), found.reason));
        let expected = |path: &str, reason: &str| Some((path.to_owned(), reason.to_owned()));
        assert_eq!(named("big", MAX_FILE_BYTES + 1), expected("big", "they are larger than 10 MiB"));
        assert_eq!(named("r/", 5), expected("r/", "they are other repositories"));
        assert_eq!(
            named(".env", 5),
            expected(".env", "they were copied into the worktree and may hold secrets")
        );
        let many = vec![candidate("a", 1); MAX_CHANGED_FILES + 1];
        let found = unstorable(&many, &[]).unwrap();
        assert_eq!(found.paths.len(), 11);
        assert!(found.reason.contains("20001 files"), "{}", found.reason);
    }

    #[test]
    fn checkpoints_are_bounded_in_number_and_age() {
        let config = CheckpointsConfig { enabled: true, keep: 3, max_age: Duration::from_secs(3600) };
        let now = "2026-01-01T12:00:00Z".parse().unwrap();
        let all = [
            checkpoint(1, "2026-01-01T11:30:00Z"),
            checkpoint(2, "2026-01-01T11:40:00Z"),
            checkpoint(3, "2026-01-01T11:50:00Z"),
        ];
        assert!(expired(&all, &config, 0, now).is_empty());
        assert_eq!(expired(&all, &config, 1, now), [1]);
        let later = "2026-01-01T12:45:00Z".parse().unwrap();
        assert_eq!(expired(&all, &config, 0, later), [2, 1]);
        let much_later = "2027-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(expired(&all, &config, 0, much_later), [2, 1], "the newest one stays");
        assert_eq!((next_number(&all), next_number(&[])), (4, 1));
    }
}
