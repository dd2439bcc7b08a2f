//! Measures the memory of the server while an agent prints 100 MB: with a viewer that reads, and one that does not.

use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{OpenTerminal, PageServer};
use crate::parts::{Options, settle};
use crate::place::Place;
use crate::table::{Row, Table};
use crate::watch::memory::kilobytes;

/// Limit from the issue, in kB.
const MOST: u64 = 100_000;
/// Prints 100 MB after Enter, and then a last line.
const FLOOD: &str = "stty -echo; read x; yes 0123456789abcdefghijklmnopqrstuvwxyz | head -c 100000000; echo; echo flooded; sleep 1000";

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    place.fill(1..=1, &["--", "/bin/sh", "-c", FLOOD]);
    settle();
    let server = PageServer::start(&place);
    let _slow = OpenTerminal::open(&server, "a1");
    let mut terminal = OpenTerminal::open(&server, "a1");
    terminal.post("take", json!({}));
    let begun = Instant::now();
    terminal.post("type", json!({ "input": [{ "key": "Enter" }] }));
    let (mut bytes, mut screens) = (0, 0);
    loop {
        let event = terminal.events.next();
        terminal.acknowledge(&event);
        match event.name.as_str() {
            "output" => bytes += event.data[1].as_str().map_or(0, str::len),
            "screen" => screens += 1,
            _ => {}
        }
        if event.name != "viewer" && event.data.to_string().contains("flooded") {
            break;
        }
    }
    let took: Duration = begun.elapsed();
    let of = |key: &str| kilobytes(server.pid(), "status", key).unwrap_or_default();
    table.add(Row::size("a flood of 100 MB: memory of the server".to_owned(), of("VmHWM:"), MOST));
    table.add(Row::told("  until the viewer has the last line".to_owned(), took));
    table.note(format!("  the viewer got {:.1} MB and {screens} captures", bytes as f64 / 1e6));
}
