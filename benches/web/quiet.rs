//! Measures the CPU time of the server while pages are open and nothing changes.

use std::thread;

use super::client::{OpenTerminal, PageServer};
use crate::parts::{Options, settle};
use crate::place::Place;
use crate::table::{Row, Table};
use crate::watch::cost::running;

/// Share of a core that counts as none: pings and the check for a screen.
const MOST: f64 = 0.001;

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    place.fill(1..=options.agents, &["--", "sleep", "100000"]);
    settle();
    let server = PageServer::start(&place);
    let _list = server.stream("/api/events");
    let _terminal = OpenTerminal::open(&server, "a1");
    settle();
    let before = running(server.pid());
    thread::sleep(options.seconds);
    let used = running(server.pid()).saturating_sub(before);
    let share = used.as_secs_f64() / options.seconds.as_secs_f64();
    let label = format!("{} agents, {} s without a change", options.agents, options.seconds.as_secs());
    table.add(Row::share(format!("{label}: server"), (share, 0.0), MOST));
}
