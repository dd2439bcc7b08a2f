//! The user's settings in `config.toml` and `kinds.toml`, read again when a file has changed, and a watch on files
//! whose changes matter.

use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

use crate::config;
use crate::error::Error;
use crate::kinds::Kinds;
use crate::manager::Context;
use crate::model::Config;
use crate::store::Watches;

pub use crate::store::StoreChangeListener;

/// Name of the configuration file in the state directory.
const FILE: &str = "config.toml";
/// Name of the file with the user's own kinds.
const KINDS: &str = "kinds.toml";

/// The content of a file, with the stamp that it had when it was read.
pub(super) struct CachedFileContent<T> {
    stamp: FileStamp,
    what: Arc<T>,
}

/// Modification time and size of a file, or `None` if it does not exist.
type FileStamp = Option<(SystemTime, u64)>;

fn stamp_of(path: &Path) -> FileStamp {
    std::fs::metadata(path).ok().and_then(|meta| Some((meta.modified().ok()?, meta.len())))
}

impl Context {
    /// Returns the configuration, or an error if the file is invalid.
    pub fn config(&self) -> Result<Arc<Config>, Error> {
        let path = self.home.path.join(FILE);
        let stamp = stamp_of(&path);
        let mut read = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = read.as_ref().filter(|read| read.stamp == stamp) {
            return Ok(Arc::clone(&read.what));
        }
        let config = Arc::new(config::load(&path)?);
        *read = Some(CachedFileContent { stamp, what: Arc::clone(&config) });
        Ok(config)
    }

    /// Returns the configuration, or its last valid version if the file is invalid. For processes that cannot report
    /// the error to a user.
    pub fn settings(&self) -> Arc<Config> {
        self.config().unwrap_or_else(|_| {
            let read = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
            read.as_ref().map_or_else(Arc::default, |read| Arc::clone(&read.what))
        })
    }

    /// Returns the kinds. A long-running process keeps the last valid version if the file has become invalid.
    pub(super) fn kinds(&self) -> Result<Arc<Kinds>, Error> {
        let path = self.home.path.join(KINDS);
        let stamp = stamp_of(&path);
        let mut read = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = read.as_ref().filter(|read| read.stamp == stamp) {
            return Ok(Arc::clone(&read.what));
        }
        let kinds = match (Kinds::load(Some(&path)), read.as_ref()) {
            (Ok(kinds), _) => Arc::new(kinds),
            (Err(error), None) => return Err(error.into()),
            (Err(error), Some(before)) => {
                self.notice(format!("{error}; the previous kinds stay in use"));
                Arc::clone(&before.what)
            }
        };
        *read = Some(CachedFileContent { stamp, what: Arc::clone(&kinds) });
        Ok(kinds)
    }

    /// Calls `callback` whenever the registry, the ledger or the configuration changes.
    pub fn on_change(&self, callback: impl Fn() + Send + 'static) -> Result<StoreChangeListener, Error> {
        Ok(Watches(&self.store).on_change(&["agent-sessions.json", "ledger.db-wal", FILE], callback)?)
    }
}
