//! Measures how soon a line of the selected agent is on the screen, against a tmux client that is attached to the same
//! agent.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::printer::REQUESTED_PRINTER;
use super::screen::{Screen, lines};
use super::{Options, SIZE, dashboard_command, settle};
use crate::place::Place;
use crate::table::{Row, Table, median, quantile};

const ROUNDS: usize = 100;
/// Longer than a frame and than the comparison of the live screen after a pause.
const REST: Duration = Duration::from_millis(300);

/// An agent that prints what it is asked to print.
pub(super) struct RequestedPrinter {
    pub(super) pipe: PathBuf,
}

impl RequestedPrinter {
    /// Starts the agent.
    pub(super) fn spawn(place: &Place, name: &str) -> RequestedPrinter {
        let pipe = place.root().join(format!("{name}.pipe"));
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a named pipe");
        let me = std::env::current_exe().expect("our own path");
        let program = ["--", me.to_str().expect("UTF-8"), REQUESTED_PRINTER, pipe.to_str().expect("UTF-8")];
        place.symposium(&[&["-q", "agent", "spawn", "--name", name], &program[..]].concat());
        RequestedPrinter { pipe }
    }

    /// Lets the agent print a line, and returns the time.
    pub(super) fn print(&self, line: &str) -> Instant {
        let mut pipe = OpenOptions::new().write(true).open(&self.pipe).expect("a named pipe");
        let asked = Instant::now();
        pipe.write_all(format!("{line}\n").as_bytes()).expect("the agent reads");
        asked
    }
}

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    let printer = RequestedPrinter::spawn(&place, "a0");
    place.fill(1..=options.agents - 1, &super::frame::agent());
    settle();
    let mut client = Screen::open(place.server().command(&["attach-session", "-t", "=a0"]), SIZE);
    let mut dashboard = Screen::open(dashboard_command(&place), SIZE);
    printer.print("first line");
    client.until("the first line", |screen| has(screen, "first line"));
    dashboard.until("the first line", |screen| has(screen, "first line"));
    let times: Vec<(Duration, Duration)> = (0..ROUNDS)
        .map(|round| {
            thread::sleep(REST);
            client.catch_up(Duration::ZERO);
            dashboard.catch_up(Duration::ZERO);
            let line = format!("line number {round} of many");
            let asked = printer.print(&line);
            let shown = dashboard.until("the line", |screen| has(screen, &line));
            let attached = client.until("the line", |screen| has(screen, &line));
            (shown - asked, attached - asked)
        })
        .collect();
    let (shown, attached) = (times.iter().map(|time| time.0), times.iter().map(|time| time.1));
    let label = format!("{} agents, a line: shown vs attached client", options.agents);
    table.add(Row::ratio(label, (median(shown.clone()), median(attached.clone())), 1.5));
    table.add(Row::compared(
        "  nine of ten within".to_owned(),
        (quantile(shown, 0.9), quantile(attached, 0.9)),
    ));
}

fn has(screen: &vt100::Screen, text: &str) -> bool {
    lines(screen).iter().any(|line| line.contains(text))
}
