//! Who drives after somebody came or left: the rule decides, tmux checks that nothing has changed meanwhile.

use super::Manager;
use crate::env::Env;
use crate::error::Error;
use crate::model::AgentName;
use crate::process;
use crate::rules::driver::{gone, settle};

impl Manager {
    /// Sets right who may type, on every agent that somebody is attached to.
    pub(super) fn seat_terminals(&self) -> Result<(), Error> {
        let policy = self.settings().attach.policy;
        let tmux = self.tmux()?;
        let all = tmux.seats()?;
        let left = gone(&all);
        for mut seats in all {
            // What is no agent's is not ours to order.
            if seats.session.parse::<AgentName>().is_err() {
                continue;
            }
            let steps = settle(&seats, policy);
            if steps.is_empty() {
                continue;
            }
            for terminal in &mut seats.terminals {
                if let Some(from) = terminal.pid().and_then(process::came_from) {
                    terminal.words.push_str(&format!(" from {from}"));
                }
            }
            tmux.reseat(&seats, &steps, Env::now())?;
        }
        if !left.is_empty() {
            tmux.forget_terminals(&left)?;
        }
        Ok(())
    }
}
