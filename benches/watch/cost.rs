//! CPU time of a tmux server and of the processes that watch its panes, read from /proc, without the agents
//! themselves.
//!
//! Running processes are counted in nanoseconds (`schedstat`), ended ones by the times that their parent received
//! when it waited for them, which covers every event process that tmux or a hook started. Linux only.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use super::memory::kilobytes;
use crate::place::{Place, Server};

/// The unit of times in /proc on Linux, independent of the kernel configuration.
const TICK: Duration = Duration::from_millis(10);

/// CPU time by consumer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    /// CPU time of the tmux server.
    pub tmux: Duration,
    /// CPU time of the transcript writers.
    pub writers: Duration,
    /// CPU time of the supervisor and its keeper.
    pub supervisor: Duration,
    /// CPU time of ended child processes: the calls of `symposium event`.
    pub events: Duration,
    /// Page faults of ended processes. An increase proves that a process ran.
    faults: u64,
}

/// A server whose cost is measured.
pub struct Watched {
    server: i32,
    panes: HashSet<i32>,
    keeper: Option<i32>,
    calls: Option<PathBuf>,
}

impl Watched {
    /// Measures a server without Symposium.
    pub fn bare(server: &Server) -> Watched {
        let mut watched = Watched { server: 0, panes: HashSet::new(), keeper: None, calls: None };
        let text = server.ask(&["list-panes", "-a", "-F", "#{pid} #{pane_pid} #{session_name}"]);
        for line in text.lines() {
            let mut words = line.split(' ');
            let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a pid");
            watched.server = number();
            let pane = number();
            match words.next() {
                Some(name) if name.starts_with("_supervisor") => watched.keeper = Some(pane),
                _ => drop(watched.panes.insert(pane)),
            }
        }
        watched
    }

    /// Measures our server including the supervisor. From now on, each event that tmux starts first appends a line to
    /// a file.
    pub fn ours(place: &Place) -> Watched {
        let watched = Watched::bare(place.server());
        assert!(watched.keeper.is_some(), "there is no supervisor");
        let (calls, counter) = (place.root().join("calls"), place.root().join("counter"));
        fs::write(&calls, "").expect("a file");
        let (file, real) = (calls.display(), place.binary());
        fs::write(&counter, format!("#!/bin/sh\necho >>'{file}'\nexec '{real}' \"$@\"\n")).expect("a script");
        fs::set_permissions(&counter, fs::Permissions::from_mode(0o700)).expect("ours");
        let counter = counter.to_str().expect("UTF-8").to_owned();
        place.server().ask(&["set-option", "-s", "@symposium_bin", &counter]);
        Watched { calls: Some(calls), ..watched }
    }

    /// Returns the process id of the supervisor's keeper.
    pub fn keeper(&self) -> Option<i32> {
        self.keeper
    }

    /// Returns the cost since the server was started.
    pub fn cost(&self) -> Cost {
        let all = processes();
        let mut cost = Cost { tmux: running(self.server), ..Cost::default() };
        cost.add_ended(all.get(&self.server));
        self.panes.iter().for_each(|pane| cost.add_ended(all.get(pane)));
        for pid in below(self.server, &all) {
            if self.panes.contains(&pid) || self.is_below_a_pane(pid, &all) {
                continue;
            }
            let is_supervisor =
                self.keeper.is_some_and(|keeper| keeper == pid || below(keeper, &all).contains(&pid));
            if is_supervisor {
                cost.supervisor += running(pid);
                cost.add_ended(all.get(&pid));
            } else {
                cost.writers += running(pid);
            }
        }
        cost
    }

    /// Returns the minimum number of processes that were started for Symposium since counting began.
    pub fn started(&self, used: &Cost) -> u64 {
        // Other processes of tmux or the supervisor are not counted, but their page faults show that there were some.
        self.calls().max(u64::from(used.faults > 0))
    }

    /// Returns the number of events that tmux has started since then.
    pub fn calls(&self) -> u64 {
        let calls = self.calls.as_ref().and_then(|calls| fs::read_to_string(calls).ok()).unwrap_or_default();
        calls.lines().count() as u64
    }

    fn is_below_a_pane(&self, pid: i32, all: &HashMap<i32, Process>) -> bool {
        std::iter::successors(all.get(&pid), |process| all.get(&process.parent))
            .any(|process| self.panes.contains(&process.parent))
    }
}

impl Cost {
    /// Returns the cost between two measurements.
    pub fn since(&self, before: &Cost) -> Cost {
        Cost {
            tmux: self.tmux.saturating_sub(before.tmux),
            writers: self.writers.saturating_sub(before.writers),
            supervisor: self.supervisor.saturating_sub(before.supervisor),
            events: self.events.saturating_sub(before.events),
            faults: self.faults.saturating_sub(before.faults),
        }
    }

    /// Returns the total CPU time.
    pub fn total(&self) -> Duration {
        self.tmux + self.writers + self.supervisor + self.events
    }

    /// Describes the parts of the cost as text.
    pub fn words(&self) -> String {
        let parts = [
            ("tmux", self.tmux),
            ("writers", self.writers),
            ("supervisor", self.supervisor),
            ("events", self.events),
        ];
        let word = |(name, time): &(&str, Duration)| format!("{name} {:.1} ms", time.as_secs_f64() * 1e3);
        parts.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    fn add_ended(&mut self, process: Option<&Process>) {
        if let Some(process) = process {
            self.events += process.ended;
            self.faults += process.ended_faults;
        }
    }
}

/// One process as described in /proc.
struct Process {
    parent: i32,
    /// CPU time of the children that it has waited for.
    ended: Duration,
    /// Page faults of those children.
    ended_faults: u64,
}

fn processes() -> HashMap<i32, Process> {
    let pids = fs::read_dir("/proc").expect("/proc").flatten();
    pids.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let fields = stat(pid)?;
        let number = |at: usize| fields[at - 3].parse::<u64>().unwrap_or_default();
        let ended = TICK * u32::try_from(number(16) + number(17)).unwrap_or(u32::MAX);
        Some((pid, Process { parent: number(4) as i32, ended, ended_faults: number(11) }))
    })
    .collect()
}

/// Returns the fields of /proc/PID/stat from the third on. The name before them may contain any character.
fn stat(pid: i32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(text.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

fn below(root: i32, all: &HashMap<i32, Process>) -> Vec<i32> {
    let mut found = vec![root];
    let mut at = 0;
    while at < found.len() {
        let parent = found[at];
        found.extend(all.iter().filter(|(_, process)| process.parent == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    found.split_off(1)
}

/// Returns the page faults of the ended children of a process. An increase proves that it has started one.
pub fn ended_faults(pid: i32) -> u64 {
    processes().get(&pid).map_or(0, |process| process.ended_faults)
}

/// Returns the CPU time of a process and its children, and their resident memory in kB.
pub fn running_with_children(pid: i32) -> (Duration, u64) {
    let all = processes();
    let family = || std::iter::once(pid).chain(below(pid, &all));
    let memory = family().filter_map(|pid| kilobytes(pid, "status", "VmRSS:")).sum();
    (family().map(running).sum(), memory)
}

/// Returns the CPU time of a running process: the sum of its threads in nanoseconds, or its total in ticks if that is
/// more.
pub fn running(pid: i32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let nanos = |path: PathBuf| fs::read_to_string(path).ok()?.split(' ').next()?.parse::<u64>().ok();
    let fine = threads.filter_map(|thread| nanos(thread.path().join("schedstat"))).sum();
    let ticks = |fields: Vec<String>| fields[11].parse::<u32>().ok()?.checked_add(fields[12].parse().ok()?);
    let coarse = TICK * stat(pid).and_then(ticks).unwrap_or_default();
    Duration::from_nanos(fine).max(coarse)
}
