//! Texts for snapshots: varying values are replaced by placeholders.

use regex_lite::Regex;

/// The replaced patterns, in this order, because an id would otherwise be taken for a number.
const VARYING: &[(&str, &str)] = &[
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "[UUID]"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?", "[TIME]"),
    (r"\b\d+(\.\d+)?(ms|s|m|h|d) ago\b", "[AGE] ago"),
    (r"\b\d+(\.\d+)?(ms|s)\b", "[DURATION]"),
    (r#"("pid": ?)\d+"#, "$1[PID]"),
    (r"\b(pid:? )\d+", "$1[PID]"),
    (r#"("server": ?")\d+:\d+"#, "$1[SERVER]"),
    (r"%\d+\b", "[PANE]"),
];

/// Returns the text with placeholders for the environment's directory and all varying values.
pub fn redacted(text: &str, root: &str) -> String {
    let mut text = text.replace(root, "[ROOT]");
    for (pattern, word) in VARYING {
        let pattern = Regex::new(pattern).expect("a constant pattern");
        text = pattern.replace_all(&text, *word).into_owned();
    }
    text
}
