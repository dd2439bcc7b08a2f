//! What can be spawned in a directory, for a form: specs and kinds with their parameters, and the choices of the last
//! spawn in the same project.

use std::path::Path;

use crate::error::Error;
use crate::git;
use crate::manager::specs::resolve::SpecLocation;
use crate::manager::specs::{LaunchPlanner, SpecCatalog};
use crate::model::{DEFAULT_SPEC, Param, SpawnChoices, Spec};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::store::LastSpawnChoices;

/// The kinds and specs that can be spawned in a directory.
#[derive(Debug, Clone, PartialEq)]
pub struct SpawnOptions {
    /// The project of the directory.
    pub project: String,
    /// The default spec, then the other specs, then kinds; kinds that are not installed come last.
    pub options: Vec<SpawnOption>,
    /// The choices of the last spawn in this project.
    pub last: Option<SpawnChoices>,
}

/// A spec or a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct SpawnOption {
    /// The name of the spec or kind.
    pub name: String,
    /// The description of the spec.
    pub description: Option<String>,
    /// Why it cannot be spawned, if it cannot.
    pub problem: Option<String>,
    /// The parameters, ordered by name.
    pub params: Vec<(String, Param)>,
}

impl SpecCatalog<'_> {
    /// Returns what can be spawned in a directory.
    pub fn spawn_options(&self, location: &SpecLocation) -> Result<SpawnOptions, Error> {
        let args = self.args_for(location, None)?;
        let specs = self.specs(&args.dir, args.config.as_deref())?;
        let kinds = self.0.kinds()?;
        let is_installed = |name: &str| {
            kinds.get(name).is_some_and(|kind| LaunchPlanner(self.0).program_of(kind, &args.dir).is_some())
        };
        let missing = |spec: &Spec| {
            let kind = spec.kind.as_deref().filter(|_| spec.command.is_empty())?;
            (!is_installed(kind)).then(|| format!("{kind} is not installed"))
        };
        let mut names = specs.names();
        names.retain(|name| *name != DEFAULT_SPEC);
        let mut options = Vec::new();
        for name in std::iter::once(DEFAULT_SPEC).chain(names) {
            options.push(match specs.get(name) {
                Ok(spec) => SpawnOption {
                    name: name.to_owned(),
                    problem: missing(&spec),
                    description: spec.description,
                    params: spec.params.into_iter().collect(),
                },
                Err(error) => refused(name, Error::from(error).to_string()),
            });
        }
        let mut of_kinds = Vec::new();
        for name in kinds.names().filter(|name| *name != PLAIN_COMMAND) {
            if options.iter().any(|option| option.name == name) {
                continue;
            }
            of_kinds.push(match (specs.of_kind(name), is_installed(name)) {
                (Ok(spec), true) => SpawnOption {
                    name: name.to_owned(),
                    description: None,
                    problem: None,
                    params: spec.params.into_iter().collect(),
                },
                (_, false) => refused(name, "it is not installed".to_owned()),
                (Err(error), true) => refused(name, Error::from(error).to_string()),
            });
        }
        of_kinds.sort_by_key(|option| option.problem.is_some());
        options.append(&mut of_kinds);
        let project = project_of(&args.dir);
        // A file that cannot be read costs convenience only; the form begins without choices.
        let last = LastSpawnChoices(&self.0.store).read(&project).ok().flatten();
        Ok(SpawnOptions { project, options, last })
    }

    /// Stores the choices of a spawn for the next one in the same project.
    pub fn keep_spawn_choices(&self, location: &SpecLocation, choices: &SpawnChoices) -> Result<(), Error> {
        let dir = self.0.working_directory(location.dir.as_deref())?;
        let choices = SpawnChoices { chosen_at: self.0.now(), ..choices.clone() };
        Ok(LastSpawnChoices(&self.0.store).write(&project_of(&dir), &choices)?)
    }
}

fn refused(name: &str, problem: String) -> SpawnOption {
    SpawnOption { name: name.to_owned(), description: None, problem: Some(problem), params: vec![] }
}

/// Returns the repository around a directory, or else the directory. All worktrees of a repository are one project.
fn project_of(dir: &Path) -> String {
    let root = git::project(dir).map_or_else(|| dir.to_owned(), |top| git::repository(&top));
    root.to_string_lossy().into_owned()
}
