//! `spec list`: every spec that counts in a place, also those that something is wrong with; and the kinds, which can
//! stand wherever a spec can.

use crate::manager::specs::SpecCatalog;
use serde::Serialize;

use crate::env::Env;
use crate::error::Error;
use crate::manager::specs::resolve::Place;
use crate::model::{FoundIn, is_deceptive};
use crate::rules::status::decide::PLAIN_COMMAND;

/// One spec in a list.
#[derive(Debug, Serialize)]
pub struct SpecLine {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Which kind it names.
    pub kind: Option<String>,
    /// What it is among others.
    pub role: Option<String>,
    /// Who wrote it.
    pub found_in: FoundIn,
    /// How many agents of it there are.
    pub agents: usize,
    /// Why no agent can be made of it, when none can.
    pub wrong: Vec<String>,
}

/// All of them.
#[derive(Debug)]
pub struct SpecList {
    /// In alphabetical order.
    pub specs: Vec<SpecLine>,
    /// What should be looked at.
    pub warnings: Vec<String>,
}

/// One kind in a list.
#[derive(Debug, Serialize)]
pub struct KindLine {
    /// What it is called.
    pub name: String,
    /// Whether its program is found from that place.
    pub installed: bool,
}

impl SpecCatalog<'_> {
    /// Lists the kinds, in the order in which a default is looked for.
    pub fn kind_list(&self, place: &Place) -> Result<Vec<KindLine>, Error> {
        let dir = self.asked_in(place, None)?.dir;
        let kinds = self.0.kinds()?;
        let line = |name: &str| {
            let installed = kinds.get(name).is_some_and(|kind| self.program_of(kind, &dir).is_some());
            KindLine { name: name.to_owned(), installed }
        };
        Ok(kinds.names().filter(|name| *name != PLAIN_COMMAND).map(line).collect())
    }

    /// Lists the specs that count in a place.
    pub fn spec_list(&self, place: &Place) -> Result<SpecList, Error> {
        let asked = self.asked_in(place, None)?;
        let specs = self.specs(&asked.dir, asked.config.as_deref())?;
        let records = self.0.store.read(Env::now())?;
        let line = |name: &str| {
            let (spec, wrong) = match specs.get(name) {
                Ok(spec) => (spec, vec![]),
                Err(error) => match Error::from(error) {
                    Error::BadSpec { mistakes } => (Default::default(), mistakes),
                    error => (Default::default(), vec![error.to_string()]),
                },
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
