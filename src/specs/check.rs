//! Finds all errors in all spec files.

use super::Specs;
use super::merge::{BrokenExtends, SpecValue, chain, layers, merge};
use super::source::{Layer, SpecSource};
use super::syntax::tree::Node;
use super::{prompt, validation::validate};
use crate::base::source_text::LocatedMistake;
use crate::base::suggest::{allowed, did_you_mean};
use crate::model::SpecMistake;

impl Specs {
    /// Returns all errors in all files, ordered by file and line. `kinds` are the kinds that a spec may name.
    pub fn check(&self, kinds: &[&str]) -> Vec<SpecMistake> {
        let mut mistakes = Vec::new();
        for (at, source) in self.sources.iter().enumerate() {
            let mut wrong = source.mistakes.clone();
            let layers = source.defaults.iter().chain(source.agents.iter().map(|(_, layer)| layer));
            for layer in layers {
                wrong.extend_from_slice(&layer.wrong);
                wrong.extend(unknown_kind(layer, kinds));
                wrong.extend(missing_prompt(source, layer));
            }
            mistakes.extend(wrong.iter().map(|wrong| source.mistake(wrong)));
            mistakes.extend(self.broken_chains(at, kinds));
        }
        mistakes.sort();
        mistakes.dedup();
        mistakes
    }

    /// Returns all names in prompts that are not parameters, which a spawn would leave in the text. `names_in`
    /// returns the names that a text refers to.
    pub fn unknown_params(&self, names_in: &dyn Fn(&str) -> Vec<String>) -> Vec<SpecMistake> {
        let mut mistakes = Vec::new();
        for (at, source) in self.sources.iter().enumerate() {
            for (name, _) in &source.agents {
                let Ok(chain) = chain(&self.sources, at, name) else { continue };
                let values = merge(&layers(&chain));
                let Some(entry) = values.get("system_prompt") else { continue };
                let Ok(text) = prompt::text(entry.node, entry.source) else { continue };
                let taken: Vec<&str> = values.keys().filter_map(|key| key.strip_prefix("params.")).collect();
                let unknown = names_in(&text).into_iter().filter(|name| !taken.contains(&name.as_str()));
                mistakes.extend(unknown.filter_map(|unknown| unknown_param(entry, name, &unknown, &taken)));
            }
        }
        mistakes
    }

    /// Returns the errors of `extends` in one file. A cycle is reported once and not for each of its members.
    fn broken_chains(&self, at: usize, kinds: &[&str]) -> Vec<SpecMistake> {
        let mut reported: Vec<SpecMistake> = Vec::new();
        let mut rounds: Vec<Vec<String>> = Vec::new();
        for (name, layer) in &self.sources[at].agents {
            let Err(BrokenExtends { mut mistake, cycle: round }) = chain(&self.sources, at, name) else {
                continue;
            };
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
            reported.push(mistake);
        }
        reported
    }
}

/// Returns the error that a prompt refers to a parameter that its spec does not declare.
fn unknown_param(entry: &SpecValue<'_>, spec: &str, unknown: &str, taken: &[&str]) -> Option<SpecMistake> {
    let written = prompt::prompt_source(entry.node, entry.source)?;
    let at = written.position_of(unknown);
    let near = did_you_mean(unknown, taken.iter().copied());
    let message = format!("`{{{{{unknown}}}}}` is no parameter of `{spec}`{near}");
    Some(SpecMistake { path: written.path.display().to_string(), line: at.line, column: at.column, message })
}

fn unknown_kind(layer: &Layer, kinds: &[&str]) -> Option<LocatedMistake> {
    let node = layer.get("kind")?;
    let kind = node.text().filter(|kind| !kind.is_empty() && !kinds.contains(kind))?;
    let message = format!("`kind` `{}` is not known{}", validate::shown(kind), allowed(kind, kinds));
    Some(LocatedMistake::new(node.at, message))
}

fn missing_prompt(source: &SpecSource, layer: &Layer) -> Option<LocatedMistake> {
    prompt::text(layer.get("system_prompt")?, source).err()
}
