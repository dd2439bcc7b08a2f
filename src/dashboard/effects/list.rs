//! The list of agents after every change. The notification is the one of `agent list --watch`.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::dashboard::effects::{EventSender, sentence};
use crate::dashboard::state::event::{DashboardEvent, HostAgents, StaleState};
use crate::manager::{
    AgentList, AgentWatch, Approvals, Context, Hosts, WatchCause, WatchControl, WatchNudge,
};

/// Time between two checks without a change. The watch itself has its own interval.
const WATCH_INTERVAL: Duration = Duration::from_secs(3600);
/// Pause after the agents could not be listed at all, for example because the registry is damaged.
const RETRY_AFTER_FAILURE: Duration = Duration::from_secs(30);
/// Shortest time between two checks of the list that input of the user causes.
const CHECK_AFTER_INPUT: Duration = Duration::from_secs(2);
/// Time between two queries of other hosts, if there are any.
const HOSTS_INTERVAL: Duration = Duration::from_secs(60);

/// Reports the agents of this machine, now and after each change.
pub(super) fn watch(context: &Arc<Context>, events: &EventSender, nudge: &WatchNudge) {
    loop {
        let outcome = AgentWatch(context).watch_nudged(WATCH_INTERVAL, nudge, |woken| {
            if let WatchCause::Changed(list) = woken {
                report(context, events, list);
            }
            WatchControl::Continue
        });
        if let Err(error) = outcome {
            events.send(DashboardEvent::ListFailed(sentence(&error)));
        }
        thread::sleep(RETRY_AFTER_FAILURE);
    }
}

/// Makes the watch list the agents after input of the user: at once, and again if more input has arrived meanwhile.
pub(super) fn check_after_input(nudge: &WatchNudge, inputs: &Receiver<()>) {
    while inputs.recv().is_ok() {
        inputs.try_iter().for_each(drop);
        nudge.refresh();
        thread::sleep(CHECK_AFTER_INPUT);
    }
}

fn report(context: &Context, events: &EventSender, list: AgentList) {
    let silence = list.without_tmux().or_else(|| list.silence.as_ref().map(sentence));
    let mut agents = list.agents;
    if silence.is_none() {
        Approvals(context).add_options(&mut agents);
    }
    events.send(DashboardEvent::Listed { agents, silence });
    for notice in context.notices() {
        events.send(DashboardEvent::Finished(Err(notice)));
    }
}

/// Reports the agents of other hosts, each minute and on request. Ends if no host is configured.
pub(super) fn watch_hosts(context: &Arc<Context>, events: &EventSender, refresh: &Receiver<()>) {
    loop {
        let hosts = Hosts(context).hosts().unwrap_or_default();
        let pause = match hosts.is_empty() {
            // A host that is added later is found with the key that draws the screen again.
            true => None,
            false => Some(HOSTS_INTERVAL),
        };
        if let Ok(known) = Hosts(context).remote_agents(&hosts, None, &mut |_| ()) {
            for remote_list in known {
                let agents = remote_list
                    .agents
                    .into_iter()
                    .filter_map(|agent| serde_json::from_value(agent).ok())
                    .collect();
                let stale = remote_list
                    .silence
                    .map(|error| StaleState { as_of: remote_list.as_of, why: sentence(&error) });
                events.send(DashboardEvent::HostListed(
                    remote_list.host.to_string(),
                    HostAgents { agents, stale },
                ));
            }
        }
        let woken = match pause {
            Some(pause) => refresh.recv_timeout(pause),
            None => refresh.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        if woken == Err(RecvTimeoutError::Disconnected) {
            return;
        }
    }
}
