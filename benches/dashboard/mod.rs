//! Measures the dashboard in a real terminal, against what the same machine does in the same run: the first frame
//! against `agent list`, keys against tmux's own `choose-tree`, changes of the status against `agent list --watch`,
//! printed lines against an attached tmux client; then what it does while nothing changes, and its memory.

pub mod printer;
pub mod viewers;

mod change;
mod frame;
mod key;
mod line;
mod memory;
mod quiet;
mod screen;

use std::process::Command;

use crate::parts::{self, Options, Part, settle};
use crate::place::Place;
use screen::Screen;

/// Size of the terminal: columns and lines.
const SIZE: (u16, u16) = (160, 48);

const PARTS: [(&str, Part); 7] = [
    ("frame", frame::measure),
    ("key", key::measure),
    ("change", change::measure),
    ("line", line::measure),
    ("quiet", quiet::measure),
    ("memory", memory::measure),
    ("viewers", viewers::measure),
];

/// Runs the selected measurements.
pub fn run(options: &Options) {
    parts::run(options, &PARTS);
}

/// Opens the dashboard and waits until it shows the list and the screen of the first agent.
fn dashboard(place: &Place) -> Screen {
    let mut dashboard = Screen::open(dashboard_command(place), SIZE);
    dashboard.until("the live screen", frame::has_live_screen);
    dashboard
}

fn dashboard_command(place: &Place) -> Command {
    place.command(&["dashboard"])
}
