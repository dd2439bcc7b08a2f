//! Wakes the main loop when a file that it depends on changes, or when an agent's process ends.

use std::sync::Arc;

use tokio::sync::Notify;

use crate::error::Error;
use crate::manager::SupervisorControl;
use crate::manager::{Context, ExitWatcher, StoreChangeListener};

/// Changes of files that have not been handled yet.
pub(super) struct FileWake {
    notify: Arc<Notify>,
    _changes: StoreChangeListener,
}

/// Starts to watch the files.
pub(super) fn on_change(manager: &Context) -> Result<FileWake, Error> {
    let notify = Arc::new(Notify::new());
    let waker = Arc::clone(&notify);
    let changes = manager.on_change(move || waker.notify_one())?;
    Ok(FileWake { notify, _changes: changes })
}

/// Exits of processes that have not been handled yet.
pub(super) struct ProcessWake {
    notify: Arc<Notify>,
    exits: ExitWatcher,
}

/// Starts to receive exits of processes.
pub(super) fn on_exit(manager: &Context) -> Result<ProcessWake, Error> {
    let notify = Arc::new(Notify::new());
    let waker = Arc::clone(&notify);
    let exits = SupervisorControl(manager).on_exit(move || waker.notify_one())?;
    Ok(ProcessWake { notify, exits })
}

impl ProcessWake {
    /// Watches the processes of the agents that run now.
    pub(super) fn watch(&self, manager: &Context) -> Result<(), Error> {
        SupervisorControl(manager).watch_exits(&self.exits)
    }

    /// Returns when a process has ended since the last call.
    pub(super) async fn wait(&self) {
        self.notify.notified().await;
    }
}

impl FileWake {
    /// Returns when a file has changed since the last call.
    pub(super) async fn wait(&self) {
        self.notify.notified().await;
    }
}
