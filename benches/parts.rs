//! A measurement that consists of several parts, of which the user can select some.

use std::path::PathBuf;
use std::time::Duration;

use crate::table::Table;

/// Options of the measurements.
pub struct Options {
    /// The number of agents; some parts take ten times as many.
    pub agents: usize,
    /// The measured Symposium binary.
    pub binary: PathBuf,
    /// The duration of the parts that observe something for a time.
    pub seconds: Duration,
    /// The selected parts, separated by commas; `None` selects all.
    pub only: Option<String>,
}

/// One part: it measures and adds rows to the table.
pub type Part = fn(&Options, &mut Table);

/// Runs the selected parts and prints the table.
pub fn run(options: &Options, parts: &[(&str, Part)]) {
    let mut table = Table::new();
    let is_selected =
        |name: &str| options.only.as_deref().is_none_or(|only| only.split(',').any(|part| part == name));
    for (name, measure) in parts.iter().filter(|(name, _)| is_selected(name)) {
        eprintln!("-- {name}");
        measure(options, &mut table);
    }
    println!("{table}");
}

/// Waits until the work after starting agents is done: tmux activity events with an interval of two seconds, and
/// periodic work of the supervisor, which runs at most every ten.
pub fn settle() {
    std::thread::sleep(Duration::from_secs(13));
}
