//! Measures idle agents: the CPU time of the supervisor, events and tmux above plain tmux with the same panes.

use std::thread;

use super::cost::Watched;
use super::news::{Stamps, kill};
use super::{Options, settle};
use crate::place::Place;
use crate::table::{Row, Table};

/// Limit from the issue, as a fraction of one core.
const MOST: f64 = 0.002;

/// Measures sleeping programs, then idle agent CLIs.
pub(super) fn measure(options: &Options, table: &mut Table) {
    let binary = options.binary.to_str().expect("UTF-8");
    rest(options, table, ("sleeping", &["--", "sleep", "100000"], &["sleep", "100000"]));
    rest(options, table, ("demo agents at rest", &["demo"], &[binary, "demo-agent"]));
}

fn rest(options: &Options, table: &mut Table, (what, spawn, bare): (&str, &[&str], &[&str])) {
    let place = Place::new(options.binary.clone());
    place.fill(1..=options.agents, spawn);
    let server = place.bare_server("bare");
    server.open(options.agents, bare);
    settle();
    let (ours, bare) = (Watched::ours(&place), Watched::bare(&server));
    let before = (ours.cost(), bare.cost());
    thread::sleep(options.seconds);
    let (used, used_bare) = (ours.cost().since(&before.0), bare.cost().since(&before.1));
    let started = ours.started(&used);
    see_that_events_are_counted(&place, &ours);
    let share = |used: std::time::Duration| used.as_secs_f64() / options.seconds.as_secs_f64();
    let (agents, seconds) = (options.agents, options.seconds.as_secs());
    let label = format!("{agents} {what}, {seconds} s");
    table.add(Row::share(
        format!("{label}: of one core"),
        (share(used.total()), share(used_bare.total())),
        MOST,
    ));
    table.add(Row::count(format!("{label}: processes started"), started, 0));
    table.note(format!("  {label}: {}; bare: {}", used.words(), used_bare.words()));
}

/// Verifies that the counter works: the end of an agent must increase it.
fn see_that_events_are_counted(place: &Place, ours: &Watched) {
    let calls = Stamps::of(place.root().to_owned(), "calls");
    kill(&place.store(), "a1");
    calls.until("an event is counted", || ours.calls() > 0);
}
