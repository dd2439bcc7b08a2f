//! `agent list --watch`: lists all agents again after every change. Changes of the registry and of the ledger, which
//! holds the tasks, trigger an update; a check at a slow interval covers an event that never arrived.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::manager::status::{AgentList, StatusTracker};
use crate::manager::supervisor::SupervisorControl;
use crate::manager::terminal::AgentWatch;
use crate::process;
use crate::store::Watches;

/// Interval of the fallback check, the same as the supervisor's.
const FALLBACK_CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// The same interval after tmux did not answer: nothing reports that it answers again.
const TMUX_RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Why the watch calls back.
#[derive(Debug)]
pub enum WatchCause {
    /// Agents may have changed; holds the new list.
    Changed(AgentList),
    /// Nothing has changed, but the interval has passed.
    Waited,
    /// The size of the terminal has changed.
    Resized,
}

/// A signal to the watch loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WatchSignal {
    Change,
    Size,
}

/// Whether the watch continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchControl {
    /// Continue and call back after the next change.
    Continue,
    /// Stop and return to the caller.
    Stop,
}

/// Makes a watch list the agents again at once. A clone controls the same watch.
#[derive(Debug, Clone, Default)]
pub struct WatchNudge(Arc<Mutex<Option<Sender<WatchSignal>>>>);

impl WatchNudge {
    /// Lists the agents again. Does nothing while no watch runs.
    pub fn refresh(&self) {
        if let Some(watch) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = watch.send(WatchSignal::Change);
        }
    }
}

impl AgentWatch<'_> {
    /// Calls `each` with all agents, now and after every change, and with [`WatchCause::Waited`] after every `pause`, until
    /// it returns [`WatchControl::Stop`].
    pub fn watch(&self, pause: Duration, each: impl FnMut(WatchCause) -> WatchControl) -> Result<(), Error> {
        self.watch_nudged(pause, &WatchNudge::default(), each)
    }

    /// Does the same as [`watch`](Self::watch), and also lists the agents whenever `refresh` asks for it.
    pub fn watch_nudged(
        &self,
        pause: Duration,
        nudge: &WatchNudge,
        mut each: impl FnMut(WatchCause) -> WatchControl,
    ) -> Result<(), Error> {
        // Registered before the first snapshot, so that no change is missed. Processes are watched too, because no
        // process writes anything when the tmux server is gone.
        let (sender, signals) = channel();
        let (tell_exit, tell_size) = (sender.clone(), sender.clone());
        *nudge.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender.clone());
        let _changes = Watches(&self.0.store)
            .on_change(&["agent-sessions.json", "ledger.db-wal"], move || {
                sender.send(WatchSignal::Change).unwrap_or_default()
            })?;
        let exits = SupervisorControl(self.0)
            .on_exit(move || tell_exit.send(WatchSignal::Change).unwrap_or_default())?;
        process::on_resize(move || tell_size.send(WatchSignal::Size).unwrap_or_default())
            .map_err(Error::io("cannot watch the terminal"))?;
        let mut looked = Instant::now();
        let mut second_look_before = FALLBACK_CHECK_INTERVAL;
        let mut woken = WatchCause::Changed(StatusTracker(self.0).current_agents()?);
        loop {
            let second_look = match &woken {
                WatchCause::Changed(list) if list.silence.is_some() => TMUX_RETRY_INTERVAL,
                WatchCause::Changed(_) => FALLBACK_CHECK_INTERVAL,
                WatchCause::Waited | WatchCause::Resized => second_look_before,
            };
            second_look_before = second_look;
            if each(woken) == WatchControl::Stop {
                return Ok(());
            }
            SupervisorControl(self.0).watch_exits(&exits)?;
            let first = signals.recv_timeout(pause.min(second_look)).ok();
            let all: Vec<WatchSignal> = first.into_iter().chain(signals.try_iter()).collect();
            woken = if all.contains(&WatchSignal::Change) || looked.elapsed() >= second_look {
                looked = Instant::now();
                WatchCause::Changed(StatusTracker(self.0).current_agents()?)
            } else if all.is_empty() {
                WatchCause::Waited
            } else {
                WatchCause::Resized
            };
        }
    }
}
