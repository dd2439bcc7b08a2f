//! Measures how soon a killed agent process is on the page, against `agent list --watch` in the same run.

use std::thread;
use std::time::Duration;

use symposium::model::{AgentName, Status};

use super::client::PageServer;
use crate::parts::{Options, settle};
use crate::place::Place;
use crate::table::{Row, Table, median, quantile};
use crate::watch::news::{News, kill};

const ROUNDS: usize = 30;
/// Longer than the supervisor's debounce time and a notice.
const REST: Duration = Duration::from_millis(500);

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    place.fill(1..=options.agents + ROUNDS, &["--", "sleep", "100000"]);
    settle();
    let server = PageServer::start(&place);
    let events = server.stream("/api/events");
    let news = News::listen(&place);
    let times: Vec<(Duration, Duration)> = (1..=ROUNDS)
        .map(|n| {
            let name: AgentName = format!("a{n}").parse().expect("a name");
            thread::sleep(REST);
            news.forget();
            events.forget();
            let killed = kill(&place.store(), name.as_str());
            let (_, listed) = news.until(&name, Status::Crashed);
            let shown = events.until(|event| {
                let agents = event.data["agents"].as_array().into_iter().flatten();
                agents.into_iter().any(|agent| agent["name"] == name.as_str() && agent["status"] == "crashed")
            });
            (shown.at - killed, listed - killed)
        })
        .collect();
    let (shown, listed) = (times.iter().map(|times| times.0), times.iter().map(|times| times.1));
    let label = format!("{} agents, a kill: page vs list --watch", options.agents);
    table.add(Row::ratio(label, (median(shown.clone()), median(listed.clone())), 2.0));
    table
        .add(Row::compared("  nine of ten within".to_owned(), (quantile(shown, 0.9), quantile(listed, 0.9))));
}
