//! Measures the cost of watching agents while they are idle and while they print, the latency of status changes, the
//! memory usage, and the effect of a flood of events.

pub mod printing;

mod cost;
mod flood;
mod latency;
mod memory;
mod news;
mod quiet;

use std::path::PathBuf;
use std::time::Duration;

use crate::table::Table;

/// Options of the measurements.
pub struct Options {
    /// The number of agents.
    pub agents: usize,
    /// The measured Symposium binary.
    pub binary: PathBuf,
    /// The duration of a measurement.
    pub seconds: Duration,
    /// The selected measurements, separated by commas; `None` selects all.
    pub only: Option<String>,
}

type Part = fn(&Options, &mut Table);

const PARTS: [(&str, Part); 5] = [
    ("quiet", quiet::measure),
    ("printing", printing::measure),
    ("latency", latency::measure),
    ("memory", memory::measure),
    ("flood", flood::measure),
];

/// Runs the selected measurements.
pub fn run(options: &Options) {
    let mut table = Table::new();
    let wanted =
        |name: &str| options.only.as_deref().is_none_or(|only| only.split(',').any(|part| part == name));
    for (name, measure) in PARTS.iter().filter(|(name, _)| wanted(name)) {
        eprintln!("-- {name}");
        measure(options, &mut table);
    }
    println!("{table}");
}

/// Waits until the work after starting agents is done: tmux activity events with an interval of two seconds, and
/// periodic work of the supervisor, which runs at most every ten.
fn settle() {
    std::thread::sleep(Duration::from_secs(13));
}
