//! Finds the processes of one environment, which are those whose HOME lies in its directory. Linux only, through /proc.

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// A process of an environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The process id.
    pub pid: i32,
    /// The arguments, as every user of the machine can read them.
    pub command: String,
}

/// Returns all live processes that were started with this HOME, even if they left their parents.
pub fn with_home(home: &Path) -> Vec<Process> {
    let mark = format!("HOME={}", home.display()).into_bytes();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let marked = fs::read(entry.path().join("environ"))
            .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|variable| variable == mark));
        if marked {
            let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let words: Vec<_> = command.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
            found.push(Process { pid, command: words.join(" ").trim_end().to_owned() });
        }
    }
    found
}

/// Ends all of them, repeatedly, because a process may have forked meanwhile.
pub fn end_all(home: &Path) {
    for _round in 0..10 {
        let left = with_home(home);
        if left.is_empty() {
            return;
        }
        for process in left {
            if let Some(pid) = Pid::from_raw(process.pid) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}
