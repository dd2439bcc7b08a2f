//! `agent list --watch`: all agents, again at each change. Woken by the registry; a slow second look covers an
//! event that never came.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::{Manager, Survey};
use crate::error::Error;

/// The safety net, as the supervisor's.
const SECOND_LOOK: Duration = Duration::from_secs(60);

/// What woke the watcher.
#[derive(Debug)]
pub enum Woken {
    /// Something may have changed.
    Changed(Survey),
    /// Nothing did; time has passed.
    Waited,
}

/// What the watcher wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    /// More.
    On,
    /// No more.
    Enough,
}

impl Manager {
    /// Calls `each` with all agents, now and at each change, and with nothing every `pause`, until it has enough.
    pub fn watch(&self, pause: Duration, mut each: impl FnMut(Woken) -> Watching) -> Result<(), Error> {
        // Before the first look: what happens meanwhile is not missed. Processes too: with the server gone nobody
        // writes anything.
        let (tell, told) = channel();
        let tell_exit = tell.clone();
        let _changes =
            self.store.on_change(&["agent-sessions.json"], move || tell.send(()).unwrap_or_default())?;
        let exits = self.on_exit(move || tell_exit.send(()).unwrap_or_default())?;
        let mut looked = Instant::now();
        let mut woken = Woken::Changed(self.survey()?);
        loop {
            if each(woken) == Watching::Enough {
                return Ok(());
            }
            self.watch_exits(&exits)?;
            let changed = told.recv_timeout(pause).is_ok();
            while told.try_recv().is_ok() {}
            woken = if changed || looked.elapsed() > SECOND_LOOK {
                looked = Instant::now();
                Woken::Changed(self.survey()?)
            } else {
                Woken::Waited
            };
        }
    }
}
