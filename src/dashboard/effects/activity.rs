//! Reads what the visible working agents do now, after they have printed something.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crate::dashboard::effects::EventSender;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::DashboardEvent;
use crate::manager::{Context, StatusTracker};
use crate::model::AgentName;

/// Shortest time between two readings. A row that changes more often cannot be read.
const READ_INTERVAL: Duration = Duration::from_secs(1);

/// A signal to the thread.
#[derive(Debug)]
pub(super) enum ActivitySignal {
    /// The working agents of this machine whose rows are visible.
    Visible(Vec<(AgentName, AgentKey)>),
    /// An agent has printed something.
    Printed(AgentName),
}

/// Reads until the dashboard ends.
pub(super) fn run(
    context: &Context,
    events: &EventSender,
    (signals, wake): (&Receiver<ActivitySignal>, Sender<ActivitySignal>),
) {
    let tracker = StatusTracker(context);
    let printed = move |name| wake.send(ActivitySignal::Printed(name)).unwrap_or_default();
    // Without a watch, the column shows the prompt or the title.
    let Ok(mut watch) = tracker.watch_activity(printed) else { return };
    let mut keys: HashMap<AgentName, AgentKey> = HashMap::new();
    let mut known: HashMap<AgentKey, Option<String>> = HashMap::new();
    let mut due: HashSet<AgentName> = HashSet::new();
    let mut read_at: Option<Instant> = None;
    loop {
        let pause = read_at.map_or(Duration::ZERO, |at| READ_INTERVAL.saturating_sub(at.elapsed()));
        let signal = match due.is_empty() {
            true => signals.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => signals.recv_timeout(pause),
        };
        match signal {
            Ok(ActivitySignal::Printed(name)) => drop(due.insert(name)),
            Ok(ActivitySignal::Visible(agents)) => {
                keys = agents.into_iter().collect();
                let names: Vec<AgentName> = keys.keys().cloned().collect();
                due.extend(watch.watch_only(&names));
            }
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let read = due.drain().filter_map(|name| {
                    let key = keys.get(&name)?.clone();
                    let activity = tracker.activity(&name);
                    let is_new = known.insert(key.clone(), activity.clone()) != Some(activity.clone());
                    is_new.then_some((key, activity))
                });
                let read: Vec<(AgentKey, Option<String>)> = read.collect();
                read_at = Some(Instant::now());
                if !read.is_empty() {
                    events.send(DashboardEvent::ActivityRead(read));
                }
            }
        }
    }
}
