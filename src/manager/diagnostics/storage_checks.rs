//! Checks of the state directory and of the supervisor: whether files can be written, and which processes are stalled.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::base::plural::counted;
use crate::error::Error;
use crate::manager::diagnostics::StorageChecks;
use crate::manager::diagnostics::doctor::Check;
use crate::manager::maintenance::TranscriptWriters;
use crate::manager::registry::RegistryWriter;
use crate::manager::supervisor::SupervisorControl;
use crate::process::Stall;
use crate::store::{DiskSpace, probe_disk};

/// Time limit for storing 64 KiB on disk.
const DISK_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether the disk of the state directory answered in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::manager::diagnostics) enum DiskAnswer {
    /// The disk answered, possibly with an error.
    Prompt,
    /// The disk did not answer; any other write would block too.
    Silent,
}

impl StorageChecks<'_> {
    /// Writes and removes a file, because file modes do not show whether a disk is full or read-only.
    pub(in crate::manager::diagnostics) fn check_disk(&self) -> (Check, DiskAnswer) {
        let (done, probed) = mpsc::channel();
        let home = self.0.home.path.clone();
        // Runs in a separate thread, which is abandoned if the disk never answers.
        let begun = thread::Builder::new().name("probe".into()).spawn(move || {
            let _ = done.send(probe_disk(&home));
        });
        let check = match begun.ok().and_then(|_| probed.recv_timeout(DISK_TIMEOUT).ok()) {
            Some(Ok(DiskSpace { free })) => Check::good("disk", format!("writable, {} free", size(free))),
            Some(Err(error)) => {
                let error = Error::from(error);
                Check::bad("disk", error.to_string(), error.advice())
            }
            None => {
                let saw =
                    format!("it has not answered for {} s; the rest was not checked", DISK_TIMEOUT.as_secs());
                let advice = format!("check whether the disk of {} responds", self.0.home.path.display());
                return (Check::bad("disk", saw, advice), DiskAnswer::Silent);
            }
        };
        (check, DiskAnswer::Prompt)
    }

    pub(in crate::manager::diagnostics) fn check_ledger(&self) -> Check {
        let lines = match RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.last_id()) {
            Ok(0) => "no events yet".to_owned(),
            Ok(lines) => format!("{} written so far", counted(lines.unsigned_abs(), "line", "lines")),
            Err(error) => return Check::bad("ledger", error.to_string(), error.advice()),
        };
        match self.0.store.damaged_ledgers() {
            0 => Check::good("ledger", lines),
            kept => Check::note(
                "ledger",
                format!(
                    "{lines}; {} kept from repairs",
                    counted(kept, "damaged file is", "damaged files are")
                ),
                format!("if nothing is missing: rm {}/ledger.db.damaged-*", self.0.home.path.display()),
            ),
        }
    }

    pub(in crate::manager::diagnostics) fn check_supervisor(&self) -> Check {
        let seen = match SupervisorControl(self.0).supervision() {
            Err(error) => return Check::bad("supervisor", error.to_string(), "symposium supervisor log"),
            Ok(seen) => seen,
        };
        if let Some(stall) = &seen.stall {
            let saw = format!("it does not respond: {}", stall.description());
            return Check::bad("supervisor", saw, stall.remedy());
        }
        if seen.running {
            return Check::good("supervisor", "it runs");
        }
        if seen.restarts_waiting + seen.tasks_waiting + seen.heartbeats > 0 {
            let what = "it is not running, and restarts, tasks or heartbeats wait for it";
            return Check::note("supervisor", what, "symposium supervisor start");
        }
        if seen.stopped_on_request {
            return Check::note("supervisor", "it was stopped on request", "symposium supervisor start");
        }
        if !seen.autostart {
            return Check::good("supervisor", "it is not running, and agents do not start it (config.toml)");
        }
        Check::good("supervisor", "it is not running; the next agent that starts also starts it")
    }

    /// Checks for transcript writers that make no progress. While one is stopped, tmux buffers the output of its agent.
    pub(in crate::manager::diagnostics) fn check_writers(&self) -> Vec<Check> {
        let stalled = match TranscriptWriters(self.0).lasting_stalls() {
            Ok(stalled) => stalled,
            Err(error) => return vec![Check::bad("transcripts", error.to_string(), "symposium doctor")],
        };
        let check = stalled.iter().map(|writer| {
            let (name, pid) = (&writer.agent, writer.pid);
            match writer.stall {
                Stall::Stopped => Check::bad(
                    "transcripts",
                    format!(
                        "the writer of `{name}`, process {pid}, is stopped (state T); until it continues, tmux buffers the output in memory"
                    ),
                    format!("kill -CONT {pid}"),
                ),
                Stall::WaitsForDisk => Check::bad(
                    "transcripts",
                    format!("the writer of `{name}`, process {pid}, waits for the disk (state D)"),
                    format!("check whether the disk of {} responds", self.0.home.path.display()),
                ),
            }
        });
        check.collect()
    }

    /// Checks the link that hooks use, if there are agents that need it.
    pub(in crate::manager::diagnostics) fn check_hook_link(&self) -> Option<Check> {
        let has_agents = self.0.store.read(self.0.now()).is_ok_and(|records| !records.is_empty());
        let fault = self.0.hook_link_fault().filter(|_| has_agents)?;
        Some(Check::bad("hooks", fault, "symposium agent list"))
    }
}

/// Formats a size with a unit and one decimal digit.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}
