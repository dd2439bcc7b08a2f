//! Types for a user who watches an agent in another face, such as the dashboard. Nothing is verified: the user sees
//! the effect on the agent's screen.

use std::time::Duration;

use crate::base::key_press::KeyPress;
use crate::error::{Code, Error};
use crate::manager::status::AgentLookup;
use crate::manager::terminal::{AgentInput, Approvals, TerminalClients};
use crate::model::{AgentId, AgentName};
use crate::store::AgentLocks;
use crate::tmux::Paste;

/// How long a key waits while another process types into the agent.
const TYPING_LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Something that a user types who has taken over an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriverInput {
    /// A key, which tmux translates for the modes of the program.
    Key(KeyPress),
    /// Text that is pasted, in brackets if the program has asked for them.
    Paste(String),
}

impl AgentInput<'_> {
    /// Types for a user who has taken over from `driver`, the client that drove the agent then, if there was one. Refused
    /// if another client drives it by now, or if another agent has this name. Nothing interprets the input: keys are pressed
    /// one by one.
    pub fn type_as_driver(
        &self,
        (name, id): (&AgentName, AgentId),
        driver: Option<&str>,
        input: &[DriverInput],
    ) -> Result<(), Error> {
        let clients = TerminalClients(self.0);
        self.typing(name, |pane, found| {
            if found != id {
                return Err(Error::not_running(name, "gone"));
            }
            if let Some(now) = clients.driver_key(name)?.filter(|now| Some(now.as_str()) != driver) {
                return Err(driven_by(now.split_once('@').map_or("", |(_, tty)| tty), name));
            }
            for part in input.chunk_by(|a, b| matches!((a, b), (DriverInput::Key(_), DriverInput::Key(_)))) {
                let keys: Vec<String> = part
                    .iter()
                    .filter_map(|input| match input {
                        DriverInput::Key(key) => Some(key.to_string()),
                        DriverInput::Paste(_) => None,
                    })
                    .collect();
                if !keys.is_empty() {
                    self.0.tmux()?.keys(pane, &keys)?;
                }
                for input in part {
                    if let DriverInput::Paste(text) = input {
                        self.0.tmux()?.paste(pane, text.as_bytes(), Paste::Bracketed)?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Presses keys, given by their tmux names, in the order of the list.
    pub fn press_keys(&self, name: &AgentName, keys: &[String]) -> Result<(), Error> {
        self.typing(name, |pane, _| Ok(self.0.tmux()?.keys(pane, keys)?))
    }

    /// Presses keys unless a terminal drives the agent, for a caller that only observes it.
    pub fn press_keys_if_undriven(&self, name: &AgentName, keys: &[String]) -> Result<(), Error> {
        let agent = AgentLookup(self.0).agent(name, "send")?;
        match agent.clients.iter().find(|client| client.driver) {
            None => self.press_keys(name, keys),
            Some(driver) => Err(driven_by(&driver.tty, name)),
        }
    }

    /// Pastes text as a terminal does, in brackets if the program has asked for them.
    pub fn paste_text(&self, name: &AgentName, text: &str) -> Result<(), Error> {
        self.typing(name, |pane, _| Ok(self.0.tmux()?.paste(pane, text.as_bytes(), Paste::Bracketed)?))
    }

    /// Passes the pane of the agent with this name and its id to `act`, while no other process types into it.
    fn typing(
        &self,
        name: &AgentName,
        act: impl FnOnce(&str, AgentId) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Approvals(self.0).refuse_unrelated_agent(name, "send")?;
        let _turn = AgentLocks(&self.0.store).lock_typing_within(name, TYPING_LOCK_TIMEOUT)?;
        let record = self.0.record(name, "send")?;
        match &record.tmux {
            Some(location) if record.status.status.is_live() => act(&location.pane, record.id),
            _ => Err(Error::not_running(&record.name, record.status.status.word())),
        }
    }
}

fn driven_by(tty: &str, name: &AgentName) -> Error {
    Error::new(Code::Driven, format!("terminal `{tty}` drives agent `{name}`"))
        .saw("no key was pressed")
        .hint("take over on the page, or detach that terminal: `symposium agent detach`")
}
