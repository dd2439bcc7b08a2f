//! Measures how soon a killed agent process and an approval request of an agent with hooks are reported.

use std::thread;
use std::time::{Duration, Instant};

use symposium::model::{AgentName, Status};

use super::news::{News, Stamps, kill, transcript};
use super::{Options, settle};
use crate::place::Place;
use crate::table::{Row, Table, median, quantile};

const ROUNDS: usize = 30;
/// Limit from the issue, for the median.
const MOST: Duration = Duration::from_millis(100);
/// Longer than the supervisor's debounce time and a notice, so that each round starts from an idle state.
const REST: Duration = Duration::from_millis(500);

pub(super) fn measure(options: &Options, table: &mut Table) {
    exits(options, table);
    approvals(options, table);
}

fn exits(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    // Additional agents, so that the last round still has enough of them.
    place.fill(1..=options.agents + ROUNDS, &["--", "sleep", "100000"]);
    settle();
    let news = News::listen(&place);
    let times: Vec<_> = (1..=ROUNDS)
        .map(|n| {
            let name: AgentName = format!("a{n}").parse().expect("a name");
            thread::sleep(REST);
            news.forget();
            let killed = kill(&place.store(), name.as_str());
            let (written, listed) = news.until(&name, Status::Crashed);
            (written - killed, listed - killed)
        })
        .collect();
    let label = format!("{} agents, a kill", options.agents);
    tell(table, &format!("{label} -> registry"), times.iter().map(|times| times.0).collect());
    tell(table, &format!("{label} -> list --watch"), times.iter().map(|times| times.1).collect());
}

fn approvals(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    place.fill(1..=options.agents.max(ROUNDS), &["demo"]);
    settle();
    let news = News::listen(&place);
    let store = place.store();
    let times: Vec<_> = (1..=ROUNDS)
        .map(|n| {
            let name: AgentName = format!("a{n}").parse().expect("a name");
            let screen = Stamps::of(store.instance(&name).dir().to_owned(), "transcript.log");
            thread::sleep(REST);
            news.forget();
            let target = format!("={name}:");
            let words = ["send-keys", "-t", &target, "-l", "/ask make"];
            place.server().ask(&words);
            let pressed = Instant::now();
            place.server().ask(&["send-keys", "-t", &target, "Enter"]);
            let shown =
                screen.until("a dialog", || transcript(&store, &name).contains("Do you want to proceed"));
            let (written, listed) = news.until(&name, Status::Waiting);
            [
                written - pressed,
                written.saturating_duration_since(shown),
                listed.saturating_duration_since(shown),
            ]
        })
        .collect();
    let label = format!("{} agents, a dialog", options.agents);
    let pick = |n: usize| times.iter().map(|times| times[n]).collect();
    tell(table, &format!("{label} shown -> registry"), pick(1));
    tell(table, &format!("{label} shown -> list --watch"), pick(2));
    tell(table, &format!("{label}, from the key -> registry"), pick(0));
}

fn tell(table: &mut Table, what: &str, times: Vec<Duration>) {
    let slow = quantile(times.iter().copied(), 0.9);
    table.add(Row::bound(what.to_owned(), median(times), MOST));
    table.add(Row::told("  nine of ten within".to_owned(), slow));
}
