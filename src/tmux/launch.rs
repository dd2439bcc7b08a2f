//! Starting an agent's process: in a session of its own, or again in the pane where it ended; and the marks by which
//! the session is known as the agent's.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tmux_interface::{NewSession, PipePane, RespawnPane};

use super::pane_command::{LaunchEnv, Program};
use super::script::{Script, command, sh_word};
use super::{
    Tmux, TmuxError,
    server::{conf, descriptors},
    target,
};
use crate::model::{AgentId, AgentName, ServerIdentity};

/// The tmux words for what is printed at the end of a launch.
const STARTED: &str = "#{start_time}:#{pid} #{pane_id} #{pane_pid} #{session_name}";

/// What is started, and where.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// The session's name.
    pub name: &'a AgentName,
    /// The agent.
    pub id: AgentId,
    /// Free text for the status line.
    pub title: Option<&'a str>,
    /// The program and its arguments; no shell sees them.
    pub argv: &'a [String],
    /// Where it runs.
    pub dir: &'a Path,
    /// Its environment.
    pub env: LaunchEnv<'a>,
    /// The agent's record as JSON, kept with the session.
    pub record: &'a str,
    /// The program that is given everything the agent prints, with its arguments; none when empty, but then
    /// tmux 3.3a may lose the last words of a program that ends at once.
    pub pipe: &'a [String],
    /// Columns and lines until somebody attaches.
    pub size: (u16, u16),
    /// Whether our program is told when it prints, falls quiet or rings.
    pub edges: Edges,
    /// What the caller does while the server works, when the server is there.
    pub meanwhile: Option<&'a dyn Fn()>,
}

/// Whether a session's changes between busy and quiet are told, see `hooks.conf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// They are.
    Told,
    /// They are not: the agent tells by itself what it does.
    Untold,
}

/// What was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The server it is in.
    pub server: ServerIdentity,
    /// The session.
    pub session: String,
    /// The pane.
    pub pane: String,
    /// The first process.
    pub pid: i32,
    /// What is wrong with the user's additions to the configuration, when the server was started for it.
    pub mistakes: Vec<String>,
}

impl<'a> Launch<'a> {
    fn program(&self) -> Program<'a> {
        Program { argv: self.argv, dir: self.dir, env: self.env, meanwhile: self.meanwhile }
    }
}

impl Tmux {
    /// Starts an agent in a new session, and the server with it when there is none.
    pub fn start(&self, launch: &Launch<'_>) -> Result<Started, TmuxError> {
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
        let said = self.open_session(&new, &launch.program(), |script| {
            script.append(&mistakes);
            dress(launch, &pane, script);
            // Whoever drives another agent at this moment would be the measure otherwise.
            let (columns, lines) = (columns.to_string(), lines.to_string());
            script.then(&command(&["resize-window", "-t", &pane, "-x", &columns, "-y", &lines]));
            // The server asks first whether it may speak, unless it has more to say meanwhile. Each time it listens it
            // looks through all its panes: with a thousand of them one question less is four milliseconds.
            script.then(&command(&["display-message", "-p", "-t", &pane, ""]));
        })?;
        parse_started(said)
    }

    /// Starts an agent again in its pane, whose process has ended; terminals stay attached to it.
    pub fn respawn(&self, launch: &Launch<'_>, pane: &str) -> Result<Started, TmuxError> {
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
        dress(launch, pane, &mut script);
        script.then(&command(&["display-message", "-p", "-t", pane, STARTED]));
        match self.launch(&launch.program(), script) {
            Err(TmuxError::Refused { said, .. }) if said.contains("still active") => {
                Err(TmuxError::BusyPane { pane: pane.to_owned() })
            }
            said => parse_started(said?),
        }
    }

    /// Sends what a pane prints to a command, in place of the one before. tmux drops what it still held for that one.
    pub fn pipe_output(&self, pane: &str, argv: &[String]) -> Result<(), TmuxError> {
        let mut script = Script::default();
        pipe_to(argv, target::pane(pane)?, &mut script);
        self.tell("record what an agent prints", script).map(drop)
    }

    /// Makes sure that the pane is there and the agent's.
    fn check_owner(&self, launch: &Launch<'_>, pane: &str) -> Result<(), TmuxError> {
        let name = launch.name.as_str();
        let mut script = Script::default();
        let panes = ["list-panes", "-s", "-t", &target::session(name), "-F", "#{pane_id} #{@symposium_id}"];
        script.then(&command(&panes));
        let answer = self.tell("look at a session", script)?;
        let Some(owner) = answer.lines().find_map(|line| line.strip_prefix(pane)?.strip_prefix(' ')) else {
            return Err(TmuxError::NoPane { pane: pane.to_owned() });
        };
        if owner.parse() == Ok(launch.id) {
            Ok(())
        } else {
            Err(TmuxError::NoSession { session: name.to_owned() })
        }
    }

    /// The names of the variables that the session's former process had.
    fn old_variables(&self, session: &str) -> Result<Vec<Vec<u8>>, TmuxError> {
        let words = ["show-environment", "-t", session];
        let said = self.run(&self.call("look at a session", &words))?;
        // A value of several lines looks like more variables; to unset what is not there does no harm.
        let names = said.out.split(|byte| *byte == b'\n').map(|line| {
            let line = line.strip_prefix(b"-").unwrap_or(line);
            line.split(|byte| *byte == b'=').next().unwrap_or_default().to_owned()
        });
        Ok(names.filter(|name| !name.is_empty()).collect())
    }
}

/// Marks the session as the agent's, sends its output to the pipe and says what was started. Only what differs from
/// nothing is set: setting an option takes tmux the longer, the more sessions there are.
fn dress(launch: &Launch<'_>, pane: &str, script: &mut Script) {
    // Where its last screen is drawn, only its window is known.
    script.then(&command(&["set-option", "-w", "-t", pane, "@symposium_name", launch.name.as_str()]));
    let mut set = |option: &str, value: &[u8]| {
        script.then(&command(&["set-option", "-t", pane, option])).word(value);
    };
    set("@symposium_id", launch.id.to_string().as_bytes());
    set("@symposium_record", launch.record.as_bytes());
    if let Some(title) = launch.title.filter(|title| !title.is_empty()) {
        set("@symposium_title", title.as_bytes());
    }
    if launch.edges == Edges::Told {
        set("@symposium_edges", b"1");
    }
    if !launch.pipe.is_empty() {
        pipe_to(launch.pipe, pane, script);
    }
    // What carries the agent's id is the agent's: the hooks that tmux runs for the session must not look like it.
    let id = launch.id.to_string();
    let session = target::session(launch.name.as_str());
    for (name, _) in launch.env.named().iter().filter(|(_, value)| *value == *id) {
        script.then(&command(&["set-environment", "-t", &session, "-u", "--"])).word(name.as_bytes());
    }
    if launch.edges == Edges::Told {
        // In a pane that is used again the quiet of the former process is over.
        script.then(&command(&["set-option", "-w", "-t", pane, "@symposium_quiet", "0"]));
        script.then(&command(&["kill-session", "-C", "-t", &session]));
        script.then(&command(&["set-option", "-w", "-t", pane, "monitor-activity", "on"]));
    }
}

/// The variable that gives the command behind a pane's pipe the process id of the pane.
pub const PANE_PROCESS: &str = "SYMPOSIUM_PANE_PROCESS";

/// Sends what a pane prints to a command, in place of the one before.
fn pipe_to(argv: &[String], pane: &str, script: &mut Script) {
    let words: Vec<Vec<u8>> = argv.iter().map(|word| sh_word(word.as_bytes())).collect();
    let pipe = [b"exec ".as_slice(), &words.join(&b' ')].concat();
    let process = format!("{PANE_PROCESS}=#{{pane_pid}} ");
    if pipe.iter().any(|byte| matches!(byte, b'#' | b'%')) {
        // Formats and times are expanded in the command itself, but not in the value of an option.
        script.then(&command(&["set-option", "-t", pane, "@symposium_pipe"])).word(&pipe);
        let command = format!("{process}#{{@symposium_pipe}}");
        script.then(&PipePane::new().target_pane(pane).shell_command(command).build());
    } else {
        script.then(&PipePane::new().target_pane(pane).build()).word([process.as_bytes(), &pipe].concat());
    }
}

fn parse_started(said: String) -> Result<Started, TmuxError> {
    let (mistakes, said) = conf::mistakes_in(&said);
    let parse = || {
        let mut words = said.lines().rfind(|line| !line.is_empty())?.splitn(4, ' ');
        let server = ServerIdentity(words.next()?.to_owned());
        let pane = target::pane(words.next()?).ok()?.to_owned();
        let pid = words.next()?.parse().ok()?;
        descriptors::hand_down(pid);
        Some(Started { server, session: words.next()?.to_owned(), pane, pid, mistakes })
    };
    parse().ok_or(TmuxError::Garbled { what: "launch", said })
}
