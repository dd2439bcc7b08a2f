//! The state directory: the registry `agent-sessions.json`, the locks in `run/` and the directories of the agents.
//!
//! Readers take no lock: a registry is replaced whole or not at all. Writers lock a file beside it, read, change and
//! replace. What cannot be read is kept aside and rebuilt from what is left; what a newer symposium wrote is not
//! touched. A record goes away only when somebody removes it. Never looks at tmux, the clock or the environment.

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
pub use locks::start_slots::{Gate, Place};
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
use registry::cache::{Found, Glance};
use registry::recover::Damage;
use registry::schema::{FORMAT, Members, Parsed, Registry};
use replace_file::Former;

/// One state directory.
#[derive(Debug)]
pub struct Store {
    home: Home,
    patience: Duration,
    queue: Duration,
    notices: Mutex<Vec<Notice>>,
    glance: Glance,
}

/// What one look at the registry found.
enum Seen {
    Sound(Arc<Registry>),
    Old(Members),
    Broken(Damage),
}

impl Store {
    /// Opens a state directory, makes what is missing in it, and refuses one that others could tamper with.
    pub fn open(home: &Path) -> Result<Store, StoreError> {
        Home::open(home).map(Store::of)
    }

    /// The same for who only looks: no directory is made.
    pub fn open_existing(home: &Path) -> Result<Store, StoreError> {
        Home::found(home).map(Store::of)
    }

    fn of(home: Home) -> Store {
        Store {
            home,
            patience: crate::store::locks::file_lock::PATIENCE,
            queue: crate::store::locks::file_lock::QUEUE,
            notices: Mutex::default(),
            glance: Glance::default(),
        }
    }

    /// Writes the empty registry of a new home: from then on a missing one is known to be lost. To be called
    /// before an instance is made that no record tells of yet.
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
        replace_file::replace_registry(&self.home, empty.as_bytes(), Former::BecomesBackup)
    }

    /// The directory.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Where locks and sockets are.
    pub fn run_dir(&self) -> PathBuf {
        self.home.run()
    }

    /// All records that we understand, sorted by name.
    pub fn read(&self, now: Timestamp) -> Result<Vec<AgentRecord>, StoreError> {
        let registry = self.load(now)?;
        let (records, notices) = crate::store::registry::edit::understood_ones(&registry);
        notices.into_iter().for_each(|notice| self.notice(notice));
        Ok(records)
    }

    /// Whether something happened that is not in the ledger yet.
    pub fn owes(&self, now: Timestamp) -> Result<bool, StoreError> {
        Ok(!crate::store::registry::edit::owed(&*self.load(now)?).is_empty())
    }

    /// One record, without parsing the others.
    pub fn find(&self, name: &AgentName, now: Timestamp) -> Result<Option<AgentRecord>, StoreError> {
        if let Some(record) = crate::store::registry::fast_lookup::line(&self.text()?, name) {
            return Ok(Some(record));
        }
        let registry = self.load(now)?;
        let entry = registry.entries.get(name.as_str());
        entry.map(|entry| crate::store::registry::edit::understood(name.as_str(), entry)).transpose()
    }

    /// Changes the registry under its lock; it is written only when something changed. Not to be called from inside
    /// `change`.
    pub fn update<T>(&self, now: Timestamp, change: impl FnOnce(&mut Edit) -> T) -> Result<T, StoreError> {
        let _lock = self.lock()?;
        let registry = self.load_locked(now)?;
        self.glance.forget();
        let mut edit = Edit::new(Arc::unwrap_or_clone(registry));
        let answer = change(&mut edit);
        if let Some(registry) = edit.changed() {
            replace_file::replace_registry(&self.home, registry.to_text().as_bytes(), Former::BecomesBackup)?;
        }
        Ok(answer)
    }

    /// Waits for the right to change one agent; `doing` is what others are told meanwhile.
    pub fn lock_agent(&self, name: &AgentName, doing: &str) -> Result<AgentLock, StoreError> {
        let path = self.agent_lock_file(name)?;
        AgentLock::acquire(&path, doing, self.patience)?
            .ok_or_else(|| crate::store::locks::file_lock::busy(&path, name))
    }

    /// The right to change one agent, `None` when somebody else has it.
    pub fn try_lock_agent(&self, name: &AgentName, doing: &str) -> Result<Option<AgentLock>, StoreError> {
        AgentLock::acquire(&self.agent_lock_file(name)?, doing, Duration::ZERO)
    }

    /// Every name that has a lock file, whether an agent of that name is written down or not.
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

    /// Waits for one's turn to type into an agent. Not the right to change it: who types must not keep others from
    /// ending it.
    pub fn lock_typing(&self, name: &AgentName) -> Result<AgentLock, StoreError> {
        self.lock_typing_within(name, self.patience)
    }

    /// Waits for one's turn to type into an agent for at most `timeout`.
    pub fn lock_typing_within(&self, name: &AgentName, timeout: Duration) -> Result<AgentLock, StoreError> {
        let path = self.instance(name).state_dir().join("typing.lock");
        AgentLock::acquire(&path, "send", timeout)?
            .ok_or_else(|| crate::store::locks::file_lock::busy(&path, name))
    }

    /// The same, when nobody has it.
    pub fn try_lock_typing(&self, name: &AgentName) -> Result<Option<AgentLock>, StoreError> {
        let path = self.instance(name).state_dir().join("typing.lock");
        AgentLock::acquire(&path, "send", Duration::ZERO)
    }

    /// The right to be the supervisor, waited for as long as `patience` says; `None` when another one has it.
    pub fn lock_supervisor(&self, patience: Duration) -> Result<Option<AgentLock>, StoreError> {
        let run = self.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        AgentLock::acquire(&run.join("_supervisor.lock"), "supervise", patience)
    }

    /// The supervisor's process, when one runs. Takes no lock: a probe must not keep a supervisor from starting.
    pub fn supervisor(&self) -> Option<i32> {
        crate::store::locks::file_lock::holder(&self.home.run().join("_supervisor.lock")).map(|(pid, _)| pid)
    }

    /// The directory that holds the agents' directories.
    pub fn instances_dir(&self) -> PathBuf {
        self.home.instances()
    }

    /// How many agents are written down as running, without reading the rest of their records; `None` when the
    /// registry has to be put in order first.
    pub fn count_live(&self) -> Result<Option<usize>, StoreError> {
        Ok(crate::store::registry::fast_lookup::count_live(&self.text()?))
    }

    /// Whether at most so many are; the records alone may be so few that nobody has to look into them.
    pub fn live_at_most(&self, most: usize) -> Result<Option<bool>, StoreError> {
        match self.glance.registry(&self.home.registry())? {
            Found::Sound(registry) if registry.entries.len() <= most => Ok(Some(true)),
            _ => Ok(self.count_live()?.map(|live| live <= most)),
        }
    }

    /// Whether any of these may have children; `false` is certain, and costs no reading of records.
    pub fn may_be_parents(&self, names: &[AgentName]) -> Result<bool, StoreError> {
        Ok(crate::store::registry::fast_lookup::may_be_parents(&self.text()?, names))
    }

    /// The directory of one agent.
    pub fn instance(&self, name: &AgentName) -> Instance {
        Instance::new(self.home.instances().join(name.as_str()))
    }

    /// Wakes whoever waits for a change of the registry.
    pub fn watch(&self) -> Result<Watch, StoreError> {
        self.watch_over(&[self.home.path()], &[home::REGISTRY])
    }

    /// Wakes whoever waits for output or for a word of one agent.
    pub fn watch_instance(&self, name: &AgentName) -> Result<Watch, StoreError> {
        let instance = self.instance(name);
        self.watch_over(&[instance.dir(), &instance.state_dir()], &[])
    }

    /// Wakes whoever waits for a supervisor to come or go.
    pub fn watch_run(&self) -> Result<Watch, StoreError> {
        let run = self.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        self.watch_over(&[&run], &[])
    }

    /// Wakes a caller that follows a log of this name.
    pub fn watch_log(&self, name: &'static [&'static str]) -> Result<Watch, StoreError> {
        self.watch_over(&[self.home.path()], name)
    }

    /// Calls back whenever one of these files of the state directory changes, as long as the answer is kept.
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

    /// How many registries that could not be read are kept.
    pub fn damaged(&self) -> usize {
        let entries = fs::read_dir(self.home.path()).into_iter().flatten().flatten();
        let is_bad = |name: &str| name.starts_with("agent-sessions.json") && name.contains(".bad-");
        entries.filter(|entry| entry.file_name().to_str().is_some_and(is_bad)).count()
    }

    /// What was repaired or put up with since the last time this was asked.
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

    /// The registry; the lock is taken only when it must be put in order first.
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

    /// The registry, put in order when it has to be: whoever had the lock before may have done that already.
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

    /// The text of the registry, empty when there is none.
    fn text(&self) -> Result<Arc<Vec<u8>>, StoreError> {
        Ok(self.glance.text(&self.home.registry())?.unwrap_or_default())
    }

    /// A repair that failed says what there was to repair, unless the cause is a matter of its own.
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
