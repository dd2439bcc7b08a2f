//! Measures how soon a changed status is on the screen, against `agent list --watch`, which sees the same change.

use std::thread;
use std::time::Duration;

use symposium::model::{AgentName, Status};

use super::screen::lines;
use super::{Options, dashboard, settle};
use crate::place::Place;
use crate::table::{Row, Table, median, quantile};
use crate::watch::news::{News, kill};

const ROUNDS: usize = 30;
/// Longer than the supervisor's debounce time, so that each round starts from an idle state.
const REST: Duration = Duration::from_millis(500);

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    place.fill(1..=options.agents, &super::frame::agent());
    settle();
    let news = News::listen(&place);
    let mut dashboard = dashboard(&place);
    let times: Vec<(Duration, Duration)> = (2..ROUNDS + 2)
        .map(|n| {
            // These are in the first lines of the list. The first one stays selected.
            let name: AgentName = format!("a{n}").parse().expect("a name");
            thread::sleep(REST);
            news.forget();
            dashboard.catch_up(Duration::ZERO);
            let killed = kill(&place.store(), name.as_str());
            let shown = dashboard.until("a crashed agent", |screen| {
                lines(screen).iter().any(|line| line.contains('✗') && has_word(line, name.as_str()))
            });
            let (_, listed) = news.until(&name, Status::Crashed);
            (shown - killed, listed - killed)
        })
        .collect();
    let (shown, listed) = (times.iter().map(|time| time.0), times.iter().map(|time| time.1));
    let label = format!("{} agents, a crash: shown vs list --watch", options.agents);
    table.add(Row::ratio(label, (median(shown.clone()), median(listed.clone())), 1.5));
    let slow = (quantile(shown, 0.9), quantile(listed, 0.9));
    table.add(Row::compared("  nine of ten within".to_owned(), slow));
}

fn has_word(line: &str, word: &str) -> bool {
    line.split_whitespace().any(|part| part == word)
}
