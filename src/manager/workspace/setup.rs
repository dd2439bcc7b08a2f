//! Sets up a new worktree for its agent: copies files that git does not track, and runs commands in it. The user's
//! configuration applies to every worktree, and a spec adds to it for its own agents.
//!
//! A spec may come from another author, so each command is shown with its origin before it runs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{self, Code, Error};
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::specs::spawn_request::Variables;
use crate::manager::workspace::{WorkspaceSetup, Workspaces};
use crate::model::{AgentRecord, WorkspaceConfig, is_deceptive};
use crate::process::{self, Run};
use crate::rules::specs::params;
use crate::store::{CopyResult, copy_into, meant_by};

/// Time limit for one setup command: an installation over a slow network.
const SETUP_BOUND: Duration = Duration::from_secs(60 * 60);

/// The setup of a worktree.
pub(in crate::manager) struct WorktreeSetup {
    /// Patterns of the files to copy.
    copy: Vec<String>,
    setup: Vec<SetupLine>,
    /// The agent's own environment, for the commands.
    env: Variables,
}

/// A setup command.
struct SetupLine {
    line: String,
    /// The file that contains the command.
    origin: String,
}

impl WorkspaceSetup<'_> {
    /// Returns the setup of an agent's worktree: first from the configuration, then from its spec.
    pub(in crate::manager) fn setup_of(
        &self,
        request: &SpawnRequest,
        chosen: &LaunchPlan,
    ) -> Result<WorktreeSetup, Error> {
        let config = self.0.config()?;
        let (usual, own) = (&config.workspace, &chosen.spec.worktree);
        let origin = chosen.spec.origin("workspace.setup").to_string();
        let line = |line: &String, origin: &str| SetupLine { line: line.clone(), origin: origin.to_owned() };
        let usual_lines = usual.setup.iter().map(|text| line(text, "config.toml"));
        let own_lines = own.setup.iter().filter(|text| !usual.setup.contains(text));
        let mut env: Variables = self.0.env.for_agents().cloned().collect();
        let given =
            chosen.params.iter().map(|param| (params::variable(&param.name), param.value.to_string()));
        for (key, value) in chosen.spec.env.clone().into_iter().chain(request.env.clone()).chain(given) {
            env.retain(|(known, _)| *known != *key);
            env.push((key.into(), value.into()));
        }
        Ok(WorktreeSetup {
            copy: usual.copy.iter().chain(&own.copy).cloned().collect(),
            setup: usual_lines.chain(own_lines.map(|text| line(text, &origin))).collect(),
            env,
        })
    }

    /// Warns that nothing is copied and nothing runs without a worktree, unless the request chose the workspace.
    pub(in crate::manager) fn warn_of_unused_setup(&self, request: &SpawnRequest, chosen: &LaunchPlan) {
        if request.workspace.is_some() || chosen.spec.worktree == WorkspaceConfig::default() {
            return;
        }
        self.0.notice(format!(
            "`workspace` of spec `{0}` configures a worktree, but `{0}` works {1}: nothing was copied or run",
            chosen.spec.name, chosen.spec.workspace
        ));
    }

    /// Copies the files that git does not track. Returns the files that were copied.
    pub(in crate::manager) fn copy_setup_files(
        &self,
        readying: &WorktreeSetup,
        from: &Path,
        to: &Path,
    ) -> Vec<PathBuf> {
        let mut copied = Vec::new();
        for name in readying.copy.iter().flat_map(|pattern| meant_by(from, pattern)) {
            // This file describes the taskspace of the original worktree.
            if name == Path::new(crate::manager::workspace::worktree::TASKSPACE_FILE) {
                continue;
            }
            match copy_into(from, to, &name) {
                // A file name that is not UTF-8 cannot be stored in the note. Such a file counts as work, so that it is
                // rather kept than lost.
                Ok(CopyResult::Files(files)) => {
                    copied.extend(files.into_iter().filter(|f| f.to_str().is_some()))
                }
                Ok(CopyResult::NotThere) => {}
                Err(why) => {
                    let name = error::shown(&name.to_string_lossy());
                    self.0.notice(format!("`{name}` was not copied into the worktree: {why}"));
                }
            }
        }
        copied
    }

    /// Runs the commands in order and stops at the first failure.
    pub(in crate::manager) fn run_setup(
        &self,
        record: &AgentRecord,
        readying: &WorktreeSetup,
        at: &Path,
    ) -> Result<(), Error> {
        let mut env = readying.env.clone();
        let ports =
            if readying.setup.is_empty() { Vec::new() } else { Workspaces(self.0).port_variables(record) };
        for (key, value) in ports {
            // Variables of the request and the spec come first.
            if !env.iter().any(|(known, _)| *known == *key) {
                env.push((key.into(), value.into()));
            }
        }
        for SetupLine { line, origin } in &readying.setup {
            // The complete command is shown, however long it is: nothing runs that was not shown.
            let (whole, origin) =
                (line.replace(is_deceptive, "\u{fffd}"), origin.replace(is_deceptive, "\u{fffd}"));
            self.0.progress(&format!("setting up: {whole} ({origin})"));
            let shown = error::shown(&whole);
            let args = ["-c".to_owned(), line.clone()];
            let env = Some(&env[..]);
            let run = Run { program: Path::new("/bin/sh"), args: &args, dir: Some(at), env };
            let failed = |saw: Vec<String>| {
                Error::new(
                    Code::Workspace,
                    format!("`{shown}` failed, so agent `{}` was not started", record.name),
                )
                .saw_all(saw)
                .hint(format!("run it in the repository to see why; it is a `setup` command of {origin}"))
            };
            let output =
                process::run_bounded(&run, SETUP_BOUND).map_err(|error| failed(vec![error.to_string()]))?;
            if output.exit.code != Some(0) {
                let text = [output.stdout, output.stderr].concat();
                let lines: Vec<String> = String::from_utf8_lossy(&text).lines().map(error::shown).collect();
                let mut saw = vec![output.exit.to_string()];
                saw.extend_from_slice(&lines[lines.len().saturating_sub(8)..]);
                return Err(failed(saw));
            }
        }
        Ok(())
    }
}
