//! Measures the cost of watching agents while they are idle and while they print, the latency of status changes, the
//! memory usage, and the effect of a flood of events.

pub mod cost;
pub mod memory;
pub mod news;
pub mod printing;

mod flood;
mod latency;
mod quiet;

use crate::parts::{self, Options, Part, settle};

const PARTS: [(&str, Part); 5] = [
    ("quiet", quiet::measure),
    ("printing", printing::measure),
    ("latency", latency::measure),
    ("memory", memory::measure),
    ("flood", flood::measure),
];

/// Runs the selected measurements.
pub fn run(options: &Options) {
    parts::run(options, &PARTS);
}
