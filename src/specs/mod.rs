//! The blueprints on disk: `agents.toml`, folders with `agent.md`, and `.claude/agents/*.md`.
//!
//! Finds them, reads them, tells everything that is wrong with them, and resolves one into a [`Spec`] with where each
//! value came from. A project's file may be a stranger's: nothing here starts a program, follows what a spec names
//! other than a prompt file, or writes. One table (`keys.rs`) says what a spec can say; reading, checking, the JSON
//! Schema and the example follow it.

mod build;
mod check;
mod claude;
mod kebab;
mod merge;
mod param;
mod project;
mod prompt;
mod search;
mod source;
mod syntax;
mod validation;

use std::path::{Path, PathBuf};

pub use search::Where;
pub use validation::schema::schema_text;

use crate::model::{DEFAULT_SPEC, Mistake, Spec};
use source::{Layer, Source};

/// A commented `agents.toml` to begin with.
pub fn init_text() -> &'static str {
    include_str!("example.toml")
}

/// All specs that count in one place.
#[derive(Debug)]
pub struct Specs {
    /// In the order in which a name is looked up.
    sources: Vec<Source>,
    remarks: Vec<String>,
}

/// Why there is no spec.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// Nobody wrote one of that name.
    #[error("no spec named `{name}`")]
    NoSuchSpec {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
        /// What was meant, perhaps.
        near: Option<String>,
    },
    /// A file that the user named cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// What the user named is no spec.
    #[error("`{}` is not a spec: {why}", path.display())]
    NotASpec {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// The spec, or the file it stands in, is wrong; there is at least one.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Mistakes(Vec<Mistake>),
}

impl Specs {
    /// The specs that count in a place; no file at all is fine.
    pub fn find(place: &Where) -> Result<Specs, SpecError> {
        let (sources, remarks) = search::sources(place)?;
        Ok(Specs { sources, remarks })
    }

    /// The specs of one file or folder that the user named.
    pub fn at(path: &Path) -> Result<Specs, SpecError> {
        Ok(Specs { sources: vec![search::named(path)?], remarks: vec![] })
    }

    /// The one spec of a folder or Markdown file that the user named.
    pub fn from_path(path: &Path) -> Result<Spec, SpecError> {
        let specs = Specs::at(path)?;
        match specs.sources.as_slice() {
            [Source { is_agents_toml: false, agents, .. }] if agents.len() == 1 => specs.get(&agents[0].0),
            _ => Err(SpecError::NotASpec {
                path: path.to_owned(),
                why: "it holds specs by name: choose one with `--config`".into(),
            }),
        }
    }

    /// The names of all specs, in alphabetical order; `default` is always there.
    pub fn names(&self) -> Vec<&str> {
        let written = self.sources.iter().flat_map(|source| &source.agents).map(|(name, _)| name.as_str());
        let mut names: Vec<&str> = written.chain([DEFAULT_SPEC]).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// What should be said about files that were left out.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The spec of this name, resolved.
    ///
    /// A file that cannot be read ahead of the one that has the name is told: it might have had the name too.
    pub fn get(&self, name: &str) -> Result<Spec, SpecError> {
        for (at, source) in self.sources.iter().enumerate() {
            self.refuse_broken(at..at + 1)?;
            if source.layer(name).is_some() {
                return self.resolved(at, name);
            }
        }
        if name == DEFAULT_SPEC { self.implicit() } else { Err(self.no_such(name)) }
    }

    /// The spec that nobody wrote: the `[defaults]` of all files, the nearest on top.
    ///
    /// All of them, so that a project's file never takes away what the user set for the environment unsaid.
    fn implicit(&self) -> Result<Spec, SpecError> {
        let with_defaults = self.sources.iter().rev();
        let layers: Vec<_> =
            with_defaults.filter_map(|source| Some((source, source.defaults.as_ref()?))).collect();
        let found_in = layers.last().map(|(source, _)| source.found_in.clone()).unwrap_or_default();
        built(Spec { found_in, ..Spec::built_in() }, &layers)
    }

    /// The spec of a kind that was named outright: the one that nobody wrote, of this kind and with its own program.
    ///
    /// A model and tools are words of one kind: they are left out, and that is said, when they were meant for another.
    pub fn of_kind(&self, kind: &str) -> Result<Spec, SpecError> {
        self.refuse_broken(0..self.sources.len())?;
        let mut spec = Spec { name: kind.to_owned(), ..self.implicit()? };
        let meant = spec.kind.replace(kind.to_owned()).filter(|meant| meant != kind);
        let is_meant_for_another = meant.is_some() || !spec.command.is_empty();
        spec.command = Vec::new();
        for key in ["kind", "command"] {
            spec.origins.remove(key);
        }
        if is_meant_for_another && (spec.model.take().is_some() | spec.tools.take().is_some()) {
            let meant = meant.as_deref().unwrap_or("a command of their own");
            spec.remarks.push(format!("`[defaults]` are for {meant}: their model and tools are left out"));
            for key in ["model", "tools"] {
                spec.origins.remove(key);
            }
        }
        Ok(spec)
    }

    fn resolved(&self, at: usize, name: &str) -> Result<Spec, SpecError> {
        let chain = merge::chain(&self.sources, at, name).map_err(|broken| {
            // What it extends may stand in a file that cannot be read.
            self.refuse_broken(at..self.sources.len())
                .err()
                .unwrap_or(SpecError::Mistakes(vec![broken.mistake]))
        })?;
        let ground = Spec {
            name: name.to_owned(),
            found_in: self.sources[at].found_in.clone(),
            remarks: chain.iter().flat_map(|(_, _, layer)| layer.remarks.clone()).collect(),
            ..Spec::default()
        };
        built(ground, &merge::layers(&chain))
    }

    fn refuse_broken(&self, range: std::ops::Range<usize>) -> Result<(), SpecError> {
        let broken = self.sources[range].iter();
        let mistakes: Vec<Mistake> =
            broken.flat_map(|source| source.wrong.iter().map(|wrong| source.mistake(wrong))).collect();
        if mistakes.is_empty() { Ok(()) } else { Err(SpecError::Mistakes(mistakes)) }
    }

    fn no_such(&self, name: &str) -> SpecError {
        let known = self.names();
        let near = crate::base::suggest::nearest(name, known.iter().copied()).map(str::to_owned);
        let known = known.iter().map(|name| (*name).to_owned()).collect();
        SpecError::NoSuchSpec { name: name.to_owned(), known, near }
    }
}

/// The spec that layers make over a ground, when nothing is wrong with them.
fn built(ground: Spec, layers: &[(&Source, &Layer)]) -> Result<Spec, SpecError> {
    let wrong =
        layers.iter().flat_map(|(source, layer)| layer.wrong.iter().map(|wrong| source.mistake(wrong)));
    let mistakes: Vec<Mistake> = wrong.collect();
    if !mistakes.is_empty() {
        return Err(SpecError::Mistakes(mistakes));
    }
    build::spec(ground, &merge::merge(layers)).map_err(|mistake| SpecError::Mistakes(vec![mistake]))
}

#[cfg(test)]
mod tests;
