//! `agent shell` and `agent edit`: programs of the user that run in an agent's workspace with its environment.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::env::HOME;
use crate::error::Error;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::spawn_request::Variables;
use crate::manager::terminal::WorkspaceShell;
use crate::manager::workspace::Workspaces;
use crate::model::{AgentName, AgentRecord, Exit};
use crate::process::{self, Run};
use crate::rules::specs::params;

/// Variable that holds the name of the agent whose workspace a shell is in.
const SHELL_OF: &str = "SYMPOSIUM_SHELL_OF";

/// Program that a user opens in an agent's workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkspaceProgram {
    /// The user's shell.
    Shell,
    /// A command with its arguments.
    Command(Vec<String>),
    /// The user's editor on these files, or on the directory.
    Editor(Vec<String>),
}

impl WorkspaceShell<'_> {
    /// Runs a program in an agent's workspace and in this terminal until it exits.
    pub fn run_in_workspace(&self, name: &AgentName, program: WorkspaceProgram) -> Result<Exit, Error> {
        let record = self.0.record(name, "shell")?;
        let dir = Path::new(&record.working_directory);
        if !dir.is_dir() {
            return Err(Workspaces(self.0).directory_gone(&record));
        }
        let command = self.workspace_command(program)?;
        let (program, args) =
            command.split_first().map_or(("", &command[..]), |(program, args)| (program, args));
        let Some(found) = LaunchPlanner(self.0).find_program(program, dir) else {
            return Err(not_installed(program));
        };
        let env = self.workspace_environment(&record);
        let run = Run { program: &found, args, dir: Some(dir), env: Some(&env) };
        process::run_foreground(&run, |_| ()).map_err(Error::io(format!("cannot run `{program}`")))
    }

    /// Lets the user change a text in an editor and in this terminal. Returns the text as it was saved.
    pub fn edit_text(&self, text: &str) -> Result<String, Error> {
        let cannot = || Error::io("cannot edit the text");
        let file = tempfile::Builder::new().prefix("prompt-").suffix(".md").tempfile().map_err(cannot())?;
        fs::write(file.path(), text).map_err(cannot())?;
        let path = file.path().to_string_lossy().into_owned();
        let command = self.workspace_command(WorkspaceProgram::Editor(vec![path]))?;
        let (program, args) =
            command.split_first().map_or(("", &command[..]), |(program, args)| (program, args));
        let dir = self.0.env.cwd().unwrap_or(Path::new("/"));
        let found = LaunchPlanner(self.0).find_program(program, dir).ok_or_else(|| not_installed(program))?;
        let run = Run { program: &found, args, dir: None, env: Some(self.0.env.all()) };
        process::run_foreground(&run, |_| ()).map_err(Error::io(format!("cannot run `{program}`")))?;
        fs::read_to_string(file.path()).map_err(cannot())
    }

    fn workspace_command(&self, program: WorkspaceProgram) -> Result<Vec<String>, Error> {
        let setting = |key: &str| {
            let value = self.0.env.var(key)?.to_str()?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        match program {
            WorkspaceProgram::Command(command) => Ok(command),
            WorkspaceProgram::Shell => Ok(vec![setting("SHELL").unwrap_or_else(|| "/bin/sh".to_owned())]),
            WorkspaceProgram::Editor(files) => {
                let editor =
                    setting("VISUAL").or_else(|| setting("EDITOR")).unwrap_or_else(|| "vi".to_owned());
                let mut command = shlex::split(&editor)
                    .filter(|words| !words.is_empty())
                    .ok_or_else(|| Error::usage(format!("VISUAL or EDITOR is not a command: {editor}")))?;
                match files.is_empty() {
                    true => command.push(".".to_owned()),
                    false => command.extend(files),
                }
                Ok(command)
            }
        }
    }

    /// Returns the caller's environment with the ports of the worktree, the variables of the agent's kind and spec, of `--env` and of the
    /// parameters.
    ///
    /// The agent's id (SYMPOSIUM_AGENT_ID) is left out: it marks processes of the agent, and ending the agent would end
    /// the user's shell.
    fn workspace_environment(&self, record: &AgentRecord) -> Variables {
        let mut env: Variables = self.0.env.all().to_vec();
        let mut set = |key: String, value: OsString| {
            env.retain(|(known, _)| *known != *key);
            env.push((key.into(), value));
        };
        for (key, value) in Workspaces(self.0).port_variables(record) {
            set(key, value.into());
        }
        for (key, value) in self.0.kind_of(record).map(|kind| kind.env).unwrap_or_default() {
            set(key, value.into());
        }
        if let Some(note) = LaunchPlanner(self.0).spawn_manifest(&record.name) {
            let of_spec = note.spec.map(|spec| spec.env).unwrap_or_default();
            for (key, value) in of_spec.into_iter().chain(note.env) {
                set(key, value.into());
            }
        }
        for given in &record.params {
            set(params::variable(&given.name), given.value.to_string().into());
        }
        set(HOME.to_owned(), self.0.home.path.clone().into());
        set(SHELL_OF.to_owned(), record.name.as_str().into());
        env
    }
}

fn not_installed(program: &str) -> Error {
    Error::usage(format!("`{program}` is not installed, or not in PATH"))
        .hint("set SHELL, VISUAL or EDITOR to a program that is")
}
