//! Parameters: validates given values against a spec, and substitutes them in texts.
//!
//! A text is scanned once, from left to right, and a substituted value is not scanned again. A value can therefore not
//! refer to another parameter, and cannot affect the text outside of its placeholder.

use std::collections::BTreeMap;

use crate::model::{GivenParam, Param, ParamValue};

/// Returns the environment variable of a parameter: `region` becomes `SYMPOSIUM_PARAM_REGION`.
pub fn variable(name: &str) -> String {
    format!("SYMPOSIUM_PARAM_{}", name.to_ascii_uppercase())
}

/// Returns the value of every parameter that has one, ordered by name, or all errors.
pub fn resolve_values(
    taken: &BTreeMap<String, Param>,
    given: &[(String, String)],
) -> Result<Vec<GivenParam>, Vec<String>> {
    let mut wrong = Vec::new();
    for (at, (name, _)) in given.iter().enumerate() {
        if !taken.contains_key(name) {
            wrong.push(format!("`{}` is not one of its parameters{}", shown(name), known(taken)));
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

/// Replaces every `{{name}}` in a text by the value of that parameter; unknown names stay unchanged.
pub fn fill(text: &str, values: &[GivenParam]) -> String {
    pieces(text)
        .map(|piece| match piece {
            TemplatePart::Text(text) => text.to_owned(),
            TemplatePart::Name { name, written } => {
                value(values, name).map_or_else(|| written.to_owned(), ToString::to_string)
            }
        })
        .collect()
}

/// Returns the names in a text that are not among the parameters, each once.
pub fn unknown_names<'a>(text: &'a str, values: &[GivenParam]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for piece in pieces(text) {
        if let TemplatePart::Name { name, .. } = piece
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

/// A part of a text with placeholders.
enum TemplatePart<'a> {
    /// Literal text, which stays unchanged.
    Text(&'a str),
    /// A name in double braces, and the placeholder as it was written.
    Name { name: &'a str, written: &'a str },
}

fn pieces(text: &str) -> impl Iterator<Item = TemplatePart<'_>> {
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
            return Some(TemplatePart::Name { name: after[..end].trim(), written });
        }
        // Take at least one character: braces that contain no name are literal text.
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let end = rest[first..].find("{{").map_or(rest.len(), |at| first + at);
        let (words, behind) = rest.split_at(end);
        rest = behind;
        Some(TemplatePart::Text(words))
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
