//! What a spawn would run, for faces that ask the user before they start an agent.

use std::path::PathBuf;

use serde::Serialize;

use crate::error::Error;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::specs::{LaunchPlanner, SpecCatalog};
use crate::model::{GivenParam, Spec, Workspace};
use crate::rules::access::web_secret::checksum;

/// Program and commands that a spawn would run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpawnPreview {
    /// The name of the spec.
    pub spec: String,
    /// The kind of the agent.
    pub kind: String,
    /// The directory that the agent or its worktree starts from.
    pub directory: PathBuf,
    /// The kind of workspace.
    pub workspace: Workspace,
    /// The program with the arguments of the spec.
    pub command: Vec<String>,
    /// The program with all its arguments, including those for hooks and tools.
    pub command_line: Vec<String>,
    /// The initial prompt, with its parameters filled in.
    pub task: Option<String>,
    /// Names of the variables that the spec sets.
    pub variables: Vec<String>,
    /// The warnings of a spawn.
    pub warnings: Vec<String>,
    /// Checksum of all that would be run, also of the parts that are not listed here.
    pub digest: String,
}

/// Everything that decides what is run.
#[derive(Serialize)]
struct DigestInput<'a> {
    spec: &'a Spec,
    kind: &'a str,
    directory: &'a PathBuf,
    workspace: Workspace,
    command_line: &'a [String],
    task: Option<&'a str>,
    name: Option<&'a str>,
    params: &'a [GivenParam],
}

impl SpecCatalog<'_> {
    /// Returns what a spawn would run, or the error with which it would be refused. Creates nothing.
    pub fn spawn_preview(&self, request: &SpawnRequest) -> Result<SpawnPreview, Error> {
        let dir = self.0.working_directory(request.dir.as_deref())?;
        let plan = LaunchPlanner(self.0).chosen(request, None, &dir)?;
        plan.refuse_untrusted()?;
        let task = plan.task(request.task.as_deref())?.map(|task| task.as_str().to_owned());
        let workspace = request.workspace.unwrap_or(plan.spec.workspace);
        let command_line = self.command_line(&plan)?;
        let input = DigestInput {
            spec: &plan.spec,
            kind: &plan.kind_name,
            directory: &dir,
            workspace,
            command_line: &command_line,
            task: task.as_deref(),
            name: request.name.as_ref().map(|name| name.as_str()),
            params: &plan.params,
        };
        let text = serde_json::to_string(&input)
            .map_err(|error| Error::usage(format!("the agent cannot be described: {error}")))?;
        let digest = checksum(&text);
        let LaunchPlan { spec, kind_name, warnings, command, .. } = plan;
        Ok(SpawnPreview {
            variables: spec.env.keys().cloned().collect(),
            spec: spec.name,
            kind: kind_name,
            directory: dir,
            workspace,
            command,
            command_line,
            task,
            warnings,
            digest,
        })
    }
}
