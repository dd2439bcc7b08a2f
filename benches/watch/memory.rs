//! Measures the memory of the supervisor and its keeper, with ten times as many agents.

use std::fs;

use symposium::store::SupervisorLock;

use super::cost::Watched;
use super::{Options, settle};
use crate::place::Place;
use crate::table::{Row, Table};

/// Limit from the issue, in kB.
const MOST: u64 = 30_000;

pub(super) fn measure(options: &Options, table: &mut Table) {
    let agents = options.agents * 10;
    let place = Place::new(options.binary.clone());
    place.fill(1..=agents, &["--", "sleep", "100000"]);
    settle();
    let keeper = Watched::bare(place.server()).keeper().expect("a keeper");
    let supervisor = SupervisorLock(&place.store()).holder().expect("a supervisor");
    let of = |file: &str, key: &str| {
        let sum: u64 = [keeper, supervisor].iter().filter_map(|pid| kilobytes(*pid, file, key)).sum();
        sum
    };
    let label = format!("{agents} agents: supervisor");
    table.add(Row::size(format!("{label} and keeper, RSS"), of("status", "VmRSS:"), MOST));
    table.add(Row::size(format!("{label} and keeper, PSS"), of("smaps_rollup", "Pss:"), MOST));
    let most = kilobytes(supervisor, "status", "VmHWM:").unwrap_or_default();
    table.add(Row::size(format!("{label} alone, RSS at its most"), most, MOST));
}

/// Returns a value in kB from a file of a process in /proc.
pub fn kilobytes(pid: i32, file: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/{file}")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}
