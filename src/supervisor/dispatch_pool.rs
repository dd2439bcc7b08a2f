//! Dispatches tasks and messages outside of the main loop, because typing is verified and takes time; each agent gets
//! one at a time. A delivery that had to wait, because a user was typing or the input line contained a draft, is
//! retried after a delay and not at every change.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::tick::log_failure;
use crate::manager::Dispatcher;
use crate::manager::{Context, DispatchOutcome, Dispatchable, QueueItem};
use crate::model::AgentId;

/// Delay before a delivery that had to wait is retried.
const FAILURE_PAUSE: Duration = Duration::from_secs(5);

/// The agents that are being typed into, and those that are paused.
#[derive(Default)]
pub(super) struct DispatchPool {
    busy: Arc<Mutex<BusyAgents>>,
}

#[derive(Default)]
struct BusyAgents {
    typing: HashSet<AgentId>,
    paused: HashMap<AgentId, Instant>,
}

impl DispatchPool {
    /// Returns the agents that are being typed into or paused. Tasks for any agent of a spec are not reserved for
    /// these.
    pub(super) fn unavailable_agents(&self) -> HashSet<AgentId> {
        let mut busy = lock(&self.busy);
        busy.paused.retain(|_, until| *until > Instant::now());
        busy.typing.iter().chain(busy.paused.keys()).copied().collect()
    }

    /// Starts the deliveries that are possible now. Returns when to retry the others.
    pub(super) fn begin(&self, manager: &Arc<Context>, due: Vec<Dispatchable>) -> Option<Timestamp> {
        for due in due {
            let (id, name) = due.agent.clone();
            let mut busy = lock(&self.busy);
            if due.driven {
                busy.paused.insert(id, Instant::now() + FAILURE_PAUSE);
                drop(busy);
                log_failure("dispatch", Dispatcher(manager).announce_dispatch(&due));
                continue;
            }
            if !busy.typing.insert(id) {
                continue;
            }
            drop(busy);
            let (manager, busy) = (Arc::clone(manager), Arc::clone(&self.busy));
            tokio::task::spawn_blocking(move || {
                let what = match &due.item {
                    QueueItem::Task(task) => format!("task {}", task.id),
                    QueueItem::Message(message) => format!("message {}", message.id),
                };
                let outcome = Dispatcher(&manager).dispatch(&due);
                let mut busy = lock(&busy);
                busy.typing.remove(&id);
                match outcome {
                    Ok(DispatchOutcome::Typed) => tracing::info!(agent = %name, what, "typed in"),
                    Ok(DispatchOutcome::Elsewhere) => {
                        tracing::info!(agent = %name, what, "was taken by another agent")
                    }
                    other => {
                        busy.paused.insert(id, Instant::now() + FAILURE_PAUSE);
                        match other {
                            Err(error) => {
                                tracing::warn!(agent = %name, what, %error, "could not be typed in")
                            }
                            Ok(_) => tracing::info!(agent = %name, what, "has to wait"),
                        }
                    }
                }
            });
        }
        let soonest = lock(&self.busy).paused.values().min().copied();
        soonest.map(|until| manager.now() + until.saturating_duration_since(Instant::now()))
    }
}

fn lock(busy: &Mutex<BusyAgents>) -> std::sync::MutexGuard<'_, BusyAgents> {
    busy.lock().unwrap_or_else(PoisonError::into_inner)
}
