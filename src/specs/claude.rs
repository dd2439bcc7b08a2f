//! Reads the files of `.claude/agents/*.md`, which have `name`, `description` and `model` in their front matter.
//!
//! In these files, `tools` lists all tools that the agent has, each of which still needs an approval; in our specs,
//! `tools` lists those that need none. With our meaning, an untrusted file could run commands without approval, so
//! they are reported and not passed on. The files belong to another program. Values that it supports and that cannot
//! be passed on are reported, not dropped; front matter that is not valid YAML is read line by line, because
//! descriptions with a colon are common.

use super::syntax::position::{Place, Wrong};
use super::syntax::tree::{KeyNode, Node, Table, Value};
use super::syntax::yaml;

/// The kind that reads these files.
const KIND: &str = "claude";
/// The keys that are passed on.
const OURS: [&str; 3] = ["name", "description", "model"];
/// Keys that do not affect what the agent may do.
const HARMLESS: [&str; 2] = ["color", "displayName"];

/// Translates such front matter to our keys, and returns what cannot be passed on.
pub(super) fn read(front: &str) -> (Table, Vec<String>) {
    let said = yaml::parse(front, 2).or_else(|_| line_by_line(front)).unwrap_or_default();
    let mut table: Table = vec![entry(Place::START, "kind", KIND)];
    let mut unsaid = Vec::new();
    for (key, node) in said {
        match key.text.as_str() {
            "model" if node.text() == Some("inherit") => {}
            "tools" if node.text() == Some("*") => {}
            name if OURS.contains(&name) => table.push((key, node)),
            name if HARMLESS.contains(&name) => {}
            name => unsaid.push(name.escape_debug().take(40).collect::<String>()),
        }
    }
    let remarks = match unsaid.as_slice() {
        [] => vec![],
        keys => vec![format!("its file also says {}, which is not passed on", keys.join(", "))],
    };
    (table, remarks)
}

/// Reads lines of the form `key: anything` with a supported key in the first column.
fn line_by_line(front: &str) -> Result<Table, Wrong> {
    let mut table = Table::new();
    for (at, line) in front.lines().enumerate() {
        if let Some((key, value)) = line.split_once(':')
            && !table.iter().any(|(known, _)| known.text == key)
            && !key.is_empty()
            && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            && !value.trim().is_empty()
        {
            table.push(entry(Place { line: at + 2, column: 1 }, key, value.trim()));
        }
    }
    Ok(table)
}

fn entry(at: Place, key: &str, value: &str) -> (KeyNode, Node) {
    (KeyNode { at, text: key.to_owned() }, Node { at, value: Value::Bare(value.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(front: &str) -> (Vec<(String, String)>, Vec<String>) {
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
    fn what_we_share_is_taken_and_the_rest_is_said() {
        let (table, remarks) = said(
            "name: reviewer\ntools: Read, Grep\nmodel: inherit\ncolor: red\ndisallowedTools: Bash\nhooks:\n  Stop: []\n",
        );
        assert_eq!(table, pairs(&[("kind", "claude"), ("name", "reviewer")]));
        assert_eq!(remarks, ["its file also says tools, disallowedTools, hooks, which is not passed on"]);
    }

    #[test]
    fn a_description_that_is_not_quite_yaml_is_read_all_the_same() {
        let (table, _) = said("name: x\ndescription: Use when: a: b <example>\ntools: *\nmodel: opus\n");
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
