//! Finds one entry of a registry without parsing the others.
//!
//! This works on the lines of a text with the layout that symposium writes. Otherwise the caller has to parse all
//! entries.

use std::collections::HashMap;

use serde::Deserialize;

use crate::model::{AgentName, AgentRecord, Status};
use crate::store::registry::schema::HEAD;

/// Returns the record with this name, if the text has our layout and a line for it. `None` does not mean that the
/// record does not exist.
pub(in crate::store) fn line(bytes: &[u8], name: &AgentName) -> Option<AgentRecord> {
    let lines = str::from_utf8(bytes).ok()?.strip_prefix(HEAD)?;
    let key = format!("\"{name}\":");
    let entry = lines.split('\n').find_map(|line| line.strip_prefix(&key))?;
    let entry = entry.strip_suffix(',').unwrap_or(entry);
    // A user may have formatted an entry by hand, and the line may be a part of it: only a complete record counts.
    let record: AgentRecord = serde_json::from_str(entry).ok()?;
    (record.name == *name).then_some(record)
}

/// Returns the number of entries with a live status, or `None` if the text is not a registry of the current format.
pub(in crate::store) fn count_live(bytes: &[u8]) -> Option<usize> {
    let text = str::from_utf8(bytes).ok()?;
    count_lines(text).or_else(|| {
        let registry: Brief = serde_json::from_str(text).ok()?;
        Some(registry.sessions.values().filter(|entry| entry.status.status.is_live()).count())
    })
}

/// Counts live entries in the lines of our own layout, in which an entry contains its status once. `None` means that
/// the lines are not sufficient.
fn count_lines(text: &str) -> Option<usize> {
    let mut live = 0;
    for line in text.strip_prefix(HEAD)?.split('\n') {
        if line.starts_with('}') {
            return Some(live);
        }
        // Quotes inside a JSON string are escaped with a backslash, so that no string value can look like this.
        let mut statuses = line.split("\"status\":{\"status\":\"").skip(1);
        let (Some(first), None) = (statuses.next(), statuses.next()) else { return None };
        let word = first.split('"').next().unwrap_or_default();
        live += usize::from(word.parse::<Status>().ok()?.is_live());
    }
    None
}

/// Returns whether an entry may name one of these agents as its parent. `false` is certain.
pub(in crate::store) fn may_be_parents(bytes: &[u8], names: &[AgentName]) -> bool {
    const KEY: &str = "\"parent\"";
    let Some(lines) = str::from_utf8(bytes).ok().and_then(|text| text.strip_prefix(HEAD)) else {
        return true;
    };
    let named = |parent: &str| names.iter().any(|name| parent.split('"').next() == Some(name.as_str()));
    lines.match_indices(KEY).any(|(at, _)| {
        let value = &lines[at + KEY.len()..];
        match value.strip_prefix(":\"") {
            Some(parent) => named(parent),
            // Another program may have written spaces between the key and the value.
            None => !value.starts_with(":null"),
        }
    })
}

#[derive(Deserialize)]
struct Brief {
    sessions: HashMap<String, BriefEntry>,
}

#[derive(Deserialize)]
struct BriefEntry {
    status: BriefNote,
}

#[derive(Deserialize)]
struct BriefNote {
    status: Status,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_counts_equal_those_of_the_full_parser() {
        let entry = |name: &str, status: &str| {
            format!("\"{name}\":{{\"title\":\"\\\"status\\\":{{\",\"status\":{{\"status\":\"{status}\"}}}}")
        };
        let both = |texts: &[String]| format!("{HEAD}{}\n}}}}\n", texts.join(",\n"));
        for (text, by_lines, counted) in [
            (format!("{HEAD}\n}}}}\n"), None, Some(0)),
            (both(&[entry("a", "working")]), Some(1), Some(1)),
            (both(&[entry("a", "stopped"), entry("b", "idle"), entry("c", "waiting")]), Some(2), Some(2)),
            // If an entry was formatted by hand, comes from a newer version or is truncated, the lines are not
            // sufficient.
            (both(&["\"a\":{\"status\": {\"status\":\"idle\"}}".to_owned()]), None, Some(1)),
            (
                both(&["\"a\":{\"x\":{\"status\":{\"status\":\"idle\"}},\"status\":{\"status\":\"lost\"}}"
                    .to_owned()]),
                None,
                Some(0),
            ),
            (both(&[entry("a", "dreaming")]), None, None),
            (format!("{HEAD}{}", entry("a", "working")), None, None),
            (String::new(), None, None),
        ] {
            assert_eq!(count_lines(&text), by_lines, "{text}");
            assert_eq!(count_live(text.as_bytes()), counted, "{text}");
        }
    }

    #[test]
    fn only_unreferenced_agents_are_certainly_no_parents() {
        let names: Vec<AgentName> = ["a", "b-c"].map(|name| name.parse().unwrap()).into();
        for (text, may) in [
            ("", true),
            ("{\"format\":1, \"sessions\":{}}", true),
            (&format!("{HEAD}}}}}"), false),
            (&format!("{HEAD}\"x\":{{\"parent\":null}}"), false),
            (&format!("{HEAD}\"x\":{{\"parent\":\"ab\"}},\n\"a\":{{\"parent\":\"b\"}}"), false),
            (&format!("{HEAD}\"x\":{{\"parent\":null}},\n\"y\":{{\"parent\":\"b-c\"}}"), true),
            (&format!("{HEAD}\"x\":{{\"parent\": \"z\"}}"), true),
        ] {
            assert_eq!(may_be_parents(text.as_bytes(), &names), may, "{text}");
        }
    }
}
