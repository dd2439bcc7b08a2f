//! People coming in and leaving. Attaching replaces this process by tmux, so nothing of ours stays in between.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;

use jiff::Timestamp;

use super::door;
use super::driver::{Arrival, Comer, Meeting, OBSERVER, OWN_KEY, comes_from, in_words, wants_no_more};
use super::query::clock;
use super::script::{Script, command};
use super::size::OWN_NAME;
use super::{Tmux, TmuxError, conf, size, target, without_tmux};
use crate::model::{AgentName, AttachPolicy, HostName, Terminal};

/// What somebody who attaches wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachAs {
    /// To type, if nobody else does.
    Driver,
    /// To type, also when somebody else does, who then watches.
    Taker,
    /// To watch.
    Observer,
}

/// Somebody who attaches.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// Where to.
    pub session: &'a AgentName,
    /// What for.
    pub how: AttachAs,
    /// What holds here.
    pub policy: AttachPolicy,
    /// Who it is.
    pub user: &'a str,
    /// Whose agent it is, where that is somebody else.
    pub owner: Option<&'a str>,
    /// The address of the machine that the person sits at, over SSH.
    pub from: Option<&'a str>,
    /// What that machine calls this one.
    pub host: Option<&'a HostName>,
    /// When.
    pub now: Timestamp,
    /// Whether for the first time.
    pub arrival: Arrival,
    /// What is laid over the screen of whoever may type.
    pub popup: Option<&'a Popup>,
    /// What the terminal is.
    pub around: Around,
}

/// What is around somebody who attaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    /// A terminal.
    Terminal,
    /// A pane of somebody's own tmux, whose prefix key comes first.
    OwnTmux,
}

impl Around {
    /// Has the status line tell the keys by it. Those who have left are forgotten when many have come.
    pub(super) fn noted(self, session: &str) -> Script {
        let mut script = Script::default();
        if self == Around::OwnTmux {
            let nested = format!("#{{=-400:@symposium_nested}} {OWN_KEY} ");
            let set = ["set-option", "-F", "-t", &target::pane_of(session), "@symposium_nested", &nested];
            script.then(&command(&set));
        }
        script
    }
}

impl Entry<'_> {
    /// What is done when another one drives; none when nobody asks for the wheel.
    pub(super) fn meeting(&self) -> Option<Meeting> {
        match (self.how, self.policy) {
            (AttachAs::Observer, _) | (_, AttachPolicy::Shared) => None,
            (AttachAs::Driver, AttachPolicy::SingleDriver) => Some(Meeting::Yield),
            (AttachAs::Taker, AttachPolicy::SingleDriver) => Some(Meeting::Take),
        }
    }

    pub(super) fn words(&self, tty: &str) -> String {
        format!("{} since {}", in_words(self.user, tty, self.from), clock(self.now))
    }
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
    fn shown(&self, script: &mut Script) {
        let height = (self.lines + 2).to_string();
        script.then(&command(&["display-popup", "-E", "-w", "90%", "-h", &height, "--"])).words(&self.argv);
    }
}

impl Tmux {
    /// Becomes a terminal of the session; returns only when that failed. Works inside somebody's own tmux.
    pub fn attach(&self, entry: &Entry<'_>, env: Vec<(OsString, OsString)>) -> TmuxError {
        let words = match self.attach_words(entry) {
            Ok(words) => words,
            Err(error) => return error,
        };
        let mut command = door::program(&self.program);
        let source = command.args(words).env_clear().envs(without_tmux(&env)).exec();
        TmuxError::NotRun { program: self.program.clone(), source }
    }

    /// The arguments that attach a terminal to the session.
    pub(super) fn attach_words(&self, entry: &Entry<'_>) -> Result<Vec<OsString>, TmuxError> {
        let session = entry.session.as_str();
        let target = target::session(session);
        let mut words: Vec<OsString> = vec!["-u".into(), "-f".into(), conf::path(&self.setup).into()];
        words.extend(["-S".into(), self.setup.socket.clone().into()]);
        let mut script = Script::default();
        // Before anything else: a popup holds up what comes after it, and the status line below it tells the keys.
        let around = entry.around.noted(session);
        match entry.meeting() {
            None if entry.how == AttachAs::Observer => {
                size::kept(session, &mut script);
                script.then(&command(&["attach-session", "-t", &target, "-f", OBSERVER])).append(&around);
                size::not_by(session, OWN_NAME, &mut script)?;
            }
            None => {
                script.then(&command(&["attach-session", "-t", &target])).append(&around);
                size::by(session, None, &mut script)?;
                entry.popup.iter().for_each(|popup| popup.shown(&mut script));
            }
            Some(meeting) => {
                // Not counted until it may type: the agent must not see a size that is taken back at once.
                let attach = ["attach-session", "-t", &target, "-f", "ignore-size"];
                script.then(&command(&attach)).append(&around);
                entry.host.iter().for_each(|host| comes_from(session, host, &mut script));
                let mut popup = Script::default();
                entry.popup.iter().for_each(|one| one.shown(&mut popup));
                let comer = Comer {
                    session: entry.session,
                    named: None,
                    words: &entry.words("#{client_tty}"),
                    now: entry.now,
                    arrival: entry.arrival,
                };
                script.append(&comer.seated(meeting, popup)?);
            }
        }
        let said = script.spoken("an attach")?.words.unwrap_or_default();
        words.extend(said.into_iter().map(OsString::from_vec));
        Ok(words)
    }

    /// Shows the session in the terminal around us, which is one of our own server's; `env` says which it is.
    pub fn switch_client(&self, entry: &Entry<'_>, env: &[(OsString, OsString)]) -> Result<(), TmuxError> {
        let own = self.own_client(env)?;
        let name = own.key.split_once('@').map_or("", |(_, name)| name);
        let session = entry.session.as_str();
        let target = target::session(session);
        let mut script = Script::default();
        let switch = ["switch-client", "-c", name, "-t", &target];
        match entry.meeting() {
            None if entry.how == AttachAs::Observer => {
                size::kept(session, &mut script);
                script.then(&command(&switch));
                script.then(&command(&["refresh-client", "-t", name, "-f", OBSERVER]));
                wants_no_more(&own.key, &mut script);
                size::not_by(session, name, &mut script)?;
            }
            None => {
                script.then(&command(&["refresh-client", "-t", name, "-f", "read-only"]));
                script.then(&command(&["switch-client", "-c", name, "-r", "-t", &target]));
                size::by(session, Some(name), &mut script)?;
            }
            Some(meeting) => {
                script.then(&command(&["refresh-client", "-t", name, "-f", "ignore-size"]));
                script.then(&command(&switch));
                let words = entry.words(name);
                let comer = Comer {
                    session: entry.session,
                    named: Some(&own),
                    words: &words,
                    now: entry.now,
                    arrival: entry.arrival,
                };
                script.append(&comer.seated(meeting, Script::default())?);
            }
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

    /// The key that comes before every other one of ours; the user's configuration may have another one.
    pub fn prefix(&self, session: &AgentName) -> Result<String, TmuxError> {
        let said = self.ask(
            "attach",
            &["display-message", "-p", "-t", &target::pane_of(session.as_str()), "#{prefix}"],
        )?;
        Ok(said.trim_end().to_owned())
    }

    /// The terminal in which the caller runs.
    fn own_client(&self, env: &[(OsString, OsString)]) -> Result<Terminal, TmuxError> {
        let pane = env.iter().find(|(key, _)| key == "TMUX_PANE").and_then(|(_, value)| value.to_str());
        let pane = target::pane(pane.unwrap_or_default())?;
        let words = ["display-message", "-p", "-t", pane, "#{session_name}"];
        let session = self.ask("switch", &words)?;
        let mut script = Script::default();
        let format = "#{client_activity} #{client_pid}@#{client_name}";
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
            Some((_, key)) => Ok(Terminal {
                key: key.to_owned(),
                types: true,
                counts: true,
                words: String::new(),
                guest: false,
            }),
            None => {
                Err(TmuxError::Refused { what: "switch", said: "no terminal shows this pane".to_owned() })
            }
        }
    }
}
