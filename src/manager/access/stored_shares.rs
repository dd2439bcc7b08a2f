//! Reads and writes the shares of an agent in the state files of its instance directory.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::manager::access::Access;
use crate::model::{AgentName, Share};

/// The file with the granted shares, among the state files of the instance directory.
const SHARES: &str = "shares.json";
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct StoredShares {
    format: u32,
    shares: Vec<Share>,
}

impl Access<'_> {
    pub(in crate::manager) fn written_shares(&self, name: &AgentName) -> Vec<Share> {
        let bytes = self.0.store.instance(name).read_state(SHARES).ok().flatten().unwrap_or_default();
        match serde_json::from_slice::<StoredShares>(&bytes) {
            Ok(written) if written.format == FORMAT => written.shares,
            // A file that cannot be parsed grants no access. Its listeners are found through their processes and tmux,
            // and none is started.
            _ => Vec::new(),
        }
    }

    pub(in crate::manager) fn write_shares(&self, name: &AgentName, shares: Vec<Share>) -> Result<(), Error> {
        let instance = self.0.store.instance(name);
        if shares.is_empty() {
            return Ok(instance.remove_state(SHARES)?);
        }
        let text = serde_json::to_vec(&StoredShares { format: FORMAT, shares }).unwrap_or_default();
        Ok(instance.write_state(SHARES, &text)?)
    }
}
