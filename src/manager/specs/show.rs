//! `spec show`: a spec with the origin of each value, and the command line that a spawn would run.

use std::error::Error as _;
use std::path::Path;

use serde::Serialize;

use crate::error::{Code, Error, UnknownName};
use crate::kinds::{self, CommandLine, HookCommand};
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::mcp_access::Owner;
use crate::manager::specs::resolve::SpecLocation;
use crate::manager::specs::spawn_manifest::SpawnArgs;
use crate::manager::specs::{LaunchPlanner, SpecCatalog};
use crate::model::{Spec, UntrustedSpec};
use crate::rules::lifecycle::conversation_start::ConversationOpening;
use crate::rules::lifecycle::{conversation_start, naming};

/// Placeholder for the id of the conversation, which every spawn generates.
const NEW_ID: &str = "NEW-ID";

/// Result of `spec show`.
#[derive(Debug, Serialize)]
pub struct SpecShown {
    /// The resolved spec.
    pub spec: Spec,
    /// The kind of the spec, or `None` if it cannot be determined.
    pub kind: Option<String>,
    /// The arguments that a spawn would run; empty if a spawn would fail.
    pub command_line: Vec<String>,
    /// Why a spawn would fail.
    pub problem: Option<String>,
    /// The warnings of a spawn.
    pub warnings: Vec<String>,
}

/// Formats an error as the reason why a spawn would fail, with its observations.
fn problem(error: &Error) -> String {
    match (error.code(), error.source()) {
        (Code::BadParams, Some(mistakes)) => mistakes.to_string(),
        _ => error.to_string(),
    }
}

/// Returns the remark that a spawn would ask the user first.
fn needs_trust(untrusted: &UntrustedSpec) -> String {
    format!("it is not trusted: `symposium spec trust {}` shows what it would do", untrusted.dir.display())
}

impl SpecCatalog<'_> {
    /// Resolves a spec by its name, a kind, a folder or a file.
    pub fn spec_show(
        &self,
        name: Option<&str>,
        params: Vec<(String, String)>,
        location: &SpecLocation,
    ) -> Result<SpecShown, Error> {
        let mut args = SpawnArgs { params, ..self.args_for(location, name)? };
        let found = self.blueprint(&mut args).map_err(|error| match error.cause::<UnknownName>() {
            Some(unknown) if error.code() == Code::NoSuchSpec => {
                Error::no_such_spec(unknown.name.clone(), unknown.specs.clone(), "spec show")
            }
            _ => error,
        })?;
        let dir = args.dir.clone();
        Ok(match LaunchPlanner(self.0).plan_again(args, &dir) {
            Ok(chosen) => SpecShown {
                command_line: self.command_line(&chosen)?,
                kind: Some(chosen.kind_name),
                warnings: chosen
                    .warnings
                    .into_iter()
                    .chain(chosen.untrusted.iter().map(needs_trust))
                    .collect(),
                spec: found.spec,
                problem: None,
            },
            Err(error) => SpecShown {
                kind: found.spec.kind.clone(),
                command_line: vec![],
                problem: Some(problem(&error)),
                warnings: found.warnings,
                spec: found.spec,
            },
        })
    }

    /// Returns all arguments of the first start of an agent, including those for hooks and tools.
    pub(in crate::manager::specs) fn command_line(&self, chosen: &LaunchPlan) -> Result<Vec<String>, Error> {
        let taken = self.0.store.read(self.0.now())?;
        let is_free = |name: &_| !taken.iter().any(|record| record.name == *name);
        let name = naming::candidates(&chosen.spec.name, None).find(is_free);
        let state = name.as_ref().map(|name| self.0.store.instance(name).state_dir()).unwrap_or_default();
        let hook = HookCommand { binary: self.0.hook_program(), home: self.0.home.path.clone() };
        let variable = |key: &str| self.0.env.var(key).and_then(|value| value.to_str()).map(str::to_owned);
        let setup = kinds::hooks(&chosen.kind, &hook, Path::new(&state), &variable);
        let owner = Owner {
            name: name.map(String::from).unwrap_or_default(),
            id: NEW_ID.to_owned(),
            tier: chosen.spec.shell_tier,
        };
        let tools =
            LaunchPlanner(self.0).tools_for(owner, &chosen.kind, &self.0.env.for_agents().cloned().collect());
        let given = [setup.args, tools.args].concat();
        let id = match conversation_start::first(&chosen.kind.conversation, NEW_ID.to_owned()) {
            ConversationOpening::New(id) => id,
            ConversationOpening::Resume(_)
            | ConversationOpening::ResumeLast
            | ConversationOpening::Fork { .. } => None,
        };
        let opening = kinds::ConversationStart::New { conversation: id.as_deref() };
        let line = CommandLine { base: &chosen.command, opening, prompt: None, hook_args: &given };
        Ok(kinds::argv(&chosen.kind, &line))
    }
}
