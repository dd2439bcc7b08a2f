//! Waits until tmux has noticed that the process of a pane has exited, which is slightly after the exit itself.

use std::thread;
use std::time::Duration;

use crate::base::wait::pauses::growing_pauses;
use crate::error::Error;
use crate::manager::status::TmuxObserver;
use crate::model::{AgentRecord, Exit, LivePane, TmuxSnapshot};

/// How long `exit_of` waits. A caller that gets no exit status reports the end without it.
const EXIT_STATUS_TIMEOUT: Duration = Duration::from_secs(1);
/// How long `pane_left_behind` waits. tmux refuses to start a process in a pane that it considers alive.
const DEAD_PANE_TIMEOUT: Duration = Duration::from_secs(2);

impl TmuxObserver<'_> {
    /// Returns the exit status of an agent's ended process, or `None` if tmux does not report it in time.
    pub(in crate::manager) fn exit_of(&self, record: &AgentRecord) -> Result<Option<Exit>, Error> {
        let pane = self.pane_after_exit(record, EXIT_STATUS_TIMEOUT)?;
        Ok(pane.and_then(|pane| pane.dead).map(|dead| dead.exit))
    }

    /// Returns the pane whose process was just ended.
    pub(in crate::manager) fn pane_left_behind(&self, record: &AgentRecord) -> Result<Option<String>, Error> {
        Ok(self.pane_after_exit(record, DEAD_PANE_TIMEOUT)?.map(|pane| pane.pane))
    }

    /// Checks an agent's pane until it is dead or gone, or until the timeout.
    fn pane_after_exit(&self, record: &AgentRecord, timeout: Duration) -> Result<Option<LivePane>, Error> {
        for pause in growing_pauses(timeout) {
            match self.own_pane(record)? {
                Some(pane) if pane.dead.is_none() => thread::sleep(pause),
                pane => return Ok(pane),
            }
        }
        self.own_pane(record)
    }

    /// Returns the agent's pane, dead or alive.
    pub(in crate::manager) fn own_pane(&self, record: &AgentRecord) -> Result<Option<LivePane>, Error> {
        let TmuxSnapshot::Running(server) = self.0.tmux()?.snapshot()? else { return Ok(None) };
        let mut own: Vec<_> = server.panes.into_iter().filter(|pane| pane.agent == Some(record.id)).collect();
        let remembered = record.tmux.as_ref().map(|location| location.pane.as_str());
        let at = own.iter().position(|pane| Some(pane.pane.as_str()) == remembered).unwrap_or(0);
        Ok((at < own.len()).then(|| own.swap_remove(at)))
    }

    /// Returns whether the tmux server that answers is the one that the agent was started in.
    pub(in crate::manager) fn own_server_answers(&self, record: &AgentRecord) -> Result<bool, Error> {
        let TmuxSnapshot::Running(server) = self.0.tmux()?.snapshot()? else { return Ok(false) };
        Ok(record.tmux.as_ref().is_some_and(|location| location.server == server.identity.0))
    }
}
