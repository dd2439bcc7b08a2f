//! `agent list --watch`: lists all agents again after every change. Changes of the registry and of the ledger, which
//! holds the tasks, trigger an update; a check at a slow interval covers an event that never arrived.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::manager::AgentList;
use crate::manager::status::StatusTracker;
use crate::manager::supervisor::SupervisorControl;
use crate::manager::terminal::Terminals;
use crate::process;

/// Interval of the fallback check, the same as the supervisor's.
const SECOND_LOOK: Duration = Duration::from_secs(60);

/// Why the watch calls back.
#[derive(Debug)]
pub enum Woken {
    /// Agents may have changed; holds the new list.
    Changed(AgentList),
    /// Nothing has changed, but the interval has passed.
    Waited,
    /// The size of the terminal has changed.
    Resized,
}

/// A signal to the watch loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Change,
    Size,
}

/// Whether the watch continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    /// Continue and call back after the next change.
    On,
    /// Stop and return to the caller.
    Enough,
}

impl Terminals<'_> {
    /// Calls `each` with all agents, now and after every change, and with [`Woken::Waited`] after every `pause`, until
    /// it returns [`Watching::Enough`].
    pub fn watch(&self, pause: Duration, mut each: impl FnMut(Woken) -> Watching) -> Result<(), Error> {
        // Registered before the first snapshot, so that no change is missed. Processes are watched too, because no
        // process writes anything when the tmux server is gone.
        let (tell, told) = channel();
        let (tell_exit, tell_size) = (tell.clone(), tell.clone());
        let _changes = self.0.store.on_change(&["agent-sessions.json", "ledger.db-wal"], move || {
            tell.send(Told::Change).unwrap_or_default()
        })?;
        let exits =
            SupervisorControl(self.0).on_exit(move || tell_exit.send(Told::Change).unwrap_or_default())?;
        process::on_resize(move || tell_size.send(Told::Size).unwrap_or_default())
            .map_err(Error::io("cannot watch the terminal"))?;
        let mut looked = Instant::now();
        let mut woken = Woken::Changed(StatusTracker(self.0).current_agents()?);
        loop {
            if each(woken) == Watching::Enough {
                return Ok(());
            }
            SupervisorControl(self.0).watch_exits(&exits)?;
            let first = told.recv_timeout(pause).ok();
            let all: Vec<Told> = first.into_iter().chain(told.try_iter()).collect();
            woken = if all.contains(&Told::Change) || looked.elapsed() > SECOND_LOOK {
                looked = Instant::now();
                Woken::Changed(StatusTracker(self.0).current_agents()?)
            } else if all.is_empty() {
                Woken::Waited
            } else {
                Woken::Resized
            };
        }
    }
}
