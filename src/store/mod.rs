//! The state directory: the registry `agent-sessions.json`, the locks in `run/` and the instance directories of the
//! agents.
//!
//! Readers take no lock, because the registry is replaced atomically. Writers lock a separate file, read, change and
//! replace the registry. An unreadable registry is kept under another name and rebuilt from the remaining data; a
//! registry of a newer version is not changed. A record is only deleted when a command removes it. This module never
//! accesses tmux, the clock or the process environment.

mod copy_files;
mod error;
mod home;
mod hosts;
mod instance;
mod locks;
mod logs;
mod map_file;
mod probe;
mod recovered;
mod registry;
mod replace_file;
mod run;
#[cfg(test)]
mod tests;
mod trust;
mod watch;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

pub use copy_files::{Copied, copy_into, meant_by};
pub use error::{Notice, StoreError};
pub use hosts::HostsEdit;
pub use instance::Instance;
pub use locks::file_lock::AgentLock;
pub use locks::share_locks::OpenDoor;
pub use locks::start_slots::{Place, StartLock};
pub use logs::read::LogReader;
pub use logs::rotating_log::RotatingFile;
pub use probe::{DiskSpace, probe_disk};
pub use recovered::recovered_folder;
pub use registry::edit::{Edit, Move};
pub use registry::recover::{BEHIND, UNTOLD};
pub use run::remote_requests::{Printed, Spool, Work};
pub use run::staging::Staging;
pub use watch::{Changes, Watch};

pub use home::{make_private, remove_home};

use crate::model::{AgentName, AgentRecord};
use home::Home;
use locks::file_lock::PlainLock;
use registry::cache::{Found, RegistryCache};
use registry::recover::Damage;
use registry::schema::{FORMAT, Members, Parsed, Registry};
use replace_file::BackupPolicy;

/// An open state directory.
#[derive(Debug)]
pub struct Store {
    home: Home,
    patience: Duration,
    queue: Duration,
    notices: Mutex<Vec<Notice>>,
    glance: RegistryCache,
}

/// The result of reading the registry once.
enum Seen {
    Sound(Arc<Registry>),
    Old(Members),
    Broken(Damage),
}

impl Store {
    /// Opens a state directory and creates missing parts. Fails if other users could modify it.
    pub fn open(home: &Path) -> Result<Store, StoreError> {
        Home::open(home).map(Store::of)
    }

    /// Opens an existing state directory read-only. Creates nothing.
    pub fn open_existing(home: &Path) -> Result<Store, StoreError> {
        Home::found(home).map(Store::of)
    }

    fn of(home: Home) -> Store {
        Store {
            home,
            patience: crate::store::locks::file_lock::LOCK_TIMEOUT,
            queue: crate::store::locks::file_lock::QUEUE,
            notices: Mutex::default(),
            glance: RegistryCache::default(),
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

    /// Returns all records that this version can read, ordered by name.
    pub fn read(&self, now: Timestamp) -> Result<Vec<AgentRecord>, StoreError> {
        let registry = self.load(now)?;
        let (records, notices) = crate::store::registry::edit::understood_ones(&registry);
        notices.into_iter().for_each(|notice| self.notice(notice));
        Ok(records)
    }

    /// Returns whether there are pending events, which the ledger has not stored yet.
    pub fn owes(&self, now: Timestamp) -> Result<bool, StoreError> {
        Ok(!crate::store::registry::edit::owed(&*self.load(now)?).is_empty())
    }

    /// Returns one record without parsing the others.
    pub fn find(&self, name: &AgentName, now: Timestamp) -> Result<Option<AgentRecord>, StoreError> {
        if let Some(record) = crate::store::registry::fast_lookup::line(&self.text()?, name) {
            return Ok(Some(record));
        }
        let registry = self.load(now)?;
        let entry = registry.entries.get(name.as_str());
        entry.map(|entry| crate::store::registry::edit::understood(name.as_str(), entry)).transpose()
    }

    /// Changes the registry while its lock is held. It is written only if something changed. Must not be called from
    /// inside `change`.
    pub fn update<T>(&self, now: Timestamp, change: impl FnOnce(&mut Edit) -> T) -> Result<T, StoreError> {
        let _lock = self.lock()?;
        let registry = self.load_locked(now)?;
        self.glance.forget();
        let mut edit = Edit::new(Arc::unwrap_or_clone(registry));
        let answer = change(&mut edit);
        if let Some(registry) = edit.changed() {
            replace_file::replace_registry(
                &self.home,
                registry.to_text().as_bytes(),
                BackupPolicy::BecomesBackup,
            )?;
        }
        Ok(answer)
    }

    /// Waits for the lock of one agent. `doing` is the operation that is shown to other processes while the lock is
    /// held.
    pub fn lock_agent(&self, name: &AgentName, doing: &str) -> Result<AgentLock, StoreError> {
        let path = self.agent_lock_file(name)?;
        AgentLock::acquire(&path, doing, self.patience)?
            .ok_or_else(|| crate::store::locks::file_lock::busy(&path, name))
    }

    /// Takes the lock of one agent without waiting. Returns `None` if another process holds it.
    pub fn try_lock_agent(&self, name: &AgentName, doing: &str) -> Result<Option<AgentLock>, StoreError> {
        AgentLock::acquire(&self.agent_lock_file(name)?, doing, Duration::ZERO)
    }

    /// Returns all names that have a lock file, whether there is a record with this name or not.
    pub fn locked_names(&self) -> Result<Vec<AgentName>, StoreError> {
        let run = self.home.run();
        let entries = match fs::read_dir(&run) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
            Err(error) => return Err(StoreError::read(&run)(error)),
        };
        let name = |entry: fs::DirEntry| entry.file_name().to_str()?.strip_suffix(".lock")?.parse().ok();
        Ok(entries.filter_map(Result::ok).filter_map(name).collect())
    }

    /// Waits for the lock for typing into an agent. It is separate from the agent's lock, because typing must not
    /// prevent a kill.
    pub fn lock_typing(&self, name: &AgentName) -> Result<AgentLock, StoreError> {
        self.lock_typing_within(name, self.patience)
    }

    /// Waits for the lock for typing into an agent, for at most `timeout`.
    pub fn lock_typing_within(&self, name: &AgentName, timeout: Duration) -> Result<AgentLock, StoreError> {
        let path = self.instance(name).state_dir().join("typing.lock");
        AgentLock::acquire(&path, "send", timeout)?
            .ok_or_else(|| crate::store::locks::file_lock::busy(&path, name))
    }

    /// Takes the lock for typing into an agent without waiting. Returns `None` if another process holds it.
    pub fn try_lock_typing(&self, name: &AgentName) -> Result<Option<AgentLock>, StoreError> {
        let path = self.instance(name).state_dir().join("typing.lock");
        AgentLock::acquire(&path, "send", Duration::ZERO)
    }

    /// Waits for the lock of the supervisor, at most as long as `patience`. Returns `None` if another supervisor holds
    /// it.
    pub fn lock_supervisor(&self, patience: Duration) -> Result<Option<AgentLock>, StoreError> {
        let run = self.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        AgentLock::acquire(&run.join("_supervisor.lock"), "supervise", patience)
    }

    /// Returns the process id of the supervisor, if one is running. Takes no exclusive lock: a probe must not prevent a
    /// supervisor from starting.
    pub fn supervisor(&self) -> Option<i32> {
        crate::store::locks::file_lock::holder(&self.home.run().join("_supervisor.lock")).map(|(pid, _)| pid)
    }

    /// Returns the directory that contains the instance directories.
    pub fn instances_dir(&self) -> PathBuf {
        self.home.instances()
    }

    /// Returns the number of records with a live status, without parsing the rest of the records. Returns `None` if the
    /// registry has to be repaired or migrated first.
    pub fn count_live(&self) -> Result<Option<usize>, StoreError> {
        Ok(crate::store::registry::fast_lookup::count_live(&self.text()?))
    }

    /// Returns whether at most `most` records have a live status. If there are no more than `most` records, their
    /// statuses are not read.
    pub fn live_at_most(&self, most: usize) -> Result<Option<bool>, StoreError> {
        match self.glance.registry(&self.home.registry())? {
            Found::Sound(registry) if registry.entries.len() <= most => Ok(Some(true)),
            _ => Ok(self.count_live()?.map(|live| live <= most)),
        }
    }

    /// Returns whether any of these agents may have children. `false` is certain, and needs no parsing of records.
    pub fn may_be_parents(&self, names: &[AgentName]) -> Result<bool, StoreError> {
        Ok(crate::store::registry::fast_lookup::may_be_parents(&self.text()?, names))
    }

    /// Returns the instance directory of one agent.
    pub fn instance(&self, name: &AgentName) -> Instance {
        Instance::new(self.home.instances().join(name.as_str()))
    }

    /// Watches the registry for changes.
    pub fn watch(&self) -> Result<Watch, StoreError> {
        self.watch_over(&[self.home.path()], &[home::REGISTRY])
    }

    /// Watches the output and the state files of one agent.
    pub fn watch_instance(&self, name: &AgentName) -> Result<Watch, StoreError> {
        let instance = self.instance(name);
        self.watch_over(&[instance.dir(), &instance.state_dir()], &[])
    }

    /// Watches for the start and the end of a supervisor.
    pub fn watch_run(&self) -> Result<Watch, StoreError> {
        let run = self.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        self.watch_over(&[&run], &[])
    }

    /// Watches the log with this name, for a caller that follows it.
    pub fn watch_log(&self, name: &'static [&'static str]) -> Result<Watch, StoreError> {
        self.watch_over(&[self.home.path()], name)
    }

    /// Calls `callback` whenever one of these files in the state directory changes, until the returned value is
    /// dropped.
    pub fn on_change(
        &self,
        names: &'static [&'static str],
        callback: impl Fn() + Send + 'static,
    ) -> Result<Changes, StoreError> {
        Changes::of(self.home.path(), names, callback).map_err(|error| self.cannot_watch(error))
    }

    fn cannot_watch(&self, error: notify::Error) -> StoreError {
        StoreError::Home { path: self.home().to_owned(), source: std::io::Error::other(error) }
    }

    fn watch_over(&self, dirs: &[&Path], names: &'static [&'static str]) -> Result<Watch, StoreError> {
        Watch::over(dirs, names).map_err(|error| self.cannot_watch(error))
    }

    /// Returns the number of damaged registries that are kept.
    pub fn damaged(&self) -> usize {
        let entries = fs::read_dir(self.home.path()).into_iter().flatten().flatten();
        let is_bad = |name: &str| name.starts_with("agent-sessions.json") && name.contains(".bad-");
        entries.filter(|entry| entry.file_name().to_str().is_some_and(is_bad)).count()
    }

    /// Returns the notices about repairs and tolerated problems since the last call.
    pub fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn notice(&self, notice: Notice) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }

    fn agent_lock_file(&self, name: &AgentName) -> Result<PathBuf, StoreError> {
        let run = self.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        Ok(run.join(format!("{name}.lock")))
    }

    fn lock(&self) -> Result<PlainLock, StoreError> {
        PlainLock::acquire(&self.home.lock_file(), self.queue)
    }

    /// Returns the registry. Takes the lock only if the registry has to be repaired or migrated first.
    fn load(&self, now: Timestamp) -> Result<Arc<Registry>, StoreError> {
        match self.look()? {
            Seen::Sound(registry) => Ok(registry),
            Seen::Old(_) => {
                let _lock = self.lock()?;
                self.load_locked(now)
            }
            Seen::Broken(damage) => {
                let _lock = self.lock().map_err(|source| self.cannot_repair(&damage, source))?;
                self.load_locked(now)
            }
        }
    }

    /// Returns the registry and repairs or migrates it if necessary. The previous holder of the lock may have done that
    /// already.
    fn load_locked(&self, now: Timestamp) -> Result<Arc<Registry>, StoreError> {
        let (registry, notice) = match self.look()? {
            Seen::Sound(registry) => return Ok(registry),
            Seen::Old(old) => crate::store::registry::recover::migrate(&self.home, &old, now)?,
            Seen::Broken(damage) => crate::store::registry::recover::rebuild(&self.home, &damage, now)
                .map_err(|source| self.cannot_repair(&damage, source))?,
        };
        self.notice(notice);
        Ok(Arc::new(registry))
    }

    fn look(&self) -> Result<Seen, StoreError> {
        let path = self.home.registry();
        let parsed = match self.glance.registry(&path)? {
            Found::Sound(registry) => return Ok(Seen::Sound(registry)),
            Found::Nothing if crate::store::registry::recover::has_remains(&self.home) => {
                return Ok(Seen::Broken(Damage::Missing));
            }
            Found::Nothing => return Ok(Seen::Sound(Arc::default())),
            Found::Other(parsed) => parsed,
        };
        match parsed {
            Parsed::Current(registry) => Ok(Seen::Sound(Arc::new(registry))),
            Parsed::Old(old) => Ok(Seen::Old(old)),
            Parsed::Damaged(why) => Ok(Seen::Broken(Damage::Unreadable(why))),
            Parsed::Newer(found) => Err(StoreError::NewerFormat { path, found, known: FORMAT }),
        }
    }

    /// Returns the text of the registry, which is empty if there is none.
    fn text(&self) -> Result<Arc<Vec<u8>>, StoreError> {
        Ok(self.glance.text(&self.home.registry())?.unwrap_or_default())
    }

    /// Adds the description of the damage to the error of a failed repair, unless the error has a separate cause.
    fn cannot_repair(&self, damage: &Damage, source: StoreError) -> StoreError {
        match source {
            StoreError::NewerFormat { .. } | StoreError::LockTimeout { .. } => source,
            other => StoreError::CannotRepair {
                path: self.home.registry(),
                damage: damage.to_string(),
                source: Box::new(other),
            },
        }
    }
}
