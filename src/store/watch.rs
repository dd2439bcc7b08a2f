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

/// Calls back at each change, as long as it is kept.
pub struct Changes {
    _watcher: RecommendedWatcher,
}

impl Changes {
    /// Begins to watch.
    pub(super) fn of(
        dir: &Path,
        names: &'static [&'static str],
        callback: impl Fn() + Send + 'static,
    ) -> notify::Result<Changes> {
        let mut watcher = watcher(names, callback)?;
        watcher.watch(dir, RecursiveMode::NonRecursive)?;
        Ok(Changes { _watcher: watcher })
    }
}

impl Watch {
    /// Begins to watch; what happens from now on is not missed.
    pub(super) fn over(dirs: &[&Path], names: &'static [&'static str]) -> notify::Result<Watch> {
        let (send, changes) = channel();
        let mut watcher = watcher(names, move || {
            let _ = send.send(());
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

/// A watcher that heeds files of these names, any when there are none: what else lies beside the registry changes
/// all the time.
fn watcher(
    names: &'static [&'static str],
    tell: impl Fn() + Send + 'static,
) -> notify::Result<RecommendedWatcher> {
    let counts = move |path: &Path| {
        names.is_empty() || path.file_name().is_some_and(|name| names.iter().any(|n| name == *n))
    };
    notify::recommended_watcher(move |event: notify::Result<Event>| {
        let is_news = |event: Event| {
            let overflowed = event.need_rescan();
            !event.kind.is_access() && (overflowed || event.paths.iter().any(|path| counts(path)))
        };
        if event.is_ok_and(is_news) {
            tell();
        }
    })
}
