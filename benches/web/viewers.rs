//! Measures the CPU time of the tmux server with one and with fifty viewers of an agent that prints all the time.

use std::thread;
use std::time::Duration;

use super::client::{OpenTerminal, PageServer};
use crate::dashboard::printer::INTERVAL_PRINTER;
use crate::parts::{Options, settle};
use crate::place::Place;
use crate::table::{Row, Table};
use crate::watch::cost::{Watched, running};
use crate::watch::memory::kilobytes;

const VIEWERS: usize = 50;
/// Milliseconds between two lines of the printing agent.
const PRINTING_INTERVAL: &str = "20";
/// Duration of a measurement.
const OBSERVATION: Duration = Duration::from_secs(20);
/// Number of events after which a viewer acknowledges them.
const ACKNOWLEDGED_EVENTS: usize = 64;
/// The first captures of the viewers are over.
const JOINED: Duration = Duration::from_secs(3);

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    let me = std::env::current_exe().expect("our own path");
    place.fill(1..=1, &["--", me.to_str().expect("UTF-8"), INTERVAL_PRINTER, PRINTING_INTERVAL]);
    settle();
    let server = PageServer::start(&place);
    let watched = Watched::bare(place.server());
    let mut terminals = Vec::new();
    let mut costs = Vec::new();
    for count in [0, 1, VIEWERS] {
        while terminals.len() < count {
            terminals.push(watch(OpenTerminal::open(&server, "a1")));
        }
        thread::sleep(JOINED);
        let (tmux, own) = (watched.cost(), running(server.pid()));
        thread::sleep(OBSERVATION);
        costs.push((watched.cost().since(&tmux).tmux, running(server.pid()).saturating_sub(own)));
    }
    let label = format!("{VIEWERS} viewers vs one: CPU of tmux in {} s", OBSERVATION.as_secs());
    table.add(Row::ratio(label, (costs[2].0, costs[1].0), 1.2));
    table.add(Row::compared("  CPU of the server".to_owned(), (costs[2].1, costs[1].1)));
    let memory = kilobytes(server.pid(), "status", "VmRSS:").unwrap_or_default();
    let without = costs[0].0.as_secs_f64() * 1e3;
    table.note(format!("  tmux without a viewer {without:.0} ms; server with {VIEWERS} viewers {memory} kB"));
}

/// Reads and acknowledges in a thread, as a page does.
fn watch(mut terminal: OpenTerminal) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut count: usize = 0;
        while let Some(event) = terminal.events.next_until_end() {
            count += 1;
            if count.is_multiple_of(ACKNOWLEDGED_EVENTS) {
                terminal.acknowledge(&event);
            }
        }
    })
}
