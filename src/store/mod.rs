//! The state directory: the registry `agent-sessions.json`, the locks in `run/` and the instance directories of the
//! agents.
//!
//! Readers take no lock, because the registry is replaced atomically. Writers lock a separate file, read, change and
//! replace the registry. An unreadable registry is kept under another name and rebuilt from the remaining data; a
//! registry of a newer version is not changed. A record is only deleted when a command removes it. This module never
//! accesses tmux, the clock or the process environment.
//!
//! [`Store`] owns the registry and the paths. The other content has small structs over it, one per purpose, such as
//! `AgentLocks(&store).lock(…)` or `RunFiles(&store).write(…)`.
//!
//! - `home`: the layout of the state directory
//! - `probe`: whether the state directory is writable
//! - `error`: the errors of the state directory
//! - `locks`: locks on separate files
//! - `replace_file`: reads and replaces files safely
//! - `map_file`: small JSON files of named entries
//! - `registry`: the file `agent-sessions.json`
//! - `instance`: the directory of one agent
//! - `run`: the files of running commands
//! - `logs`: log files with a bounded size
//! - `watch`: wakes a waiting command after a change
//! - `copy_files`: copies files into a workspace
//! - `recovered`: copies of removed work
//! - `reviews`: comments on the work of an agent
//! - `ports`: port ranges of worktrees
//! - `hosts`: the configured hosts
//! - `trust`: the projects whose specs the user trusts
//! - `spawn_choices`: the choices of the last spawn
//! - `web`: the devices that may use the web page
//! - `notices`: files about notices to other devices

mod copy_files;
mod error;
mod home;
mod hosts;
mod instance;
mod locks;
mod logs;
mod map_file;
mod notices;
mod ports;
mod probe;
mod recovered;
mod registry;
mod replace_file;
mod reviews;
mod run;
mod spawn_choices;
#[cfg(test)]
mod tests;
mod trust;
mod watch;
mod web;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub use copy_files::{CopyResult, copy_into, meant_by};
pub use error::{StoreError, StoreNotice};
pub use hosts::{HostsEdit, StoredHosts};
pub use instance::InstanceDir;
pub use locks::agent_locks::{AgentLocks, SupervisorLock};
pub use locks::file_lock::AgentLock;
pub use locks::share_locks::{OpenShare, ShareLocks};
pub use locks::start_slots::{StartLock, StartSlot, StartSlots};
pub use logs::read::{LogReader, Logs};
pub use logs::rotating_log::RotatingFile;
pub use notices::{AnswerGrants, ChannelFailure, ChannelFailures};
pub use ports::PortRanges;
pub use probe::{DiskSpace, probe_disk};
pub use recovered::{RecoveredCopies, recovered_folder};
pub use registry::edit::{Edit, RecordChange};
pub use registry::recover::{LEDGER_STALE, REPAIR_UNREPORTED};
pub use reviews::ReviewFiles;
pub use run::files::RunFiles;
pub use run::remote_requests::{OutputStream, RequestLock, RequestSpool, StoredRequest};
pub use run::staging::Staging;
pub use spawn_choices::LastSpawnChoices;
pub use trust::TrustedProjects;
pub use watch::{StoreChangeListener, StoreWatch, Watches};
pub use web::{WEB_FILES, WebEdit, WebStore};

pub use home::{make_private, remove_home};

use crate::model::AgentName;
use home::StateDir;
use registry::cache::RegistryCache;
use registry::schema::Registry;
use replace_file::BackupPolicy;

/// An open state directory, and the registry in it.
#[derive(Debug)]
pub struct Store {
    home: StateDir,
    lock_timeout: Duration,
    queue: Duration,
    notices: Mutex<Vec<StoreNotice>>,
    cache: RegistryCache,
}

impl Store {
    /// Opens a state directory and creates missing parts. Fails if other users could modify it.
    pub fn open(home: &Path) -> Result<Store, StoreError> {
        StateDir::open(home).map(Store::of)
    }

    /// Opens an existing state directory read-only. Creates nothing.
    pub fn open_existing(home: &Path) -> Result<Store, StoreError> {
        StateDir::found(home).map(Store::of)
    }

    fn of(home: StateDir) -> Store {
        Store {
            home,
            lock_timeout: crate::store::locks::file_lock::LOCK_TIMEOUT,
            queue: crate::store::locks::file_lock::QUEUE_TIMEOUT,
            notices: Mutex::default(),
            cache: RegistryCache::default(),
        }
    }

    /// Writes the empty registry of a new state directory. From then on, a missing registry is known to be lost. Must
    /// be called before an instance directory is created that has no record yet.
    pub fn begin(&self) -> Result<(), StoreError> {
        let begun = || {
            fs::symlink_metadata(self.home.registry()).is_ok()
                || crate::store::registry::recover::has_remains(&self.home)
        };
        if begun() {
            return Ok(());
        }
        let _lock = self.lock()?;
        if begun() {
            return Ok(());
        }
        let empty = Registry::default().to_text();
        replace_file::replace_registry(&self.home, empty.as_bytes(), BackupPolicy::BecomesBackup)
    }

    /// Returns the path of the state directory.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Returns the directory of locks and sockets.
    pub fn run_dir(&self) -> PathBuf {
        self.home.run()
    }

    /// Returns the directory that contains the instance directories.
    pub fn instances_dir(&self) -> PathBuf {
        self.home.instances()
    }

    /// Returns the instance directory of one agent.
    pub fn instance(&self, name: &AgentName) -> InstanceDir {
        InstanceDir::new(self.home.instances().join(name.as_str()))
    }

    /// Returns the notices about repairs and tolerated problems since the last call.
    pub fn take_notices(&self) -> Vec<StoreNotice> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn notice(&self, notice: StoreNotice) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
}
