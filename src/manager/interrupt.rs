//! `agent interrupt`: stops the turn an agent is in, by its own key for that.

use super::Manager;
use crate::error::Error;
use crate::model::AgentName;

impl Manager {
    /// Presses the kind's interrupt keys, `C-c` for a plain command.
    pub fn interrupt(&self, name: &AgentName) -> Result<Vec<String>, Error> {
        let agent = self.running(name, "interrupt")?;
        let keys = self.kinds()?.get(&agent.kind).map(|kind| kind.interrupt_keys.clone()).unwrap_or_default();
        let keys = if keys.is_empty() { vec!["C-c".to_owned()] } else { keys };
        let pane = agent.tmux.map(|tmux| tmux.pane).unwrap_or_default();
        self.tmux()?.keys(&pane, &keys)?;
        Ok(keys)
    }
}
