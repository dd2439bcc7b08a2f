//! Measures the web page through its real socket: changes of the status against `agent list --watch`, a key until its
//! echo against a minimal terminal server, many viewers against one, a flood, the size of the first load, and what an
//! open page costs while nothing changes. `web/e2e/numbers.mjs` measures keys and a flood in a browser.

pub mod bare;

mod change;
mod client;
mod flood;
mod key;
mod load;
mod quiet;
mod viewers;

use crate::parts::{self, Options, Part};

const PARTS: [(&str, Part); 6] = [
    ("change", change::measure),
    ("key", key::measure),
    ("viewers", viewers::measure),
    ("flood", flood::measure),
    ("load", load::measure),
    ("quiet", quiet::measure),
];

/// Runs the selected measurements.
pub fn run(options: &Options) {
    parts::run(options, &PARTS);
}
