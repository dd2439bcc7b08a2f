//! Shows notices to attached clients: a text in the status line, and the bell of the terminal. The text is shown
//! literally, never interpreted as a format or a style. A guest has access to one agent and gets no notices about other
//! agents.

use rustix::fs::{Mode, OFlags, open};
use rustix::io::write;

use crate::tmux::clients::driver::{OWN_KEY, name_in};
use crate::tmux::clients::guests::guest_in;
use crate::tmux::script::{Script, command};
use crate::tmux::{Tmux, TmuxError};

/// Time in milliseconds for which a text is shown, unless a key is pressed.
const SHOWN_MS: &str = "5000";

/// Whether a text comes with a sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bell {
    /// The terminal rings.
    Ring,
    /// The terminal does not ring.
    Silent,
}

/// Attached clients that receive a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience<'a> {
    /// All clients except those of this session and guests.
    AllBut(&'a str),
    /// The clients of this session including guests, because a guest may be typing there.
    Only(&'a str),
}

impl Audience<'_> {
    /// Returns whether a client of this session receives the notice. `guest` is the user of a guest.
    fn has(self, session: &str, guest: Option<&str>) -> bool {
        match self {
            Audience::AllBut(not) => guest.is_none() && session != not,
            Audience::Only(only) => session == only,
        }
    }
}

impl Tmux {
    /// Shows the text to attached clients. Returns how many clients there are.
    pub fn message_clients(
        &self,
        audience: Audience<'_>,
        text: &str,
        bell: Bell,
    ) -> Result<usize, TmuxError> {
        let format = format!("#{{client_control_mode}}|{OWN_KEY}|#{{@symposium_guests}}|#{{session_name}}");
        let all = match self.run_words("list the terminals", &["list-clients", "-F", &format]) {
            Err(other) if other.is_absence() => return Ok(0),
            other => other?,
        };
        let meant = |line: &str| {
            let mut fields = line.splitn(4, '|');
            let [control, key, guests, session] = std::array::from_fn(|_| fields.next());
            let (key, session) = (key?, session?);
            let guest = guest_in(guests?, key).map(|(user, _)| user);
            (control? == "0" && audience.has(session, guest)).then(|| name_in(key).to_owned())
        };
        let clients: Vec<String> = all.lines().filter_map(meant).collect();
        if clients.is_empty() {
            return Ok(0);
        }
        self.show(&clients, text)?;
        if bell == Bell::Ring {
            clients.iter().for_each(|client| ring(client));
        }
        Ok(clients.len())
    }

    fn show(&self, clients: &[String], text: &str) -> Result<(), TmuxError> {
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut script = Script::default();
        // tmux expands formats and times in the command itself, but not in the value of an option.
        script.then(&command(&["set-option", "-s", "@symposium_news", &line])).begin_line();
        for client in clients {
            let words = ["display-message", "-d", SHOWN_MS, "-c", client, "#{q/h:@symposium_news}"];
            script.then(&command(&words)).begin_line();
        }
        script.then(&command(&["set-option", "-su", "@symposium_news"]));
        match self.run_script("show a text", script) {
            // A client that has left meanwhile needs no notice.
            Err(TmuxError::Refused { output, .. })
                if output.lines().all(|line| line.starts_with("can't find client")) =>
            {
                Ok(())
            }
            other => other.map(drop),
        }
    }
}

/// Rings a terminal. tmux has no command for this, and its terminal descriptions have no bell (see `hooks.conf`), so
/// the byte is written to the terminal itself. A terminal that is stopped or closed is skipped.
fn ring(terminal: &str) {
    let how = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    if let Ok(terminal) = open(terminal, how, Mode::empty()) {
        let _ = write(terminal, b"\x07");
    }
}
