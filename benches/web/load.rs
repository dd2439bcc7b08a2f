//! Measures the size of the first load, compressed as browsers get it.

use super::client::PageServer;
use crate::parts::Options;
use crate::place::Place;
use crate::table::{Row, Table};

/// Limit from the issue, in bytes.
const MOST: u64 = 300_000;
const FILES: [&str; 7] =
    ["/", "/app.js", "/app.css", "/terminal.js", "/icon.svg", "/manifest.webmanifest", "/worker.js"];

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    let server = PageServer::start(&place);
    let mut connection = server.connect();
    let mut size = |path: &str| {
        let (head, body) = connection.request("GET", path, "");
        head.len() + body.len()
    };
    let sizes: Vec<(&str, usize)> = FILES.iter().map(|path| (*path, size(path))).collect();
    let sum: usize = sizes.iter().map(|(_, size)| size).sum();
    table.add(Row::count("first load with terminal, bytes".to_owned(), sum as u64, MOST));
    let words: Vec<String> = sizes.iter().map(|(path, size)| format!("{path} {size}")).collect();
    table.note(format!("  {}", words.join(", ")));
}
