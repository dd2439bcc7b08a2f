//! People coming in and leaving. Attaching replaces this process by tmux, so nothing of ours stays in between.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;

use super::door;
use super::script::{Script, command};
use super::{Tmux, TmuxError, conf, target, without_tmux};
use crate::model::AgentName;

/// A read-only terminal must not decide the size of everybody's window either.
const OBSERVER: &str = "read-only,ignore-size";

/// What an attached terminal may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachAs {
    /// Type.
    Driver,
    /// Watch.
    Observer,
}

/// A program whose output lies over the session until it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Popup {
    /// It and its arguments; no shell sees them.
    pub argv: Vec<String>,
    /// How many lines it prints.
    pub lines: usize,
}

impl Popup {
    /// What follows the words that attach.
    fn words(&self) -> Vec<OsString> {
        let height = (self.lines + 2).to_string();
        let mut words: Vec<OsString> =
            [";", "display-popup", "-E", "-w", "90%", "-h", &height, "--"].map(OsString::from).into();
        // A semicolon at the end of a word would end the command.
        words.extend(self.argv.iter().map(|word| match word.strip_suffix(';') {
            Some(rest) => format!("{rest}\\;").into(),
            None => OsString::from(word),
        }));
        words
    }
}

impl Tmux {
    /// Becomes a terminal of the session; returns only when that failed. Works inside somebody's own tmux.
    pub fn attach(
        &self,
        session: &AgentName,
        how: AttachAs,
        env: Vec<(OsString, OsString)>,
        popup: Option<&Popup>,
    ) -> TmuxError {
        let mut command = door::program(&self.program);
        command.args(self.attach_words(session, how));
        command.args(popup.map(Popup::words).unwrap_or_default());
        let source = command.env_clear().envs(without_tmux(&env)).exec();
        TmuxError::NotRun { program: self.program.clone(), source }
    }

    /// The arguments that attach a terminal to the session.
    pub(super) fn attach_words(&self, session: &AgentName, how: AttachAs) -> Vec<OsString> {
        let target = target::session(session.as_str());
        let mut words: Vec<OsString> = vec!["-u".into(), "-f".into(), conf::path(&self.setup).into()];
        words.extend(["-S".into(), self.setup.socket.clone().into()]);
        words.extend(["attach-session", "-t", &target].map(OsString::from));
        if how == AttachAs::Observer {
            words.extend(["-f", OBSERVER].map(OsString::from));
        }
        words
    }

    /// Shows the session in the terminal around us, which is one of our own server's; `env` says which it is.
    pub fn switch_client(
        &self,
        session: &AgentName,
        how: AttachAs,
        env: &[(OsString, OsString)],
    ) -> Result<(), TmuxError> {
        let client = self.own_client(env)?;
        let mut script = Script::default();
        script.then(&command(&["switch-client", "-c", &client, "-t", &target::session(session.as_str())]));
        if how == AttachAs::Observer {
            script.then(&command(&["refresh-client", "-t", &client, "-f", OBSERVER]));
        }
        self.tell("switch", script).map(drop)
    }

    /// Sends terminals of the session away, all or one; says how many.
    pub fn detach(&self, session: &str, client: Option<&str>) -> Result<usize, TmuxError> {
        let mut script = Script::default();
        let at = target::session(session);
        script.then(&command(&["list-clients", "-t", &at, "-F", "#{client_name}"]));
        if client.is_none() {
            script.then(&command(&["detach-client", "-s", &at]));
        }
        let names = match self.tell("detach", script) {
            Err(other) if other.is_absence() => return Ok(0),
            other => other?,
        };
        let Some(client) = client else { return Ok(names.lines().count()) };
        let is_meant = |name: &&str| *name == client || name.strip_prefix("/dev/") == Some(client);
        let Some(name) = names.lines().find(is_meant) else { return Ok(0) };
        let mut script = Script::default();
        script.then(&command(&["detach-client", "-t", name]));
        self.tell("detach", script).map(|_| 1)
    }

    /// Whether `$TMUX` names our server.
    pub fn is_inside(&self, tmux_var: Option<&OsStr>) -> bool {
        let Some(text) = tmux_var.and_then(OsStr::to_str) else { return false };
        // `path,pid,session`, and the path may hold commas.
        let Some(path) = text.rsplitn(3, ',').nth(2) else { return false };
        let ours = std::fs::canonicalize(&self.setup.socket);
        ours.is_ok_and(|ours| std::fs::canonicalize(path).is_ok_and(|theirs| theirs == ours))
    }

    /// The terminal in which the caller runs.
    fn own_client(&self, env: &[(OsString, OsString)]) -> Result<String, TmuxError> {
        let pane = env.iter().find(|(key, _)| key == "TMUX_PANE").and_then(|(_, value)| value.to_str());
        let pane = target::pane(pane.unwrap_or_default())?;
        let words = ["display-message", "-p", "-t", pane, "#{session_name}"];
        let session = self.ask("switch", &words)?;
        let mut script = Script::default();
        let format = "#{client_activity} #{client_name}";
        script.then(&command(&[
            "list-clients",
            "-t",
            &target::session(session.trim_end_matches('\n')),
            "-F",
            format,
        ]));
        let clients = self.tell("switch", script)?;
        // The terminal that was typed into last is the one that called us.
        let latest = clients.lines().filter_map(|line| line.split_once(' '));
        let latest = latest.max_by_key(|(activity, _)| activity.parse::<u64>().unwrap_or(0));
        match latest {
            Some((_, name)) => Ok(name.to_owned()),
            None => {
                Err(TmuxError::Refused { what: "switch", said: "no terminal shows this pane".to_owned() })
            }
        }
    }
}
