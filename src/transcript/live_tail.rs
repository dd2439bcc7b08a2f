//! The output of an agent from now on. The caller is woken after every write and reads what was added, so a viewer of
//! a quiet agent causes no polling.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::follow::failed;
use super::read::{ReadFrom, TranscriptReader, open};

/// A reader that starts at the end of a transcript.
#[derive(Debug)]
pub struct LiveTail {
    output: LiveOutput,
    _watcher: RecommendedWatcher,
}

/// The reader of a tail, shared with the thread that calls `wake`. That thread can interpret the output at once, without
/// waking another thread. The reader does not keep the watch alive.
#[derive(Debug, Clone)]
pub struct LiveOutput {
    dir: Arc<Path>,
    reader: Arc<Mutex<TranscriptReader>>,
}

impl LiveTail {
    /// Opens a transcript at its end. Calls `wake` after each write until the tail is dropped.
    pub fn open(dir: &Path, wake: impl Fn() + Send + 'static) -> io::Result<LiveTail> {
        let on_event = move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| is_write(&event)) {
                wake();
            }
        };
        let mut watcher = notify::recommended_watcher(on_event).map_err(failed)?;
        watcher.watch(dir, RecursiveMode::NonRecursive).map_err(failed)?;
        let reader = Arc::new(Mutex::new(open(dir, ReadFrom::Last(0))?));
        Ok(LiveTail { output: LiveOutput { dir: dir.into(), reader }, _watcher: watcher })
    }

    /// Returns the reader, for use in another thread.
    pub fn output(&self) -> LiveOutput {
        self.output.clone()
    }

    /// Reads the next bytes. Returns 0 if nothing was added.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.output.read(buffer, |_| ())
    }

    /// Discards everything that was written so far.
    pub fn skip_to_end(&mut self) -> io::Result<()> {
        *self.output.lock() = open(&self.output.dir, ReadFrom::Last(0))?;
        Ok(())
    }
}

impl LiveOutput {
    /// Reads the next bytes and passes them to `take`, before another thread can read. Returns 0 if nothing was added.
    pub fn read(&self, buffer: &mut [u8], take: impl FnOnce(&[u8])) -> io::Result<usize> {
        let mut reader = self.lock();
        let count = match reader.read(buffer)? {
            0 if reader.add_newer_logs()? => reader.read(buffer)?,
            count => count,
        };
        if count > 0 {
            take(&buffer[..count]);
        }
        Ok(count)
    }

    fn lock(&self) -> MutexGuard<'_, TranscriptReader> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether an event is a write to a transcript.
pub(super) fn is_write(event: &Event) -> bool {
    let is_log = |path: &PathBuf| path.file_name().is_some_and(|name| name == "transcript.log");
    matches!(event.kind, EventKind::Create(_) | EventKind::Modify(_)) && event.paths.iter().any(is_log)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_output_after_the_start_is_read_and_each_write_wakes() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("transcript.log");
        fs::write(&log, "before").unwrap();
        let (wake, woken) = channel();
        let mut tail = LiveTail::open(dir.path(), move || wake.send(()).unwrap_or_default()).unwrap();
        let mut buffer = [0; 64];
        assert_eq!(tail.read(&mut buffer).unwrap(), 0);
        let mut file = OpenOptions::new().append(true).open(&log).unwrap();
        file.write_all(b"after").unwrap();
        woken.recv_timeout(Duration::from_secs(10)).unwrap();
        let count = tail.read(&mut buffer).unwrap();
        assert_eq!(&buffer[..count], b"after");
        file.write_all(b"skipped").unwrap();
        tail.skip_to_end().unwrap();
        file.write_all(b"last").unwrap();
        let count = tail.read(&mut buffer).unwrap();
        assert_eq!(&buffer[..count], b"last");
    }
}
