//! What the user set in `config.toml`, read again when the file has changed, and the files whose change matters.

use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

use super::Manager;
use crate::config;
use crate::error::Error;
use crate::model::Config;
pub use crate::store::Changes;

/// The file in the state directory.
const FILE: &str = "config.toml";

/// A configuration and the file it was read from, as it was then.
pub(super) struct Read {
    stamp: Option<(SystemTime, u64)>,
    config: Arc<Config>,
}

impl Manager {
    /// What the user set.
    pub(super) fn config(&self) -> Result<Arc<Config>, Error> {
        let path = self.home.path.join(FILE);
        let stamp = std::fs::metadata(&path).ok().and_then(|meta| Some((meta.modified().ok()?, meta.len())));
        let mut read = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = read.as_ref().filter(|read| read.stamp == stamp) {
            return Ok(Arc::clone(&read.config));
        }
        let config = Arc::new(config::load(&path)?);
        *read = Some(Read { stamp, config: Arc::clone(&config) });
        Ok(config)
    }

    /// What the user set, or what was set before when that has a mistake: for those who cannot ask anybody.
    pub fn settings(&self) -> Arc<Config> {
        self.config().unwrap_or_else(|_| {
            let read = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
            read.as_ref().map_or_else(Arc::default, |read| Arc::clone(&read.config))
        })
    }

    /// Calls back whenever the registry, the ledger or the configuration changes.
    pub fn on_change(&self, callback: impl Fn() + Send + 'static) -> Result<Changes, Error> {
        Ok(self.store.on_change(&["agent-sessions.json", "ledger.db-wal", FILE], callback)?)
    }
}
