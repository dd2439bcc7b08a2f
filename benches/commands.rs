//! Measures the duration of commands: medians of calls that alternate with plain tmux calls on the same server.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use symposium::model::AgentName;

use crate::place::Place;
use crate::table::{Row, Table, interleaved, median};

/// Runs all measurements, with one agent and with this many.
pub fn run(agents: usize, binary: PathBuf) {
    let place = Place::new(binary);
    let mut table = Table::new();

    table.add(start(&place));
    place.symposium(&["agent", "spawn", "--name", "a1", "--", "sleep", "100000"]);
    table.add(list(&place, "1 agent", 1.5));
    let few = spawn_and_kill(&place, "1 agent", &mut table);

    place.fill(2..=agents, &["--", "sleep", "100000"]);
    let label = format!("{agents} agents");
    table.add(list(&place, &label, 2.0));
    let many = spawn_and_kill(&place, &label, &mut table);
    table.add(Row::ratio(format!("agent spawn, {label} vs 1"), (many.0, few.0), 2.0));
    // How much of that time tmux takes, and how much remains for Symposium.
    let own = |(ours, bare): (Duration, Duration)| ours.saturating_sub(bare);
    table.add(Row::compared(format!("  tmux new-session, {label} vs 1"), (many.1, few.1)));
    table.add(Row::compared(format!("  spawn less new-session, {label} vs 1"), (own(many), own(few))));
    table.add(lookup(&place, agents));

    // The registry alone: the same number of records, on a server without their sessions.
    place.tmux(&["kill-server"]);
    // A thousand programs that end at the same time keep the machine busy for a while.
    std::thread::sleep(Duration::from_secs(25));
    place.symposium(&["agent", "spawn", "--name", "alone", "--", "sleep", "100000"]);
    let recorded = spawn_and_kill(&place, &format!("{agents} recorded, 1 alive"), &mut table);
    table.add(Row::ratio(format!("agent spawn, {agents} recorded vs 1"), (recorded.0, few.0), 2.0));

    println!("{table}");
}

/// Measures `--version` from process start to exit.
fn start(place: &Place) -> Row {
    let took = median((0..50).map(|_| place.symposium(&["--version"])));
    Row::bound("--version".to_owned(), took, Duration::from_millis(5))
}

/// Compares `agent list` with `tmux list-panes -a`.
fn list(place: &Place, label: &str, limit: f64) -> Row {
    let took =
        interleaved(40, |_| place.symposium(&["agent", "list"]), |_| place.tmux(&["list-panes", "-a"]));
    Row::ratio(format!("agent list, {label}"), took, limit)
}

/// Compares `agent spawn` with `tmux new-session -d`, and `agent kill` with `tmux kill-session`. Returns the medians
/// of the first two.
fn spawn_and_kill(place: &Place, label: &str, table: &mut Table) -> (Duration, Duration) {
    const ROUNDS: usize = 20;
    let name = |round: usize| format!("s{round}");
    let bare = |round: usize| format!("bare{round}");
    let spawned = interleaved(
        ROUNDS,
        |round| place.symposium(&["agent", "spawn", "--name", &name(round), "--", "sleep", "1000"]),
        |round| place.tmux(&["new-session", "-d", "-s", &bare(round), "sleep", "1000"]),
    );
    let killed = interleaved(
        ROUNDS,
        |round| place.symposium(&["agent", "kill", &name(round)]),
        |round| place.tmux(&["kill-session", "-t", &format!("={}", bare(round))]),
    );
    // The record of a killed agent remains, and the next measurement needs the stated number of records.
    for round in 0..ROUNDS {
        place.symposium(&["agent", "rm", &name(round)]);
    }
    table.add(Row::ratio(format!("agent spawn, {label}"), spawned, 2.0));
    table.add(Row::ratio(format!("agent kill, {label}"), killed, 3.0));
    spawned
}

/// Measures, in this process, the lookup of the last registry entry after the spawns.
fn lookup(place: &Place, agents: usize) -> Row {
    let store = place.store();
    let last = (1..=agents).map(|n| format!("a{n}")).max().expect("there is an agent");
    let name: AgentName = last.parse().expect("a valid name");
    let took = median((0..200).map(|_| {
        let began = Instant::now();
        let found = store.find(&name, jiff::Timestamp::now()).expect("the registry can be read");
        assert!(found.is_some(), "no {name} in the registry");
        began.elapsed()
    }));
    Row::bound(format!("registry lookup, {agents} agents"), took, Duration::from_millis(1))
}
