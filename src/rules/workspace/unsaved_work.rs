//! Describes the unsaved work in an agent's workspace in sentences.

use crate::model::{ChangedFile, UnsavedWork, WorkCounts, is_deceptive};

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

fn many(count: u64, what: &str) -> String {
    match (count, what) {
        (1, _) => format!("1 {what}"),
        (_, "stash") => format!("{count} stashes"),
        _ => format!("{count} {what}s"),
    }
}

/// Formats a size with a decimal unit.
fn bytes(size: u64) -> String {
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
