//! Builds a spec from merged values, which were already validated against the table of keys.

use serde::de::DeserializeOwned;

use super::merge::{MergedValues, SpecValue};
use super::syntax::tree::{Node, NodeValue};
use super::{param, prompt, validation::value_rules};
use crate::model::{Heartbeat, Origin, Schedule, Spec, SpecMistake};

/// Builds the spec from these values. Fails if a prompt file cannot be read.
pub(super) fn spec(ground: Spec, values: &MergedValues) -> Result<Spec, SpecMistake> {
    let mut spec = ground;
    for (key, entry) in values {
        set(&mut spec, key, entry)?;
        let origin = Origin::File { path: entry.source.path.display().to_string(), line: entry.at.line };
        spec.origins.insert(key.clone(), origin);
    }
    Ok(spec)
}

fn set(spec: &mut Spec, key: &str, entry: &SpecValue) -> Result<(), SpecMistake> {
    let node = entry.node;
    let text = || node.text().map(str::to_owned);
    match key {
        "description" => spec.description = text(),
        "kind" => spec.kind = text(),
        "command" => spec.command = texts(node),
        "role" => spec.role = text(),
        "model" => spec.model = text(),
        "tools" => spec.tools = Some(node.text().map_or_else(|| texts(node), value_rules::at_commas)),
        "shell_tier" => spec.shell_tier = word(node),
        "system_prompt" => {
            let text = prompt::text(node, entry.source).map_err(|wrong| entry.source.mistake(&wrong))?;
            spec.system_prompt = Some(text);
        }
        "restart" => spec.restart = word(node).unwrap_or_default(),
        "heartbeat" => spec.heartbeat = heartbeat(node),
        "workspace" => spec.workspace = word(node).unwrap_or_default(),
        "workspace.copy" => spec.worktree.copy = texts(node),
        "workspace.setup" => spec.worktree.setup = texts(node),
        "ephemeral" => spec.ephemeral = node.flag().unwrap_or_default(),
        "max_instances" => spec.max_instances = count(node),
        "notify" => spec.notify = node.list().map(|list| list.iter().filter_map(word).collect()),
        "limits.depth" => spec.limits.depth = count(node),
        "limits.children" => spec.limits.children = count(node),
        _ => match key.split_once('.') {
            Some(("env", name)) => {
                spec.env.extend(text().map(|value| (name.to_owned(), value)));
            }
            Some(("params", name)) => {
                spec.params.extend(param::read(node).map(|param| (name.to_owned(), param)));
            }
            _ => {}
        },
    }
    Ok(())
}

fn texts(node: &Node) -> Vec<String> {
    node.list().into_iter().flatten().filter_map(Node::text).map(str::to_owned).collect()
}

fn word<T: DeserializeOwned>(node: &Node) -> Option<T> {
    serde_json::from_value(node.text()?.into()).ok()
}

fn count(node: &Node) -> Option<u32> {
    node.int().and_then(|number| u32::try_from(number).ok())
}

fn heartbeat(node: &Node) -> Option<Heartbeat> {
    let NodeValue::Table(_) = node.value else { return None };
    let text = |key| node.get(key).and_then(Node::text);
    let schedule = match text("every") {
        Some(every) => Schedule::Every(value_rules::span(every).ok()?),
        None => Schedule::Cron(text("cron")?.to_owned()),
    };
    Some(Heartbeat { schedule, prompt: text("prompt")?.trim_end().to_owned(), last: None })
}
