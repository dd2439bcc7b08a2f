//! Types for a user who watches an agent in another face, such as the dashboard. Nothing is verified: the user sees
//! the effect on the agent's screen.

use std::time::Duration;

use crate::error::{Code, Error};
use crate::manager::status::AgentLookup;
use crate::manager::terminal::{AgentInput, Approvals};
use crate::model::AgentName;
use crate::store::AgentLocks;
use crate::tmux::Paste;

/// How long a key waits while another process types into the agent.
const TYPING_LOCK_TIMEOUT: Duration = Duration::from_secs(5);

impl AgentInput<'_> {
    /// Presses keys, given by their tmux names, in the order of the list.
    pub fn press_keys(&self, name: &AgentName, keys: &[String]) -> Result<(), Error> {
        self.typing(name, |pane| Ok(self.0.tmux()?.keys(pane, keys)?))
    }

    /// Presses keys unless a terminal drives the agent, for a caller that only observes it.
    pub fn press_keys_if_undriven(&self, name: &AgentName, keys: &[String]) -> Result<(), Error> {
        let agent = AgentLookup(self.0).agent(name, "send")?;
        match agent.clients.iter().find(|client| client.driver) {
            None => self.press_keys(name, keys),
            Some(driver) => {
                Err(Error::new(Code::Driven, format!("terminal `{}` drives agent `{name}`", driver.tty))
                    .saw("no key was pressed")
                    .hint("take over on the page, or detach that terminal: `symposium agent detach`"))
            }
        }
    }

    /// Pastes text as a terminal does, in brackets if the program has asked for them.
    pub fn paste_text(&self, name: &AgentName, text: &str) -> Result<(), Error> {
        self.typing(name, |pane| Ok(self.0.tmux()?.paste(pane, text.as_bytes(), Paste::Bracketed)?))
    }

    fn typing(&self, name: &AgentName, act: impl FnOnce(&str) -> Result<(), Error>) -> Result<(), Error> {
        Approvals(self.0).refuse_unrelated_agent(name, "send")?;
        let _turn = AgentLocks(&self.0.store).lock_typing_within(name, TYPING_LOCK_TIMEOUT)?;
        let record = self.0.record(name, "send")?;
        match &record.tmux {
            Some(location) if record.status.status.is_live() => act(&location.pane),
            _ => Err(Error::not_running(&record.name, record.status.status.word())),
        }
    }
}
