//! Selects the driver after a client attached or detached: a rule decides, and tmux checks that nothing has changed in
//! the meantime.

use std::path::Path;
use std::time::Duration;

use crate::env::Env;
use crate::error::Error;
use crate::manager::terminal::Terminals;
use crate::model::{AgentName, AttachedClients};
use crate::process;
use crate::rules::access::driver::{gone, settle};

/// How long a driver's terminal may accept no output before it counts as stalled.
const STALL_TIMEOUT: Duration = Duration::from_secs(3);

/// Marks a driver whose terminal is stalled while another client waits to drive.
fn mark_stalled_driver(seats: &mut AttachedClients) {
    let AttachedClients { driver, waiting, terminals, .. } = seats;
    if !terminals.iter().any(|terminal| waiting.contains(&terminal.key)) {
        return;
    }
    for terminal in terminals.iter_mut().filter(|terminal| driver.as_ref() == Some(&terminal.key)) {
        terminal.is_stalled = process::takes_no_output(Path::new(terminal.name()), STALL_TIMEOUT);
    }
}

impl Terminals<'_> {
    /// Updates which client may type, for every agent with attached clients.
    pub(in crate::manager) fn update_clients(&self) -> Result<(), Error> {
        let policy = self.0.settings().attach.policy;
        let tmux = self.0.tmux()?;
        let mut all = tmux.seats()?;
        all.iter_mut().for_each(mark_stalled_driver);
        let left = gone(&all);
        for mut seats in all {
            // Sessions that belong to no agent are left alone.
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
