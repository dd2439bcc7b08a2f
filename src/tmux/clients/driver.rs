//! Who of a session's terminals may type. The server decides, in one step, when a terminal comes: it is noted as the
//! session's driver, or made read-only because somebody drives. Two processes of ours never look and then act. What is
//! set right afterwards is in `seats.rs`.
//!
//! Options of the session: `@symposium_driver` is who drives, `@symposium_driver_words` the same in words,
//! `@symposium_driver_since` when it was let, where that was after it came; `@symposium_address` is what guests know the
//! agent by; `@symposium_chosen` is who wanted to drive last and did, and after it who came to drive because others left.
//!
//! Options of the server, which go along with whoever walks to another session by tmux's own keys: `@symposium_wanting`
//! is who watches only because somebody else drives, in the order in which that was, and since when; `@symposium_far`
//! what the machine that a terminal comes from calls this one.
//!
//! A terminal is known by its key, the process that draws on it and its name: a name alone is given again to another
//! terminal.

use jiff::Timestamp;

use crate::model::{AgentName, HostName, Terminal};
use crate::tmux::script::{Script, command};
use crate::tmux::{TmuxError, clients::size, target};

/// A read-only terminal must not decide the size of everybody's window either.
pub(in crate::tmux) const OBSERVER: &str = "read-only,ignore-size";
/// The key of the terminal that runs the command.
pub(in crate::tmux) const OWN_KEY: &str = "#{client_pid}@#{client_name}";
/// The name in a key.
const DRIVER_NAME: &str = "#{s/^[0-9]*@//:@symposium_driver}";
/// Who drives, and where and since when: the two parts of the words about the driver.
const WHO: &str = "#{s/ on .*//:@symposium_driver_words}";
const WHERE: &str = "#{s/^.* on /on /:@symposium_driver_words}";
/// How long a text stays. tmux draws nothing else meanwhile, and a terminal that only watches has no key to be rid of
/// it; the status line goes on to tell who drives.
pub(in crate::tmux) const SHOWN_MS: &str = "3000";

/// The terminal that comes.
pub(in crate::tmux) struct Comer<'a> {
    /// Where to.
    pub session: &'a AgentName,
    /// Its name and key; none when it is the one that runs the command.
    pub named: Option<&'a Terminal>,
    /// Whose it is, in words; `#` means nothing to tmux in it.
    pub words: &'a str,
    /// When.
    pub now: Timestamp,
    /// How.
    pub arrival: Arrival,
}

/// How a terminal comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// Because somebody wants it there now.
    Anew,
    /// In place of one whose connection was lost, and that did not drive then.
    Back,
}

/// What becomes of a terminal that wants to drive while another one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tmux) enum Meeting {
    /// It watches.
    Yield,
    /// It drives, and the other one watches.
    Take,
}

impl Comer<'_> {
    /// Seats the terminal, which is with the session already, and does something when it may type.
    pub(in crate::tmux) fn seated(
        &self,
        meeting: Meeting,
        when_driving: Script,
    ) -> Result<Script, TmuxError> {
        let at = target::pane_of(self.session.as_str());
        let is_there = format!("#{{m/r:(^|#,){DRIVER_NAME}(#,|$),#{{session_attached_list}}}}");
        // One of the same name is this terminal, or was there before it.
        let is_other = format!("#{{!=:{DRIVER_NAME},{}}}", self.name().unwrap_or("#{client_name}"));
        let is_driven = format!("#{{&&:#{{!=:#{{@symposium_driver}},}},#{{&&:{is_there},{is_other}}}}}");
        let mut drive = Script::default();
        self.drive(&mut drive);
        let mut meet = Script::default();
        match meeting {
            Meeting::Yield => {
                size::kept(self.session.as_str(), &mut meet);
                self.watch(&mut meet);
            }
            Meeting::Take => {
                meet.then(&command(&[
                    "set-option",
                    "-F",
                    "-t",
                    &at,
                    "@symposium_former",
                    "#{@symposium_driver}",
                ]));
                self.drive(&mut meet);
                self.tell_former(&mut meet)?;
            }
        }
        size::fitted(self.session.as_str(), &mut drive)?;
        if meeting == Meeting::Take {
            size::fitted(self.session.as_str(), &mut meet)?;
            meet.append(&when_driving);
        }
        drive.append(&when_driving);
        let mut script = Script::default();
        script.then(&command(&["if-shell", "-F", "-t", &at, &is_driven]));
        script.word(meet.finish("a terminal")?).word(drive.finish("a terminal")?);
        Ok(script)
    }

    fn key(&self) -> String {
        self.named.map_or_else(|| OWN_KEY.to_owned(), |terminal| terminal.key.clone())
    }

    fn name(&self) -> Option<&str> {
        self.named.map(|terminal| name_in(&terminal.key))
    }

    fn drive(&self, script: &mut Script) {
        let session = self.session.as_str();
        let at = target::pane_of(session);
        script.then(&command(&["set-option", "-F", "-t", &at, "@symposium_driver", &self.key()]));
        script.then(&command(&["set-option", "-F", "-t", &at, "@symposium_driver_words", self.words]));
        script.then(&command(&["set-option", "-uq", "-t", &at, "@symposium_driver_since"]));
        if self.arrival == Arrival::Anew {
            script.then(&command(&["set-option", "-F", "-t", &at, "@symposium_chosen", &self.key()]));
        }
        match self.named {
            Some(terminal) => {
                wants_no_more(&terminal.key, script);
                let_type(session, terminal.name(), script);
            }
            None => size::counted(None, script),
        }
    }

    fn watch(&self, script: &mut Script) {
        let session = self.session.as_str();
        let at = target::pane_of(session);
        let text = told(&known_as(session, &self.key()));
        match self.name() {
            Some(name) => {
                script.then(&command(&["refresh-client", "-t", name, "-f", OBSERVER]));
                wants(session, &self.key(), self.now, script);
                script.then(&command(&["display-message", "-d", SHOWN_MS, "-c", name, "-t", &at, &text]));
            }
            None => {
                script.then(&command(&["refresh-client", "-f", OBSERVER]));
                wants(session, &self.key(), self.now, script);
                script.then(&command(&["display-message", "-d", SHOWN_MS, "-t", &at, &text]));
            }
        }
    }

    /// The former driver watches, wants to drive again, and is told. What is expanded is expanded at once, so that of
    /// several who take over each means the one before it.
    fn tell_former(&self, script: &mut Script) -> Result<(), TmuxError> {
        let at = target::pane_of(self.session.as_str());
        let former = "#{s/^[0-9]*@//:@symposium_former}";
        let mut deed = Script::default();
        deed.then(&command(&["refresh-client", "-t"])).raw(former).words(["-f", OBSERVER]);
        // Nothing reaches a popup of a terminal that may not type: it would stay, and what is typed would wait behind it.
        deed.then(&command(&["display-popup", "-C", "-c"])).raw(former);
        deed.then(&command(&["set-option", "-g", "@symposium_wanting"]));
        deed.raw(&wanting_with("#{@symposium_former}", self.now));
        deed.then(&command(&["display-message", "-d", SHOWN_MS, "-c"])).raw(former);
        let address = known_as(self.session.as_str(), "#{@symposium_former}");
        deed.words(["-t", at.as_str()]).raw(&taken(&address));
        script.then(&command(&["run-shell", "-t", &at, "-C"])).word(deed.finish("a terminal")?);
        Ok(())
    }
}

/// The terminal of this key would drive, wherever it goes, and watches from now on.
pub(in crate::tmux) fn wants(session: &str, key: &str, now: Timestamp, script: &mut Script) {
    let at = target::pane_of(session);
    let with = wanting_with(key, now);
    script.then(&command(&["set-option", "-gF", "-t", &at, "@symposium_wanting", &with]));
}

/// All who would drive, and this one last.
fn wanting_with(key: &str, now: Timestamp) -> String {
    format!("{} {key}={} ", wanting_without(key), now.as_second())
}

/// Since when the terminal of this key has to watch, in what the server has noted of those who would drive.
pub(in crate::tmux) fn watches_since<'t>(wanting: &'t str, key: &str) -> Option<&'t str> {
    wanting.split_whitespace().find_map(|entry| entry.strip_prefix(key)?.strip_prefix('='))
}

/// All who would drive but this one.
fn wanting_without(key: &str) -> String {
    format!("#{{s| {key}=[0-9]* ||:@symposium_wanting}}")
}

/// The terminal of this key drives, only watches or has left.
pub(in crate::tmux) fn wants_no_more(key: &str, script: &mut Script) {
    script.then(&command(&["set-option", "-gF", "@symposium_wanting", &wanting_without(key)]));
}

/// Lets a terminal type, whether it could before or not: `-r` turns over what it is, so it is made read-only first.
pub(in crate::tmux) fn let_type(session: &str, name: &str, script: &mut Script) {
    script.then(&command(&["refresh-client", "-t", name, "-f", "read-only"]));
    script.then(&command(&["switch-client", "-c", name, "-r", "-t", &target::session(session)]));
}

pub(in crate::tmux) fn name_in(key: &str) -> &str {
    key.split_once('@').map_or(key, |(_, name)| name)
}

/// What the person at the terminal of this key types to come here.
pub(in crate::tmux) fn known_as(session: &str, key: &str) -> String {
    let is_guest = format!("#{{m/r: {key}=,#{{@symposium_guests}}}}");
    let is_far = format!("#{{m/r: {key}=,#{{@symposium_far}}}}");
    let host = format!("#{{?{is_far},#{{s/^.* {key}=([^ ]*) .*$/\\1/:@symposium_far}}:,}}");
    let own = target::in_format(&in_message(session));
    format!("#{{?{is_guest},#{{@symposium_address}},{host}{own}}}")
}

/// The terminal that runs the command is of a person for whom this machine has a name. Those who have left are forgotten
/// when many have come.
pub(in crate::tmux) fn comes_from(session: &str, host: &HostName, script: &mut Script) {
    let far = format!("#{{=-800:@symposium_far}} {OWN_KEY}={} ", host.as_str());
    let at = target::pane_of(session);
    script.then(&command(&["set-option", "-gF", "-t", &at, "@symposium_far", &far]));
}

/// What somebody who came to drive is told when another one does. Who comes first: a narrow terminal shows no more.
pub(in crate::tmux) fn told(address: &str) -> String {
    format!("{WHO} drives, you watch; take over: symposium agent attach {address} --take ({WHERE})")
}

/// What somebody is told whom another one took over from; who that is, is looked up when it is told.
fn taken(address: &str) -> String {
    format!("#{WHO} took over, you watch; take it back: symposium agent attach {address} --take (#{WHERE})")
}

/// A session may be called anything by somebody who renamed it; a format, a style or a time must not begin in it.
pub(in crate::tmux) fn in_message(session: &str) -> String {
    session.chars().filter(|c| !matches!(c, '#' | '%' | '{' | '}' | '"' | '$') && !c.is_control()).collect()
}

/// Whose a terminal is, in words that mean nothing to tmux.
pub(in crate::tmux) fn in_words(user: &str, tty: &str, from: Option<&str>) -> String {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| c.is_ascii_alphanumeric() || "._:-/@ ".contains(*c)).take(64).collect()
    };
    let user = if user.is_empty() { "somebody".to_owned() } else { plain(user) };
    let from = from.map(|from| format!(" from {}", plain(from))).unwrap_or_default();
    format!("{user} on {}{from}", if tty.starts_with("#{") { tty.to_owned() } else { plain(tty) })
}
