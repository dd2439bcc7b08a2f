//! The spec files of a project with a digest of their content: the user trusts exactly that content.

use std::fmt::Write;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::Specs;
use super::source::SpecSource;
use crate::model::ProjectFiles;

/// The directory of a project that contains our spec files.
const DIRECTORY: &str = ".symposium";

impl Specs {
    /// Returns the spec files of the project's `.symposium` directory, or `None` if the project has none. Files in
    /// `.claude/agents` are not included, because they cannot define what runs.
    pub fn project_files(&self) -> Option<ProjectFiles> {
        let own: Vec<(&Path, &SpecSource)> =
            self.sources.iter().filter_map(|source| Some((root(source)?, source))).collect();
        let root = own.first()?.0.to_owned();
        let mut digest = Sha256::new();
        for (root, source) in &own {
            let name = source.path.strip_prefix(root).unwrap_or(&source.path).as_os_str().as_encoded_bytes();
            digest.update((name.len() as u64).to_le_bytes());
            digest.update(name);
            // A file that could not be read defines no spec; once it can be read, the digest differs.
            digest.update(source.sha256.unwrap_or_default());
        }
        Some(ProjectFiles {
            root,
            sha256: hexadecimal(&digest.finalize()),
            paths: own.iter().map(|(_, source)| source.path.display().to_string()).collect(),
            names: own
                .iter()
                .flat_map(|(_, source)| source.agents.iter().map(|(name, _)| name.clone()))
                .collect(),
        })
    }
}

/// Hashes the text of a file.
pub(super) fn sha256(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

fn root(source: &SpecSource) -> Option<&Path> {
    source.project().filter(|root| source.path.starts_with(root.join(DIRECTORY)))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
