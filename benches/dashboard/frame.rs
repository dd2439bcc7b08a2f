//! Measures how soon the dashboard shows its first complete frame, against `agent list` with the same agents.

use std::time::Duration;

use super::screen::{Screen, lines};
use super::{Options, SIZE, dashboard_command, settle};
use crate::place::Place;
use crate::table::{Row, Table, interleaved, median};

const ROUNDS: usize = 21;
/// What agents print, to see when their screen is shown.
const GREETING: &str = "greetings from this agent";

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    place.fill(1..=options.agents, &agent());
    settle();
    compare(&place, options.agents, 2.0, table);
    place.fill(options.agents + 1..=options.agents * 10, &agent());
    settle();
    compare(&place, options.agents * 10, 3.0, table);
}

/// Returns the command of an agent that prints a greeting and then does nothing.
pub(super) fn agent() -> [&'static str; 4] {
    ["--", "sh", "-c", "echo greetings from this agent; exec sleep 100000"]
}

fn compare(place: &Place, agents: usize, limit: f64, table: &mut Table) {
    let mut live = Vec::new();
    let list = |_| place.symposium(&["agent", "list"]);
    let took = interleaved(
        ROUNDS,
        |_| {
            let (frame, screen) = first_frame(place);
            live.push(screen);
            frame
        },
        list,
    );
    table.add(Row::ratio(format!("{agents} agents: first frame vs agent list"), took, limit));
    let what = format!("{agents} agents: with the live screen vs agent list");
    table.add(Row::compared(what, (median(live), took.1)));
}

/// Returns how long it took until the list was complete, and until the screen of the first agent was shown.
fn first_frame(place: &Place) -> (Duration, Duration) {
    let mut dashboard = Screen::open(dashboard_command(place), SIZE);
    let started = dashboard.started;
    let listed = dashboard.until("the list", has_list);
    let live = match has_live_screen(dashboard.shown()) {
        true => listed,
        false => dashboard.until("the live screen", has_live_screen),
    };
    (listed - started, live - started)
}

/// Returns whether the screen shows the first agent and the footer, which is drawn last.
fn has_list(screen: &vt100::Screen) -> bool {
    let lines = lines(screen);
    let has_agent = lines.iter().any(|line| line.split_whitespace().any(|word| word == "a1"));
    has_agent && lines.last().is_some_and(|footer| !footer.trim().is_empty())
}

/// Returns whether the screen also shows the screen of the first agent.
pub(super) fn has_live_screen(screen: &vt100::Screen) -> bool {
    has_list(screen) && lines(screen).iter().any(|line| line.contains(GREETING))
}
