//! Finds the lines of a comment in a file that has changed since.
//!
//! The snippet must occur literally. If it occurs several times, the occurrence counts that has the most of the former
//! neighbouring lines around it, and among equal ones the nearest to the former place. A snippet without a letter or
//! digit, such as `}`, occurs everywhere; it is only found if a neighbouring line is found with it.

use std::ops::Range;

use crate::model::{AnchoredLines, LineRange};

/// Number of lines before and after a snippet that are kept.
const CONTEXT_LINES: usize = 3;

/// Maximum length of a kept line in characters. Files without line breaks have lines of any length.
const MAX_LINE_CHARS: usize = 1000;

/// Returns the lines of a text, as they are kept and compared.
pub fn lines_of(text: &str) -> Vec<String> {
    let kept = |line: &str| line.trim_end_matches('\r').chars().take(MAX_LINE_CHARS).collect();
    text.lines().map(kept).collect()
}

/// Returns the lines in a range with their neighbours, or `None` if the file ends before the end of the range.
pub fn anchor(file: &[String], lines: LineRange) -> Option<AnchoredLines> {
    let first = usize::try_from(lines.first).ok()?.checked_sub(1)?;
    let end = usize::try_from(lines.last).ok()?;
    let snippet = file.get(first..end).filter(|snippet| !snippet.is_empty())?;
    Some(AnchoredLines {
        lines,
        snippet: snippet.to_vec(),
        before: file[first.saturating_sub(CONTEXT_LINES)..first].to_vec(),
        after: file[end..file.len().min(end + CONTEXT_LINES)].to_vec(),
    })
}

/// Returns where the lines of a comment are now, or `None` if they have changed.
pub fn locate(anchor: &AnchoredLines, file: &[String]) -> Option<LineRange> {
    let length = anchor.snippet.len();
    if length == 0 || file.len() < length {
        return None;
    }
    let former = usize::try_from(anchor.lines.first).ok()?.saturating_sub(1);
    let has_word = anchor.snippet.iter().any(|line| line.chars().any(char::is_alphanumeric));
    let had_neighbour = !anchor.before.is_empty() || !anchor.after.is_empty();
    let needs_neighbour = !has_word && had_neighbour;
    (0..=file.len() - length)
        .filter(|at| file[*at..at + length] == anchor.snippet[..])
        .map(|at| (neighbours(anchor, file, at..at + length), at))
        .filter(|(found, _)| *found > 0 || !needs_neighbour)
        .max_by_key(|(found, at)| (*found, std::cmp::Reverse(at.abs_diff(former))))
        .map(|(_, at)| LineRange { first: at as u64 + 1, last: (at + length) as u64 })
}

/// Returns how many of the former neighbours surround an occurrence, counted outwards until the first difference.
fn neighbours(anchor: &AnchoredLines, file: &[String], at: Range<usize>) -> usize {
    let equal = |(left, right): &(&String, &String)| left == right;
    let before = file[..at.start].iter().rev().zip(anchor.before.iter().rev()).take_while(equal).count();
    let after = file[at.end..].iter().zip(&anchor.after).take_while(equal).count();
    before + after
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range(first: u64, last: u64) -> LineRange {
        LineRange { first, last }
    }

    fn located(before: &str, lines: LineRange, after: &str) -> Option<LineRange> {
        locate(&anchor(&lines_of(before), lines).expect("the lines exist"), &lines_of(after))
    }

    #[test]
    fn moved_lines_are_found_by_their_content() {
        let before = "a\nb\nlet x = 1;\nlet y = 2;\nc\n";
        assert_eq!(located(before, range(3, 4), before), Some(range(3, 4)));
        assert_eq!(located(before, range(3, 4), &format!("new\nnew\n{before}")), Some(range(5, 6)));
        assert_eq!(located(before, range(3, 4), "let x = 1;\r\nlet y = 2;\r\n"), Some(range(1, 2)));
    }

    #[test]
    fn changed_or_deleted_lines_are_not_found() {
        let before = "a\nlet x = 1;\nb\n";
        assert_eq!(located(before, range(2, 2), "a\nlet x = 2;\nb\n"), None);
        assert_eq!(located(before, range(2, 2), "a\nb\n"), None);
        assert_eq!(located(before, range(2, 2), ""), None);
        assert_eq!(located("x\ny\n", range(1, 2), "x\n"), None);
    }

    #[test]
    fn the_occurrence_with_the_same_neighbours_counts() {
        let before = "fn a() {\n    run();\n}\nfn b() {\n    run();\n}\n";
        let after = "use x;\nuse y;\nuse z;\nfn a() {\n    run();\n}\nfn b() {\n    run();\n}\n";
        // The third line would be nearer to the line in `a`.
        assert_eq!(located(before, range(5, 5), after), Some(range(8, 8)));
        assert_eq!(located(before, range(2, 2), after), Some(range(5, 5)));
        // Without any neighbour the nearest occurrence counts.
        assert_eq!(located("1\nrun\n2\n", range(2, 2), "run\n5\n6\nrun\n"), Some(range(1, 1)));
    }

    #[test]
    fn a_brace_alone_is_no_evidence() {
        let before = "fn a() {\n    run();\n}\n";
        assert_eq!(located(before, range(3, 3), "fn other() {\n    wait();\n}\n"), None);
        assert_eq!(located(before, range(3, 3), "// new\nfn a() {\n    run();\n}\n"), Some(range(4, 4)));
        assert_eq!(located("}\n", range(1, 1), "}\n"), Some(range(1, 1)));
    }

    #[test]
    fn lines_outside_of_the_file_have_no_anchor() {
        let file = lines_of("a\nb");
        assert_eq!(anchor(&file, range(2, 3)), None);
        assert_eq!(anchor(&file, range(0, 1)), None);
        assert_eq!(anchor(&lines_of(""), range(1, 1)), None);
        assert_eq!(anchor(&file, range(2, 2)).map(|found| found.snippet), Some(vec!["b".to_owned()]));
    }

    proptest! {
        #[test]
        fn lines_inserted_above_move_a_comment_by_their_number(
            unique in 2usize..30, at in 0usize..29, inserted in 0usize..20,
        ) {
            let at = at % unique;
            let text: String = (0..unique).map(|n| format!("line {n}\n")).collect();
            let above: String = (0..inserted).map(|n| format!("inserted {n}\n")).collect();
            let line = at as u64 + 1;
            let moved = line + inserted as u64;
            prop_assert_eq!(located(&text, range(line, line), &format!("{above}{text}")), Some(range(moved, moved)));
        }

        #[test]
        fn a_found_place_has_the_snippet(before in "[ab}\n]{1,40}", after in "[ab}\n]{0,40}", line in 1u64..10) {
            let (before, after) = (lines_of(&before), lines_of(&after));
            if let Some(wanted) = anchor(&before, range(line, line)) && let Some(found) = locate(&wanted, &after) {
                let index = usize::try_from(found.first).unwrap() - 1;
                prop_assert_eq!(&after[index], &wanted.snippet[0]);
            }
        }
    }
}
