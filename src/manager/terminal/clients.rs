//! Attached terminals: `agent detach` detaches them, and the agent continues to run. `agent attach --client`, and the
//! choice of a dashboard that is shown in a popup of our tmux server, move them to another agent.

use std::ops::RangeInclusive;

use crate::error::{Code, Error};
use crate::manager::lifecycle::Hibernation;
use crate::manager::status::AgentLookup;
use crate::manager::supervisor::ServiceInstallation;
use crate::manager::terminal::{Attachments, TerminalClients};
use crate::model::{AgentName, AttachedClient, AttachedClients};
use crate::process;
use crate::tmux::{AttachAs, AttachEntry, AttachSurroundings, DetachedWindow, JoinReason};

/// Columns that a screen may have: below, agents draw nothing readable; above, emulators need much memory.
const COLUMNS: RangeInclusive<u16> = 20..=500;
/// Lines that a screen may have.
const LINES: RangeInclusive<u16> = 5..=200;

impl TerminalClients<'_> {
    /// Switches an attached terminal to an agent. The terminal is named as `agent show` does, or by its key
    /// `PID@TTY`, which no later terminal can have. It drives the agent if it has no driver; a terminal that only
    /// watches still only watches. The terminal of a guest is refused, because a guest may see one agent only.
    pub fn switch_client(&self, client: &str, name: &AgentName) -> Result<(), Error> {
        let tmux = self.0.tmux()?;
        let (terminal, how) = found(&tmux.attached_clients()?, client)?;
        Hibernation(self.0).wake(name)?;
        Attachments(self.0).attachable(name)?;
        let user = ServiceInstallation(self.0).user();
        let from = terminal.pid().and_then(process::came_from);
        let entry = AttachEntry {
            session: name,
            how,
            policy: self.0.settings().attach.policy,
            user: user.as_deref().unwrap_or_default(),
            owner: None,
            from: from.as_deref(),
            host: None,
            now: self.0.now(),
            arrival: JoinReason::New,
            cover: None,
            around: AttachSurroundings::Terminal,
        };
        Ok(tmux.switch_client(&entry, &terminal)?)
    }

    /// Returns the key of the client that drives an agent, or `None` if no attached client does.
    pub fn driver_key(&self, name: &AgentName) -> Result<Option<String>, Error> {
        let Some(clients) = self.0.tmux()?.clients_of(name)? else { return Ok(None) };
        let drives = |key: &String| clients.terminals.iter().any(|client| client.key == *key && client.types);
        Ok(clients.driver.clone().filter(drives))
    }

    /// Resizes the screen of an agent to these columns and lines. Refused while a client is attached, whose terminal
    /// determines the size.
    pub fn resize(&self, name: &AgentName, (columns, lines): (u16, u16)) -> Result<(), Error> {
        if !COLUMNS.contains(&columns) || !LINES.contains(&lines) {
            let message = format!("a screen of {columns} columns and {lines} lines is not possible");
            return Err(Error::usage(message));
        }
        match DetachedWindow(self.0.tmux()?).resize(name, (columns, lines))? {
            true => Ok(()),
            false => Err(Error::new(Code::Driven, format!("a terminal is attached to agent `{name}`"))
                .saw("its size is the size of the agent's screen")
                .hint(format!("detach it: `symposium agent detach {name}`"))),
        }
    }

    /// Detaches all clients of an agent, or the named client. Returns the number of detached clients.
    pub fn detach(&self, name: Option<&AgentName>, client: Option<&str>) -> Result<usize, Error> {
        let name = match name {
            Some(name) => name.clone(),
            None => self.own_agent()?,
        };
        // A server without clients refuses to detach one.
        if AgentLookup(self.0).agent(&name, "detach")?.clients.is_empty() {
            return Ok(0);
        }
        Ok(self.0.tmux()?.detach(name.as_str(), client)?)
    }

    /// Returns the agent that this command runs in.
    fn own_agent(&self) -> Result<AgentName, Error> {
        let inside = self.0.env.var(crate::env::AGENT).and_then(|name| name.to_str()?.parse().ok());
        inside.ok_or_else(|| {
            Error::usage("no agent was named, and this is not an agent's terminal")
                .hint("`symposium agent detach NAME`")
        })
    }
}

/// Finds the terminal, and the role that it asks for in the next session.
fn found(all: &[AttachedClients], client: &str) -> Result<(AttachedClient, AttachAs), Error> {
    let is_meant = |terminal: &AttachedClient| {
        let name = terminal.name();
        terminal.key == client || name == client || name.strip_prefix("/dev/") == Some(client)
    };
    let mut places =
        all.iter().flat_map(|clients| clients.terminals.iter().map(move |client| (clients, client)));
    let Some((clients, terminal)) = places.find(|(_, terminal)| is_meant(terminal)) else {
        let message = format!("no terminal `{}` is attached to an agent", crate::error::shown(client));
        return Err(Error::new(Code::Usage, message).hint("`symposium agent show NAME` lists terminals"));
    };
    if terminal.guest {
        let message = format!("terminal `{}` belongs to a guest of `{}`", terminal.name(), clients.session);
        return Err(Error::new(Code::Usage, message).saw("a guest may see the shared agent only"));
    }
    let watches = !terminal.types && !clients.waiting.contains(&terminal.key);
    let how = if watches { AttachAs::Observer } else { AttachAs::Driver };
    Ok((AttachedClient { key: terminal.key.clone(), words: String::new(), ..*terminal }, how))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal(key: &str, types: bool) -> AttachedClient {
        let (key, words) = (key.to_owned(), String::new());
        AttachedClient { key, types, counts: types, words, guest: false, is_stalled: false }
    }

    fn attached() -> Vec<AttachedClients> {
        let mut guest = terminal("4@/dev/pts/4", true);
        guest.guest = true;
        let terminals = vec![
            terminal("1@/dev/pts/1", true),
            terminal("2@/dev/pts/2", false),
            terminal("3@/dev/pts/3", false),
            guest,
        ];
        let waiting = vec!["2@/dev/pts/2".to_owned()];
        vec![AttachedClients { session: "a".to_owned(), driver: None, waiting, sizer: None, terminals }]
    }

    #[test]
    fn a_terminal_keeps_its_role_when_it_is_switched() {
        for (client, key, how) in [
            ("1@/dev/pts/1", "1@/dev/pts/1", AttachAs::Driver),
            ("/dev/pts/1", "1@/dev/pts/1", AttachAs::Driver),
            ("pts/2", "2@/dev/pts/2", AttachAs::Driver),
            ("/dev/pts/3", "3@/dev/pts/3", AttachAs::Observer),
        ] {
            let (terminal, role) = found(&attached(), client).unwrap();
            assert_eq!((terminal.key.as_str(), role), (key, how), "{client}");
        }
    }

    #[test]
    fn guests_and_terminals_that_have_left_are_not_switched() {
        for client in ["4@/dev/pts/4", "/dev/pts/4", "9@/dev/pts/1", "/dev/pts/9", ""] {
            assert!(found(&attached(), client).is_err(), "{client}");
        }
    }
}
