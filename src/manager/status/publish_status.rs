//! Gives the status of an agent to tmux, for the status line of its clients (`tmux/server/status-line.conf`).

use crate::manager::status::StatusTracker;
use crate::model::AgentRecord;

impl StatusTracker<'_> {
    /// Shows the current status in the status line of the agent's session. The record is read again, because two events
    /// may arrive here in another order than they were recorded in.
    pub(in crate::manager) fn show_status(&self, record: &AgentRecord) {
        let found = self.0.store.find(&record.name, self.0.now()).ok().flatten();
        let record = &found.filter(|now| now.id == record.id).unwrap_or_else(|| record.clone());
        let text = match record.status.waiting_for {
            Some(what) => format!("{}({what})", record.status.status),
            None => record.status.status.to_string(),
        };
        if let Ok(tmux) = self.0.tmux() {
            let _ = tmux.set_status_option(record.name.as_str(), record.id, &text);
        }
    }
}
