//! The specs on disk: `agents.toml`, folders with `agent.md`, and `.claude/agents/*.md`.
//!
//! Finds and parses them, reports all of their errors, and resolves one into a [`Spec`] with the origin of each
//! value. A project's file may be untrusted: nothing here starts a program, writes, or follows a path in a spec other
//! than a prompt file. One table (`keys.rs`) defines the keys of a spec; parsing, validation, the JSON Schema and the
//! example follow it.
//!
//! - `search`: finds the spec files
//! - `source`: one parsed and validated file
//! - `syntax`: parses text into values with positions
//! - `claude`: reads `.claude/agents/*.md`
//! - `validation`: validates values against the table of keys
//! - `merge`: merges values with those of the base spec
//! - `build`: builds a spec from merged values
//! - `param`: parses parameters
//! - `prompt`: the system prompt
//! - `kebab`: the name of a spec from its folder
//! - `check`: all errors in all files
//! - `project`: the spec files of a project with a digest

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

pub use search::SpecSearch;

use crate::model::{DEFAULT_SPEC, Spec, SpecMistake};
use source::{Layer, SpecSource};

/// Returns a commented `agents.toml` as a starting point.
pub fn init_text() -> &'static str {
    include_str!("example.toml")
}

/// All specs that are visible from one directory.
#[derive(Debug)]
pub struct Specs {
    /// The files in the order in which a name is looked up.
    sources: Vec<SpecSource>,
    remarks: Vec<String>,
}

/// Why a spec cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// No spec has this name.
    #[error("no spec named `{name}`")]
    NoSuchSpec {
        /// The requested name.
        name: String,
        /// The names that exist.
        known: Vec<String>,
        /// The most similar name, if there is one.
        near: Option<String>,
    },
    /// A file that the user named cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The path that the user named is not a spec.
    #[error("`{}` is not a spec: {why}", path.display())]
    NotASpec {
        /// The path of the file or folder.
        path: PathBuf,
        /// The reason why it is not a spec.
        why: String,
    },
    /// The spec or its file is invalid; there is at least one error.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Mistakes(Vec<SpecMistake>),
}

impl Specs {
    /// Finds the specs that are visible from a directory. It is not an error if there are no files.
    pub fn find(search: &SpecSearch) -> Result<Specs, SpecError> {
        let (sources, remarks) = search::sources(search)?;
        Ok(Specs { sources, remarks })
    }

    /// Reads the specs of one file or folder that the user named.
    pub fn at(path: &Path) -> Result<Specs, SpecError> {
        Ok(Specs { sources: vec![search::named(path)?], remarks: vec![] })
    }

    /// Reads the only spec of a folder or Markdown file that the user named.
    pub fn from_path(path: &Path) -> Result<Spec, SpecError> {
        let specs = Specs::at(path)?;
        match specs.sources.as_slice() {
            [SpecSource { is_agents_toml: false, agents, .. }] if agents.len() == 1 => {
                specs.get(&agents[0].0)
            }
            _ => Err(SpecError::NotASpec {
                path: path.to_owned(),
                why: "it holds specs by name: choose one with `--config`".into(),
            }),
        }
    }

    /// Returns the names of all specs in alphabetical order; `default` always exists.
    pub fn names(&self) -> Vec<&str> {
        let written = self.sources.iter().flat_map(|source| &source.agents).map(|(name, _)| name.as_str());
        let mut names: Vec<&str> = written.chain([DEFAULT_SPEC]).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns remarks about files that were ignored.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns the resolved spec of this name.
    ///
    /// Fails if a file before the one with the name cannot be read, because that file might define the name too.
    pub fn get(&self, name: &str) -> Result<Spec, SpecError> {
        for (at, source) in self.sources.iter().enumerate() {
            self.refuse_broken(at..at + 1)?;
            if source.layer(name).is_some() {
                return self.resolved(at, name);
            }
        }
        if name == DEFAULT_SPEC { self.implicit() } else { Err(self.no_such(name)) }
    }

    /// Returns the implicit spec: the `[defaults]` of all files, with the nearest on top.
    ///
    /// It includes all files, so that a project's file never silently removes a setting that the user made for the
    /// environment.
    fn implicit(&self) -> Result<Spec, SpecError> {
        let with_defaults = self.sources.iter().rev();
        let layers: Vec<_> =
            with_defaults.filter_map(|source| Some((source, source.defaults.as_ref()?))).collect();
        let found_in = layers.last().map(|(source, _)| source.found_in.clone()).unwrap_or_default();
        built(Spec { found_in, ..Spec::built_in() }, &layers)
    }

    /// Returns the spec for an explicitly named kind: the implicit spec with this kind and its own program.
    ///
    /// A model and tools are specific to a kind. If they were meant for another kind, they are left out, and a remark
    /// reports that.
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
            spec.remarks.push(format!("`[defaults]` are for {meant}: their model and tools are not used"));
            for key in ["model", "tools"] {
                spec.origins.remove(key);
            }
        }
        Ok(spec)
    }

    fn resolved(&self, at: usize, name: &str) -> Result<Spec, SpecError> {
        let chain = merge::chain(&self.sources, at, name).map_err(|broken| {
            // The extended spec may be in a file that cannot be read.
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
        let mistakes: Vec<SpecMistake> =
            broken.flat_map(|source| source.mistakes.iter().map(|wrong| source.mistake(wrong))).collect();
        if mistakes.is_empty() { Ok(()) } else { Err(SpecError::Mistakes(mistakes)) }
    }

    fn no_such(&self, name: &str) -> SpecError {
        let known = self.names();
        let near = crate::base::suggest::nearest(name, known.iter().copied()).map(str::to_owned);
        let known = known.iter().map(|name| (*name).to_owned()).collect();
        SpecError::NoSuchSpec { name: name.to_owned(), known, near }
    }
}

/// Builds a spec from layers on top of a base, or returns the errors of the layers.
fn built(ground: Spec, layers: &[(&SpecSource, &Layer)]) -> Result<Spec, SpecError> {
    let wrong =
        layers.iter().flat_map(|(source, layer)| layer.wrong.iter().map(|wrong| source.mistake(wrong)));
    let mistakes: Vec<SpecMistake> = wrong.collect();
    if !mistakes.is_empty() {
        return Err(SpecError::Mistakes(mistakes));
    }
    build::spec(ground, &merge::merge(layers)).map_err(|mistake| SpecError::Mistakes(vec![mistake]))
}

#[cfg(test)]
mod tests;
