//! Follows a transcript as it grows. Waits for file system events, so a quiet agent causes no polling.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::read::{ReadFrom, open};

/// Interval at which `ended` is called while no process seems to write the log: the notification that an agent has
/// ended may arrive shortly after its last byte.
const WRITER_POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Number of times that `ended` is called at this interval after the start, before any write has been observed.
const INITIAL_POLLS: u32 = 8;

/// The decision of a callback whether to continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowFlow {
    /// Continue with the next bytes.
    Continue,
    /// Stop following the transcript.
    Stop,
}

/// Passes everything from `since` on to `each`, followed by new output as it arrives, until `each` asks to stop, the
/// directory is deleted, or `ended` returns true after the last byte has been passed on.
pub fn follow(
    dir: &Path,
    since: ReadFrom,
    mut each: impl FnMut(&[u8]) -> io::Result<FollowFlow>,
    ended: &dyn Fn() -> bool,
) -> io::Result<()> {
    // The watch starts before the first read, so that a change in between is not missed.
    let mut changes = TranscriptWatch::watch(dir)?;
    let mut reader = open(dir, since)?;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        // Checked before reading, so that bytes written before the end are still passed on.
        let last_round = ended() || reader.dir.is_removed()?;
        loop {
            match reader.read(&mut buffer)? {
                0 if reader.add_newer_logs()? => {}
                0 => break,
                count => {
                    if each(&buffer[..count])? == FollowFlow::Stop {
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

/// A watch on the directory of a transcript.
struct TranscriptWatch {
    _watcher: RecommendedWatcher,
    woken: Receiver<()>,
    closed: Arc<AtomicBool>,
    asks: u32,
}

impl TranscriptWatch {
    fn watch(dir: &Path) -> io::Result<TranscriptWatch> {
        // Capacity 1: a change that has not been received yet also stands for those after it.
        let (wake, woken) = sync_channel(1);
        let closed = Arc::new(AtomicBool::new(false));
        let is_closed = Arc::clone(&closed);
        let notify_change = move |event| notify_change(event, &is_closed, &wake);
        let mut watcher = notify::recommended_watcher(notify_change).map_err(failed)?;
        watcher.watch(dir, RecursiveMode::NonRecursive).map_err(failed)?;
        Ok(TranscriptWatch { _watcher: watcher, woken, closed, asks: INITIAL_POLLS })
    }

    /// Returns when something has changed, or when `ended` should be checked again.
    fn wait(&mut self) -> io::Result<()> {
        if !self.closed.load(Ordering::SeqCst) && self.asks == 0 {
            return self.woken.recv().map_err(io::Error::other);
        }
        match self.woken.recv_timeout(WRITER_POLL_INTERVAL) {
            Ok(()) => self.asks = 0,
            Err(RecvTimeoutError::Timeout) => self.asks = self.asks.saturating_sub(1),
            Err(error) => return Err(io::Error::other(error)),
        }
        Ok(())
    }
}

fn notify_change(event: notify::Result<Event>, closed: &AtomicBool, wake: &SyncSender<()>) {
    if let Ok(event) = event {
        let of_log =
            event.paths.iter().any(|path| path.file_name().is_some_and(|name| name == "transcript.log"));
        match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) if of_log => {
                closed.store(true, Ordering::SeqCst);
            }
            // Reads by this process cause access events, too.
            EventKind::Access(_) => return,
            // A directory that this process holds open reports no event when it is deleted; its files do.
            EventKind::Remove(_) if of_log => closed.store(true, Ordering::SeqCst),
            EventKind::Create(_) | EventKind::Modify(_) if of_log => closed.store(false, Ordering::SeqCst),
            _ => {}
        }
    }
    let _ = wake.try_send(());
}

pub(super) fn failed(error: notify::Error) -> io::Error {
    match error.kind {
        notify::ErrorKind::Io(error) => error,
        kind => io::Error::other(notify::Error::new(kind)),
    }
}

#[cfg(test)]
mod tests;
