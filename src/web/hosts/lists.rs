//! The agents of other hosts after every change. One thread for each host follows its list while a page is open; without
//! one, there is no connection.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::watch;

use super::listing::listing;
use crate::error::Error;
use crate::manager::{Context, FrameFlow, Hosts};
use crate::model::{Host, HostName};

/// Interval at which new and removed hosts are found while a page is open.
const HOSTS_INTERVAL: Duration = Duration::from_secs(5);
/// Pause before another connection to a host after one has ended.
const RECONNECT_INTERVAL: Duration = Duration::from_secs(15);

/// The lists of all hosts as JSON, or nothing before the first one is known.
pub(in crate::web) type SharedHosts = Option<Arc<str>>;

/// The lists of all hosts.
pub(in crate::web) struct HostLists {
    context: Arc<Context>,
    known: Arc<Mutex<KnownHosts>>,
    sender: watch::Sender<SharedHosts>,
}

/// The hosts that are followed.
#[derive(Default)]
struct KnownHosts {
    /// Whether the thread that finds hosts runs.
    is_watched: bool,
    /// Counts how often all pages were closed. Threads of an earlier number end.
    generation: u64,
    /// The last list of each host, or `Null` before its first one.
    lists: BTreeMap<HostName, Value>,
}

impl HostLists {
    pub(in crate::web) fn new(context: &Arc<Context>) -> HostLists {
        let (sender, _) = watch::channel(None);
        HostLists { context: Arc::clone(context), known: Arc::default(), sender }
    }

    /// Returns the lists of all hosts, now and after each change.
    pub(in crate::web) fn follow(&self) -> Result<watch::Receiver<SharedHosts>, Error> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let receiver = self.sender.subscribe();
        if !known.is_watched {
            let follower = self.follower();
            let begun = thread::Builder::new().name("hosts".into()).spawn(move || follower.find_hosts());
            begun.map_err(Error::io("cannot start a thread"))?;
            known.is_watched = true;
        }
        Ok(receiver)
    }

    fn follower(&self) -> HostFollower {
        HostFollower {
            context: Arc::clone(&self.context),
            known: Arc::clone(&self.known),
            sender: self.sender.clone(),
        }
    }
}

/// What the threads share.
#[derive(Clone)]
struct HostFollower {
    context: Arc<Context>,
    known: Arc<Mutex<KnownHosts>>,
    sender: watch::Sender<SharedHosts>,
}

impl HostFollower {
    /// Starts a thread for each host that is added, until no page is open.
    fn find_hosts(self) {
        loop {
            let hosts = Hosts(&self.context).hosts().unwrap_or_default();
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            // Checked under the lock, so that a page that is opened now starts a new thread.
            if self.sender.receiver_count() == 0 {
                *known = KnownHosts { generation: known.generation + 1, ..KnownHosts::default() };
                return;
            }
            let before = known.lists.len();
            known.lists.retain(|name, _| hosts.iter().any(|host| host.name == *name));
            let is_removed = known.lists.len() < before;
            let added: Vec<Host> =
                hosts.into_iter().filter(|host| !known.lists.contains_key(&host.name)).collect();
            known.lists.extend(added.iter().map(|host| (host.name.clone(), Value::Null)));
            if is_removed {
                self.publish(&known);
            }
            let generation = known.generation;
            drop(known);
            for host in added {
                let follower = self.clone();
                // Without a thread, the host is found again when the next page is opened.
                let _ = thread::Builder::new()
                    .name("host".into())
                    .spawn(move || follower.follow_host(&host, generation));
            }
            thread::sleep(HOSTS_INTERVAL);
        }
    }

    /// Follows one host until it is removed or no page is open.
    fn follow_host(&self, host: &Host, generation: u64) {
        let is_wanted = || self.is_wanted(host, generation);
        let mut last_known = listing(Hosts(&self.context).last_known_agents(host));
        last_known["is_connecting"] = true.into();
        self.store(host, last_known);
        while is_wanted() {
            let followed = Hosts(&self.context).watch_agents(&host.name, &mut |list| {
                if let Some(list) = list {
                    self.store(host, listing(list));
                }
                if is_wanted() { FrameFlow::Continue } else { FrameFlow::Stop }
            });
            if followed.is_err() && is_wanted() {
                // Either the last known state with the reason, or that of a host that cannot be followed.
                let hosts = Hosts(&self.context);
                for list in
                    hosts.remote_agents(std::slice::from_ref(host), None, &mut |_| ()).unwrap_or_default()
                {
                    self.store(host, listing(list));
                }
            }
            let ended = Instant::now();
            while is_wanted() && ended.elapsed() < RECONNECT_INTERVAL {
                thread::sleep(Duration::from_millis(250));
            }
        }
    }

    fn is_wanted(&self, host: &Host, generation: u64) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.generation == generation && known.lists.contains_key(&host.name)
    }

    fn store(&self, host: &Host, list: Value) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // The host may have been removed in the meantime.
        if let Some(stored) = known.lists.get_mut(&host.name) {
            *stored = list;
            self.publish(&known);
        }
    }

    fn publish(&self, known: &KnownHosts) {
        let lists: Vec<&Value> = known.lists.values().filter(|list| !list.is_null()).collect();
        let text = serde_json::to_string(&lists).unwrap_or_default();
        self.sender.send_if_modified(|last| {
            let is_new = last.as_deref() != Some(text.as_str());
            *last = Some(text.into());
            is_new
        });
    }
}
