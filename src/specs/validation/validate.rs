//! Validates values against the table of keys and reports every error with the allowed values. Reads no file.

use crate::base::suggest::{allowed, nearest};
use crate::model::{AgentName, Cron, bad_pattern};
use crate::specs::syntax::position::Wrong;
use crate::specs::syntax::tree::{Node, Table};
use crate::specs::validation::keys::{HEARTBEAT, Key, PLACES, PROMPT, ROLES, Shape, WORKSPACE};
use crate::specs::{param, validation::value_rules};

/// Collects the errors of a table with these keys; `inside` is the key whose value the table is.
pub(in crate::specs) fn check_table(
    keys: &[&Key],
    table: &Table,
    inside: Option<&str>,
    told: &mut Vec<Wrong>,
) {
    for (key, node) in table {
        let name = match inside {
            Some(inside) => format!("{inside}.{}", shown(&key.text)),
            None => shown(&key.text),
        };
        match keys.iter().find(|known| known.name == key.text) {
            Some(known) => check(&name, &known.shape, node, told),
            None => {
                let names: Vec<&str> = keys.iter().map(|known| known.name).collect();
                let message = format!("unknown key `{name}`{}", allowed(&key.text, &names));
                told.push(Wrong::new(key.at, message));
            }
        }
    }
}

/// Collects the errors of a key's value.
pub(in crate::specs) fn check(name: &str, shape: &Shape, node: &Node, told: &mut Vec<Wrong>) {
    match shape {
        Shape::Text => text(name, node, told, value_rules::text),
        Shape::Line => text(name, node, told, value_rules::line),
        Shape::Path => text(name, node, told, value_rules::line),
        Shape::Role => text(name, node, told, role),
        Shape::Kind | Shape::SpecName => text(name, node, told, |text| {
            text.parse::<AgentName>().map(drop).map_err(|why| format!("is no name: {why}"))
        }),
        Shape::Word(known) => text(name, node, told, |text| one_of(text, known)),
        Shape::Words(known) => list(name, node, told, |name, node, told| {
            text(name, node, told, |text| one_of(text, known));
        }),
        Shape::Command => command(name, node, told),
        Shape::Texts => texts(name, node, told),
        Shape::Tools if node.text().is_some() => text(name, node, told, value_rules::line),
        Shape::Tools => list(name, node, told, |name, node, told| text(name, node, told, value_rules::line)),
        Shape::Flag if node.flag().is_none() => wrong_sort(name, "`true` or `false`", node, told),
        Shape::Count => count(name, node, told),
        Shape::Span => text(name, node, told, |text| value_rules::span(text).map(drop)),
        Shape::Cron => text(name, node, told, |text| {
            text.parse::<Cron>().map(drop).map_err(|why| format!("is no time of cron: {why}"))
        }),
        Shape::Scalar if node.text().is_none() && node.int().is_none() && node.flag().is_none() => {
            wrong_sort(name, "a text, a number, `true` or `false`", node, told);
        }
        Shape::Prompt if node.text().is_some() => text(name, node, told, value_rules::text),
        Shape::Prompt => prompt(name, node, told),
        Shape::Heartbeat if node.flag() == Some(false) => {}
        Shape::Heartbeat => heartbeat(name, node, told),
        Shape::Workspace if node.text().is_some() => text(name, node, told, |text| one_of(text, PLACES)),
        Shape::Workspace if node.table().is_none() => {
            let wanted = format!("one of {}, or a table of mode, copy, setup", PLACES.join(", "));
            wrong_sort(name, &wanted, node, told);
        }
        Shape::Workspace => fields(name, WORKSPACE, node, told),
        Shape::Patterns => list(name, node, told, |name, node, told| {
            text(name, node, told, |text| bad_pattern(text).map_or(Ok(()), |why| Err(why.to_owned())));
        }),
        Shape::ShellLines => {
            list(name, node, told, |name, node, told| text(name, node, told, value_rules::shell_line))
        }
        Shape::Env => env(name, node, told),
        Shape::Params => param::check_all(name, node, told),
        Shape::Table(keys) => fields(name, keys, node, told),
        Shape::Flag | Shape::Scalar => {}
    }
}

/// Collects the errors of a value that must be a table with these keys.
pub(in crate::specs) fn fields(name: &str, keys: &[Key], node: &Node, told: &mut Vec<Wrong>) {
    match node.table() {
        Some(table) => check_table(&keys.iter().collect::<Vec<_>>(), table, Some(name), told),
        None => {
            let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
            wrong_sort(name, &format!("a table of {}", names.join(", ")), node, told);
        }
    }
}

pub(in crate::specs) fn wrong_sort(name: &str, wanted: &str, node: &Node, told: &mut Vec<Wrong>) {
    told.push(Wrong::new(node.at, format!("`{name}` must be {wanted}, this is {}", node.sort())));
}

/// Escapes and shortens a text from a file for an error message.
pub(in crate::specs) fn shown(text: &str) -> String {
    text.escape_debug().take(80).collect()
}

fn text(name: &str, node: &Node, told: &mut Vec<Wrong>, rule: impl Fn(&str) -> Result<(), String>) {
    match node.text() {
        None => wrong_sort(name, "a text in quotes", node, told),
        Some(text) => {
            if let Err(why) = rule(text) {
                let shown = if text.is_empty() { String::new() } else { format!(" `{}`", shown(text)) };
                told.push(Wrong::new(node.at, format!("`{name}`{shown} {why}")));
            }
        }
    }
}

fn list(name: &str, node: &Node, told: &mut Vec<Wrong>, member: impl Fn(&str, &Node, &mut Vec<Wrong>)) {
    match node.list() {
        None => wrong_sort(name, "a list of texts", node, told),
        Some(list) => list.iter().for_each(|node| member(name, node, told)),
    }
}

fn texts(name: &str, node: &Node, told: &mut Vec<Wrong>) {
    list(name, node, told, |name, node, told| text(name, node, told, value_rules::line));
    if node.list().is_some_and(<[Node]>::is_empty) {
        told.push(Wrong::new(node.at, format!("`{name}` is empty")));
    }
}

fn one_of(text: &str, known: &[&str]) -> Result<(), String> {
    match known.contains(&text) {
        true => Ok(()),
        false => Err(format!("means nothing here{}", allowed(text, known))),
    }
}

fn role(text: &str) -> Result<(), String> {
    if text.parse::<AgentName>().is_err() {
        return Err(format!(
            "is no role; allowed: {}, any word of letters, digits, `_`, `-`",
            ROLES.join(", ")
        ));
    }
    // Any word is a role, but a word that differs from a known role by a letter or two is probably a typing error.
    let letters = text.chars().all(|c| c.is_ascii_alphabetic());
    match nearest(text, ROLES.iter().copied()) {
        Some(near) if near != text && letters => {
            Err(format!("is no role{}, any other word", allowed(text, ROLES)))
        }
        _ => Ok(()),
    }
}

fn command(name: &str, node: &Node, told: &mut Vec<Wrong>) {
    if let Some(line) = node.text() {
        let words: Vec<String> = line.split_whitespace().map(|word| format!("{:?}", shown(word))).collect();
        let message = format!("`{name}` must be a list of words, no shell reads it: [{}]", words.join(", "));
        return told.push(Wrong::new(node.at, message));
    }
    // An argument may be empty and may contain any character but NUL.
    list(name, node, told, |name, node, told| {
        text(name, node, told, |text| match text.contains('\0') {
            true => Err("holds a NUL character".into()),
            false => Ok(()),
        });
    });
    if let Some(list) = node.list()
        && list.first().is_none_or(|program| program.text().is_some_and(|text| text.trim().is_empty()))
    {
        told.push(Wrong::new(node.at, format!("`{name}` names no program")));
    }
}

fn count(name: &str, node: &Node, told: &mut Vec<Wrong>) {
    match node.int() {
        None => wrong_sort(name, "a whole number from 1", node, told),
        Some(number) if u32::try_from(number).is_ok_and(|number| number > 0) => {}
        Some(number) => {
            told.push(Wrong::new(node.at, format!("`{name}` is {number}; allowed: 1 to {}", u32::MAX)));
        }
    }
}

fn prompt(name: &str, node: &Node, told: &mut Vec<Wrong>) {
    let Some(table) = node.table() else {
        return wrong_sort(name, "a text, or a table of file or text", node, told);
    };
    fields(name, PROMPT, node, told);
    if table.len() != 1 {
        told.push(Wrong::new(node.at, format!("`{name}` must hold either `file` or `text`")));
    }
}

fn heartbeat(name: &str, node: &Node, told: &mut Vec<Wrong>) {
    if node.table().is_none() {
        return wrong_sort(name, "`false`, or a table of every or cron, and prompt", node, told);
    }
    fields(name, HEARTBEAT, node, told);
    if node.get("every").is_some() == node.get("cron").is_some() {
        told.push(Wrong::new(node.at, format!("`{name}` must hold either `every` or `cron`")));
    }
    if node.get("prompt").is_none() {
        told.push(Wrong::new(node.at, format!("`{name}` must hold `prompt`: what is asked")));
    }
}

fn env(name: &str, node: &Node, told: &mut Vec<Wrong>) {
    let Some(table) = node.table() else {
        return wrong_sort(name, "a table of variables", node, told);
    };
    for (key, value) in table {
        if let Err(why) = value_rules::variable(&key.text) {
            told.push(Wrong::new(key.at, format!("`{name}.{}` {why}", shown(&key.text))));
        }
        match value.text() {
            None => wrong_sort(&format!("{name}.{}", shown(&key.text)), "a text in quotes", value, told),
            Some(text) if text.contains('\0') => {
                told.push(Wrong::new(
                    value.at,
                    format!("`{name}.{}` holds a NUL character", shown(&key.text)),
                ));
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
