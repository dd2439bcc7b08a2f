//! Starting an agent's process: in a session of its own, or again in the pane where it ended.
//!
//! All of a start is one client call. What is secret or odd goes in on standard input; directories are the
//! client's own, or come out of an option, because tmux expands formats in `-c`. tmux itself sets `TERM`,
//! `TERM_PROGRAM`, `TMUX`, `TMUX_PANE`, `SHELL` and `PWD`; every other variable is the launch's.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Access, access};
use tmux_interface::{NewSession, PipePane, RespawnPane};

use super::door::Call;
use super::script::{Script, command};
use super::{Tmux, TmuxError, conf, socket, target};
use crate::model::{AgentId, AgentName, ServerIdentity};

/// What the server keeps of its own environment so that hooks can run; never shown to an agent that lacks it.
const KEPT: [&str; 5] = ["HOME", "LOGNAME", "PATH", "SHELL", "USER"];

/// A launch may take so many times as long as other calls: when it is cut short, nobody knows what it started.
const PATIENCE: u32 = 3;

/// The tmux words for what is printed at the end of a launch.
const STARTED: &str = "#{start_time}:#{pid} #{pane_id} #{pane_pid} #{session_name}";

/// What is started, and where.
#[derive(Debug, Clone, Copy)]
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
    /// Its whole environment.
    pub env: &'a [(OsString, OsString)],
    /// The agent's record as JSON, kept with the session.
    pub record: &'a str,
    /// The program that is given everything the agent prints, with its arguments; none when empty, but then
    /// tmux 3.3a may lose the last words of a program that ends at once.
    pub pipe: &'a [String],
    /// Columns and lines until somebody attaches.
    pub size: (u16, u16),
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
            .build();
        let mut script = Script::default();
        self.announce(launch, &mut script);
        for name in KEPT.iter().filter(|name| variable(launch.env, name).is_none()) {
            script.then(&command(&["set-environment", "-gu", name]));
        }
        script.then(&new);
        for (key, value) in launch.env {
            script.word("-e").word([key.as_bytes(), b"=", value.as_bytes()].concat());
        }
        program_words(launch.argv, &mut script);
        dress(launch, &target::pane_of(launch.name.as_str()), &mut script);
        script.anyway();
        for name in KEPT {
            if let Some(value) = variable(&self.setup.base_env, name) {
                script.then(&command(&["set-environment", "-g", "--", name])).word(value.as_bytes());
            }
        }
        self.launch(launch, script)
    }

    /// Starts an agent again in its pane, whose process has ended; terminals stay attached to it.
    pub fn respawn(&self, launch: &Launch<'_>, pane: &str) -> Result<Started, TmuxError> {
        let session = target::session(launch.name.as_str());
        let mut script = Script::default();
        self.announce(launch, &mut script);
        for name in self.old_variables(launch, target::pane(pane)?)? {
            script.then(&command(&["set-environment", "-t", &session, "-u", "--"])).word(name);
        }
        for (key, value) in launch.env {
            script.then(&command(&["set-environment", "-t", &session, "--"])).word(key.as_bytes());
            script.word(value.as_bytes());
        }
        script
            .then(&command(&["set-option", "-t", pane, "@symposium_dir"]))
            .word(launch.dir.as_os_str().as_bytes());
        script.then(&RespawnPane::new().start_directory("#{@symposium_dir}").target_pane(pane).build());
        program_words(launch.argv, &mut script);
        dress(launch, pane, &mut script);
        match self.launch(launch, script) {
            Err(TmuxError::Refused { said, .. }) if said.contains("still active") => {
                Err(TmuxError::BusyPane { pane: pane.to_owned() })
            }
            other => other,
        }
    }

    /// The variables of the session that the pane's former process had, after a check that it is the agent's.
    fn old_variables(&self, launch: &Launch<'_>, pane: &str) -> Result<Vec<Vec<u8>>, TmuxError> {
        let name = launch.name.as_str();
        let mut script = Script::default();
        let panes = ["list-panes", "-s", "-t", &target::session(name), "-F", "#{pane_id} #{@symposium_id}"];
        script.then(&command(&panes));
        let answer = self.tell("look at a session", script)?;
        let Some(owner) = answer.lines().find_map(|line| line.strip_prefix(pane)?.strip_prefix(' ')) else {
            return Err(TmuxError::NoPane { pane: pane.to_owned() });
        };
        if owner.parse() != Ok(launch.id) {
            return Err(TmuxError::NoSession { session: name.to_owned() });
        }
        let words = ["show-environment", "-t", &target::session(name)];
        let said = self.call("look at a session", &words).run(self.setup.bound)?;
        // A value of several lines looks like more variables; to unset what is not there does no harm.
        let names = said.out.split(|byte| *byte == b'\n').map(|line| {
            let line = line.strip_prefix(b"-").unwrap_or(line);
            line.split(|byte| *byte == b'=').next().unwrap_or_default().to_owned()
        });
        Ok(names.filter(|name| !name.is_empty()).collect())
    }

    /// Tells the server where our program and home are now, for its hooks, and the spawner's shell.
    fn announce(&self, launch: &Launch<'_>, script: &mut Script) {
        for (option, path) in [("@symposium_bin", &self.setup.binary), ("@symposium_home", &self.setup.home)]
        {
            script.then(&command(&["set-option", "-s", option])).word(sh_word(path.as_os_str().as_bytes()));
        }
        let shell = variable(launch.env, "SHELL").map(Path::new);
        if let Some(shell) = shell.filter(|shell| is_shell(shell)) {
            script.then(&command(&["set-option", "-g", "default-shell"])).word(shell.as_os_str().as_bytes());
        }
    }

    /// Runs a launch script, starting the server when there is none.
    fn launch(&self, launch: &Launch<'_>, script: Script) -> Result<Started, TmuxError> {
        if launch.argv.is_empty() {
            return Err(TmuxError::Refused { what: "launch", said: "no program was given".to_owned() });
        }
        if !launch.dir.is_dir() {
            return Err(TmuxError::NoDirectory { path: launch.dir.to_owned() });
        }
        let text = script.finish("what is to be started")?;
        socket::prepare(&self.setup.socket)?;
        let conf = conf::write(&self.setup)?;
        let run = || {
            let mut call = self.call("launch", &["start-server", ";", "source-file", "-"]);
            call.args.splice(1..1, [OsStr::new("-f").to_owned(), conf.clone().into()]);
            // tmux gives a new process its client's PATH, whatever the session's is.
            call.env.retain(|(key, _)| *key != "PATH");
            call.env.extend(variable(launch.env, "PATH").map(|value| (OsStr::new("PATH"), value)));
            let call = Call { stdin: Some(&text), dir: Some(launch.dir), ..call };
            self.understand("launch", call.run(self.setup.bound * PATIENCE)?)
        };
        // A server that is just leaving takes the call with it; the next one starts a new server.
        let said = match run() {
            Err(TmuxError::NoServer { .. }) => run(),
            other => other,
        }?;
        parse_started(&said).ok_or(TmuxError::Garbled { what: "launch", said })
    }
}

/// Marks the session as the agent's, sends its output to the pipe and says what was started.
fn dress(launch: &Launch<'_>, pane: &str, script: &mut Script) {
    let mut set = |option: &str, value: &[u8]| {
        script.then(&command(&["set-option", "-t", pane, option])).word(value);
    };
    set("@symposium_id", launch.id.to_string().as_bytes());
    set("@symposium_record", launch.record.as_bytes());
    set("@symposium_title", launch.title.unwrap_or_default().as_bytes());
    set("@symposium_status", b"");
    if !launch.pipe.is_empty() {
        // Formats and times are expanded in the command itself, but not in the value of an option.
        let words: Vec<Vec<u8>> = launch.pipe.iter().map(|word| sh_word(word.as_bytes())).collect();
        set("@symposium_pipe", &[b"exec ".as_slice(), &words.join(&b' ')].concat());
        script.then(&PipePane::new().target_pane(pane).shell_command("#{@symposium_pipe}").build());
    }
    // What carries the agent's id is the agent's: the hooks that tmux runs for the session must not look like it.
    let id = launch.id.to_string();
    let session = target::session(launch.name.as_str());
    for (name, _) in launch.env.iter().filter(|(_, value)| *value == *id) {
        script.then(&command(&["set-environment", "-t", &session, "-u", "--"])).word(name.as_bytes());
    }
    script.then(&command(&["display-message", "-p", "-t", pane, STARTED]));
}

/// The program as tmux must be told it: a single word would be read by a shell.
fn program_words(argv: &[String], script: &mut Script) {
    script.word("--");
    if argv.len() == 1 {
        script.word("/bin/sh").word("-c").word("exec \"$0\"");
    }
    script.words(argv);
}

/// The value of a variable.
fn variable<'a>(env: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    env.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
}

/// A word as sh reads it back. NUL is left in, for the script to refuse.
fn sh_word(bytes: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for &byte in bytes {
        if byte == b'\'' { word.extend_from_slice(b"'\\''") } else { word.push(byte) }
    }
    word.push(b'\'');
    word
}

/// Whether tmux would take this for `default-shell`; it fails the whole launch on one that it does not like.
fn is_shell(path: &Path) -> bool {
    path.is_absolute()
        && path.is_file()
        && path.file_name() != Some(OsStr::new("tmux"))
        && access(path, Access::EXEC_OK).is_ok()
}

fn parse_started(said: &str) -> Option<Started> {
    let mut words = said.lines().last()?.splitn(4, ' ');
    let server = ServerIdentity(words.next()?.to_owned());
    let pane = target::pane(words.next()?).ok()?.to_owned();
    let pid = words.next()?.parse().ok()?;
    Some(Started { server, session: words.next()?.to_owned(), pane, pid })
}
