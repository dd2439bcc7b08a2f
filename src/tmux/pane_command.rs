//! Programs as tmux is told to start them, and the call that does it.
//!
//! All of a start is one client call. What is secret or odd goes in on standard input; directories are the
//! client's own, or come out of an option, because tmux expands formats in `-c`. tmux itself sets `TERM`,
//! `TERM_PROGRAM`, `TMUX`, `TMUX_PANE`, `SHELL` and `PWD`; every other variable is the program's.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Access, access};
use tmux_interface::TmuxCommand;

use super::script::{Script, Spoken, command, sh_word};
use super::server::option_diff::News;
use super::transport::call::{Call, Growth};
use super::{
    Tmux, TmuxError,
    server::{conf, socket},
};

/// What the server keeps of its own environment so that hooks can run; never shown to an agent that lacks it.
const KEPT: [&str; 5] = ["HOME", "LOGNAME", "PATH", "SHELL", "USER"];

/// A launch may take so many times as long as other calls: when it is cut short, nobody knows what it started.
const PATIENCE: u32 = 3;

/// What is started.
#[derive(Clone, Copy)]
pub(super) struct Program<'a> {
    /// It and its arguments; no shell sees them.
    pub argv: &'a [String],
    /// Where it runs.
    pub dir: &'a Path,
    /// Its environment.
    pub env: LaunchEnv<'a>,
    /// What the caller does while the server starts it; not done when the server itself is started first.
    pub meanwhile: Option<&'a dyn Fn()>,
}

/// The environment that a process gets.
#[derive(Debug, Clone, Copy)]
pub enum LaunchEnv<'a> {
    /// These variables and no others.
    Given(&'a [(OsString, OsString)]),
    /// What the session's former process had, for a caller who does not have it; a new session has nothing to keep.
    Kept {
        /// Variables that are set above it; the agent's mark must be among them.
        also: &'a [(OsString, OsString)],
    },
}

impl<'a> LaunchEnv<'a> {
    /// The variables that the caller names.
    pub(super) fn named(self) -> &'a [(OsString, OsString)] {
        match self {
            LaunchEnv::Given(variables) | LaunchEnv::Kept { also: variables } => variables,
        }
    }
}

impl Program<'_> {
    /// Says it as tmux must be told it: a single word would be read by a shell.
    pub(super) fn words(&self, script: &mut Script) {
        script.word("--");
        if self.argv.len() == 1 {
            script.word("/bin/sh").word("-c").word("exec \"$0\"");
        }
        script.words(self.argv);
    }
}

impl Tmux {
    /// Runs the program in the session that this command makes, and what is said after it.
    pub(super) fn open_session(
        &self,
        new: &TmuxCommand<'_>,
        program: &Program<'_>,
        then: impl FnOnce(&mut Script),
    ) -> Result<String, TmuxError> {
        let mut script = Script::default();
        self.announce(program, &mut script)?;
        let hidden: Vec<&str> =
            KEPT.into_iter().filter(|name| variable(program.env.named(), name).is_none()).collect();
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
        let said = self.launch(program, script);
        let refused = matches!(said, Err(TmuxError::Refused { .. } | TmuxError::Duplicate { .. }));
        if refused && !hidden.is_empty() {
            // What follows a command that fails is not run, and the server's hooks want theirs back.
            let mut script = Script::default();
            self.restore(&hidden, &mut script);
            let _ = self.tell("restore an environment", script);
        }
        said
    }

    fn restore(&self, hidden: &[&str], script: &mut Script) {
        for &name in hidden {
            if let Some(value) = variable(&self.setup.base_env, name) {
                script.then(&command(&["set-environment", "-g", "--", name])).word(value.as_bytes());
            }
        }
    }

    /// Tells the server where our program and home are now, for its hooks, and the spawner's shell.
    pub(super) fn announce(&self, program: &Program<'_>, script: &mut Script) -> Result<(), TmuxError> {
        let mut news = News::default();
        conf::refresh(&self.setup, &mut news)?;
        for (option, path) in [("@symposium_bin", &self.setup.binary), ("@symposium_home", &self.setup.home)]
        {
            news.option(["-s", option], &sh_word(path.as_os_str().as_bytes()));
        }
        let shell = variable(program.env.named(), "SHELL").map(Path::new);
        if let Some(shell) = shell.filter(|shell| is_shell(shell)) {
            news.option(["-g", "default-shell"], shell.as_os_str().as_bytes());
        }
        news.tell(script);
        Ok(())
    }

    /// Runs a launch script, starting the server when there is none.
    pub(super) fn launch(&self, program: &Program<'_>, script: Script) -> Result<String, TmuxError> {
        if program.argv.is_empty() {
            return Err(TmuxError::Refused { what: "launch", said: "no program was given".to_owned() });
        }
        if !program.dir.is_dir() {
            return Err(TmuxError::NoDirectory { path: program.dir.to_owned() });
        }
        let Spoken { text, words } = script.spoken("what is to be started")?;
        socket::prepare(&self.setup.socket.path)?;
        let conf = conf::write(&self.setup)?;
        let run = || {
            let mut call = self.call("launch", &["start-server", ";", "source-file", "-"]);
            // tmux gives a new process its client's PATH, whatever the session's is.
            call.env.retain(|(key, _)| *key != "PATH");
            call.env.extend(variable(program.env.named(), "PATH").map(|value| (OsStr::new("PATH"), value)));
            let bound = self.setup.bound * PATIENCE;
            let (stdin, direct) = (Some(&text[..]), words.as_deref());
            let call = Call {
                stdin,
                direct,
                dir: Some(program.dir),
                conf: Some(&conf),
                bound,
                meanwhile: program.meanwhile,
                growth: Growth::Pane,
                ..call
            };
            self.understand("launch", self.run(&call)?)
        };
        // A server that is just leaving takes the call with it; the next one starts a new server.
        let said = match run() {
            Err(TmuxError::NoServer { .. }) => run(),
            other => other,
        };
        if let (Ok(_), Some(memory)) = (&said, &self.setup.socket.memory) {
            socket::remember(memory, &self.setup.socket.path);
        }
        said
    }
}

/// The value of a variable.
fn variable<'a>(env: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    env.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
}

/// Whether tmux would take this for `default-shell`; it fails the whole launch on one that it does not like.
fn is_shell(path: &Path) -> bool {
    path.is_absolute()
        && path.is_file()
        && path.file_name() != Some(OsStr::new("tmux"))
        && access(path, Access::EXEC_OK).is_ok()
}
