//! Makes a new worktree ready for its agent: files that git does not carry, and commands to run in it. The user's
//! configuration says what every worktree needs, a spec what those of its own agents need beside that.
//!
//! A spec may be a stranger's: each command is told, with where it stands, before it runs.

use crate::manager::workspace::Workspaces;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{self, Error};
use crate::manager::specs::launch_plan::Chosen;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::specs::spawn_request::Variables;
use crate::model::{AgentRecord, WorkspaceConfig, is_deceptive};
use crate::process::{self, Run};
use crate::rules::lifecycle::params;
use crate::store::{Copied, copy_into, meant_by};

/// How long one setup command may take: an installation over a slow network.
const SETUP_BOUND: Duration = Duration::from_secs(60 * 60);

/// What makes a worktree ready.
pub(in crate::manager) struct Readying {
    /// Files to copy, as patterns.
    copy: Vec<String>,
    setup: Vec<SetupLine>,
    /// The agent's own environment, for the commands.
    env: Variables,
}

/// A command that makes a worktree ready.
struct SetupLine {
    line: String,
    /// The file that says so.
    said: String,
}

impl Workspaces<'_> {
    /// What an agent's worktree needs: first what the configuration says, then its spec.
    pub(in crate::manager) fn readying(
        &self,
        request: &SpawnRequest,
        chosen: &Chosen,
    ) -> Result<Readying, Error> {
        let config = self.0.config()?;
        let (usual, own) = (&config.workspace, &chosen.spec.worktree);
        let said = chosen.spec.origin("workspace.setup").to_string();
        let line = |line: &String, said: &str| SetupLine { line: line.clone(), said: said.to_owned() };
        let usual_lines = usual.setup.iter().map(|text| line(text, "config.toml"));
        let own_lines = own.setup.iter().filter(|text| !usual.setup.contains(text));
        let mut env: Variables = self.0.env.for_agents().cloned().collect();
        let given = chosen.params.iter().map(|one| (params::variable(&one.name), one.value.to_string()));
        for (key, value) in chosen.spec.env.clone().into_iter().chain(request.env.clone()).chain(given) {
            env.retain(|(known, _)| *known != *key);
            env.push((key.into(), value.into()));
        }
        Ok(Readying {
            copy: usual.copy.iter().chain(&own.copy).cloned().collect(),
            setup: usual_lines.chain(own_lines.map(|text| line(text, &said))).collect(),
            env,
        })
    }

    /// Says that nothing is copied and nothing runs where there is no worktree, unless somebody chose the place.
    pub(in crate::manager) fn warn_of_unused_setup(&self, request: &SpawnRequest, chosen: &Chosen) {
        if request.workspace.is_some() || chosen.spec.worktree == WorkspaceConfig::default() {
            return;
        }
        self.0.notice(format!(
            "`workspace` of spec `{0}` says what a worktree needs, and `{0}` works {1}: nothing was copied or run",
            chosen.spec.name, chosen.spec.workspace
        ));
    }

    /// Copies what git does not carry; says what is there now.
    pub(in crate::manager) fn copy_setup_files(
        &self,
        readying: &Readying,
        from: &Path,
        to: &Path,
    ) -> Vec<PathBuf> {
        let mut copied = Vec::new();
        for name in readying.copy.iter().flat_map(|pattern| meant_by(from, pattern)) {
            // It says what another place is for.
            if name == Path::new(crate::manager::workspace::worktree::TASKSPACE_FILE) {
                continue;
            }
            match copy_into(from, to, &name) {
                // A name that cannot be written down counts as work: it is rather kept than lost.
                Ok(Copied::Files(files)) => copied.extend(files.into_iter().filter(|f| f.to_str().is_some())),
                Ok(Copied::NotThere) => {}
                Err(why) => {
                    let name = error::shown(&name.to_string_lossy());
                    self.0.notice(format!("`{name}` was not copied into the worktree: {why}"));
                }
            }
        }
        copied
    }

    /// Runs the commands one after the other; the first that fails is the last.
    pub(in crate::manager) fn run_setup(
        &self,
        record: &AgentRecord,
        readying: &Readying,
        at: &Path,
    ) -> Result<(), Error> {
        for SetupLine { line, said } in &readying.setup {
            // Whole, however long: nothing runs that was not told.
            let (whole, said) =
                (line.replace(is_deceptive, "\u{fffd}"), said.replace(is_deceptive, "\u{fffd}"));
            self.0.progress(&format!("setting up: {whole} ({said})"));
            let shown = error::shown(&whole);
            let args = ["-c".to_owned(), line.clone()];
            let env = Some(&readying.env[..]);
            let run = Run { program: Path::new("/bin/sh"), args: &args, dir: Some(at), env };
            let failed = |saw: Vec<String>| Error::Workspace {
                what: format!("`{shown}` failed, so agent `{}` was not started", record.name),
                saw,
                hint: format!("try it yourself in the repository; it is a `setup` of {said}"),
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
