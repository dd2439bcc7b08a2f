//! Typing is verified and takes its time: it is done beside the loop, one agent at a time each. What had to wait, because
//! somebody was typing or a draft stood there, is tried again after a while, not at every change.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::tick::said;
use crate::env::Env;
use crate::manager::{Dispatchable, Errand, Manager, Outcome};
use crate::model::AgentId;

/// How long what had to wait is left alone.
const PAUSE: Duration = Duration::from_secs(5);

/// Who is being typed into, and who is left alone until when.
#[derive(Default)]
pub(super) struct Dispatching {
    busy: Arc<Mutex<Busy>>,
}

#[derive(Default)]
struct Busy {
    typing: HashSet<AgentId>,
    paused: HashMap<AgentId, Instant>,
}

impl Dispatching {
    /// Begins what can be begun; returns when to come back for what cannot.
    pub(super) fn begin(&self, manager: &Arc<Manager>, due: Vec<Dispatchable>) -> Option<Timestamp> {
        let mut next: Option<Duration> = None;
        for due in due {
            let (id, name) = due.agent.clone();
            let mut busy = lock(&self.busy);
            busy.paused.retain(|_, until| *until > Instant::now());
            if let Some(until) = busy.paused.get(&id) {
                let left = until.saturating_duration_since(Instant::now());
                next = Some(next.map_or(left, |next| next.min(left)));
                continue;
            }
            if due.driven {
                busy.paused.insert(id, Instant::now() + PAUSE);
                next = Some(next.map_or(PAUSE, |next| next.min(PAUSE)));
                drop(busy);
                said("dispatch", manager.tell_driver(&due));
                continue;
            }
            if !busy.typing.insert(id) {
                continue;
            }
            drop(busy);
            let (manager, busy) = (Arc::clone(manager), Arc::clone(&self.busy));
            tokio::task::spawn_blocking(move || {
                let what = match &due.errand {
                    Errand::Task(task) => format!("task {}", task.id),
                    Errand::Message(message) => format!("message {}", message.id),
                };
                let outcome = manager.dispatch(&due);
                let mut busy = lock(&busy);
                busy.typing.remove(&id);
                match outcome {
                    Ok(Outcome::Typed) => tracing::info!(agent = %name, what, "typed in"),
                    Ok(Outcome::Elsewhere) => tracing::info!(agent = %name, what, "is not its any more"),
                    other => {
                        busy.paused.insert(id, Instant::now() + PAUSE);
                        match other {
                            Err(error) => tracing::warn!(agent = %name, what, %error, "not typed in"),
                            Ok(_) => tracing::info!(agent = %name, what, "has to wait"),
                        }
                    }
                }
            });
        }
        next.map(|wait| Env::now() + wait)
    }
}

fn lock(busy: &Mutex<Busy>) -> std::sync::MutexGuard<'_, Busy> {
    busy.lock().unwrap_or_else(PoisonError::into_inner)
}
