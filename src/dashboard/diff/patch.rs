//! The lines of a patch.

/// Maximum length of a line in characters. Longer lines are cut.
const MAX_LINE_CHARS: usize = 1000;

/// The line before the encoded content of a binary file.
const BINARY: &str = "GIT binary patch";

/// What a line of a patch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// The head line of a hunk.
    Hunk,
    Context,
    Added,
    Removed,
    /// A remark of git, such as a mode or a missing line end.
    Remark,
}

/// One line of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiffLine {
    pub(crate) kind: LineKind,
    /// Number of the line in the base.
    pub(crate) old: Option<u64>,
    /// Number of the line in the working tree.
    pub(crate) new: Option<u64>,
    /// The line without its sign.
    pub(crate) text: String,
}

/// Parses the patch of a file. The content of a binary file is left out.
pub(crate) fn parse(patch: &str) -> Vec<DiffLine> {
    let mut lines = Vec::new();
    let (mut old, mut new, mut left) = (0, 0, (0, 0));
    for line in patch.lines() {
        let is_in_hunk = left != (0, 0);
        if line == BINARY && !is_in_hunk {
            let text = "binary file".to_owned();
            lines.push(DiffLine { kind: LineKind::Remark, old: None, new: None, text });
            break;
        }
        let (kind, text) = match line.as_bytes().first() {
            Some(b'+') if is_in_hunk => (LineKind::Added, &line[1..]),
            Some(b'-') if is_in_hunk => (LineKind::Removed, &line[1..]),
            Some(b' ') if is_in_hunk => (LineKind::Context, &line[1..]),
            None if is_in_hunk => (LineKind::Context, line),
            Some(b'\\') => (LineKind::Remark, line),
            Some(b'@') if let Some(head) = hunk_head(line) => {
                (old, new, left) = (head.old, head.new, (head.old_count, head.new_count));
                (LineKind::Hunk, line)
            }
            // The names of the file and the ids of its versions are shown elsewhere.
            _ if ["diff --git ", "index ", "--- ", "+++ "].iter().any(|start| line.starts_with(start)) => {
                continue;
            }
            _ => (LineKind::Remark, line),
        };
        let (is_old, is_new) = match kind {
            LineKind::Context => (true, true),
            LineKind::Removed => (true, false),
            LineKind::Added => (false, true),
            LineKind::Hunk | LineKind::Remark => (false, false),
        };
        let text = text.trim_end_matches('\r').chars().take(MAX_LINE_CHARS).collect();
        lines.push(DiffLine { kind, old: is_old.then_some(old), new: is_new.then_some(new), text });
        (old, new) = (old + u64::from(is_old), new + u64::from(is_new));
        left = (left.0 - u64::from(is_old && left.0 > 0), left.1 - u64::from(is_new && left.1 > 0));
    }
    lines
}

/// The ranges in the head line of a hunk.
struct HunkHead {
    old: u64,
    old_count: u64,
    new: u64,
    new_count: u64,
}

/// Parses `@@ -1,2 +3,4 @@`. A count of 1 may be left out.
fn hunk_head(line: &str) -> Option<HunkHead> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((old, old_count), (new, new_count)) = (range(old)?, range(new)?);
    Some(HunkHead { old, old_count, new, new_count })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_have_the_numbers_of_both_versions() {
        let patch = "diff --git a/x b/x\nold mode 100644\nindex 1..2 100644\n--- a/x\n+++ b/x\n\
                     @@ -3,3 +3,3 @@ fn x\n a\n--- b\n+++ c\n d\n@@ -9 +9,0 @@\n-e\n\\ No newline at end of file\n";
        let found = parse(patch);
        let numbers: Vec<_> =
            found.iter().map(|line| (line.kind, line.old, line.new, line.text.as_str())).collect();
        assert_eq!(
            numbers,
            [
                (LineKind::Remark, None, None, "old mode 100644"),
                (LineKind::Hunk, None, None, "@@ -3,3 +3,3 @@ fn x"),
                (LineKind::Context, Some(3), Some(3), "a"),
                (LineKind::Removed, Some(4), None, "-- b"),
                (LineKind::Added, None, Some(4), "++ c"),
                (LineKind::Context, Some(5), Some(5), "d"),
                (LineKind::Hunk, None, None, "@@ -9 +9,0 @@"),
                (LineKind::Removed, Some(9), None, "e"),
                (LineKind::Remark, None, None, "\\ No newline at end of file"),
            ]
        );
    }

    #[test]
    fn the_content_of_a_binary_file_is_left_out() {
        let patch =
            "diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 2\nJcmZQz1ONa700IC2\n\nliteral 0\n";
        let texts: Vec<_> = parse(patch).into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["binary file"]);
        assert_eq!(parse("@@ -1 +1 @@\n-a\n+GIT binary patch\n").len(), 3);
    }

    proptest! {
        #[test]
        fn any_text_can_be_parsed(text in "(@@ -[0-9]{1,3}(,[0-9])? \\+[0-9]{1,2},[0-9] @@|[-+ \\\\@a]{0,3}|日)?(\n[-+ @].{0,4}){0,8}") {
            parse(&text);
        }
    }
}
