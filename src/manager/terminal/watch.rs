//! `agent list --watch`: all agents, again at each change. Woken by the registry, and by the ledger, in which their
//! tasks are; a slow second look covers an event that never came.

use crate::manager::status::StatusTracker;
use crate::manager::supervisor::SupervisorControl;
use crate::manager::terminal::Terminals;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::manager::Survey;
use crate::process;

/// The safety net, as the supervisor's.
const SECOND_LOOK: Duration = Duration::from_secs(60);

/// What woke the watcher.
#[derive(Debug)]
pub enum Woken {
    /// Something may have changed.
    Changed(Survey),
    /// Nothing did; time has passed.
    Waited,
    /// Nothing did, but the terminal has another size.
    Resized,
}

/// What was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Change,
    Size,
}

/// What the watcher wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    /// More.
    On,
    /// No more.
    Enough,
}

impl Terminals<'_> {
    /// Calls `each` with all agents, now and at each change, and with nothing every `pause`, until it has enough.
    pub fn watch(&self, pause: Duration, mut each: impl FnMut(Woken) -> Watching) -> Result<(), Error> {
        // Before the first look: what happens meanwhile is not missed. Processes too: with the server gone nobody
        // writes anything.
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
        let mut woken = Woken::Changed(StatusTracker(self.0).survey()?);
        loop {
            if each(woken) == Watching::Enough {
                return Ok(());
            }
            SupervisorControl(self.0).watch_exits(&exits)?;
            let first = told.recv_timeout(pause).ok();
            let all: Vec<Told> = first.into_iter().chain(told.try_iter()).collect();
            woken = if all.contains(&Told::Change) || looked.elapsed() > SECOND_LOOK {
                looked = Instant::now();
                Woken::Changed(StatusTracker(self.0).survey()?)
            } else if all.is_empty() {
                Woken::Waited
            } else {
                Woken::Resized
            };
        }
    }
}
