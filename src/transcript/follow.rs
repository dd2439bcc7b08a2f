//! Hands over a transcript as it grows. Sleeps until the directory changes; must never poll a quiet agent.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::read::{Since, open};

/// How often the caller is asked for the end when nobody seems to write: the news that an agent is gone may
/// come shortly after its last byte.
const ASK_AGAIN: Duration = Duration::from_millis(250);

/// How often at the beginning, when we have not seen yet whether somebody writes.
const ASKS_AT_FIRST: u32 = 8;

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    /// Hand over more.
    On,
    /// That was enough.
    Stop,
}

/// Hands over everything from `since` on, and then what comes, until `each` has enough, the directory is
/// removed, or `ended` says so after the last byte was handed over.
pub fn follow(
    dir: &Path,
    since: Since,
    mut each: impl FnMut(&[u8]) -> io::Result<Go>,
    ended: &dyn Fn() -> bool,
) -> io::Result<()> {
    // Watching begins before reading: a change in between is not missed.
    let mut changes = Changes::watch(dir)?;
    let mut reader = open(dir, since)?;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        // Asked first, so that what was written before the end is still handed over.
        let last_round = ended() || reader.dir.is_removed()?;
        loop {
            match reader.read(&mut buffer)? {
                0 if reader.take_in_newer()? => {}
                0 => break,
                count => {
                    if each(&buffer[..count])? == Go::Stop {
                        return Ok(());
                    }
                }
            }
        }
        if last_round {
            return Ok(());
        }
        changes.wait()?;
    }
}

/// What happens in the directory.
struct Changes {
    _watcher: RecommendedWatcher,
    woken: Receiver<()>,
    closed: Arc<AtomicBool>,
    asks: u32,
}

impl Changes {
    fn watch(dir: &Path) -> io::Result<Changes> {
        // Room for one: a change that is not taken yet stands for those after it.
        let (wake, woken) = sync_channel(1);
        let closed = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&closed);
        let tell = move |event| tell(event, &told, &wake);
        let mut watcher = notify::recommended_watcher(tell).map_err(failed)?;
        watcher.watch(dir, RecursiveMode::NonRecursive).map_err(failed)?;
        Ok(Changes { _watcher: watcher, woken, closed, asks: ASKS_AT_FIRST })
    }

    /// Returns when something has changed, or when it is time to ask for the end.
    fn wait(&mut self) -> io::Result<()> {
        if !self.closed.load(Ordering::SeqCst) && self.asks == 0 {
            return self.woken.recv().map_err(io::Error::other);
        }
        match self.woken.recv_timeout(ASK_AGAIN) {
            Ok(()) => self.asks = 0,
            Err(RecvTimeoutError::Timeout) => self.asks = self.asks.saturating_sub(1),
            Err(error) => return Err(io::Error::other(error)),
        }
        Ok(())
    }
}

fn tell(event: notify::Result<Event>, closed: &AtomicBool, wake: &SyncSender<()>) {
    if let Ok(event) = event {
        let of_log =
            event.paths.iter().any(|path| path.file_name().is_some_and(|name| name == "transcript.log"));
        match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) if of_log => {
                closed.store(true, Ordering::SeqCst);
            }
            // Our own reading shows up, too.
            EventKind::Access(_) => return,
            // A directory that we hold open does not tell when it is removed; its files do.
            EventKind::Remove(_) if of_log => closed.store(true, Ordering::SeqCst),
            EventKind::Create(_) | EventKind::Modify(_) if of_log => closed.store(false, Ordering::SeqCst),
            _ => {}
        }
    }
    let _ = wake.try_send(());
}

fn failed(error: notify::Error) -> io::Error {
    match error.kind {
        notify::ErrorKind::Io(error) => error,
        kind => io::Error::other(notify::Error::new(kind)),
    }
}

#[cfg(test)]
mod tests;
