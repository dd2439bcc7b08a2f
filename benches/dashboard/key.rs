//! Measures how soon a key moves the selection while agents print, against the same key in tmux's `choose-tree`.

use std::thread;
use std::time::{Duration, Instant};

use super::printer::INTERVAL_PRINTER;
use super::screen::{Screen, selected_line};
use super::{Options, SIZE, dashboard_command, settle};
use crate::place::Place;
use crate::table::{Row, Table, median, quantile};

const ROUNDS: usize = 400;
const PRINTING_AGENTS: usize = 20;
/// Milliseconds between two lines of a printing agent.
const PRINTING_INTERVAL: &str = "50";
/// Pause between two keys, as of a fast typist.
const PAUSE: Duration = Duration::from_millis(60);

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    let me = std::env::current_exe().expect("our own path");
    let printer = ["--", me.to_str().expect("UTF-8"), INTERVAL_PRINTER, PRINTING_INTERVAL];
    place.fill(1..=PRINTING_AGENTS, &printer);
    place.fill(PRINTING_AGENTS + 1..=options.agents, &super::frame::agent());
    settle();
    let mut dashboard = Screen::open(dashboard_command(&place), SIZE);
    dashboard.until("a selected row", |screen| selected_line(screen).is_some());
    let mut tree = Screen::open(place.server().command(&["attach-session", "-t", "=a1"]), SIZE);
    tree.until("the attached client", |screen| screen.contents().contains("compiling"));
    let client = place.server().ask(&["list-clients", "-F", "#{client_name}"]);
    let clients: Vec<&str> = client.lines().filter(|name| !name.contains("control")).collect();
    let client = clients.last().expect("an attached client");
    place.server().ask(&["choose-tree", "-s", "-t", "=a1:"]);
    tree.until("choose-tree", |screen| selected_line(screen).is_some());
    eprintln!("{client} shows choose-tree");
    // Neither begins at an end of its list.
    for _ in 0..4 {
        move_selection(&mut dashboard, "j");
        move_selection(&mut tree, "j");
    }
    let mut times = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let key = if round % 2 == 0 { "k" } else { "j" };
        thread::sleep(PAUSE);
        times.0.push(move_selection(&mut dashboard, key));
        thread::sleep(PAUSE);
        times.1.push(move_selection(&mut tree, key));
    }
    let of = |part| (quantile(times.0.iter().copied(), part), quantile(times.1.iter().copied(), part));
    let label = format!("{} agents, {PRINTING_AGENTS} print: key", options.agents);
    table.add(Row::ratio(format!("{label} vs choose-tree, p99"), of(0.99), 1.5));
    table.add(Row::compared(format!("{label} vs choose-tree, p90"), of(0.9)));
    let medians = (median(times.0.iter().copied()), median(times.1.iter().copied()));
    table.add(Row::compared(format!("{label} vs choose-tree, median"), medians));
}

/// Presses a key and returns how long it took until another line was selected.
fn move_selection(screen: &mut Screen, key: &str) -> Duration {
    screen.catch_up(Duration::ZERO);
    let before = selected_line(screen.shown());
    let pressed: Instant = screen.press(key);
    let moved = screen.until("another selected row", |screen| {
        let now = selected_line(screen);
        now.is_some() && now != before
    });
    moved - pressed
}
