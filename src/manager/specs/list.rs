//! `spec list`: the specs that are effective in a directory, including those with mistakes, and the kinds, which can be
//! used like specs.

use serde::Serialize;

use crate::error::Error;
use crate::manager::error_from::mistake_lines;
use crate::manager::specs::resolve::SpecLocation;
use crate::manager::specs::{LaunchPlanner, SpecCatalog};
use crate::model::{FoundIn, is_deceptive};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::specs::SpecError;

/// One spec in the list.
#[derive(Debug, Serialize)]
pub struct SpecLine {
    /// The name of the spec.
    pub name: String,
    /// The description from the spec file.
    pub description: Option<String>,
    /// The kind that the spec names.
    pub kind: Option<String>,
    /// The role of its agents among others.
    pub role: Option<String>,
    /// The origin of the spec.
    pub found_in: FoundIn,
    /// The number of agents of this spec.
    pub agents: usize,
    /// The mistakes that prevent a spawn, if there are any.
    pub wrong: Vec<String>,
}

/// Result of `spec list`.
#[derive(Debug)]
pub struct SpecList {
    /// The specs in alphabetical order.
    pub specs: Vec<SpecLine>,
    /// Problems that are not mistakes.
    pub warnings: Vec<String>,
}

/// One kind in the list.
#[derive(Debug, Serialize)]
pub struct KindLine {
    /// The name of the kind.
    pub name: String,
    /// Whether its program is found from the requested directory.
    pub installed: bool,
}

impl SpecCatalog<'_> {
    /// Lists the kinds, in the order in which the default is chosen.
    pub fn kind_list(&self, location: &SpecLocation) -> Result<Vec<KindLine>, Error> {
        let dir = self.args_for(location, None)?.dir;
        let kinds = self.0.kinds()?;
        let line = |name: &str| {
            let installed =
                kinds.get(name).is_some_and(|kind| LaunchPlanner(self.0).program_of(kind, &dir).is_some());
            KindLine { name: name.to_owned(), installed }
        };
        Ok(kinds.names().filter(|name| *name != PLAIN_COMMAND).map(line).collect())
    }

    /// Lists the specs that are effective in a directory.
    pub fn spec_list(&self, location: &SpecLocation) -> Result<SpecList, Error> {
        let args = self.args_for(location, None)?;
        let specs = self.specs(&args.dir, args.config.as_deref())?;
        let records = self.0.store.read(self.0.now())?;
        let line = |name: &str| {
            let (spec, wrong) = match specs.get(name) {
                Ok(spec) => (spec, vec![]),
                Err(SpecError::Mistakes(mistakes)) => (Default::default(), mistake_lines(&mistakes)),
                Err(error) => (Default::default(), vec![Error::from(error).to_string()]),
            };
            SpecLine {
                name: name.to_owned(),
                description: spec.description,
                kind: spec.kind,
                role: spec.role,
                found_in: spec.found_in,
                agents: records.iter().filter(|record| record.spec == name).count(),
                wrong,
            }
        };
        let lines = specs.names().into_iter().map(line).collect();
        let warnings = specs.remarks().iter().map(|remark| remark.replace(is_deceptive, " ")).collect();
        Ok(SpecList { specs: lines, warnings })
    }
}
