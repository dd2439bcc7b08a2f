//! The file and lines that a user names: `FILE:LINE` or `FILE:FIRST-LAST`.

use std::path::{Component, Path};

use crate::model::LineRange;

/// Maximum number of lines that one comment covers. A longer snippet would fill the prompt.
pub const MAX_COMMENT_LINES: u64 = 400;

/// A file and a range of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentTarget {
    /// Path of the file, as the user wrote it.
    pub file: String,
    /// Range of lines in that file.
    pub lines: LineRange,
}

/// Reason why a text names no lines of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTarget {
    /// There is no line number after a colon.
    #[error("it has no line number; write FILE:LINE or FILE:FIRST-LAST")]
    NoLine,
    /// There is no file before the colon.
    #[error("it has no file; write FILE:LINE or FILE:FIRST-LAST")]
    NoFile,
    /// The last line comes before the first one.
    #[error("the last line comes before the first one")]
    Reversed,
    /// The range is too long.
    #[error("a comment covers at most {MAX_COMMENT_LINES} lines")]
    TooLong,
}

impl CommentTarget {
    /// Parses `FILE:LINE` or `FILE:FIRST-LAST`. The name of the file may contain colons.
    pub fn parse(text: &str) -> Result<CommentTarget, InvalidTarget> {
        let (file, lines) = text.rsplit_once(':').ok_or(InvalidTarget::NoLine)?;
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse::<u64>().ok()).flatten().filter(|number| *number > 0)
        };
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let (Some(first), Some(last)) = (number(first), number(last)) else {
            return Err(InvalidTarget::NoLine);
        };
        if file.is_empty() {
            return Err(InvalidTarget::NoFile);
        }
        if last < first {
            return Err(InvalidTarget::Reversed);
        }
        let lines = LineRange { first, last };
        if last - first >= MAX_COMMENT_LINES {
            return Err(InvalidTarget::TooLong);
        }
        Ok(CommentTarget { file: file.to_owned(), lines })
    }
}

/// Returns a path relative to the root of a working tree, as git writes it, or `None` if it leads out of the tree.
pub fn path_in_tree(file: &str, top: &Path) -> Option<String> {
    let path = Path::new(file);
    let path = if path.is_absolute() { path.strip_prefix(top).ok()? } else { path };
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_parsed_from_the_end_of_the_text() {
        let target = |file: &str, first, last| {
            Ok(CommentTarget { file: file.to_owned(), lines: LineRange { first, last } })
        };
        assert_eq!(CommentTarget::parse("src/lib.rs:3"), target("src/lib.rs", 3, 3));
        assert_eq!(CommentTarget::parse("a:b c:10-12"), target("a:b c", 10, 12));
        for (text, why) in [
            ("src/lib.rs", InvalidTarget::NoLine),
            ("src/lib.rs:", InvalidTarget::NoLine),
            ("src/lib.rs:0", InvalidTarget::NoLine),
            ("src/lib.rs:+3", InvalidTarget::NoLine),
            ("src/lib.rs:3-", InvalidTarget::NoLine),
            ("src/lib.rs:99999999999999999999", InvalidTarget::NoLine),
            (":3", InvalidTarget::NoFile),
            ("a:3-2", InvalidTarget::Reversed),
            ("a:1-18446744073709551615", InvalidTarget::TooLong),
        ] {
            assert_eq!(CommentTarget::parse(text), Err(why), "{text}");
        }
    }

    #[test]
    fn paths_stay_inside_the_tree() {
        let top = Path::new("/work/tree");
        assert_eq!(path_in_tree("./src//lib.rs", top).as_deref(), Some("src/lib.rs"));
        assert_eq!(path_in_tree("/work/tree/a", top).as_deref(), Some("a"));
        for outside in ["", ".", "../a", "a/../../b", "/work/other/a", "/work/tree"] {
            assert_eq!(path_in_tree(outside, top), None, "{outside}");
        }
    }
}
