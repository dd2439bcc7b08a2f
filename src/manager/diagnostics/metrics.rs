//! `symposium metrics`: the current state and event counts in the Prometheus text format.

use crate::error::Error;
use crate::manager::diagnostics::Diagnostics;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::StatusTracker;
use crate::rules::report::prometheus::{Latency, Measurements, prometheus};
use crate::store::RunFiles;

/// The file in `run/` to which the supervisor writes the latencies of detected changes.
const LATENCY_FILE: &str = "_latency.json";

impl Diagnostics<'_> {
    /// Stores the latencies with which the supervisor detected changes, for `symposium metrics`.
    pub fn note_latency(&self, latency: &Latency) -> Result<(), Error> {
        let text = serde_json::to_vec(latency).unwrap_or_default();
        Ok(RunFiles(&self.0.store).write(LATENCY_FILE, &text)?)
    }

    /// Returns the metrics in the Prometheus text format.
    pub fn metrics(&self) -> Result<String, Error> {
        let current_agents = StatusTracker(self.0).current_agents()?;
        StatusTracker(self.0).warn_about_unknown(&current_agents);
        StatusTracker(self.0).keep_tmux_error(current_agents.silence);
        let agents: Vec<_> = current_agents.agents.into_iter().map(|agent| agent.status).collect();
        let tallies = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.event_counters())?;
        let latency: Option<Latency> =
            RunFiles(&self.0.store).read(LATENCY_FILE).and_then(|text| serde_json::from_slice(&text).ok());
        let version = env!("CARGO_PKG_VERSION");
        Ok(prometheus(&Measurements {
            version,
            agents: &agents,
            tallies: &tallies,
            latency: latency.as_ref(),
        }))
    }
}
