//! `spec.json`: what an agent was born from. It is written at birth and at `restart --fresh`, and is what every other
//! start goes by, so that editing a spec never changes an agent that is there.

use crate::manager::specs::SpecCatalog;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::model::{AgentName, AgentRecord, RestartPolicy, Spec};
use crate::rules::lifecycle::inherit::Inheritance;

/// What an instance keeps beside its record: enough to start it again, and to rebuild a lost registry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::manager) struct BirthNote {
    /// The record as it was at birth.
    pub record: AgentRecord,
    /// Variables that were given by `--env`.
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// The spec as it was then; none for agents of a symposium that knew no specs.
    #[serde(default)]
    pub spec: Option<Spec>,
    /// What was asked for, to ask the same of specs as they are today.
    #[serde(default)]
    pub asked: Option<Asked>,
    /// Names of the spawner's variables that the agent may fail without. Their values are stored nowhere.
    #[serde(default)]
    pub variables: Vec<String>,
}

/// What was asked for, beside the place to work in and the variables.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::manager) struct Asked {
    /// The spec, kind or path, as it was typed; a path is absolute.
    pub spec: Option<String>,
    /// The command after `--`; empty when a spec was asked for.
    pub command: Vec<String>,
    /// Where specs were looked for.
    pub dir: PathBuf,
    /// The file of specs that was named.
    pub config: Option<PathBuf>,
    /// The title that was given.
    pub title: Option<String>,
    /// The policy that was given.
    pub restart: Option<RestartPolicy>,
    /// Whether it was to vanish when its task is done, whatever its spec says.
    pub ephemeral: bool,
    /// The parameters that were given, as they were typed.
    pub params: Vec<(String, String)>,
    /// What the agent that spawned it handed down.
    pub inherited: Option<Inheritance>,
}

impl SpecCatalog<'_> {
    /// What an agent was born from, when that can still be read.
    pub(in crate::manager) fn birth_note(&self, name: &AgentName) -> Option<BirthNote> {
        let bytes = std::fs::read(self.0.store.instance(name).spec_json()).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    pub(in crate::manager) fn write_birth_note(&self, note: &BirthNote) -> Result<(), Error> {
        Ok(self.0.store.instance(&note.record.name).write_spec(note)?)
    }
}
