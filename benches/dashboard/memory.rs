//! Measures the memory of the dashboard, with ten times as many agents.

use std::time::Duration;

use super::{Options, dashboard, settle};
use crate::place::Place;
use crate::table::{Row, Table};
use crate::watch::memory::kilobytes;

/// Limit from the issue, in kB.
const MOST: u64 = 40_000;

pub(super) fn measure(options: &Options, table: &mut Table) {
    let agents = options.agents * 10;
    let place = Place::new(options.binary.clone());
    place.fill(1..=agents, &super::frame::agent());
    settle();
    let mut dashboard = dashboard(&place);
    for _ in 0..100 {
        dashboard.press("j");
        dashboard.catch_up(Duration::from_millis(50));
    }
    let of = |key: &str| kilobytes(dashboard.pid(), "status", key).unwrap_or_default();
    table.add(Row::size(format!("{agents} agents: dashboard, RSS"), of("VmRSS:"), MOST));
    table.add(Row::size(format!("{agents} agents: dashboard, RSS at its most"), of("VmHWM:"), MOST));
}
