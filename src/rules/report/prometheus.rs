//! Formats metrics in the Prometheus text format, version 0.0.4. Every label value of a closed list is always present,
//! with 0 if it has not occurred, so that a graph starts before the first crash.

use std::collections::VecDeque;
use std::fmt::{Display, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::{EventCounters, Status, TaskState};

/// Number of the newest values from which quantiles are computed.
const MAX_SAMPLES: usize = 1000;

/// The values that are exported.
#[derive(Debug, Clone, Copy)]
pub struct Measurements<'a> {
    /// Version of this program.
    pub version: &'a str,
    /// Current status of each agent.
    pub agents: &'a [Status],
    /// Counters of the ledger.
    pub tallies: &'a EventCounters,
    /// Latency of events, if it was measured.
    pub latency: Option<&'a Latency>,
}

/// Latency of events as a summary.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Quantiles with their value in seconds, for example `(0.5, 0.004)`.
    pub quantiles: Vec<(f64, f64)>,
    /// Sum of all latencies in seconds.
    pub sum: f64,
    /// Number of events.
    pub count: u64,
}

impl Latency {
    /// Adds latencies. The quantiles are computed from the newest ones, which `newest` holds.
    pub fn add(&mut self, waits: &[Duration], newest: &mut VecDeque<Duration>) {
        self.count += waits.len() as u64;
        self.sum += waits.iter().map(Duration::as_secs_f64).sum::<f64>();
        newest.extend(waits);
        newest.drain(..newest.len().saturating_sub(MAX_SAMPLES));
        let mut sorted: Vec<f64> = newest.iter().map(Duration::as_secs_f64).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        self.quantiles = match sorted.is_empty() {
            true => Vec::new(),
            false => [0.5, 0.9, 0.99].map(|share| (share, at(share))).into(),
        };
    }
}

/// Returns the metrics as text.
pub fn prometheus(measured: &Measurements<'_>) -> String {
    let Measurements { version, agents, tallies, latency } = measured;
    let mut text = MetricsText::default();
    text.family("symposium_build_info", "gauge", "Always 1; the label is the version.");
    text.sample("symposium_build_info", &[("version", version)], 1);
    text.family("symposium_agents", "gauge", "Agents by status.");
    for status in Status::ALL {
        let count = agents.iter().filter(|agent| **agent == status).count();
        text.sample("symposium_agents", &[("status", status.word())], count);
    }
    text.family("symposium_transitions_total", "counter", "Status changes by new status.");
    for status in Status::ALL {
        let count = tallies.transitions.get(&status).copied().unwrap_or_default();
        text.sample("symposium_transitions_total", &[("to", status.word())], count);
    }
    for (name, help, count) in [
        ("symposium_restarts_total", "Automatic restarts of agents.", tallies.restarts),
        (
            "symposium_given_up_total",
            "Agents that are no longer restarted after too many restarts.",
            tallies.given_up,
        ),
        ("symposium_heartbeats_total", "Heartbeats that were due.", tallies.heartbeats),
    ] {
        text.family(name, "counter", help);
        text.sample(name, &[], count);
    }
    text.family("symposium_tasks", "gauge", "Stored tasks by state.");
    for state in TaskState::ALL {
        let count = tallies.tasks.get(&state).copied().unwrap_or_default();
        text.sample("symposium_tasks", &[("state", state.word())], count);
    }
    if let Some(latency) = latency {
        text.latency(latency);
    }
    text.0
}

/// Builder of the text.
#[derive(Default)]
struct MetricsText(String);

impl MetricsText {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let help = help.replace('\\', r"\\").replace('\n', r"\n");
        // Writing to a `String` cannot fail.
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn latency(&mut self, latency: &Latency) {
        let name = "symposium_event_latency_seconds";
        self.family(name, "summary", "Time from an event until the registry contains it.");
        for (share, seconds) in &latency.quantiles {
            self.sample(name, &[("quantile", &share.to_string())], number(*seconds));
        }
        self.sample(&format!("{name}_sum"), &[], number(latency.sum));
        self.sample(&format!("{name}_count"), &[], latency.count);
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

/// Formats a number as the text format requires.
fn number(value: f64) -> String {
    match value {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests;
