//! `agent unshare`: closes doors, and with them ends whatever goes through them.

use super::Manager;
use crate::env::Env;
use crate::error::Error;
use crate::model::{AgentName, Share};
use crate::share::Place;

impl Manager {
    /// Takes back what was shared, with everybody or one user; says with whom it was shared.
    pub fn unshare(&self, name: &AgentName, with: Option<&str>) -> Result<Vec<Share>, Error> {
        let _lock = self.store.lock_agent(name, "unshare")?;
        let record = self.record(name, "unshare")?;
        let (ended, left): (Vec<Share>, Vec<Share>) = self
            .written_shares(&record.name)
            .into_iter()
            .partition(|share| with.is_none_or(|with| share.with == with));
        if let (Some(with), true) = (with, ended.is_empty()) {
            return Err(Error::NotSharedWith { name: name.clone(), with: with.to_owned() });
        }
        for share in &ended {
            self.close_door(name, share.uid)?;
        }
        self.write_shares(name, left)?;
        Ok(ended)
    }

    /// Ends all shares of an agent that ends itself, or is called something else from now on.
    pub(super) fn end_shares(&self, name: &AgentName) {
        let shares = self.written_shares(name);
        for share in &shares {
            let _ = self.close_door(name, share.uid);
        }
        if !shares.is_empty() {
            let _ = self.write_shares(name, Vec::new());
        }
    }

    /// Closes one door. The process that keeps it ends with its session, and every connection with the process.
    pub(super) fn close_door(&self, name: &AgentName, uid: u32) -> Result<(), Error> {
        self.tmux()?.stop_door(name, uid)?;
        Place::of(Env::uid(), uid).remove(name);
        Ok(())
    }
}
