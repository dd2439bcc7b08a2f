//! Measures agents that print a line per second, compared with plain tmux with the same output, and with tmux that
//! saves it with `cat`.

use std::io::Write;
use std::thread;
use std::time::Duration;

use super::cost::Watched;
use super::{Options, settle};
use crate::place::Place;
use crate::table::{Row, Table};

/// The argument that turns this program into a printing agent. A shell script would start a `sleep` every second.
pub const PRINTER: &str = "--print-lines";

/// Prints a line per second until the reader is gone. Each process starts at a different fraction of the second,
/// however quickly they were started one after another: simultaneous lines cost a server less, and those of the plain
/// server would always be simultaneous.
pub fn print_lines() {
    thread::sleep(Duration::from_millis(u64::from(std::process::id()) * 7919 % 1000));
    for n in 0u64.. {
        let mut out = std::io::stdout();
        if writeln!(out, "{n:6} compiling one more crate of the many that this one needs").is_err() {
            return;
        }
        thread::sleep(Duration::from_secs(1));
    }
}

/// Measures all three at the same time, so that the machine is equally busy for each.
pub(super) fn measure(options: &Options, table: &mut Table) {
    let me = std::env::current_exe().expect("our own path");
    let printer = [me.to_str().expect("UTF-8"), PRINTER];
    let place = Place::new(options.binary.clone());
    place.fill(1..=options.agents, &["--", printer[0], printer[1]]);
    let (bare, piped) = (place.bare_server("bare"), place.bare_server("piped"));
    bare.open(options.agents, &printer);
    piped.open(options.agents, &printer);
    for n in 1..=options.agents {
        let file = place.root().join(format!("out{n}"));
        piped.ask(&["pipe-pane", "-t", &format!("a{n}"), &format!("exec cat >{}", file.display())]);
    }
    settle();
    let watched = [Watched::ours(&place), Watched::bare(&bare), Watched::bare(&piped)];
    let before = watched.each_ref().map(Watched::cost);
    thread::sleep(options.seconds);
    let after = watched.each_ref().map(Watched::cost);
    let [ours, bare, piped] = [0, 1, 2].map(|n| after[n].since(&before[n]));
    let label = format!("{} printing, {} s", options.agents, options.seconds.as_secs());
    table.add(Row::ratio(format!("{label}: CPU vs bare tmux"), (ours.total(), bare.total()), 1.5));
    table.add(Row::ratio(format!("{label}: CPU vs tmux piping to cat"), (ours.total(), piped.total()), 1.5));
    table.add(Row::ratio(format!("{label}: the server alone"), (ours.tmux, bare.tmux), 1.5));
    table.add(Row::count(format!("{label}: processes started"), watched[0].started(&ours), 0));
    table.note(format!("  ours: {}; bare: {}; piped: {}", ours.words(), bare.words(), piped.words()));
}
