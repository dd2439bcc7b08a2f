//! News for whoever is attached: a text in the status line, and the bell of the terminal. What the text holds is
//! shown, never read as a format or a style.

use rustix::fs::{Mode, OFlags, open};
use rustix::io::write;

use super::script::{Script, command};
use super::{Tmux, TmuxError};

/// How long a text stays, unless a key is pressed.
const SHOWN_MS: &str = "5000";
const CLIENTS: &str = "#{client_control_mode}|#{client_name}|#{session_name}";

/// Whether a text comes with a sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bell {
    /// The terminal rings.
    Ring,
    /// It does not.
    Silent,
}

/// Which attached terminals are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience<'a> {
    /// All of them.
    Everybody,
    /// All but those of this session.
    AllBut(&'a str),
    /// Those of this session.
    Only(&'a str),
}

impl Tmux {
    /// Shows the text to attached terminals; says how many there are.
    pub fn tell_clients(&self, who: Audience<'_>, text: &str, bell: Bell) -> Result<usize, TmuxError> {
        let all = match self.ask("look for terminals", &["list-clients", "-F", CLIENTS]) {
            Err(other) if other.is_absence() => return Ok(0),
            other => other?,
        };
        let meant = |line: &str| {
            let mut fields = line.splitn(3, '|');
            let [control, name, session] = std::array::from_fn(|_| fields.next());
            let meant = match who {
                Audience::Everybody => true,
                Audience::AllBut(not) => session != Some(not),
                Audience::Only(one) => session == Some(one),
            };
            (control? == "0" && meant).then_some(name?.to_owned())
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
        // Formats and times are expanded in the command itself, but not in the value of an option.
        script.then(&command(&["set-option", "-s", "@symposium_news", &line])).anyway();
        for client in clients {
            let words = ["display-message", "-d", SHOWN_MS, "-c", client, "#{q/h:@symposium_news}"];
            script.then(&command(&words)).anyway();
        }
        script.then(&command(&["set-option", "-su", "@symposium_news"]));
        match self.tell("show a text", script) {
            // Who has left meanwhile needs no news.
            Err(TmuxError::Refused { said, .. })
                if said.lines().all(|line| line.starts_with("can't find client")) =>
            {
                Ok(())
            }
            other => other.map(drop),
        }
    }
}

/// Rings a terminal. tmux has no command for it, and for tmux our terminals have no bell (see `hooks.conf`), so the
/// byte goes to the terminal itself; one that is stopped or gone is left alone.
fn ring(terminal: &str) {
    let how = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    if let Ok(terminal) = open(terminal, how, Mode::empty()) {
        let _ = write(terminal, b"\x07");
    }
}
