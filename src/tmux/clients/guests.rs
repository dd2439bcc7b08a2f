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
use crate::tmux::clients::attach::AttachEntry;
use crate::tmux::clients::driver::{JoiningClient, OBSERVER, OWN_KEY, in_message, name_in};
use crate::tmux::clients::size::OWN_NAME;
use crate::tmux::pane_command::{LaunchEnv, PaneProgram};
use crate::tmux::script::{Script, command};
use crate::tmux::transport::call::TmuxCall;
use crate::tmux::{
    Tmux, TmuxError,
    clients::{size, variables},
    server::conf,
    target,
};

/// Prefix of the sessions of share processes, which no agent name can have.
pub(in crate::tmux) const SHARE_PREFIX: &str = "_share-";

/// Input of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuestKeys<'a> {
    /// Bytes as they were typed.
    Bytes(&'a [u8]),
    /// Text that was pasted.
    Paste(&'a [u8]),
    /// A key, by its tmux name.
    Key(&'a str),
}

/// Permission of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuestPermission {
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
    Expected,
    /// Another client, although the guest's was used last.
    Another,
}

/// A guest's client of an agent.
#[derive(Debug, Clone, Copy)]
pub struct GuestClient<'a> {
    /// Id of the agent's pane.
    pub pane: &'a str,
    /// Key of the client: its process id, `@` and its name.
    pub key: &'a str,
}

impl Tmux {
    /// Returns the tmux arguments for a client that draws the session for a guest.
    pub fn guest_words(
        &self,
        entry: &AttachEntry<'_>,
        may: GuestPermission,
    ) -> Result<Vec<OsString>, TmuxError> {
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
        let guest = format!(
            " {OWN_KEY}={}:{}",
            plain(entry.user),
            if may == GuestPermission::Type { 'w' } else { 'r' }
        );
        let guests = format!("#{{@symposium_guests}}{guest}");
        variables::set(session, "@symposium_guests", &guests, &mut script);
        let address = format!("{}/{session}", entry.owner.unwrap_or_default());
        variables::set(session, "@symposium_address", &in_message(&address), &mut script);
        match (may, entry.if_driven()) {
            (GuestPermission::Type, Some(meeting)) => {
                let words = entry.words("#{client_tty}");
                let joining = JoiningClient {
                    session: entry.session,
                    named: None,
                    words: &words,
                    now: entry.now,
                    arrival: entry.arrival,
                };
                script.append(&joining.claim_commands(meeting, Script::default())?);
            }
            (GuestPermission::Type, None) => size::size_by_client(session, None, &mut script)?,
            (GuestPermission::Watch, _) => size::not_by(session, OWN_NAME, &mut script)?,
        }
        let mut words: Vec<OsString> = vec!["-u".into(), "-f".into(), conf::path(&self.setup).into()];
        words.extend(["-S".into(), self.setup.socket.path.clone().into()]);
        let output = script.into_request("a guest")?.words.unwrap_or_default();
        words.extend(output.into_iter().map(OsString::from_vec));
        Ok(words)
    }

    /// Types a guest's input into the agent's pane if the guest drives or all clients may type. Returns whether another
    /// client still determines the size, because tmux ignores the activity of a client that it considers read-only.
    pub fn guest_types(
        &self,
        guest_client: GuestClient<'_>,
        typed: GuestKeys<'_>,
    ) -> Result<Sizer, TmuxError> {
        let GuestClient { pane, key } = guest_client;
        let pane = target::pane(pane)?;
        let buffer = format!("symposium-{}", uuid::Uuid::new_v4());
        let mut commands = Script::default();
        // In a tmux mode, tmux would interpret the keys.
        commands.then(&command(&["copy-mode", "-q", "-t", pane]));
        let text = match typed {
            GuestKeys::Bytes(text) => {
                commands.then(&command(&["paste-buffer", "-r", "-d", "-b", &buffer, "-t", pane]));
                text
            }
            GuestKeys::Paste(text) => {
                commands.then(&command(&["paste-buffer", "-p", "-r", "-d", "-b", &buffer, "-t", pane]));
                text
            }
            GuestKeys::Key(name) => {
                commands.then(&command(&["send-keys", "-t", pane, "--", name]));
                &b""[..]
            }
        };
        let all_type = "#{&&:#{==:#{@symposium_driver},},#{==:#{m:3.2*,#{version}},0}}";
        let sizer =
            format!("#{{?#{{&&:{all_type},#{{!=:#{{@symposium_sizer}},{}}}}},{OTHER},}}", name_in(key));
        commands.then(&command(&["display-message", "-p", "-t", pane, &sizer]));
        let mut instead = Script::default();
        let is_key = matches!(typed, GuestKeys::Key(_));
        if !is_key {
            instead.then(&command(&["delete-buffer", "-b", &buffer]));
        }
        if text.is_empty() && !is_key {
            return Ok(Sizer::Expected);
        }
        let is_there = format!("#{{&&:#{{==:#{{pane_id}},{pane}}},#{{==:#{{pane_dead}},0}}}}");
        let is_turn = format!("#{{||:#{{==:#{{@symposium_driver}},}},#{{==:#{{@symposium_driver}},{key}}}}}");
        let test = format!("#{{&&:{is_there},{is_turn}}}");
        let output = |script: Script| -> Result<String, TmuxError> {
            Ok(String::from_utf8_lossy(&script.finish("keys")?).into_owned())
        };
        let (commands, instead) = (output(commands)?, output(instead)?);
        let check = ["if-shell", "-F", "-t", pane, &test, &commands, &instead];
        let sizer = |output: String| match output.lines().any(|line| line == OTHER) {
            true => Sizer::Another,
            false => Sizer::Expected,
        };
        if is_key {
            return self.run_words("type for a guest", &check).map(sizer);
        }
        let words = [&["load-buffer", "-b", &buffer, "-", ";"][..], &check].concat();
        let call = TmuxCall { stdin: Some(text), ..self.call("type for a guest", &words) };
        self.parse_reply("type for a guest", self.run(&call)?).map(sizer)
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
        let mut script = Script::default();
        variables::set(session.as_str(), "@symposium_guests", guests, &mut script);
        script.then(&command(&["if-shell", "-F", "-t", &at, "#{==:#{@symposium_guests},}", &allow]));
        match self.run_script("forget a guest", script) {
            Err(other) if other.is_absence() => Ok(()),
            other => other.map(drop),
        }
    }

    /// Runs the process that serves a share, in its own session that ends with it.
    pub fn start_share_session(
        &self,
        agent: &AgentName,
        guest: u32,
        argv: &[String],
        env: &[(OsString, OsString)],
    ) -> Result<(), TmuxError> {
        let session = share_session_name(agent, guest);
        let new = NewSession::new().detached().session_name(&session).width(80usize).height(24usize).build();
        let program = PaneProgram { argv, dir: Path::new("/"), env: LaunchEnv::Given(env), meanwhile: None };
        let configure_session = |script: &mut Script| {
            let at = target::pane_of(&session);
            script.then(&command(&["set-option", "-w", "-t", &at, "remain-on-exit", "off"]));
            script.then(&command(&["set-option", "-t", &at, "status", "off"]));
        };
        self.open_session(&new, &program, configure_session).map(drop)
    }

    /// Returns the user ids of the guests for which this agent has share sessions.
    pub fn share_guests(&self, agent: &AgentName) -> Result<Vec<u32>, TmuxError> {
        // An agent name contains no characters with a meaning in a pattern.
        let filter = format!("#{{m:{SHARE_PREFIX}*-{agent},#{{session_name}}}}");
        match self.run_words("list the shares", &["list-sessions", "-F", "#{session_name}", "-f", &filter]) {
            Err(other) if other.is_absence() => Ok(Vec::new()),
            other => Ok(other?.lines().filter_map(|session| guest_of(session, agent)).collect()),
        }
    }

    /// Ends a share process and disconnects its guests. Returns whether there was one.
    pub fn stop_share_session(&self, agent: &AgentName, guest: u32) -> Result<bool, TmuxError> {
        match self.run_words(
            "end a share",
            &["kill-session", "-t", &target::session(&share_session_name(agent, guest))],
        ) {
            Err(other) if other.is_absence() => Ok(false),
            other => other.map(|_| true),
        }
    }

    /// Returns `true` if tmux has an access list of users for a server, which it has since 3.3.
    pub fn has_access_list(&self) -> bool {
        !self.version.starts_with("3.2")
    }
}

fn share_session_name(agent: &AgentName, guest: u32) -> String {
    format!("{SHARE_PREFIX}{guest}-{agent}")
}

/// Returns the guest's user id if this is a share session of the agent.
fn guest_of(session: &str, agent: &AgentName) -> Option<u32> {
    let (guest, name) = session.strip_prefix(SHARE_PREFIX)?.split_once('-')?;
    (name == agent.as_str()).then(|| guest.parse().ok())?
}

/// Finds the guest of a client, and the guest's permission, in the session's list of guests.
pub(in crate::tmux) fn guest_in<'t>(guests: &'t str, key: &str) -> Option<(&'t str, GuestPermission)> {
    let entry = guests.split(' ').find_map(|entry| entry.strip_prefix(key)?.strip_prefix('='))?;
    let (user, may) = entry.rsplit_once(':')?;
    Some((user, if may == "w" { GuestPermission::Type } else { GuestPermission::Watch }))
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
    fn share_session_is_recognised_by_its_name() {
        let name: AgentName = "1-a".parse().unwrap();
        assert_eq!(guest_of(&share_session_name(&name, 7), &name), Some(7));
        for session in ["1-a", "_share-7-a", "_share-7-1-a-b", "_share-x-1-a", "_share-1-a", "_share--1-a"] {
            assert_eq!(guest_of(session, &name), None, "{session}");
        }
    }

    #[test]
    fn guests_are_identified_by_their_terminal() {
        let guests = " 12@/dev/pts/1=guest:w 13@/dev/pts/2=other:r";
        assert_eq!(guest_in(guests, "12@/dev/pts/1"), Some(("guest", GuestPermission::Type)));
        assert_eq!(guest_in(guests, "13@/dev/pts/2"), Some(("other", GuestPermission::Watch)));
        assert_eq!(guest_in(guests, "12@/dev/pts/2"), None);
        assert_eq!(guest_in("", "12@/dev/pts/1"), None);
        assert_eq!(plain("guest x;y#z"), "xyz");
    }
}
