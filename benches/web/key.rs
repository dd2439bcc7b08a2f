//! Measures a key until its echo on the stream, against a minimal server that has the program on a bare pty and uses the
//! same kind of requests. Both sides are measured without a browser, which adds the same time to both.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::bare::BareServer;
use super::client::{Events, OpenTerminal, PageConnection, PageServer};
use crate::parts::{Options, settle};
use crate::place::Place;
use crate::table::{Row, Table, median, quantile};

const ROUNDS: usize = 300;
/// Pause between two keys, as of a fast typist.
const PAUSE: Duration = Duration::from_millis(60);
/// A program that echoes each byte.
const ECHO: &str = "stty raw -echo; cat";

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    place.fill(1..=1, &["--", "/bin/sh", "-c", ECHO]);
    settle();
    let server = PageServer::start(&place);
    let mut terminal = OpenTerminal::open(&server, "a1");
    terminal.post("take", json!({}));
    let bare = BareServer::start();
    let (bare_events, mut bare_requests) =
        (Events::open(&bare.host, "", "/events"), PageConnection::open(&bare.host, ""));
    let mut times = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let key = char::from(b'a' + u8::try_from(round % 26).expect("a letter")).to_string();
        thread::sleep(PAUSE);
        terminal.events.forget();
        let pressed = Instant::now();
        terminal.post("type", json!({ "input": [{ "text": key }] }));
        let echo = terminal.events.until(|event| event.name == "output" && event.data[1] == key.as_str());
        times.0.push(echo.at - pressed);
        terminal.acknowledge(&echo);
        thread::sleep(PAUSE);
        let pressed = Instant::now();
        bare_requests.request("POST", "/type", &key);
        let echo = bare_events.until(|event| event.data == key.as_str());
        times.1.push(echo.at - pressed);
    }
    let of = |part| (quantile(times.0.iter().copied(), part), quantile(times.1.iter().copied(), part));
    let medians = (median(times.0.iter().copied()), median(times.1.iter().copied()));
    table.add(Row::compared("a key until its echo, without a browser, vs pty".to_owned(), medians));
    table.add(Row::compared("  nine of ten within".to_owned(), of(0.9)));
}
