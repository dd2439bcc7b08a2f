//! Wakes a waiting command when something in the state directory changes, so that commands need not poll.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Store, StoreError, home};
use crate::model::AgentName;

/// A watch on some directories of the store that a caller can wait for.
pub struct StoreWatch {
    _watcher: RecommendedWatcher,
    changes: Receiver<()>,
}

/// A watch that calls a function at each change, until it is dropped.
pub struct StoreChangeListener {
    _watcher: RecommendedWatcher,
}

impl StoreChangeListener {
    /// Starts the watch.
    pub(super) fn of(
        dir: &Path,
        names: &'static [&'static str],
        callback: impl Fn() + Send + 'static,
    ) -> notify::Result<StoreChangeListener> {
        let mut watcher = watcher(names, callback)?;
        watcher.watch(dir, RecursiveMode::NonRecursive)?;
        Ok(StoreChangeListener { _watcher: watcher })
    }
}

impl StoreWatch {
    /// Starts the watch. Changes after this call are not missed.
    pub(super) fn over(dirs: &[&Path], names: &'static [&'static str]) -> notify::Result<StoreWatch> {
        let (send, changes) = channel();
        let mut watcher = watcher(names, move || {
            let _ = send.send(());
        })?;
        for dir in dirs {
            watcher.watch(dir, RecursiveMode::NonRecursive)?;
        }
        Ok(StoreWatch { _watcher: watcher, changes })
    }

    /// Waits for a change, for at most `at_most`, and returns whether there was one. A burst of changes counts as one.
    pub fn changed(&self, at_most: Duration) -> bool {
        let changed = self.changes.recv_timeout(at_most).is_ok();
        while self.changes.try_recv().is_ok() {}
        changed
    }
}

/// Watches files of the state directory for changes.
#[derive(Debug, Clone, Copy)]
pub struct Watches<'a>(pub &'a Store);

impl Watches<'_> {
    /// Watches the registry for changes.
    pub fn registry(&self) -> Result<StoreWatch, StoreError> {
        self.over(&[self.0.home.path()], &[home::REGISTRY])
    }

    /// Watches the output and the state files of one agent.
    pub fn instance(&self, name: &AgentName) -> Result<StoreWatch, StoreError> {
        let instance = self.0.instance(name);
        self.over(&[instance.dir(), &instance.state_dir()], &[])
    }

    /// Watches for the start and the end of a supervisor.
    pub fn run(&self) -> Result<StoreWatch, StoreError> {
        let run = self.0.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        self.over(&[&run], &[])
    }

    /// Watches the log with this name, for a caller that follows it.
    pub fn log(&self, name: &'static [&'static str]) -> Result<StoreWatch, StoreError> {
        self.over(&[self.0.home.path()], name)
    }

    /// Calls `callback` whenever one of these files in the state directory changes, until the returned value is
    /// dropped.
    pub fn on_change(
        &self,
        names: &'static [&'static str],
        callback: impl Fn() + Send + 'static,
    ) -> Result<StoreChangeListener, StoreError> {
        StoreChangeListener::of(self.0.home.path(), names, callback).map_err(|error| self.cannot_watch(error))
    }

    fn cannot_watch(&self, error: notify::Error) -> StoreError {
        StoreError::Home { path: self.0.home().to_owned(), source: std::io::Error::other(error) }
    }

    fn over(&self, dirs: &[&Path], names: &'static [&'static str]) -> Result<StoreWatch, StoreError> {
        StoreWatch::over(dirs, names).map_err(|error| self.cannot_watch(error))
    }
}

/// Creates a watcher for files with these names, or for all files if `names` is empty. The names are filtered because
/// other files next to the registry change all the time.
fn watcher(
    names: &'static [&'static str],
    on_change: impl Fn() + Send + 'static,
) -> notify::Result<RecommendedWatcher> {
    let counts = move |path: &Path| {
        names.is_empty() || path.file_name().is_some_and(|name| names.iter().any(|n| name == *n))
    };
    notify::recommended_watcher(move |event: notify::Result<Event>| {
        let is_change = |event: Event| {
            let overflowed = event.need_rescan();
            !event.kind.is_access() && (overflowed || event.paths.iter().any(|path| counts(path)))
        };
        if event.is_ok_and(is_change) {
            on_change();
        }
    })
}
