//! Wakes a waiting command when something in the state directory changes, so that nobody has to ask again and again.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

/// A watch over some directories of the store.
pub struct Watch {
    _watcher: RecommendedWatcher,
    changes: Receiver<()>,
}

impl Watch {
    /// Begins to watch; what happens from now on is not missed.
    pub(super) fn over(dirs: &[&Path]) -> notify::Result<Watch> {
        let (send, changes) = channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                let _ = send.send(());
            }
        })?;
        for dir in dirs {
            watcher.watch(dir, RecursiveMode::NonRecursive)?;
        }
        Ok(Watch { _watcher: watcher, changes })
    }

    /// Waits for a change, at most so long; a burst of changes counts as one.
    pub fn changed(&self, at_most: Duration) -> bool {
        let changed = self.changes.recv_timeout(at_most).is_ok();
        while self.changes.try_recv().is_ok() {}
        changed
    }
}
