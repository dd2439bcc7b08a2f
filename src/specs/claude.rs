//! Reads the files of `.claude/agents/*.md`, which have `name`, `description` and `model` in their front matter.
//!
//! In these files, `tools` lists all tools that the agent has, each of which still needs an approval; in our specs,
//! `tools` lists those that need none. With our meaning, an untrusted file could run commands without approval, so
//! they are reported and not passed on. The files belong to another program. Values that it supports and that cannot
//! be passed on are reported, not dropped; front matter that is not valid YAML is read line by line, because
//! descriptions with a colon are common.

use super::syntax::tree::{KeyNode, Node, NodeValue, Table};
use super::syntax::yaml;
use crate::base::source_text::{LocatedMistake, Position};

/// The kind that reads these files.
const KIND: &str = "claude";
/// The keys that are passed on.
const SUPPORTED_KEYS: [&str; 3] = ["name", "description", "model"];
/// Keys that do not affect what the agent may do.
const HARMLESS: [&str; 2] = ["color", "displayName"];

/// Translates such front matter to our keys, and returns what cannot be passed on.
pub(super) fn read(front: &str) -> (Table, Vec<String>) {
    let keys = yaml::parse(front, 2).or_else(|_| line_by_line(front)).unwrap_or_default();
    let mut table: Table = vec![entry(Position::START, "kind", KIND)];
    let mut ignored = Vec::new();
    for (key, node) in keys {
        match key.text.as_str() {
            "model" if node.text() == Some("inherit") => {}
            "tools" if node.text() == Some("*") => {}
            name if SUPPORTED_KEYS.contains(&name) => table.push((key, node)),
            name if HARMLESS.contains(&name) => {}
            name => ignored.push(name.escape_debug().take(40).collect::<String>()),
        }
    }
    let remarks = match ignored.as_slice() {
        [] => vec![],
        keys => vec![format!("its file also sets {}, which is ignored", keys.join(", "))],
    };
    (table, remarks)
}

/// Reads lines of the form `key: anything` with a supported key in the first column.
fn line_by_line(front: &str) -> Result<Table, LocatedMistake> {
    let mut table = Table::new();
    for (at, line) in front.lines().enumerate() {
        if let Some((key, value)) = line.split_once(':')
            && !table.iter().any(|(known, _)| known.text == key)
            && !key.is_empty()
            && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            && !value.trim().is_empty()
        {
            table.push(entry(Position { line: at + 2, column: 1 }, key, value.trim()));
        }
    }
    Ok(table)
}

fn entry(at: Position, key: &str, value: &str) -> (KeyNode, Node) {
    (KeyNode { at, text: key.to_owned() }, Node { at, value: NodeValue::Bare(value.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(front: &str) -> (Vec<(String, String)>, Vec<String>) {
        let (table, remarks) = read(front);
        (
            table.into_iter().map(|(key, node)| (key.text, node.text().unwrap_or("…").to_owned())).collect(),
            remarks,
        )
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn supported_options_are_used_and_others_reported() {
        let (table, remarks) = keys(
            "name: reviewer\ntools: Read, Grep\nmodel: inherit\ncolor: red\ndisallowedTools: Bash\nhooks:\n  Stop: []\n",
        );
        assert_eq!(table, pairs(&[("kind", "claude"), ("name", "reviewer")]));
        assert_eq!(remarks, ["its file also sets tools, disallowedTools, hooks, which is ignored"]);
    }

    #[test]
    fn description_with_invalid_yaml_is_still_read() {
        let (table, _) = keys("name: x\ndescription: Use when: a: b <example>\ntools: *\nmodel: opus\n");
        assert_eq!(
            table,
            pairs(&[
                ("kind", "claude"),
                ("name", "x"),
                ("description", "Use when: a: b <example>"),
                ("model", "opus")
            ])
        );
    }
}
