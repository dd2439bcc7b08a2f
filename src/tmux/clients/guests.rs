//! What guests see of a session, and how their input reaches it.
//!
//! A guest's screen is drawn by a read-only client of ours that receives no keys. tmux never interprets any of the
//! guest's bytes as a key, so a guest has no prefix, no prompt, no menu and no other session. Permitted input is pasted
//! into the agent's pane; the server checks the permission in the same command.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use tmux_interface::NewSession;

use crate::model::AgentName;
use crate::tmux::clients::attach::Entry;
use crate::tmux::clients::driver::{JoiningClient, OBSERVER, OWN_KEY, in_message, name_in};
use crate::tmux::clients::size::OWN_NAME;
use crate::tmux::pane_command::{LaunchEnv, Program};
use crate::tmux::script::{Script, command};
use crate::tmux::transport::call::Call;
use crate::tmux::{Tmux, TmuxError, clients::size, server::conf, target};

/// Prefix of the sessions of share processes, which no agent name can have.
pub(in crate::tmux) const DOORS: &str = "_share-";

/// Input of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuestTypes<'a> {
    /// Bytes as they were typed.
    Bytes(&'a [u8]),
    /// Text that was pasted.
    Paste(&'a [u8]),
    /// A key, by its tmux name.
    Key(&'a str),
}

/// Permission of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuestMay {
    /// The guest may drive.
    Type,
    /// The guest may only observe.
    Watch,
}

/// Output of tmux if another client determines the size.
const OTHER: &str = "another decides";

/// Which client determines the size of an agent that a guest types to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizer {
    /// The client that should.
    FinishedTasks,
    /// Another client, although the guest's was used last.
    Another,
}

/// A guest's client of an agent.
#[derive(Debug, Clone, Copy)]
pub struct GuestSeat<'a> {
    /// Id of the agent's pane.
    pub pane: &'a str,
    /// Key of the client: its process id, `@` and its name.
    pub key: &'a str,
}

impl Tmux {
    /// Returns the tmux arguments for a client that draws the session for a guest.
    pub fn guest_words(&self, entry: &Entry<'_>, may: GuestMay) -> Result<Vec<OsString>, TmuxError> {
        let session = entry.session.as_str();
        let (target, at) = (target::session(session), target::pane_of(session));
        let mut script = Script::default();
        size::kept(session, &mut script);
        // Our configuration sets this for all sessions, but the user may have loaded their own file again since, and a
        // guest whose agent has ended must not see another agent.
        script.then(&command(&["set-option", "-t", &at, "detach-on-destroy", "on"]));
        // With passthrough, escape sequences of the agent would reach the guest's terminal unfiltered.
        script.then(&command(&["set-option", "-wq", "-t", &at, "allow-passthrough", "off"]));
        script.then(&command(&["attach-session", "-t", &target, "-f", OBSERVER]));
        script.append(&entry.around.noted(session));
        let guest =
            format!(" {OWN_KEY}={}:{}", plain(entry.user), if may == GuestMay::Type { 'w' } else { 'r' });
        script.then(&command(&["set-option", "-aF", "-t", &at, "@symposium_guests", &guest]));
        let address = format!("{}/{session}", entry.owner.unwrap_or_default());
        script.then(&command(&["set-option", "-t", &at, "@symposium_address", &in_message(&address)]));
        match (may, entry.meeting()) {
            (GuestMay::Type, Some(meeting)) => {
                let words = entry.words("#{client_tty}");
                let comer = JoiningClient {
                    session: entry.session,
                    named: None,
                    words: &words,
                    now: entry.now,
                    arrival: entry.arrival,
                };
                script.append(&comer.seated(meeting, Script::default())?);
            }
            (GuestMay::Type, None) => size::by(session, None, &mut script)?,
            (GuestMay::Watch, _) => size::not_by(session, OWN_NAME, &mut script)?,
        }
        let mut words: Vec<OsString> = vec!["-u".into(), "-f".into(), conf::path(&self.setup).into()];
        words.extend(["-S".into(), self.setup.socket.path.clone().into()]);
        let said = script.spoken("a guest")?.words.unwrap_or_default();
        words.extend(said.into_iter().map(OsString::from_vec));
        Ok(words)
    }

    /// Types a guest's input into the agent's pane if the guest drives or all clients may type. Returns whether another
    /// client still determines the size, because tmux ignores the activity of a client that it considers read-only.
    pub fn guest_types(&self, seat: GuestSeat<'_>, typed: GuestTypes<'_>) -> Result<Sizer, TmuxError> {
        let GuestSeat { pane, key } = seat;
        let pane = target::pane(pane)?;
        let buffer = format!("symposium-{}", uuid::Uuid::new_v4());
        let mut deed = Script::default();
        // In a tmux mode, tmux would interpret the keys.
        deed.then(&command(&["copy-mode", "-q", "-t", pane]));
        let text = match typed {
            GuestTypes::Bytes(text) => {
                deed.then(&command(&["paste-buffer", "-r", "-d", "-b", &buffer, "-t", pane]));
                text
            }
            GuestTypes::Paste(text) => {
                deed.then(&command(&["paste-buffer", "-p", "-r", "-d", "-b", &buffer, "-t", pane]));
                text
            }
            GuestTypes::Key(name) => {
                deed.then(&command(&["send-keys", "-t", pane, "--", name]));
                &b""[..]
            }
        };
        let all_type = "#{&&:#{==:#{@symposium_driver},},#{==:#{m:3.2*,#{version}},0}}";
        let sizer =
            format!("#{{?#{{&&:{all_type},#{{!=:#{{@symposium_sizer}},{}}}}},{OTHER},}}", name_in(key));
        deed.then(&command(&["display-message", "-p", "-t", pane, &sizer]));
        let mut instead = Script::default();
        let is_key = matches!(typed, GuestTypes::Key(_));
        if !is_key {
            instead.then(&command(&["delete-buffer", "-b", &buffer]));
        }
        if text.is_empty() && !is_key {
            return Ok(Sizer::FinishedTasks);
        }
        let is_there = format!("#{{&&:#{{==:#{{pane_id}},{pane}}},#{{==:#{{pane_dead}},0}}}}");
        let is_turn = format!("#{{||:#{{==:#{{@symposium_driver}},}},#{{==:#{{@symposium_driver}},{key}}}}}");
        let test = format!("#{{&&:{is_there},{is_turn}}}");
        let said = |script: Script| -> Result<String, TmuxError> {
            Ok(String::from_utf8_lossy(&script.finish("keys")?).into_owned())
        };
        let (deed, instead) = (said(deed)?, said(instead)?);
        let check = ["if-shell", "-F", "-t", pane, &test, &deed, &instead];
        let sizer = |said: String| match said.lines().any(|line| line == OTHER) {
            true => Sizer::Another,
            false => Sizer::FinishedTasks,
        };
        if is_key {
            return self.ask("type for a guest", &check).map(sizer);
        }
        let words = [&["load-buffer", "-b", &buffer, "-", ";"][..], &check].concat();
        let call = Call { stdin: Some(text), ..self.call("type for a guest", &words) };
        self.understand("type for a guest", self.run(&call)?).map(sizer)
    }

    /// Forgets the client of a guest that has left.
    pub fn forget_guest(&self, session: &AgentName, key: &str) -> Result<(), TmuxError> {
        self.set_guests(session, &format!("#{{s| {key}=[^ ]*||:@symposium_guests}}"))
    }

    /// Forgets all clients of a guest whose share was ended.
    pub fn forget_guests_of(&self, session: &AgentName, user: &str) -> Result<(), TmuxError> {
        let user = plain(user).replace('.', "[.]");
        let less = format!("#{{s| [^ ]*={user}:[rw]||:@symposium_guests}}");
        self.set_guests(session, &less)
    }

    fn set_guests(&self, session: &AgentName, guests: &str) -> Result<(), TmuxError> {
        let at = target::pane_of(session.as_str());
        let allow = format!("set-option -wuq -t {at} allow-passthrough");
        let forget = ["set-option", "-F", "-t", &at, "@symposium_guests", guests];
        let when_none = [";", "if-shell", "-F", "-t", &at, "#{==:#{@symposium_guests},}", &allow];
        match self.ask("forget a guest", &[&forget[..], &when_none].concat()) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Runs the process that serves a share, in its own session that ends with it.
    pub fn start_door(
        &self,
        agent: &AgentName,
        guest: u32,
        argv: &[String],
        env: &[(OsString, OsString)],
    ) -> Result<(), TmuxError> {
        let session = door_of(agent, guest);
        let new = NewSession::new().detached().session_name(&session).width(80usize).height(24usize).build();
        let program = Program { argv, dir: Path::new("/"), env: LaunchEnv::Given(env), meanwhile: None };
        let dress = |script: &mut Script| {
            let at = target::pane_of(&session);
            script.then(&command(&["set-option", "-w", "-t", &at, "remain-on-exit", "off"]));
            script.then(&command(&["set-option", "-t", &at, "status", "off"]));
        };
        self.open_session(&new, &program, dress).map(drop)
    }

    /// Returns the user ids of the guests for which this agent has share sessions.
    pub fn doors(&self, agent: &AgentName) -> Result<Vec<u32>, TmuxError> {
        // An agent name contains no characters with a meaning in a pattern.
        let filter = format!("#{{m:{DOORS}*-{agent},#{{session_name}}}}");
        match self.ask("look for doors", &["list-sessions", "-F", "#{session_name}", "-f", &filter]) {
            Err(other) if other.is_absence() => Ok(Vec::new()),
            other => Ok(other?.lines().filter_map(|session| guest_of(session, agent)).collect()),
        }
    }

    /// Ends a share process and disconnects its guests. Returns whether there was one.
    pub fn stop_door(&self, agent: &AgentName, guest: u32) -> Result<bool, TmuxError> {
        match self.ask("close a door", &["kill-session", "-t", &target::session(&door_of(agent, guest))]) {
            Err(other) if other.is_absence() => Ok(false),
            other => other.map(|_| true),
        }
    }

    /// Returns `true` if tmux has an access list of users for a server, which it has since 3.3.
    pub fn has_access_list(&self) -> bool {
        !self.version.starts_with("3.2")
    }
}

fn door_of(agent: &AgentName, guest: u32) -> String {
    format!("{DOORS}{guest}-{agent}")
}

/// Returns the guest's user id if this is a share session of the agent.
fn guest_of(session: &str, agent: &AgentName) -> Option<u32> {
    let (guest, name) = session.strip_prefix(DOORS)?.split_once('-')?;
    (name == agent.as_str()).then(|| guest.parse().ok())?
}

/// Finds the guest of a client, and the guest's permission, in the session's list of guests.
pub(in crate::tmux) fn guest_in<'t>(guests: &'t str, key: &str) -> Option<(&'t str, GuestMay)> {
    let entry = guests.split(' ').find_map(|entry| entry.strip_prefix(key)?.strip_prefix('='))?;
    let (user, may) = entry.rsplit_once(':')?;
    Some((user, if may == "w" { GuestMay::Type } else { GuestMay::Watch }))
}

/// Removes all characters from a user name that tmux could interpret.
fn plain(user: &str) -> String {
    let user = user.rsplit(' ').next().unwrap_or_default();
    user.chars().filter(|c| c.is_ascii_alphanumeric() || "._-@+".contains(*c)).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_door_is_known_by_its_session() {
        let name: AgentName = "1-a".parse().unwrap();
        assert_eq!(guest_of(&door_of(&name, 7), &name), Some(7));
        for session in ["1-a", "_share-7-a", "_share-7-1-a-b", "_share-x-1-a", "_share-1-a", "_share--1-a"] {
            assert_eq!(guest_of(session, &name), None, "{session}");
        }
    }

    #[test]
    fn guests_are_known_by_their_terminal() {
        let guests = " 12@/dev/pts/1=guest:w 13@/dev/pts/2=other:r";
        assert_eq!(guest_in(guests, "12@/dev/pts/1"), Some(("guest", GuestMay::Type)));
        assert_eq!(guest_in(guests, "13@/dev/pts/2"), Some(("other", GuestMay::Watch)));
        assert_eq!(guest_in(guests, "12@/dev/pts/2"), None);
        assert_eq!(guest_in("", "12@/dev/pts/1"), None);
        assert_eq!(plain("guest x;y#z"), "xyz");
    }
}
