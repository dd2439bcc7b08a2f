//! Tracks the position (commit, file, line) in a patch or in the output of `git log -p`. Counts the lines that a hunk
//! header announces, so that a line of a file is never mistaken for one of git's own lines.

/// The current position in a patch or log. Advances with each line passed to [`PatchPosition::step`].
#[derive(Debug, Clone, Default)]
pub struct PatchPosition {
    /// The first 12 digits of the commit id; empty in a patch.
    pub commit: String,
    /// The file name as git prints it; empty outside of a file.
    pub file: String,
    /// The line number in the file, or `None` if the line is not part of a hunk.
    pub line: Option<u64>,
    /// Whether the input is a log with commits.
    has_commits: bool,
    /// Remaining lines of the current hunk: of the old file and of the new one.
    left: (u64, u64),
    /// Numbers of the next lines: of the old file and of the new one.
    next: (u64, u64),
}

/// The kind of a line in a patch or log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchLine {
    /// The first line of a commit.
    Commit,
    /// The first line of a file's changes (`diff --git`).
    File,
    /// The header of a hunk (`@@`).
    Piece,
    /// Any other line.
    Other,
}

impl PatchPosition {
    /// Returns the position at the beginning of a log, in which each commit begins with `commit ID`.
    pub fn in_log() -> PatchPosition {
        PatchPosition { has_commits: true, ..PatchPosition::default() }
    }

    /// Advances to this line and returns its kind.
    pub fn step(&mut self, line: &str) -> PatchLine {
        self.line = None;
        if self.left != (0, 0) {
            self.step_within(line);
            return PatchLine::Other;
        }
        let is_id = |id: &&str| id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let Some(id) = line.strip_prefix("commit ").filter(is_id).filter(|_| self.has_commits) {
            *self = PatchPosition { commit: id[..12].to_owned(), ..PatchPosition::in_log() };
            return PatchLine::Commit;
        }
        if line.starts_with("diff --git ") {
            self.file.clear();
            return PatchLine::File;
        }
        if let Some(name) = line.strip_prefix("+++ b/").or_else(|| line.strip_prefix("--- a/")) {
            self.file = name.to_owned();
        } else if let Some((old, new)) = piece(line) {
            (self.next, self.left) = ((old.0, new.0), (old.1, new.1));
            return PatchLine::Piece;
        }
        PatchLine::Other
    }

    fn step_within(&mut self, line: &str) {
        let (old, new) = match line.as_bytes().first() {
            Some(b'+') => (0, 1),
            Some(b'-') => (1, 0),
            Some(b'\\') => (0, 0),
            _ => (1, 1),
        };
        self.line = match (old, new) {
            (0, 0) => None,
            (_, 0) => Some(self.next.0),
            (_, _) => Some(self.next.1),
        };
        self.next = (self.next.0 + old, self.next.1 + new);
        self.left = (self.left.0.saturating_sub(old), self.left.1.saturating_sub(new));
    }
}

/// Parses the first line number and the line count of both files from `@@ -1,2 +3,4 @@`.
fn piece(line: &str) -> Option<((u64, u64), (u64, u64))> {
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let mut range = |sign: char| {
        let text = words.next()?.strip_prefix(sign)?;
        let (first, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((first.parse().ok()?, count.parse().ok()?))
    };
    Some((range('-')?, range('+')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_patch_line_has_a_position() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let text = format!(
            "commit {id}\nsubject\ncommit {id}x\ndiff --git a/one b/one\n--- a/one\n+++ b/one\n@@ -3,2 +3,3 @@ fn x\n same\n\
             -old\n+new\n+++ b/two\n\\ No newline at end of file\ndiff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n\
             @@ -1 +0,0 @@\n-commit {id}\ncommit {id}\nlast"
        );
        let mut position = PatchPosition::in_log();
        let seen: Vec<(String, Option<u64>)> = text
            .lines()
            .map(|line| {
                position.step(line);
                (position.file.clone(), position.line)
            })
            .collect();
        let at = |file: &str, line: u64| (file.to_owned(), Some(line));
        assert_eq!(seen[7..11], [at("one", 3), at("one", 4), at("one", 4), at("one", 5)]);
        assert_eq!(seen[11], ("one".to_owned(), None));
        assert_eq!(seen[16], at("gone", 1));
        assert_eq!(seen[18], (String::new(), None));
        assert_eq!(position.commit, "0123456789ab");
    }

    #[test]
    fn stored_text_is_not_taken_for_git_output() {
        let mut position = PatchPosition::default();
        for line in ["diff --git a/a b/a", "--- a/a", "+++ b/a", "@@ -0,0 +1,2 @@"] {
            position.step(line);
        }
        assert_eq!(position.step("+diff --git a/b b/b"), PatchLine::Other);
        assert_eq!(position.step("+++ b/evil"), PatchLine::Other);
        assert_eq!((position.file.as_str(), position.line), ("a", Some(2)));
        assert_eq!(position.step("@@ -1 +x @@"), PatchLine::Other);
    }
}
