//! Program arguments in the form that tmux expects, and the call that starts them.
//!
//! A start is a single client call. Secrets and unusual bytes are passed on standard input. Directories are the
//! client's own or come from an option, because tmux expands formats in `-c`. tmux itself sets `TERM`, `TERM_PROGRAM`,
//! `TMUX`, `TMUX_PANE`, `SHELL` and `PWD`; every other variable comes from the caller.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Access, access};
use tmux_interface::TmuxCommand;

use super::script::{FinishedScript, Script, command, sh_word};
use super::server::option_diff::OptionDiff;
use super::transport::call::{Growth, TmuxCall};
use super::{
    Tmux, TmuxError,
    server::{conf, socket},
};

/// Variables that the server keeps in its own environment for its hooks. An agent that lacks them does not inherit
/// them.
const KEPT_VARIABLES: [&str; 5] = ["HOME", "LOGNAME", "PATH", "SHELL", "USER"];

/// Factor by which the time limit of a launch exceeds that of other calls. The result of an interrupted launch is
/// unknown.
const MAX_ATTEMPTS: u32 = 3;

/// Program to start in a pane.
#[derive(Clone, Copy)]
pub(super) struct PaneProgram<'a> {
    /// Program and arguments. No shell interprets them.
    pub argv: &'a [String],
    /// Working directory of the program.
    pub dir: &'a Path,
    /// Environment of the program.
    pub env: LaunchEnv<'a>,
    /// Callback that runs while the server starts the program. It does not run if the server has to be started first.
    pub meanwhile: Option<&'a dyn Fn()>,
}

/// Environment of a new process.
#[derive(Debug, Clone, Copy)]
pub enum LaunchEnv<'a> {
    /// Exactly these variables.
    Given(&'a [(OsString, OsString)]),
    /// The environment of the session's previous process, for a caller that does not have it. A new session has none.
    Kept {
        /// Variables that override it. The variable that identifies the agent must be among them.
        also: &'a [(OsString, OsString)],
    },
}

impl<'a> LaunchEnv<'a> {
    /// Returns the variables that the caller specifies.
    pub(super) fn named(self) -> &'a [(OsString, OsString)] {
        match self {
            LaunchEnv::Given(variables) | LaunchEnv::Kept { also: variables } => variables,
        }
    }
}

impl PaneProgram<'_> {
    /// Appends the arguments to the script. A single argument would be interpreted by a shell, so it is wrapped.
    pub(super) fn words(&self, script: &mut Script) {
        script.word("--");
        if self.argv.len() == 1 {
            script.word("/bin/sh").word("-c").word("exec \"$0\"");
        }
        script.words(self.argv);
    }
}

impl Tmux {
    /// Runs the program in the session that `new` creates, followed by the commands that `then` adds.
    pub(super) fn open_session(
        &self,
        new: &TmuxCommand<'_>,
        program: &PaneProgram<'_>,
        then: impl FnOnce(&mut Script),
    ) -> Result<String, TmuxError> {
        let mut script = Script::default();
        self.announce(program, &mut script)?;
        let hidden: Vec<&str> =
            KEPT_VARIABLES.into_iter().filter(|name| variable(program.env.named(), name).is_none()).collect();
        for name in &hidden {
            script.then(&command(&["set-environment", "-gu", name]));
        }
        script.then(new);
        for (key, value) in program.env.named() {
            script.word("-e").word([key.as_bytes(), b"=", value.as_bytes()].concat());
        }
        program.words(&mut script);
        then(&mut script);
        self.restore(&hidden, &mut script);
        let output = self.launch(program, script);
        let refused = matches!(output, Err(TmuxError::Refused { .. } | TmuxError::Duplicate { .. }));
        if refused && !hidden.is_empty() {
            // tmux skips the commands after one that fails, and the server's hooks need these variables.
            let mut script = Script::default();
            self.restore(&hidden, &mut script);
            let _ = self.run_script("restore an environment", script);
        }
        output
    }

    fn restore(&self, hidden: &[&str], script: &mut Script) {
        for &name in hidden {
            if let Some(value) = variable(&self.setup.base_env, name) {
                script.then(&command(&["set-environment", "-g", "--", name])).word(value.as_bytes());
            }
        }
    }

    /// Sets the server options for our program and state directory, which the hooks use, and the spawner's shell.
    pub(super) fn announce(&self, program: &PaneProgram<'_>, script: &mut Script) -> Result<(), TmuxError> {
        let mut diff = OptionDiff::default();
        conf::refresh(&self.setup, &mut diff)?;
        for (option, path) in [("@symposium_bin", &self.setup.binary), ("@symposium_home", &self.setup.home)]
        {
            diff.option(["-s", option], &sh_word(path.as_os_str().as_bytes()));
        }
        let shell = variable(program.env.named(), "SHELL").map(Path::new);
        if let Some(shell) = shell.filter(|shell| is_shell(shell)) {
            diff.option(["-g", "default-shell"], shell.as_os_str().as_bytes());
        }
        diff.write_to(script);
        Ok(())
    }

    /// Runs a launch script. Starts the server if none is running.
    pub(super) fn launch(&self, program: &PaneProgram<'_>, script: Script) -> Result<String, TmuxError> {
        if program.argv.is_empty() {
            return Err(TmuxError::Refused { what: "launch", output: "no program was given".to_owned() });
        }
        if !program.dir.is_dir() {
            return Err(TmuxError::NoDirectory { path: program.dir.to_owned() });
        }
        let FinishedScript { text, words } = script.into_request("what is to be started")?;
        socket::prepare(&self.setup.socket.path)?;
        let conf = conf::write(&self.setup)?;
        let run = || {
            let mut call = self.call("launch", &["start-server", ";", "source-file", "-"]);
            // tmux gives a new process the PATH of its client, not that of the session.
            call.env.retain(|(key, _)| *key != "PATH");
            call.env.extend(variable(program.env.named(), "PATH").map(|value| (OsStr::new("PATH"), value)));
            let bound = self.setup.bound * MAX_ATTEMPTS;
            let (stdin, direct) = (Some(&text[..]), words.as_deref());
            let call = TmuxCall {
                stdin,
                direct,
                dir: Some(program.dir),
                conf: Some(&conf),
                bound,
                meanwhile: program.meanwhile,
                growth: Growth::Pane,
                ..call
            };
            self.parse_reply("launch", self.run(&call)?)
        };
        // A server that is just ending drops the call. The second call starts a new server.
        let output = match run() {
            Err(TmuxError::NoServer { .. }) => run(),
            other => other,
        };
        if let (Ok(_), Some(memory)) = (&output, &self.setup.socket.memory) {
            socket::remember(memory, &self.setup.socket.path);
        }
        output
    }
}

fn variable<'a>(env: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    env.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
}

/// Returns `true` if tmux accepts the path as `default-shell`. An invalid value makes the whole launch fail.
fn is_shell(path: &Path) -> bool {
    path.is_absolute()
        && path.is_file()
        && path.file_name() != Some(OsStr::new("tmux"))
        && access(path, Access::EXEC_OK).is_ok()
}
