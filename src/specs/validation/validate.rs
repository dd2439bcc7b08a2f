//! Validates values against the table of keys and reports every error with the allowed values. Reads no file.

use crate::base::source_text::LocatedMistake;
use crate::base::suggest::{allowed, nearest};
use crate::model::{AgentName, Cron, bad_pattern};
use crate::specs::syntax::tree::{Node, Table};
use crate::specs::validation::keys::{
    HEARTBEAT, PROMPT, ROLES, SpecKey, ValueShape, WORKSPACE, WORKSPACE_MODES,
};
use crate::specs::{param, validation::value_rules};

/// Collects the errors of a table with these keys; `inside` is the key whose value the table is.
pub(in crate::specs) fn check_table(
    keys: &[&SpecKey],
    table: &Table,
    inside: Option<&str>,
    mistakes: &mut Vec<LocatedMistake>,
) {
    for (key, node) in table {
        let name = match inside {
            Some(inside) => format!("{inside}.{}", shown(&key.text)),
            None => shown(&key.text),
        };
        match keys.iter().find(|known| known.name == key.text) {
            Some(known) => check(&name, &known.shape, node, mistakes),
            None => {
                let names: Vec<&str> = keys.iter().map(|known| known.name).collect();
                let message = format!("unknown key `{name}`{}", allowed(&key.text, &names));
                mistakes.push(LocatedMistake::new(key.at, message));
            }
        }
    }
}

/// Collects the errors of a key's value.
pub(in crate::specs) fn check(
    name: &str,
    shape: &ValueShape,
    node: &Node,
    mistakes: &mut Vec<LocatedMistake>,
) {
    match shape {
        ValueShape::Text => text(name, node, mistakes, value_rules::text),
        ValueShape::Line => text(name, node, mistakes, value_rules::line),
        ValueShape::Path => text(name, node, mistakes, value_rules::line),
        ValueShape::Role => text(name, node, mistakes, role),
        ValueShape::Kind | ValueShape::SpecName => text(name, node, mistakes, |text| {
            text.parse::<AgentName>().map(drop).map_err(|why| format!("is not a valid name: {why}"))
        }),
        ValueShape::Word(known) => text(name, node, mistakes, |text| one_of(text, known)),
        ValueShape::Words(known) => list(name, node, mistakes, |name, node, mistakes| {
            text(name, node, mistakes, |text| one_of(text, known));
        }),
        ValueShape::Command => command(name, node, mistakes),
        ValueShape::Texts => texts(name, node, mistakes),
        ValueShape::Tools if node.text().is_some() => text(name, node, mistakes, value_rules::line),
        ValueShape::Tools => {
            list(name, node, mistakes, |name, node, mistakes| text(name, node, mistakes, value_rules::line))
        }
        ValueShape::Flag if node.flag().is_none() => wrong_sort(name, "`true` or `false`", node, mistakes),
        ValueShape::Count => count(name, node, mistakes),
        ValueShape::Span => text(name, node, mistakes, |text| value_rules::span(text).map(drop)),
        ValueShape::Cron => text(name, node, mistakes, |text| {
            text.parse::<Cron>().map(drop).map_err(|why| format!("is not a cron expression: {why}"))
        }),
        ValueShape::Scalar if node.text().is_none() && node.int().is_none() && node.flag().is_none() => {
            wrong_sort(name, "a text, a number, `true` or `false`", node, mistakes);
        }
        ValueShape::Prompt if node.text().is_some() => text(name, node, mistakes, value_rules::text),
        ValueShape::Prompt => prompt(name, node, mistakes),
        ValueShape::Heartbeat if node.flag() == Some(false) => {}
        ValueShape::Heartbeat => heartbeat(name, node, mistakes),
        ValueShape::Workspace if node.text().is_some() => {
            text(name, node, mistakes, |text| one_of(text, WORKSPACE_MODES))
        }
        ValueShape::Workspace if node.table().is_none() => {
            let wanted = format!("one of {}, or a table of mode, copy, setup", WORKSPACE_MODES.join(", "));
            wrong_sort(name, &wanted, node, mistakes);
        }
        ValueShape::Workspace => fields(name, WORKSPACE, node, mistakes),
        ValueShape::Patterns => list(name, node, mistakes, |name, node, mistakes| {
            text(name, node, mistakes, |text| bad_pattern(text).map_or(Ok(()), |why| Err(why.to_owned())));
        }),
        ValueShape::ShellLines => list(name, node, mistakes, |name, node, mistakes| {
            text(name, node, mistakes, value_rules::shell_line)
        }),
        ValueShape::Env => env(name, node, mistakes),
        ValueShape::Params => param::check_all(name, node, mistakes),
        ValueShape::Table(keys) => fields(name, keys, node, mistakes),
        ValueShape::Flag | ValueShape::Scalar => {}
    }
}

/// Collects the errors of a value that must be a table with these keys.
pub(in crate::specs) fn fields(
    name: &str,
    keys: &[SpecKey],
    node: &Node,
    mistakes: &mut Vec<LocatedMistake>,
) {
    match node.table() {
        Some(table) => check_table(&keys.iter().collect::<Vec<_>>(), table, Some(name), mistakes),
        None => {
            let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
            wrong_sort(name, &format!("a table of {}", names.join(", ")), node, mistakes);
        }
    }
}

pub(in crate::specs) fn wrong_sort(
    name: &str,
    wanted: &str,
    node: &Node,
    mistakes: &mut Vec<LocatedMistake>,
) {
    mistakes
        .push(LocatedMistake::new(node.at, format!("`{name}` must be {wanted}, this is {}", node.sort())));
}

/// Escapes and shortens a text from a file for an error message.
pub(in crate::specs) fn shown(text: &str) -> String {
    text.escape_debug().take(80).collect()
}

fn text(
    name: &str,
    node: &Node,
    mistakes: &mut Vec<LocatedMistake>,
    rule: impl Fn(&str) -> Result<(), String>,
) {
    match node.text() {
        None => wrong_sort(name, "a text in quotes", node, mistakes),
        Some(text) => {
            if let Err(why) = rule(text) {
                let shown = if text.is_empty() { String::new() } else { format!(" `{}`", shown(text)) };
                mistakes.push(LocatedMistake::new(node.at, format!("`{name}`{shown} {why}")));
            }
        }
    }
}

fn list(
    name: &str,
    node: &Node,
    mistakes: &mut Vec<LocatedMistake>,
    member: impl Fn(&str, &Node, &mut Vec<LocatedMistake>),
) {
    match node.list() {
        None => wrong_sort(name, "a list of texts", node, mistakes),
        Some(list) => list.iter().for_each(|node| member(name, node, mistakes)),
    }
}

fn texts(name: &str, node: &Node, mistakes: &mut Vec<LocatedMistake>) {
    list(name, node, mistakes, |name, node, mistakes| text(name, node, mistakes, value_rules::line));
    if node.list().is_some_and(<[Node]>::is_empty) {
        mistakes.push(LocatedMistake::new(node.at, format!("`{name}` is empty")));
    }
}

fn one_of(text: &str, known: &[&str]) -> Result<(), String> {
    match known.contains(&text) {
        true => Ok(()),
        false => Err(format!("is not a valid value{}", allowed(text, known))),
    }
}

fn role(text: &str) -> Result<(), String> {
    if text.parse::<AgentName>().is_err() {
        return Err(format!(
            "is not a role; allowed: {}, any word of letters, digits, `_`, `-`",
            ROLES.join(", ")
        ));
    }
    // Any word is a role, but a word that differs from a known role by a letter or two is probably a typing error.
    let letters = text.chars().all(|c| c.is_ascii_alphabetic());
    match nearest(text, ROLES.iter().copied()) {
        Some(near) if near != text && letters => {
            Err(format!("is not a role{}, any other word", allowed(text, ROLES)))
        }
        _ => Ok(()),
    }
}

fn command(name: &str, node: &Node, mistakes: &mut Vec<LocatedMistake>) {
    if let Some(line) = node.text() {
        let words: Vec<String> = line.split_whitespace().map(|word| format!("{:?}", shown(word))).collect();
        let message =
            format!("`{name}` must be a list of words, because no shell splits it: [{}]", words.join(", "));
        return mistakes.push(LocatedMistake::new(node.at, message));
    }
    // An argument may be empty and may contain any character but NUL.
    list(name, node, mistakes, |name, node, mistakes| {
        text(name, node, mistakes, |text| match text.contains('\0') {
            true => Err("contains a NUL character".into()),
            false => Ok(()),
        });
    });
    if let Some(list) = node.list()
        && list.first().is_none_or(|program| program.text().is_some_and(|text| text.trim().is_empty()))
    {
        mistakes.push(LocatedMistake::new(node.at, format!("`{name}` does not name a program")));
    }
}

fn count(name: &str, node: &Node, mistakes: &mut Vec<LocatedMistake>) {
    match node.int() {
        None => wrong_sort(name, "a whole number from 1", node, mistakes),
        Some(number) if u32::try_from(number).is_ok_and(|number| number > 0) => {}
        Some(number) => {
            mistakes.push(LocatedMistake::new(
                node.at,
                format!("`{name}` is {number}; allowed: 1 to {}", u32::MAX),
            ));
        }
    }
}

fn prompt(name: &str, node: &Node, mistakes: &mut Vec<LocatedMistake>) {
    let Some(table) = node.table() else {
        return wrong_sort(name, "a text, or a table of file or text", node, mistakes);
    };
    fields(name, PROMPT, node, mistakes);
    if table.len() != 1 {
        mistakes.push(LocatedMistake::new(node.at, format!("`{name}` must contain either `file` or `text`")));
    }
}

fn heartbeat(name: &str, node: &Node, mistakes: &mut Vec<LocatedMistake>) {
    if node.table().is_none() {
        return wrong_sort(name, "`false`, or a table of every or cron, and prompt", node, mistakes);
    }
    fields(name, HEARTBEAT, node, mistakes);
    if node.get("every").is_some() == node.get("cron").is_some() {
        mistakes
            .push(LocatedMistake::new(node.at, format!("`{name}` must contain either `every` or `cron`")));
    }
    if node.get("prompt").is_none() {
        mistakes.push(LocatedMistake::new(node.at, format!("`{name}` must contain `prompt`")));
    }
}

fn env(name: &str, node: &Node, mistakes: &mut Vec<LocatedMistake>) {
    let Some(table) = node.table() else {
        return wrong_sort(name, "a table of variables", node, mistakes);
    };
    for (key, value) in table {
        if let Err(why) = value_rules::variable(&key.text) {
            mistakes.push(LocatedMistake::new(key.at, format!("`{name}.{}` {why}", shown(&key.text))));
        }
        match value.text() {
            None => wrong_sort(&format!("{name}.{}", shown(&key.text)), "a text in quotes", value, mistakes),
            Some(text) if text.contains('\0') => {
                mistakes.push(LocatedMistake::new(
                    value.at,
                    format!("`{name}.{}` contains a NUL character", shown(&key.text)),
                ));
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
