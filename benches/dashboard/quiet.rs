//! Measures what the dashboard does while nothing changes: bytes to the terminal, wake-ups, processes.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::{Options, dashboard, settle};
use crate::place::Place;
use crate::table::{Row, Table};
use crate::watch::cost::{ended_faults, running};

/// Interval at which the counters are read. Switches within one interval, or in intervals without a pause between them,
/// count as one wake-up.
const SAMPLING: Duration = Duration::from_millis(100);

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    place.fill(1..=options.agents, &super::frame::agent());
    settle();
    make_older(&place);
    let mut dashboard = dashboard(&place);
    // The first comparison of the live screen, and what the edited registry causes.
    dashboard.catch_up(Duration::from_secs(5));
    let pid = dashboard.pid();
    let (bytes, faults, used) = (dashboard.bytes, ended_faults(pid), running(pid));
    let mut switches = context_switches(pid);
    let (first, mut wake_ups, mut was_awake) = (switches, 0, false);
    let until = Instant::now() + options.seconds;
    while Instant::now() < until {
        thread::sleep(SAMPLING);
        let now = context_switches(pid);
        let is_awake = now != switches;
        wake_ups += u64::from(is_awake && !was_awake);
        was_awake = is_awake;
        switches = now;
    }
    dashboard.catch_up(Duration::ZERO);
    let minutes = options.seconds.as_secs().div_ceil(60);
    let label = format!("{} agents, {} s without a change", options.agents, options.seconds.as_secs());
    table.add(Row::count(format!("{label}: bytes"), (dashboard.bytes - bytes) as u64, 0));
    table.add(Row::count(format!("{label}: wake-ups"), wake_ups, minutes));
    table.add(Row::count(format!("{label}: processes"), u64::from(ended_faults(pid) != faults), 0));
    let used = running(pid).saturating_sub(used);
    table.note(format!(
        "  {} context switches, {:.1} ms of CPU time",
        switches - first,
        used.as_secs_f64() * 1e3
    ));
}

/// Lets all statuses begin two days ago, so that no age changes during the measurement.
fn make_older(place: &Place) {
    let file = place.store().home().join("agent-sessions.json");
    // Without the lock, a command that writes at the same time would restore the old statuses.
    let lock = fs::File::options().append(true).create(true).open(file.with_extension("json.lock"));
    let lock = lock.expect("a lock file");
    lock.lock().expect("locks work here");
    let text = fs::read_to_string(&file).expect("a registry");
    let mut registry: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let old = (jiff::Timestamp::now() - Duration::from_secs(2 * 86_400 + 3600)).to_string();
    let sessions = registry["sessions"].as_object_mut().expect("sessions");
    for session in sessions.values_mut() {
        session["status"]["since"] = old.clone().into();
    }
    let new = file.with_extension("new");
    fs::write(&new, registry.to_string()).expect("a new file");
    fs::rename(new, file).expect("a registry");
}

/// Returns how often the threads of a process have waited for something.
fn context_switches(pid: i32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("a process").flatten();
    let of = |text: String| {
        let line = text.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        line.trim().parse::<u64>().ok()
    };
    threads.filter_map(|thread| fs::read_to_string(thread.path().join("status")).ok().and_then(of)).sum()
}
