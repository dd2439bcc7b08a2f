//! Selects the driver after a client attached or detached: a rule decides, and tmux checks that nothing has changed in
//! the meantime.

use std::path::Path;
use std::time::Duration;

use crate::error::Error;
use crate::manager::terminal::TerminalClients;
use crate::model::{AgentName, AttachedClients};
use crate::process;
use crate::rules::access::next_driver::{client_changes, departed_clients};

/// How long a driver's terminal may accept no output before it counts as stalled.
const STALL_TIMEOUT: Duration = Duration::from_secs(3);

/// Marks a driver whose terminal is stalled while another client waits to drive.
fn mark_stalled_driver(clients: &mut AttachedClients) {
    let AttachedClients { driver, waiting, terminals, .. } = clients;
    if !terminals.iter().any(|terminal| waiting.contains(&terminal.key)) {
        return;
    }
    for terminal in terminals.iter_mut().filter(|terminal| driver.as_ref() == Some(&terminal.key)) {
        terminal.is_stalled = process::takes_no_output(Path::new(terminal.name()), STALL_TIMEOUT);
    }
}

impl TerminalClients<'_> {
    /// Updates which client may type, for every agent with attached clients.
    pub(in crate::manager) fn update_clients(&self) -> Result<(), Error> {
        let tmux = self.0.tmux()?;
        let all = tmux.attached_clients()?;
        let left = departed_clients(&all);
        for clients in all {
            // Sessions that belong to no agent are left alone.
            if clients.session.parse::<AgentName>().is_ok() {
                self.apply_client_changes(clients)?;
            }
        }
        if !left.is_empty() {
            tmux.forget_terminals(&left)?;
        }
        Ok(())
    }

    /// Updates which client of one agent may type.
    pub(in crate::manager) fn update_clients_of(&self, name: &AgentName) -> Result<(), Error> {
        self.0.tmux()?.clients_of(name)?.map_or(Ok(()), |clients| self.apply_client_changes(clients))
    }

    fn apply_client_changes(&self, mut clients: AttachedClients) -> Result<(), Error> {
        mark_stalled_driver(&mut clients);
        let steps = client_changes(&clients, self.0.settings().attach.policy);
        if steps.is_empty() {
            return Ok(());
        }
        for terminal in &mut clients.terminals {
            if let Some(from) = terminal.pid().and_then(process::came_from) {
                terminal.words.push_str(&format!(" from {from}"));
            }
        }
        Ok(self.0.tmux()?.apply_roles(&clients, &steps, self.0.now())?)
    }
}
