//! Describes the unsaved work in an agent's workspace in sentences.

use crate::model::{
    BranchOutcome, ChangedFile, MergeForecast, MergedWork, UnsavedWork, WorkCounts, WorkSummary, is_deceptive,
};

/// Number of files that are named before the rest is only counted.
const MAX_NAMED_FILES: usize = 5;

/// Returns one sentence for each kind of unsaved work in a worktree; none if there is no unsaved work.
pub fn summary(work: &UnsavedWork, branch: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if !work.files.is_empty() {
        lines.push(named("uncommitted file", &work.files));
    }
    if work.commits > 0 {
        let commits = many(work.commits, "commit");
        lines.push(format!("{commits} on `{branch}` that no remote and no other branch has"));
    }
    if work.stashes > 0 {
        lines.push(format!("{} made on `{branch}`", many(work.stashes, "stash")));
    }
    lines.extend(work.unknown.clone());
    lines
}

/// Names the ignored files that a removal deletes; `None` if there are none. Files come before directories: a file such
/// as `.env` is more likely to exist only once.
pub fn ignored_remark(ignored: &[String]) -> Option<String> {
    let mut paths: Vec<&str> = ignored.iter().map(String::as_str).collect();
    paths.sort_by_key(|path| path.ends_with('/'));
    let more = if paths.len() > MAX_NAMED_FILES { ", …" } else { "" };
    paths.truncate(MAX_NAMED_FILES);
    let named = paths.join(", ").replace(is_deceptive, " ");
    (!paths.is_empty()).then(|| format!("ignored files are removed without a copy: {named}{more}"))
}

/// Returns a sentence about the files in a scratch folder; none if it is empty.
pub fn scratch_summary(work: &UnsavedWork) -> Vec<String> {
    if work.files.is_empty() { Vec::new() } else { vec![named("file", &work.files)] }
}

/// Counts files and names the first few.
pub fn named(what: &str, files: &[ChangedFile]) -> String {
    let mut names: Vec<&str> = files.iter().take(MAX_NAMED_FILES).map(|file| file.path.as_str()).collect();
    if files.len() > MAX_NAMED_FILES {
        names.push("…");
    }
    format!("{}: {}", many(files.len() as u64, what), names.join(", ")).replace(is_deceptive, " ")
}

/// Formats the counts on one line; returns an empty text if nothing is known.
pub fn short(counts: &WorkCounts) -> String {
    let mut parts = Vec::new();
    match (counts.changed, counts.ahead, counts.stashes) {
        (Some(0), Some(0), Some(0)) => parts.push("clean".to_owned()),
        (changed, ahead, stashes) => {
            parts.extend(changed.filter(|n| *n > 0).map(|n| format!("{n} changed")));
            parts.extend(ahead.filter(|n| *n > 0).map(|n| format!("{n} ahead")));
            parts.extend(stashes.filter(|n| *n > 0).map(|n| format!("{n} stashed")));
        }
    }
    parts.extend(counts.size.map(bytes));
    parts.join(", ")
}

/// Returns in a word or two whether the work is merged or can be merged. Conflicts matter most, then uncommitted files
/// of a branch whose commits are merged. Stashes are no part of a merge, so they are counted.
pub fn merge_word(work: &WorkSummary) -> String {
    let stashes = work.counts.stashes.filter(|count| *count > 0);
    let stashes = stashes.map(|count| format!(", {count} stashed")).unwrap_or_default();
    format!("{}{stashes}", forecast_word(work))
}

fn forecast_word(work: &WorkSummary) -> String {
    match (branch_outcome(work), &work.merge) {
        (Some(BranchOutcome::Merged), _) => "merged".to_owned(),
        (Some(BranchOutcome::Conflicts(count)), _) => many(count as u64, "conflict"),
        (None, _) if is_empty(work) => "empty".to_owned(),
        (None, Some(MergeForecast::Unknown { .. })) => "unknown".to_owned(),
        (None, Some(_)) => "clean".to_owned(),
        (None, None) if work.counts.changed.is_none() => "not in git".to_owned(),
        (None, None) => "-".to_owned(),
    }
}

/// Returns whether the work is merged, or how many conflicts a merge would have.
pub fn branch_outcome(work: &WorkSummary) -> Option<BranchOutcome> {
    match (&work.merge, work.merged) {
        (_, Some(MergedWork::Merged)) if !has_changes(work) => Some(BranchOutcome::Merged),
        _ if is_empty(work) => None,
        (Some(MergeForecast::Conflicts { paths }), _) => Some(BranchOutcome::Conflicts(paths.len())),
        (Some(MergeForecast::Nothing), _) => Some(BranchOutcome::Merged),
        (Some(MergeForecast::Clean | MergeForecast::Unknown { .. }) | None, _) => None,
    }
}

fn is_empty(work: &WorkSummary) -> bool {
    work.merged == Some(MergedWork::Empty) && !has_changes(work)
}

fn has_changes(work: &WorkSummary) -> bool {
    work.counts.changed.is_some_and(|changed| changed > 0)
}

fn many(count: u64, what: &str) -> String {
    match (count, what) {
        (1, _) => format!("1 {what}"),
        (_, "stash") => format!("{count} stashes"),
        _ => format!("{count} {what}s"),
    }
}

/// Formats a size with a decimal unit.
pub fn bytes(size: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let mut size = size as f64 / 1000.0;
    let mut unit = 0;
    while size >= 999.5 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    if size < 10.0 { format!("{size:.1} {}", UNITS[unit]) } else { format!("{size:.0} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ChangeKind;

    #[test]
    fn each_kind_of_unsaved_work_is_a_sentence() {
        let file = |name: &str| ChangedFile { kind: ChangeKind::Modified, path: name.into() };
        assert!(summary(&UnsavedWork::default(), "b").is_empty());
        let some = UnsavedWork { files: vec![file("a\u{1b}[2J")], commits: 1, stashes: 2, unknown: None };
        assert_eq!(
            summary(&some, "b"),
            [
                "1 uncommitted file: a [2J",
                "1 commit on `b` that no remote and no other branch has",
                "2 stashes made on `b`"
            ]
        );
        let many =
            UnsavedWork { files: ["1", "2", "3", "4", "5", "6"].map(file).into(), ..UnsavedWork::default() };
        assert_eq!(summary(&many, "b"), ["6 uncommitted files: 1, 2, 3, 4, 5, …"]);
    }

    #[test]
    fn a_word_says_whether_work_merges() {
        let clean = Some(MergeForecast::Clean);
        let conflict = Some(MergeForecast::Conflicts { paths: vec!["a".into()] });
        for (changed, merged, merge, expected) in [
            (None, None, None, "not in git"),
            (Some(1), None, None, "-"),
            (Some(0), Some(MergedWork::Empty), Some(MergeForecast::Nothing), "empty"),
            (Some(1), Some(MergedWork::Empty), clean.clone(), "clean"),
            (Some(0), Some(MergedWork::Unmerged), conflict.clone(), "1 conflict"),
            (Some(0), Some(MergedWork::Merged), conflict.clone(), "merged"),
            (Some(1), Some(MergedWork::Merged), conflict, "1 conflict"),
            (Some(0), Some(MergedWork::Unmerged), clean, "clean"),
        ] {
            let counts = WorkCounts { changed, ..WorkCounts::default() };
            let work = WorkSummary { counts, merged, merge, ..WorkSummary::default() };
            assert_eq!(merge_word(&work), expected, "{work:?}");
        }
        let counts = WorkCounts { changed: Some(0), stashes: Some(2), ..WorkCounts::default() };
        assert_eq!(merge_word(&WorkSummary { counts, ..WorkSummary::default() }), "-, 2 stashed");
    }

    #[test]
    fn numbers_fit_a_line() {
        let counts = |changed, ahead, stashes, size| WorkCounts { changed, ahead, stashes, size };
        for (counts, expected) in [
            (counts(None, None, None, None), ""),
            (counts(Some(0), Some(0), Some(0), None), "clean"),
            (counts(Some(3), Some(2), Some(1), Some(12_345_678)), "3 changed, 2 ahead, 1 stashed, 12 MB"),
            (counts(Some(0), Some(0), Some(0), Some(999_600)), "clean, 1.0 MB"),
        ] {
            assert_eq!(short(&counts), expected);
        }
    }
}
