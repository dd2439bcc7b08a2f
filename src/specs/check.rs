//! Everything that is wrong in all files, at once.

use super::Specs;
use super::node::Node;
use super::place::Wrong;
use super::source::{Layer, Source};
use super::stack::{Broken, Entry, chain, layers, merge};
use super::suggest::{allowed, did_you_mean};
use super::{prompt, shape};
use crate::model::Mistake;
use crate::rules::params;

impl Specs {
    /// All mistakes in all files, in the order of files and lines; a spec may name one of these kinds.
    pub fn check(&self, kinds: &[&str]) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        for (at, source) in self.sources.iter().enumerate() {
            let mut wrong = source.wrong.clone();
            let layers = source.defaults.iter().chain(source.agents.iter().map(|(_, layer)| layer));
            for layer in layers {
                wrong.extend_from_slice(&layer.wrong);
                wrong.extend(unknown_kind(layer, kinds));
                wrong.extend(missing_prompt(source, layer));
            }
            mistakes.extend(wrong.iter().map(|wrong| source.mistake(wrong)));
            mistakes.extend(self.broken_chains(at, kinds));
            mistakes.extend(self.unknown_params(at));
        }
        mistakes.sort();
        mistakes.dedup();
        mistakes
    }

    /// Names in prompts that are no parameters; a spawn would leave them in the text.
    fn unknown_params(&self, at: usize) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        for (name, _) in &self.sources[at].agents {
            let Ok(chain) = chain(&self.sources, at, name) else { continue };
            let values = merge(&layers(&chain));
            let Some(entry) = values.get("system_prompt") else { continue };
            let taken: Vec<&str> = values.keys().filter_map(|key| key.strip_prefix("params.")).collect();
            mistakes.extend(unknown_in(entry, name, &taken));
        }
        mistakes
    }

    /// What is wrong with `extends` in one file; a circle is told once, not for each of its members.
    fn broken_chains(&self, at: usize, kinds: &[&str]) -> Vec<Mistake> {
        let mut told: Vec<Mistake> = Vec::new();
        let mut rounds: Vec<Vec<String>> = Vec::new();
        for (name, layer) in &self.sources[at].agents {
            let Err(Broken { mut mistake, round }) = chain(&self.sources, at, name) else { continue };
            if !round.is_empty() {
                if rounds.contains(&round) {
                    continue;
                }
                rounds.push(round);
            }
            if let Some(next) = layer.get("extends").and_then(Node::text).filter(|next| kinds.contains(next))
            {
                mistake.message.push_str(&format!("; `{next}` is a kind: write `kind = \"{next}\"`"));
            }
            told.push(mistake);
        }
        told
    }
}

/// Finds names in two braces in a prompt that are no parameter of its spec.
fn unknown_in(entry: &Entry<'_>, spec: &str, taken: &[&str]) -> Vec<Mistake> {
    let Ok(text) = prompt::text(entry.node, entry.source) else { return vec![] };
    let Some(written) = prompt::written(entry.node, entry.source) else { return vec![] };
    let names = params::unknown_names(&text, &[]).into_iter().filter(|name| !taken.contains(name));
    names
        .map(|name| {
            let at = written.place_of(name);
            let near = did_you_mean(name, taken.iter().copied());
            let message = format!("`{{{{{name}}}}}` is no parameter of `{spec}`{near}");
            Mistake { path: written.path.display().to_string(), line: at.line, column: at.column, message }
        })
        .collect()
}

fn unknown_kind(layer: &Layer, kinds: &[&str]) -> Option<Wrong> {
    let node = layer.get("kind")?;
    let kind = node.text().filter(|kind| !kind.is_empty() && !kinds.contains(kind))?;
    let message = format!("`kind` `{}` is not known{}", shape::shown(kind), allowed(kind, kinds));
    Some(Wrong::new(node.at, message))
}

fn missing_prompt(source: &Source, layer: &Layer) -> Option<Wrong> {
    prompt::text(layer.get("system_prompt")?, source).err()
}
