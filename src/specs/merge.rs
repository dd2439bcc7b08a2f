//! Merges the values of a spec with those that it is based on, and records the origin of each value.
//!
//! From lowest to highest: the `[defaults]` of its file, the `[defaults]` of the files that it extends into, the
//! specs that it extends, the spec itself. An extended spec therefore has the same meaning as in its own file. The
//! tables `env`, `params`, `workspace` and `limits` are merged key by key; every other value is replaced as a whole.

use std::collections::BTreeMap;

use super::source::{Layer, SpecSource};
use super::syntax::tree::Node;
use super::validation::keys::KEYS;
use crate::base::source_text::{LocatedMistake, Position};
use crate::base::suggest::did_you_mean;
use crate::model::SpecMistake;

/// A value, the position of its key, and its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpecValue<'a> {
    pub node: &'a Node,
    pub at: Position,
    pub source: &'a SpecSource,
}

/// Values by their key, such as `model` or `env.PORT`.
pub(super) type MergedValues<'a> = BTreeMap<String, SpecValue<'a>>;

/// A spec with its file and name.
pub(super) type ChainMember<'a> = (&'a SpecSource, &'a str, &'a Layer);

/// An `extends` that cannot be resolved.
#[derive(Debug)]
pub(super) struct BrokenExtends {
    pub mistake: SpecMistake,
    /// The specs of a cycle in alphabetical order; empty if there is no cycle.
    pub cycle: Vec<String>,
}

/// Returns a spec and all specs that it extends, starting with itself.
///
/// An extended spec is looked up in the spec's own file, then in the files after it: a project's file never changes
/// the meaning of a spec of the environment. A spec that extends its own name refers to the next spec of that name.
pub(super) fn chain<'a>(
    sources: &'a [SpecSource],
    at: usize,
    name: &str,
) -> Result<Vec<ChainMember<'a>>, BrokenExtends> {
    let mut chain: Vec<ChainMember> = Vec::new();
    let (mut at, mut name) = (at, name);
    while let Some((source, (own_name, layer))) = member(sources, at, name) {
        chain.push((source, own_name, layer));
        // Front matter does not support this key, which is reported elsewhere.
        let extends = layer.get("extends").filter(|_| source.is_agents_toml);
        let Some((extends, next)) = extends.and_then(|node| Some((node, node.text()?))) else {
            return Ok(chain);
        };
        let from = if next == name { at + 1 } else { at };
        let broken = |message: String, round: Vec<String>| BrokenExtends {
            mistake: source.mistake(&LocatedMistake::new(extends.at, message)),
            cycle: round,
        };
        let found = (from..sources.len()).find(|at| sources[*at].layer(next).is_some()).ok_or_else(|| {
            let known =
                sources[from..].iter().flat_map(|source| &source.agents).map(|(name, _)| name.as_str());
            let near = did_you_mean(next, known);
            broken(format!("`extends` names `{next}`, and there is no such spec here{near}"), vec![])
        })?;
        let is_next =
            |(source, name, _): &ChainMember| std::ptr::eq(*source, &sources[found]) && *name == next;
        if let Some(start) = chain.iter().position(is_next) {
            let mut round: Vec<String> =
                chain[start..].iter().map(|(_, name, _)| (*name).to_owned()).collect();
            let message = format!("`extends` forms a cycle: {} → {next}", round.join(" → "));
            round.sort();
            return Err(broken(message, round));
        }
        (at, name) = (found, next);
    }
    Ok(chain)
}

fn member<'a>(
    sources: &'a [SpecSource],
    at: usize,
    name: &str,
) -> Option<(&'a SpecSource, (&'a str, &'a Layer))> {
    let source = sources.get(at)?;
    let (name, layer) = source.agents.iter().find(|(known, _)| known == name)?;
    Some((source, (name, layer)))
}

/// Returns the layers of a chain, the lowest first.
pub(super) fn layers<'a>(chain: &[ChainMember<'a>]) -> Vec<(&'a SpecSource, &'a Layer)> {
    let mut defaults: Vec<(&SpecSource, &Layer)> = Vec::new();
    for (source, _, _) in chain {
        let seen = defaults.iter().any(|(known, _)| std::ptr::eq(*known, *source));
        if let (false, Some(layer)) = (seen, &source.defaults) {
            defaults.push((source, layer));
        }
    }
    defaults.extend(chain.iter().rev().map(|(source, _, layer)| (*source, *layer)));
    defaults
}

/// Returns one value for each key, taken from the highest layer.
pub(super) fn merge<'a>(layers: &[(&'a SpecSource, &'a Layer)]) -> MergedValues<'a> {
    let mut values = MergedValues::new();
    for (height, (source, layer)) in layers.iter().enumerate() {
        for (key, node) in &layer.table {
            let Some(known) = KEYS.iter().find(|known| known.name == key.text) else { continue };
            // A description is never inherited.
            let is_own = known.name != "description" || height + 1 == layers.len();
            if ["name", "extends"].contains(&known.name) || !is_own {
                continue;
            }
            match node.table().filter(|_| known.shape.merges()) {
                Some(table) => {
                    for (inner, node) in table {
                        let name = match (known.name, inner.text.as_str()) {
                            // A plain text sets the mode, so that one form replaces the other.
                            ("workspace", "mode") => known.name.to_owned(),
                            (outer, inner) => format!("{outer}.{inner}"),
                        };
                        values.insert(name, SpecValue { node, at: inner.at, source });
                    }
                }
                None => {
                    values.insert(known.name.to_owned(), SpecValue { node, at: key.at, source });
                }
            }
        }
    }
    values
}
