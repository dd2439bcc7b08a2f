//! Records when a change appeared: in the registry, in a running `agent list --watch --json`, or on an agent's
//! screen.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use rustix::process::{Pid, Signal, kill_process};
use symposium::model::{AgentName, Status};
use symposium::store::Store;

use crate::place::Place;

/// Time limit for every awaited change.
const FOR_EVER: Duration = Duration::from_secs(60);

/// Observes the registry and the list.
pub struct News {
    store: Store,
    registry: Stamps,
    list: Receiver<(Instant, String)>,
    lister: Child,
}

/// The times at which files in a directory changed.
pub struct Stamps {
    _watcher: RecommendedWatcher,
    stamps: Receiver<Instant>,
}

impl Stamps {
    /// Watches the files of this name in a directory.
    pub fn of(dir: PathBuf, name: &'static str) -> Stamps {
        let (send, stamps) = channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let now = Instant::now();
            let is_it = |event: notify::Event| {
                !event.kind.is_access() && event.paths.iter().any(|path| path.ends_with(name))
            };
            if event.is_ok_and(is_it) {
                let _ = send.send(now);
            }
        })
        .expect("a watcher");
        watcher.watch(&dir, RecursiveMode::NonRecursive).expect("a directory");
        Stamps { _watcher: watcher, stamps }
    }

    /// Returns the time of the change after which the condition was true.
    pub fn until(&self, what: &str, is_so: impl Fn() -> bool) -> Instant {
        let deadline = Instant::now() + FOR_EVER;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let stamp = self.stamps.recv_timeout(left).unwrap_or_else(|_| panic!("never: {what}"));
            if is_so() {
                return stamp;
            }
        }
    }
}

impl News {
    /// Starts observing, and returns after the first list has arrived.
    pub fn listen(place: &Place) -> News {
        let store = place.store();
        let registry = Stamps::of(store.home().to_owned(), "agent-sessions.json");
        let mut command = place.command(&["--json", "agent", "list", "--watch"]);
        let mut lister = command.stdout(Stdio::piped()).spawn().expect("a lister");
        let out = BufReader::new(lister.stdout.take().expect("piped"));
        let (send, list) = channel();
        thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = send.send((Instant::now(), line));
            }
        });
        let news = News { store, registry, list, lister };
        news.list.recv_timeout(FOR_EVER).expect("a list");
        news
    }

    /// Returns when the registry and the list had this status of the agent.
    pub fn until(&self, name: &AgentName, status: Status) -> (Instant, Instant) {
        let what = format!("{name} {status}");
        let written = self.registry.until(&what, || {
            self.store
                .find(name, jiff::Timestamp::now())
                .ok()
                .flatten()
                .is_some_and(|now| now.status.status == status)
        });
        let listed = loop {
            let (at, line) =
                self.list.recv_timeout(FOR_EVER).unwrap_or_else(|_| panic!("never listed: {what}"));
            let all: Vec<serde_json::Value> = serde_json::from_str(&line).expect("an array");
            if all.iter().any(|agent| agent["name"] == name.as_str() && agent["status"] == status.to_string())
            {
                break at;
            }
        };
        (written, listed)
    }

    /// Discards the changes that were recorded so far.
    pub fn forget(&self) {
        while self.registry.stamps.try_recv().is_ok() {}
        while self.list.try_recv().is_ok() {}
    }
}

impl Drop for News {
    fn drop(&mut self) {
        let _ = self.lister.kill();
        let _ = self.lister.wait();
    }
}

/// Kills an agent's process and returns the time of the kill.
pub fn kill(store: &Store, name: &str) -> Instant {
    let name: AgentName = name.parse().expect("a name");
    let record = store.find(&name, jiff::Timestamp::now()).expect("readable").expect("an agent");
    let pid = record.pid.and_then(Pid::from_raw).expect("it runs");
    let killed = Instant::now();
    kill_process(pid, Signal::KILL).expect("it is ours");
    killed
}

/// Returns an agent's transcript as far as it is written.
pub fn transcript(store: &Store, name: &AgentName) -> String {
    let file = store.instance(name).dir().join("transcript.log");
    String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned()
}
