//! Decides which client of a session may type. The server decides atomically when a client attaches: the client becomes
//! the session's driver, or read-only because the session has one. No process of ours checks first and acts later.
//! `list.rs` applies later corrections.
//!
//! Variables of the session (`variables.rs`): `@symposium_driver` is the key of the driver, `@symposium_driver_words` its description, and
//! `@symposium_driver_since` the time at which it became the driver, if that was after it attached.
//! `@symposium_address` is the name under which guests know the agent. `@symposium_chosen` lists the client that last
//! asked to drive and did, followed by clients that became the driver because others left.
//!
//! Variables of the server, which apply to a client in whichever session it is: `@symposium_wanting` lists the clients
//! that observe only because another client drives, in order, with the time since when. `@symposium_far` holds the name
//! of this host on the machine that a client comes from.
//!
//! A client is identified by its key, which is its process id and its name, because tmux gives the same name to later
//! clients.

use jiff::Timestamp;

use crate::model::{AgentName, AttachedClient, HostName};
use crate::tmux::script::{Script, command};
use crate::tmux::{
    TmuxError,
    clients::{size, variables},
    target,
};

/// Flags of an observer. A read-only client must not affect the size of the window either.
pub(in crate::tmux) const OBSERVER: &str = "read-only,ignore-size";
/// Format of the key of the client that runs the command.
pub(in crate::tmux) const OWN_KEY: &str = "#{client_pid}@#{client_name}";
/// Format of the driver's name, taken from its key.
const DRIVER_NAME: &str = "#{s/^[0-9]*@//:@symposium_driver}";
/// Formats of the two parts of the driver's description: the user, and the terminal with the time.
const DRIVER_USER: &str = "#{s/ on .*//:@symposium_driver_words}";
const DRIVER_LOCATION: &str = "#{s/^.* on /on /:@symposium_driver_words}";
/// Time in milliseconds for which a message is shown. tmux draws nothing else meanwhile, and an observer has no key to
/// dismiss it. The status line continues to show the driver.
pub(in crate::tmux) const SHOWN_MS: &str = "3000";

/// A client that joins a session and asks to drive.
pub(in crate::tmux) struct JoiningClient<'a> {
    /// Session that the client joins.
    pub session: &'a AgentName,
    /// The client, or `None` if it runs the command itself.
    pub named: Option<&'a AttachedClient>,
    /// Description of the client. It contains no `#` that tmux would expand.
    pub words: &'a str,
    /// Time at which the client joins.
    pub now: Timestamp,
    /// Reason why the client joins.
    pub arrival: JoinReason,
}

/// Reason why a client joins a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinReason {
    /// The user asks for it now.
    New,
    /// It replaces a client whose connection was lost and that was not the driver.
    Returning,
}

/// Treatment of a client that asks to drive while another client drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tmux) enum IfDriven {
    /// The joining client observes.
    Yield,
    /// The joining client drives, and the former driver observes.
    Take,
}

impl JoiningClient<'_> {
    /// Returns the commands that make the client, which is already attached, the driver or an observer, and run
    /// `when_driving` if it may type.
    pub(in crate::tmux) fn claim_commands(
        &self,
        meeting: IfDriven,
        when_driving: Script,
    ) -> Result<Script, TmuxError> {
        let at = target::pane_of(self.session.as_str());
        let is_there = format!("#{{m/r:(^|#,){DRIVER_NAME}(#,|$),#{{session_attached_list}}}}");
        // A driver with the same name is this client or an earlier one.
        let is_other = format!("#{{!=:{DRIVER_NAME},{}}}", self.name().unwrap_or("#{client_name}"));
        let is_driven = format!("#{{&&:#{{!=:#{{@symposium_driver}},}},#{{&&:{is_there},{is_other}}}}}");
        let mut drive = Script::default();
        self.drive(&mut drive);
        let mut meet = Script::default();
        match meeting {
            IfDriven::Yield => {
                size::kept(self.session.as_str(), &mut meet);
                self.watch(&mut meet);
            }
            IfDriven::Take => {
                let session = self.session.as_str();
                variables::set(session, "@symposium_former", "#{@symposium_driver}", &mut meet);
                self.drive(&mut meet);
                self.message_former_driver(&mut meet)?;
            }
        }
        size::fitted(self.session.as_str(), &mut drive)?;
        if meeting == IfDriven::Take {
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
        variables::set(session, "@symposium_driver", &self.key(), script);
        variables::set(session, "@symposium_driver_words", self.words, script);
        variables::unset(session, "@symposium_driver_since", script);
        if self.arrival == JoinReason::New {
            variables::set(session, "@symposium_chosen", &self.key(), script);
        }
        variables::redraw_session(session, script);
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
        let text = observer_message(&known_as(session, &self.key()));
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

    /// Makes the former driver an observer that waits to drive again, and shows it a message. Formats are expanded at
    /// once, so that if several clients take over, each refers to the one before it.
    fn message_former_driver(&self, script: &mut Script) -> Result<(), TmuxError> {
        let at = target::pane_of(self.session.as_str());
        let former = "#{s/^[0-9]*@//:@symposium_former}";
        let mut commands = Script::default();
        commands.then(&command(&["refresh-client", "-t"])).raw(former).words(["-f", OBSERVER]);
        // A popup of a read-only client receives no keys: it would stay open, and typed input would wait behind it.
        commands.then(&command(&["display-popup", "-C", "-c"])).raw(former);
        commands.then(&command(&["set-environment", "-gh", "@symposium_wanting"]));
        commands.raw(&wanting_with("#{@symposium_former}", self.now));
        commands.then(&command(&["set-option", "-guq", "@symposium_wanting"]));
        commands.then(&command(&["display-message", "-d", SHOWN_MS, "-c"])).raw(former);
        let address = known_as(self.session.as_str(), "#{@symposium_former}");
        commands.words(["-t", at.as_str()]).raw(&taken(&address));
        script.then(&command(&["run-shell", "-t", &at, "-C"])).word(commands.finish("a terminal")?);
        Ok(())
    }
}

/// Records that the client asks to drive, in any session, and observes from now on.
pub(in crate::tmux) fn wants(session: &str, key: &str, now: Timestamp, script: &mut Script) {
    variables::set_global(Some(session), "@symposium_wanting", &wanting_with(key, now), script);
}

/// Returns the list of waiting clients with this client at its end.
fn wanting_with(key: &str, now: Timestamp) -> String {
    format!("{} {key}={} ", wanting_without(key), now.as_second())
}

/// Returns the time since when the client has to observe, from the server's list of waiting clients.
pub(in crate::tmux) fn watches_since<'t>(wanting: &'t str, key: &str) -> Option<&'t str> {
    wanting.split_whitespace().find_map(|entry| entry.strip_prefix(key)?.strip_prefix('='))
}

/// Returns the list of waiting clients without this client.
fn wanting_without(key: &str) -> String {
    format!("#{{s| {key}=[0-9]* ||:@symposium_wanting}}")
}

/// Removes the client from the list of waiting clients: it drives, only observes or has left.
pub(in crate::tmux) fn wants_no_more(key: &str, script: &mut Script) {
    variables::set_global(None, "@symposium_wanting", &wanting_without(key), script);
}

/// Lets a client type, whether it could before or not. `-r` toggles the state, so the client is made read-only first.
pub(in crate::tmux) fn let_type(session: &str, name: &str, script: &mut Script) {
    script.then(&command(&["refresh-client", "-t", name, "-f", "read-only"]));
    script.then(&command(&["switch-client", "-c", name, "-r", "-t", &target::session(session)]));
}

pub(in crate::tmux) fn name_in(key: &str) -> &str {
    key.split_once('@').map_or(key, |(_, name)| name)
}

/// Returns the name under which the user of this client attaches to the agent.
pub(in crate::tmux) fn known_as(session: &str, key: &str) -> String {
    let is_guest = format!("#{{m/r: {key}=,#{{@symposium_guests}}}}");
    let is_remote = format!("#{{m/r: {key}=,#{{@symposium_far}}}}");
    let host = format!("#{{?{is_remote},#{{s/^.* {key}=([^ ]*) .*$/\\1/:@symposium_far}}:,}}");
    let own = target::in_format(&in_message(session));
    format!("#{{?{is_guest},#{{@symposium_address}},{host}{own}}}")
}

/// Records the name that this host has on the machine of the client that runs the command. The list is truncated, which
/// drops clients that left long ago.
pub(in crate::tmux) fn comes_from(session: &str, host: &HostName, script: &mut Script) {
    let remote_names = format!("#{{=-800:@symposium_far}} {OWN_KEY}={} ", host.as_str());
    variables::set_global(Some(session), "@symposium_far", &remote_names, script);
}

/// Returns the message for a client that asked to drive while another client drives. The driver comes first, because a
/// narrow terminal shows no more.
pub(in crate::tmux) fn observer_message(address: &str) -> String {
    format!(
        "{DRIVER_USER} drives, you watch; take over: symposium agent attach {address} --take ({DRIVER_LOCATION})"
    )
}

/// Returns the message for a former driver. The new driver is looked up when the message is shown.
fn taken(address: &str) -> String {
    format!(
        "#{DRIVER_USER} took over, you watch; take it back: symposium agent attach {address} --take (#{DRIVER_LOCATION})"
    )
}

/// Removes characters that could begin a format, a style or a time, because a user may rename a session to anything.
pub(in crate::tmux) fn in_message(session: &str) -> String {
    session.chars().filter(|c| !matches!(c, '#' | '%' | '{' | '}' | '"' | '$') && !c.is_control()).collect()
}

/// Describes a client in characters that tmux does not interpret.
pub(in crate::tmux) fn in_words(user: &str, tty: &str, from: Option<&str>) -> String {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| c.is_ascii_alphanumeric() || "._:-/@ ".contains(*c)).take(64).collect()
    };
    let user = if user.is_empty() { "unknown user".to_owned() } else { plain(user) };
    let from = from.map(|from| format!(" from {}", plain(from))).unwrap_or_default();
    format!("{user} on {}{from}", if tty.starts_with("#{") { tty.to_owned() } else { plain(tty) })
}
