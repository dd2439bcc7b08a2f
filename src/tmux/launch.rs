//! Starts an agent's process in a new session, or again in the pane where it ended, and sets the options that identify
//! the session as the agent's.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tmux_interface::{NewSession, PipePane, RespawnPane};

use super::pane_command::{LaunchEnv, PaneProgram};
use super::script::{Script, command, sh_word};
use super::{
    Tmux, TmuxError,
    server::{conf, descriptors},
    target,
};
use crate::model::{AgentId, AgentName, ServerIdentity};

/// tmux format that is printed at the end of a launch.
const STARTED: &str = "#{start_time}:#{pid} #{pane_id} #{pane_pid} #{session_name}";

/// Process to start and the session to start it in.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// Name of the session.
    pub name: &'a AgentName,
    /// Id of the agent.
    pub id: AgentId,
    /// Free text that the status line shows.
    pub title: Option<&'a str>,
    /// Program and arguments. No shell interprets them.
    pub argv: &'a [String],
    /// Working directory of the process.
    pub dir: &'a Path,
    /// Environment of the process.
    pub env: LaunchEnv<'a>,
    /// The agent's record as JSON, stored in the session.
    pub record: &'a str,
    /// Program and arguments that receive all output of the agent. If empty, the output is not piped, and tmux 3.3a may
    /// lose the last output of a program that ends at once.
    pub pipe: &'a [String],
    /// Columns and lines of the pane until a client attaches.
    pub size: (u16, u16),
    /// Whether tmux calls `symposium event` when the agent prints, falls silent or rings the bell.
    pub edges: ActivityReports,
    /// Callback that runs while the server works. It does not run if the server has to be started first.
    pub meanwhile: Option<&'a dyn Fn()>,
}

/// Whether tmux reports changes between activity and silence of a session, see `hooks.conf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActivityReports {
    /// tmux reports them.
    On,
    /// tmux does not report them, because the agent reports its status itself.
    Off,
}

/// Result of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchResult {
    /// Server that the session belongs to.
    pub server: ServerIdentity,
    /// Name of the session.
    pub session: String,
    /// Id of the pane.
    pub pane: String,
    /// Process id of the pane's first process.
    pub pid: i32,
    /// Errors in the user's `tmux.conf`, if the launch started the server.
    pub mistakes: Vec<String>,
}

impl<'a> Launch<'a> {
    fn program(&self) -> PaneProgram<'a> {
        PaneProgram { argv: self.argv, dir: self.dir, env: self.env, meanwhile: self.meanwhile }
    }
}

impl Tmux {
    /// Starts an agent in a new session. Starts the server if none is running.
    pub fn start(&self, launch: &Launch<'_>) -> Result<LaunchResult, TmuxError> {
        let (columns, lines) = launch.size;
        let new = NewSession::new()
            .detached()
            .session_name(launch.name.as_str())
            .width(columns.into())
            .height(lines.into())
            .print()
            .format(STARTED)
            .build();
        let pane = target::pane_of(launch.name.as_str());
        let mut mistakes = Script::default();
        conf::take_mistakes(&pane, &mut mistakes)?;
        let output = self.open_session(&new, &launch.program(), |script| {
            script.append(&mistakes);
            configure_session(launch, &pane, script);
            // Without this, tmux would use the size of the client that currently drives another agent.
            let (columns, lines) = (columns.to_string(), lines.to_string());
            script.then(&command(&["resize-window", "-t", &pane, "-x", &columns, "-y", &lines]));
            // The server asks for permission to write before it prints, unless more output follows. Each time it waits
            // for input it iterates over all its panes: with a thousand panes one round trip less saves four
            // milliseconds.
            script.then(&command(&["display-message", "-p", "-t", &pane, ""]));
        })?;
        parse_started(output)
    }

    /// Starts an agent again in its pane, whose process has ended. Clients stay attached.
    pub fn respawn(&self, launch: &Launch<'_>, pane: &str) -> Result<LaunchResult, TmuxError> {
        let session = target::session(launch.name.as_str());
        let mut script = Script::default();
        self.announce(&launch.program(), &mut script)?;
        self.check_owner(launch, target::pane(pane)?)?;
        let old = match launch.env {
            LaunchEnv::Given(_) => self.old_variables(&session)?,
            LaunchEnv::Kept { .. } => Vec::new(),
        };
        for name in old {
            script.then(&command(&["set-environment", "-t", &session, "-u", "--"])).word(name);
        }
        for (key, value) in launch.env.named() {
            script.then(&command(&["set-environment", "-t", &session, "--"])).word(key.as_bytes());
            script.word(value.as_bytes());
        }
        script
            .then(&command(&["set-option", "-t", pane, "@symposium_dir"]))
            .word(launch.dir.as_os_str().as_bytes());
        script.then(&RespawnPane::new().start_directory("#{@symposium_dir}").target_pane(pane).build());
        launch.program().words(&mut script);
        for option in ["@symposium_title", "@symposium_status", "@symposium_edges"] {
            script.then(&command(&["set-option", "-u", "-t", pane, option]));
        }
        configure_session(launch, pane, &mut script);
        script.then(&command(&["display-message", "-p", "-t", pane, STARTED]));
        match self.launch(&launch.program(), script) {
            Err(TmuxError::Refused { output, .. }) if output.contains("still active") => {
                Err(TmuxError::BusyPane { pane: pane.to_owned() })
            }
            output => parse_started(output?),
        }
    }

    /// Sends the output of a pane to a command and replaces the previous command. tmux discards output that it still
    /// buffered for the previous one.
    pub fn pipe_output(&self, pane: &str, argv: &[String]) -> Result<(), TmuxError> {
        let mut script = Script::default();
        pipe_to(argv, target::pane(pane)?, &mut script);
        self.run_script("record what an agent prints", script).map(drop)
    }

    /// Checks that the pane exists and belongs to the agent.
    fn check_owner(&self, launch: &Launch<'_>, pane: &str) -> Result<(), TmuxError> {
        let name = launch.name.as_str();
        let mut script = Script::default();
        let panes = ["list-panes", "-s", "-t", &target::session(name), "-F", "#{pane_id} #{@symposium_id}"];
        script.then(&command(&panes));
        let answer = self.run_script("query a session", script)?;
        let Some(owner) = answer.lines().find_map(|line| line.strip_prefix(pane)?.strip_prefix(' ')) else {
            return Err(TmuxError::NoPane { pane: pane.to_owned() });
        };
        if owner.parse() == Ok(launch.id) {
            Ok(())
        } else {
            Err(TmuxError::NoSession { session: name.to_owned() })
        }
    }

    /// Returns the names of the variables that the session's previous process had.
    fn old_variables(&self, session: &str) -> Result<Vec<Vec<u8>>, TmuxError> {
        let words = ["show-environment", "-t", session];
        let output = self.run(&self.call("query a session", &words))?;
        // A value with several lines looks like more variables. Unsetting a variable that does not exist is harmless.
        let names = output.out.split(|byte| *byte == b'\n').map(|line| {
            let line = line.strip_prefix(b"-").unwrap_or(line);
            line.split(|byte| *byte == b'=').next().unwrap_or_default().to_owned()
        });
        Ok(names.filter(|name| !name.is_empty()).collect())
    }
}

/// Marks the session as the agent's and connects its output to the pipe. Sets only options that have a value, because
/// setting an option takes tmux longer the more sessions there are.
fn configure_session(launch: &Launch<'_>, pane: &str, script: &mut Script) {
    // `remain-on-exit-format` can read options of the window only.
    script.then(&command(&["set-option", "-w", "-t", pane, "@symposium_name", launch.name.as_str()]));
    let mut set = |option: &str, value: &[u8]| {
        script.then(&command(&["set-option", "-t", pane, option])).word(value);
    };
    set("@symposium_id", launch.id.to_string().as_bytes());
    set("@symposium_record", launch.record.as_bytes());
    if let Some(title) = launch.title.filter(|title| !title.is_empty()) {
        set("@symposium_title", title.as_bytes());
    }
    if launch.edges == ActivityReports::On {
        set("@symposium_edges", b"1");
    }
    if !launch.pipe.is_empty() {
        pipe_to(launch.pipe, pane, script);
    }
    // A variable that holds the agent's id identifies a process as part of the agent. The hooks that tmux runs for the
    // session must not inherit it.
    let id = launch.id.to_string();
    let session = target::session(launch.name.as_str());
    for (name, _) in launch.env.named().iter().filter(|(_, value)| *value == *id) {
        script.then(&command(&["set-environment", "-t", &session, "-u", "--"])).word(name.as_bytes());
    }
    if launch.edges == ActivityReports::On {
        // In a reused pane, the silence of the previous process is over.
        script.then(&command(&["set-option", "-w", "-t", pane, "@symposium_quiet", "0"]));
        script.then(&command(&["kill-session", "-C", "-t", &session]));
        script.then(&command(&["set-option", "-w", "-t", pane, "monitor-activity", "on"]));
    }
}

/// Environment variable that passes the pane's process id to the command behind the pane's pipe.
pub const PANE_PROCESS: &str = "SYMPOSIUM_PANE_PROCESS";

/// Sends the output of a pane to a command and replaces the previous command.
fn pipe_to(argv: &[String], pane: &str, script: &mut Script) {
    let words: Vec<Vec<u8>> = argv.iter().map(|word| sh_word(word.as_bytes())).collect();
    let pipe = [b"exec ".as_slice(), &words.join(&b' ')].concat();
    let process = format!("{PANE_PROCESS}=#{{pane_pid}} ");
    if pipe.iter().any(|byte| matches!(byte, b'#' | b'%')) {
        // tmux expands formats and times in the command itself, but not in the value of an option.
        script.then(&command(&["set-option", "-t", pane, "@symposium_pipe"])).word(&pipe);
        let command = format!("{process}#{{@symposium_pipe}}");
        script.then(&PipePane::new().target_pane(pane).shell_command(command).build());
    } else {
        script.then(&PipePane::new().target_pane(pane).build()).word([process.as_bytes(), &pipe].concat());
    }
}

fn parse_started(output: String) -> Result<LaunchResult, TmuxError> {
    let (mistakes, output) = conf::mistakes_in(&output);
    let parse = || {
        let mut words = output.lines().rfind(|line| !line.is_empty())?.splitn(4, ' ');
        let server = ServerIdentity(words.next()?.to_owned());
        let pane = target::pane(words.next()?).ok()?.to_owned();
        let pid = words.next()?.parse().ok()?;
        descriptors::inherit_limit(pid);
        Some(LaunchResult { server, session: words.next()?.to_owned(), pane, pid, mistakes })
    };
    parse().ok_or(TmuxError::Garbled { what: "launch", output })
}
