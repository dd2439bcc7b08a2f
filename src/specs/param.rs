//! Parses the parameters that a file declares.

use super::syntax::tree::{Node, NodeValue};
use super::validation::keys::PARAM;
use super::validation::validate::{fields, shown, wrong_sort};
use crate::base::source_text::LocatedMistake;
use crate::model::{Param, ParamSort, ParamValue};

/// Collects the errors of a table of parameters.
pub(super) fn check_all(name: &str, node: &Node, mistakes: &mut Vec<LocatedMistake>) {
    let Some(table) = node.table() else {
        return wrong_sort(name, "a table of parameters", node, mistakes);
    };
    for (key, node) in table {
        let name = format!("{name}.{}", shown(&key.text));
        if !is_name(&key.text) {
            let message = format!(
                "`{name}` is not a valid name of a parameter; allowed: letters, digits and `_`, a letter first"
            );
            mistakes.push(LocatedMistake::new(key.at, message));
        }
        check(&name, node, mistakes);
    }
}

/// Parses a parameter that has no errors.
pub(super) fn read(node: &Node) -> Option<Param> {
    let sort = sort(node)?;
    let default = match node.get("default") {
        Some(default) => Some(value(&sort, default)?),
        None => None,
    };
    let description = node.get("description").and_then(Node::text).map(str::to_owned);
    Some(Param { sort, default, description })
}

fn check(name: &str, node: &Node, mistakes: &mut Vec<LocatedMistake>) {
    let before = mistakes.len();
    fields(name, PARAM, node, mistakes);
    if mistakes.len() > before {
        return;
    }
    let is_choice = node.get("type").and_then(Node::text) == Some("choice");
    match node.get("choices") {
        None if is_choice => mistakes
            .push(LocatedMistake::new(node.at, format!("`{name}` is a choice and must contain `choices`"))),
        Some(choices) if !is_choice => {
            mistakes
                .push(LocatedMistake::new(choices.at, format!("`{name}.choices` needs `type = \"choice\"`")));
        }
        _ => {}
    }
    if let (Some(default), Some(sort)) = (node.get("default"), sort(node))
        && value(&sort, default).is_none()
    {
        let given =
            default.text().map_or_else(|| default.sort().to_owned(), |text| format!("`{}`", shown(text)));
        mistakes.push(LocatedMistake::new(
            default.at,
            format!("`{name}.default` must be {sort}, this is {given}"),
        ));
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn sort(node: &Node) -> Option<ParamSort> {
    match node.get("type").map_or(Some("string"), Node::text)? {
        "string" => Some(ParamSort::String),
        "int" => Some(ParamSort::Int),
        "bool" => Some(ParamSort::Bool),
        "choice" => {
            let choices = node.get("choices")?.list()?.iter();
            Some(ParamSort::Choice { choices: choices.filter_map(Node::text).map(str::to_owned).collect() })
        }
        _ => None,
    }
}

fn value(sort: &ParamSort, node: &Node) -> Option<ParamValue> {
    let value = match &node.value {
        NodeValue::Bare(text) => sort.read(text).ok()?,
        NodeValue::Text(text) => ParamValue::Text(text.clone()),
        NodeValue::Int(number) => ParamValue::Int(*number),
        NodeValue::Flag(flag) => ParamValue::Bool(*flag),
        _ => return None,
    };
    sort.allows(&value).then_some(value)
}
