//! Wakes the loop when a file changed that it goes by.

use crate::manager::SupervisorControl;
use std::sync::Arc;

use tokio::sync::Notify;

use crate::error::Error;
use crate::manager::{Changes, Context, Exits};

/// Changes that have not been looked at yet.
pub(super) struct Wake {
    notify: Arc<Notify>,
    _changes: Changes,
}

/// Begins to listen.
pub(super) fn on_change(manager: &Context) -> Result<Wake, Error> {
    let notify = Arc::new(Notify::new());
    let waker = Arc::clone(&notify);
    let changes = manager.on_change(move || waker.notify_one())?;
    Ok(Wake { notify, _changes: changes })
}

/// Ends of processes that have not been looked at yet.
pub(super) struct Ends {
    notify: Arc<Notify>,
    exits: Exits,
}

/// Begins to listen for those.
pub(super) fn on_exit(manager: &Context) -> Result<Ends, Error> {
    let notify = Arc::new(Notify::new());
    let waker = Arc::clone(&notify);
    let exits = SupervisorControl(manager).on_exit(move || waker.notify_one())?;
    Ok(Ends { notify, exits })
}

impl Ends {
    /// Watches the agents that run now.
    pub(super) fn watch(&self, manager: &Context) -> Result<(), Error> {
        SupervisorControl(manager).watch_exits(&self.exits)
    }

    /// Returns when one has ended since the last time.
    pub(super) async fn wait(&self) {
        self.notify.notified().await;
    }
}

impl Wake {
    /// Returns when something changed since the last time.
    pub(super) async fn wait(&self) {
        self.notify.notified().await;
    }
}
