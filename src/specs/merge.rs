//! Lays the values of a spec over what it stands on, and remembers where each came from.
//!
//! From below: the `[defaults]` of its file, the `[defaults]` of the files it extends into, what it extends, itself.
//! So what a spec extends counts as it stands in its own file. Tables of `env`, `params`, `workspace` and `limits` add
//! up key by key; everything else is replaced as a whole.

use std::collections::BTreeMap;

use super::source::{Layer, Source};
use super::syntax::position::{Place, Wrong};
use super::syntax::tree::Node;
use super::validation::keys::KEYS;
use crate::base::suggest::did_you_mean;
use crate::model::Mistake;

/// A value, the place of its key, and its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    pub node: &'a Node,
    pub at: Place,
    pub source: &'a Source,
}

/// Values by their key: `model`, `env.PORT`.
pub(super) type Values<'a> = BTreeMap<String, Entry<'a>>;

/// A spec of a file.
pub(super) type Member<'a> = (&'a Source, &'a str, &'a Layer);

/// An `extends` that leads nowhere.
#[derive(Debug)]
pub(super) struct Broken {
    pub mistake: Mistake,
    /// The specs it goes round in, when that is what it does, in alphabetical order.
    pub round: Vec<String>,
}

/// A spec and all it extends, itself first.
///
/// What is extended is looked for in the spec's own file, then in those behind it: a project's file never changes
/// what a spec of the environment means. One that extends its own name means the one behind it.
pub(super) fn chain<'a>(sources: &'a [Source], at: usize, name: &str) -> Result<Vec<Member<'a>>, Broken> {
    let mut chain: Vec<Member> = Vec::new();
    let (mut at, mut name) = (at, name);
    while let Some((source, (own_name, layer))) = member(sources, at, name) {
        chain.push((source, own_name, layer));
        // In front matter the key means nothing, and that is told.
        let extends = layer.get("extends").filter(|_| source.is_agents_toml);
        let Some((extends, next)) = extends.and_then(|node| Some((node, node.text()?))) else {
            return Ok(chain);
        };
        let from = if next == name { at + 1 } else { at };
        let broken = |message: String, round: Vec<String>| Broken {
            mistake: source.mistake(&Wrong::new(extends.at, message)),
            round,
        };
        let found = (from..sources.len()).find(|at| sources[*at].layer(next).is_some()).ok_or_else(|| {
            let known =
                sources[from..].iter().flat_map(|source| &source.agents).map(|(name, _)| name.as_str());
            let near = did_you_mean(next, known);
            broken(format!("`extends` names `{next}`, and there is no such spec here{near}"), vec![])
        })?;
        let is_next = |(source, name, _): &Member| std::ptr::eq(*source, &sources[found]) && *name == next;
        if let Some(start) = chain.iter().position(is_next) {
            let mut round: Vec<String> =
                chain[start..].iter().map(|(_, name, _)| (*name).to_owned()).collect();
            let message = format!("`extends` goes round in a circle: {} → {next}", round.join(" → "));
            round.sort();
            return Err(broken(message, round));
        }
        (at, name) = (found, next);
    }
    Ok(chain)
}

fn member<'a>(sources: &'a [Source], at: usize, name: &str) -> Option<(&'a Source, (&'a str, &'a Layer))> {
    let source = sources.get(at)?;
    let (name, layer) = source.agents.iter().find(|(known, _)| known == name)?;
    Some((source, (name, layer)))
}

/// The layers of a chain, the lowest first.
pub(super) fn layers<'a>(chain: &[Member<'a>]) -> Vec<(&'a Source, &'a Layer)> {
    let mut defaults: Vec<(&Source, &Layer)> = Vec::new();
    for (source, _, _) in chain {
        let seen = defaults.iter().any(|(known, _)| std::ptr::eq(*known, *source));
        if let (false, Some(layer)) = (seen, &source.defaults) {
            defaults.push((source, layer));
        }
    }
    defaults.extend(chain.iter().rev().map(|(source, _, layer)| (*source, *layer)));
    defaults
}

/// One value for each key, the highest layer's.
pub(super) fn merge<'a>(layers: &[(&'a Source, &'a Layer)]) -> Values<'a> {
    let mut values = Values::new();
    for (height, (source, layer)) in layers.iter().enumerate() {
        for (key, node) in &layer.table {
            let Some(known) = KEYS.iter().find(|known| known.name == key.text) else { continue };
            // What a spec is for is its own.
            let is_own = known.name != "description" || height + 1 == layers.len();
            if ["name", "extends"].contains(&known.name) || !is_own {
                continue;
            }
            match node.table().filter(|_| known.shape.merges()) {
                Some(table) => {
                    for (inner, node) in table {
                        let name = match (known.name, inner.text.as_str()) {
                            // A word alone is the mode, so that one replaces the other.
                            ("workspace", "mode") => known.name.to_owned(),
                            (outer, inner) => format!("{outer}.{inner}"),
                        };
                        values.insert(name, Entry { node, at: inner.at, source });
                    }
                }
                None => {
                    values.insert(known.name.to_owned(), Entry { node, at: key.at, source });
                }
            }
        }
    }
    values
}
