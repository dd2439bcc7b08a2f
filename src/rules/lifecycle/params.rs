//! Parameters: what was given held against what a spec takes, and values put into texts.
//!
//! A text is read once, from left to right: what a value brings along is never read again, so that no value can name
//! another one, and none can leave the text it is put into.

use std::collections::BTreeMap;

use crate::model::{GivenParam, Param, ParamValue};

/// What the variable of a parameter is called: `region` is `SYMPOSIUM_PARAM_REGION`.
pub fn variable(name: &str) -> String {
    format!("SYMPOSIUM_PARAM_{}", name.to_ascii_uppercase())
}

/// The value of every parameter that has one, in the order of their names; else everything that is wrong.
pub fn settle(
    taken: &BTreeMap<String, Param>,
    given: &[(String, String)],
) -> Result<Vec<GivenParam>, Vec<String>> {
    let mut wrong = Vec::new();
    for (at, (name, _)) in given.iter().enumerate() {
        if !taken.contains_key(name) {
            wrong.push(format!("`{}` is none of its parameters{}", shown(name), known(taken)));
        } else if given[..at].iter().any(|(other, _)| other == name) {
            wrong.push(format!("`{name}` is given twice"));
        }
    }
    let mut values: Vec<GivenParam> = Vec::new();
    for (name, param) in taken {
        let text = given.iter().find(|(key, _)| key == name).map(|(_, text)| text);
        let value = match (text, &param.default) {
            (Some(text), _) => param.sort.read(text).map_err(|bad| format!("`{name}`: {bad}")),
            (None, Some(default)) => Ok(default.clone()),
            (None, None) => Err(format!("`{name}` must be given: {}", param.sort)),
        };
        if let Some(other) = values.iter().find(|other| variable(&other.name) == variable(name)) {
            wrong.push(format!("`{}` and `{name}` would be the same variable", other.name));
        }
        match value {
            Ok(value) => values.push(GivenParam { name: name.clone(), value }),
            Err(why) => wrong.push(why),
        }
    }
    if wrong.is_empty() { Ok(values) } else { Err(wrong) }
}

/// A text with every `{{name}}` of these replaced by its value; what names none of them stays as it is.
pub fn fill(text: &str, values: &[GivenParam]) -> String {
    pieces(text)
        .map(|piece| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Name { name, written } => {
                value(values, name).map_or_else(|| written.to_owned(), ToString::to_string)
            }
        })
        .collect()
}

/// The names in a text that are none of these, each once.
pub fn unknown_names<'a>(text: &'a str, values: &[GivenParam]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for piece in pieces(text) {
        if let Piece::Name { name, .. } = piece
            && value(values, name).is_none()
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

fn value<'a>(values: &'a [GivenParam], name: &str) -> Option<&'a ParamValue> {
    values.iter().find(|given| given.name == name).map(|given| &given.value)
}

/// A part of a text.
enum Piece<'a> {
    /// Words.
    Text(&'a str),
    /// A name in two braces, and all of it as it was written.
    Name { name: &'a str, written: &'a str },
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some(after) = rest.strip_prefix("{{")
            && let Some(end) = after.find("}}")
            && is_name(after[..end].trim())
        {
            let (written, behind) = rest.split_at(2 + end + 2);
            rest = behind;
            return Some(Piece::Name { name: after[..end].trim(), written });
        }
        // At least one character: braces that name nothing are words.
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let end = rest[first..].find("{{").map_or(rest.len(), |at| first + at);
        let (words, behind) = rest.split_at(end);
        rest = behind;
        Some(Piece::Text(words))
    })
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn known(taken: &BTreeMap<String, Param>) -> String {
    match taken.len() {
        0 => "; it takes none".into(),
        _ => format!("; it takes {}", taken.keys().cloned().collect::<Vec<_>>().join(", ")),
    }
}

fn shown(text: &str) -> String {
    text.escape_debug().take(80).collect()
}

#[cfg(test)]
mod tests;
