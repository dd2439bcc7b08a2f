//! What watching agents costs while nothing happens and while they print, how soon a change is told, how much memory
//! it takes, and what a flood of events does.

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

/// How it is measured.
pub struct Options {
    /// How many agents there are.
    pub agents: usize,
    /// The symposium.
    pub binary: PathBuf,
    /// How long they are watched.
    pub seconds: Duration,
    /// The parts that are wanted, with commas between; none means all.
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

/// Measures all that is wanted.
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

/// What starting agents left to do is done by then: the edges of two seconds, and what the supervisor does at most
/// every ten.
fn settle() {
    std::thread::sleep(Duration::from_secs(13));
}
