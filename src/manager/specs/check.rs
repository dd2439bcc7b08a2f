//! `spec check`: reports all mistakes in the effective spec files, or in one given file, at once.

use std::path::Path;

use crate::error::Error;
use crate::manager::specs::SpecCatalog;
use crate::manager::specs::resolve::SpecLocation;
use crate::model::SpecMistake;
use crate::rules::specs::params;
use crate::specs::Specs;

/// Result of `spec check`.
#[derive(Debug)]
pub struct SpecsChecked {
    /// The names of the checked specs.
    pub names: Vec<String>,
    /// Every mistake, with file, line and column.
    pub mistakes: Vec<SpecMistake>,
    /// Problems that are not mistakes.
    pub warnings: Vec<String>,
}

impl SpecCatalog<'_> {
    /// Checks one file or folder, or all files that are effective in a directory.
    pub fn spec_check(&self, path: Option<&Path>, location: &SpecLocation) -> Result<SpecsChecked, Error> {
        let specs = match path {
            Some(path) => Specs::at(&self.path_here(path))?,
            None => {
                let args = self.args_for(location, None)?;
                self.specs(&args.dir, args.config.as_deref())?
            }
        };
        let kinds = self.0.kinds()?;
        let kinds: Vec<&str> = kinds.names().collect();
        let names_in = |text: &str| -> Vec<String> {
            params::unknown_names(text, &[]).into_iter().map(str::to_owned).collect()
        };
        let mut mistakes = [specs.check(&kinds), specs.unknown_params(&names_in)].concat();
        mistakes.sort();
        mistakes.dedup();
        Ok(SpecsChecked {
            names: specs.names().into_iter().map(str::to_owned).collect(),
            mistakes,
            warnings: specs.remarks().to_vec(),
        })
    }
}
