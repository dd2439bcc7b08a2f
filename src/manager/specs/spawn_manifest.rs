//! `spec.json`: the spawn manifest of an agent. It is written at a spawn and at `restart --fresh`, and every other
//! start uses it, so that editing a spec never changes an existing agent.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::manager::specs::LaunchPlanner;
use crate::model::{AgentName, AgentRecord, RestartPolicy, Spec};
use crate::rules::lifecycle::inherit::Inheritance;

/// The spawn manifest. It suffices to start the agent again and to rebuild a lost registry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::manager) struct SpawnManifest {
    /// The record at the time of the spawn.
    pub record: AgentRecord,
    /// Variables that were given by `--env`.
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// The spec at the time of the spawn; `None` for agents of a version without specs.
    #[serde(default)]
    pub spec: Option<Spec>,
    /// The request, which `restart --fresh` resolves again with the current specs.
    #[serde(default, rename = "asked")]
    pub args: Option<SpawnArgs>,
    /// Names of the spawner's variables that the agent may fail without. Their values are stored nowhere.
    #[serde(default)]
    pub variables: Vec<String>,
}

/// The request of a spawn, without the workspace and the variables.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::manager) struct SpawnArgs {
    /// The spec, kind or path as it was typed; a path is absolute.
    pub spec: Option<String>,
    /// The command after `--`; empty if a spec was requested.
    pub command: Vec<String>,
    /// The directory in which specs were searched.
    pub dir: PathBuf,
    /// The spec file that was given.
    pub config: Option<PathBuf>,
    /// The title that was given.
    pub title: Option<String>,
    /// The restart policy that was given.
    pub restart: Option<RestartPolicy>,
    /// Whether the agent was requested to be ephemeral, regardless of its spec.
    pub ephemeral: bool,
    /// The parameters that were given, as they were typed.
    pub params: Vec<(String, String)>,
    /// The settings that the parent passed on.
    pub inherited: Option<Inheritance>,
}

impl LaunchPlanner<'_> {
    /// Returns the spawn manifest of an agent, or `None` if it cannot be read.
    pub(in crate::manager) fn spawn_manifest(&self, name: &AgentName) -> Option<SpawnManifest> {
        let bytes = std::fs::read(self.0.store.instance(name).spec_json()).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    pub(in crate::manager) fn write_spawn_manifest(&self, note: &SpawnManifest) -> Result<(), Error> {
        Ok(self.0.store.instance(&note.record.name).write_spec(note)?)
    }
}
