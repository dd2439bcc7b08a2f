//! `run/requests/ID/`: requests of other machines, each executed once. The directory appears complete or not at all.
//! The process that executes a request holds its lock, records the start, and writes the exit code. A request that was
//! started is never started again.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::model::RequestId;
use crate::store::home::create_private;
use crate::store::locks::file_lock::{self, AgentLock};
use crate::store::{Store, StoreError, StoreWatch, replace_file};

/// Time after which a request is deleted. A client gives up a connection that is lost for longer, so it does not ask
/// again.
const RETENTION: Duration = Duration::from_secs(24 * 3600);
/// Maximum number of bytes to read at once, more than one write contains. The next read returns the rest.
const MAX_READ_BYTES: u64 = 64 * 1024;

/// A stored request with its output and result.
#[derive(Debug, Clone)]
pub struct StoredRequest {
    dir: PathBuf,
}

/// An output stream of the process that executes a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    /// The standard output of the process.
    Out,
    /// The standard error of the process.
    Err,
}

/// The lock for executing a request. It is released when the value is dropped.
pub struct RequestLock(#[expect(dead_code, reason = "held for its lock")] AgentLock);

/// Stores requests of other machines until they are answered.
#[derive(Debug, Clone, Copy)]
pub struct RequestSpool<'a>(pub &'a Store);

impl RequestSpool<'_> {
    /// Stores a request, unless it is stored already.
    pub fn store(&self, id: RequestId, request: &[u8], input: &[u8]) -> Result<StoredRequest, StoreError> {
        let spool = self.get(id);
        if spool.dir.is_dir() {
            return Ok(spool);
        }
        let around = self.dir();
        create_private(&around).map_err(StoreError::write(&around))?;
        let unfinished = tempfile::Builder::new().prefix(".new-").tempdir_in(&around);
        let unfinished = unfinished.map_err(StoreError::write(&around))?;
        for (name, bytes) in [("request.json", request), ("in", input), ("out", b""), ("err", b"")] {
            let path = unfinished.path().join(name);
            let written = private(&path).and_then(|mut file| {
                std::io::Write::write_all(&mut file, bytes)?;
                file.sync_all()
            });
            written.map_err(StoreError::write(&path))?;
        }
        match fs::rename(unfinished.path(), &spool.dir) {
            Ok(()) => drop(unfinished.keep()),
            // Another process has stored the same request first.
            Err(_) if spool.dir.is_dir() => {}
            Err(error) => return Err(StoreError::write(&spool.dir)(error)),
        }
        Ok(spool)
    }

    /// Returns the request with this id, whether it is stored or not.
    pub fn get(&self, id: RequestId) -> StoredRequest {
        StoredRequest { dir: self.dir().join(id.to_string()) }
    }

    /// Deletes old requests that no client will ask for again.
    pub fn forget_old(&self, now: Timestamp) {
        for entry in fs::read_dir(self.dir()).into_iter().flatten().flatten() {
            let written =
                entry.metadata().ok().and_then(|meta| Timestamp::try_from(meta.modified().ok()?).ok());
            let is_old =
                written.is_some_and(|at| now.duration_since(at).unsigned_abs() > RETENTION && at < now);
            let spool = StoredRequest { dir: entry.path() };
            if is_old && !spool.is_held() {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Deletes the files of terminals that were attached from other machines before a time, except for the file `but`,
    /// if `is_gone` returns true for their process.
    pub fn forget_links(&self, but: &str, before: Timestamp, is_gone: impl Fn(i32) -> bool) {
        for entry in fs::read_dir(self.0.home.run()).into_iter().flatten().flatten() {
            let is_link =
                entry.file_name().to_str().is_some_and(|name| name.starts_with("link-") && name != but);
            if !is_link {
                continue;
            }
            let written = entry.metadata().and_then(|meta| meta.modified()).ok();
            if written.and_then(|at| Timestamp::try_from(at).ok()).is_none_or(|at| at > before) {
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            let pid = text.split(' ').next().and_then(|pid| pid.parse().ok());
            if pid.is_none_or(&is_gone) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn dir(&self) -> PathBuf {
        self.0.home.run().join("requests")
    }
}

impl StoredRequest {
    /// Returns the request as it was stored.
    pub fn request(&self) -> Result<Vec<u8>, StoreError> {
        let path = self.dir.join("request.json");
        fs::read(&path).map_err(StoreError::read(&path))
    }

    /// Takes the lock and records the start of the request. Returns `None` if the request was started already, or
    /// another process is about to start it.
    pub fn begin(&self) -> Result<Option<RequestLock>, StoreError> {
        let Some(lock) = AgentLock::acquire(&self.lock_file(), "request", Duration::ZERO)? else {
            return Ok(None);
        };
        if self.has_begun() {
            return Ok(None);
        }
        replace_file::replace_durably(&self.dir.join("begun"), b"")?;
        Ok(Some(RequestLock(lock)))
    }

    /// Returns whether the request was started.
    pub fn has_begun(&self) -> bool {
        self.dir.join("begun").exists()
    }

    /// Returns whether a process is executing the request.
    pub fn is_held(&self) -> bool {
        file_lock::is_locked(&self.lock_file())
    }

    /// Opens the files for standard input, standard output and standard error.
    pub fn files(&self) -> Result<[File; 3], StoreError> {
        let open = |name: &str, options: &mut OpenOptions| {
            let path = self.dir.join(name);
            options.open(&path).map_err(StoreError::write(&path))
        };
        Ok([
            open("in", OpenOptions::new().read(true))?,
            open("out", OpenOptions::new().append(true))?,
            open("err", OpenOptions::new().append(true))?,
        ])
    }

    /// Stores the exit code of the request.
    pub fn finish(&self, code: u8, _work: RequestLock) -> Result<(), StoreError> {
        replace_file::replace_durably(&self.dir.join("end"), code.to_string().as_bytes())
    }

    /// Returns the exit code, if the request has ended.
    pub fn end(&self) -> Option<u8> {
        fs::read_to_string(self.dir.join("end")).ok()?.trim().parse().ok()
    }

    /// Returns output after the first `from` bytes, up to the limit for one read.
    pub fn printed(&self, what: OutputStream, from: u64) -> Result<Vec<u8>, StoreError> {
        let path = self.dir.join(if what == OutputStream::Out { "out" } else { "err" });
        let read = File::open(&path).and_then(|mut file| {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(from))?;
            file.take(MAX_READ_BYTES).read_to_end(&mut bytes)?;
            Ok(bytes)
        });
        read.map_err(StoreError::read(&path))
    }

    /// Watches the request for new output.
    pub fn watch(&self) -> Result<StoreWatch, StoreError> {
        StoreWatch::over(&[&self.dir], &[]).map_err(|error| StoreError::Home {
            path: self.dir.clone(),
            source: std::io::Error::other(error),
        })
    }

    fn lock_file(&self) -> PathBuf {
        self.dir.join("lock")
    }
}

fn private(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_is_executed_once() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let id = RequestId::fresh();
        let spool = RequestSpool(&store).store(id, b"{}", b"hello").unwrap();
        assert_eq!(RequestSpool(&store).store(id, b"other", b"").unwrap().request().unwrap(), b"{}");
        assert!(!spool.has_begun() && !spool.is_held() && spool.end().is_none());
        let work = spool.begin().unwrap().unwrap();
        assert!(spool.is_held() && spool.begin().unwrap().is_none());
        std::io::Write::write_all(&mut spool.files().unwrap()[1], b"said").unwrap();
        assert_eq!(spool.printed(OutputStream::Out, 1).unwrap(), b"aid");
        spool.finish(3, work).unwrap();
        assert_eq!((spool.end(), spool.is_held(), spool.begin().unwrap().is_none()), (Some(3), false, true));
    }

    #[test]
    fn interrupted_request_is_not_repeated() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let spool = RequestSpool(&store).store(RequestId::fresh(), b"{}", b"").unwrap();
        drop(spool.begin().unwrap().unwrap());
        assert!(spool.has_begun() && !spool.is_held() && spool.end().is_none());
        assert!(spool.begin().unwrap().is_none());
    }

    #[test]
    fn old_requests_are_removed_and_running_ones_kept() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let (old, held) = (RequestId::fresh(), RequestId::fresh());
        RequestSpool(&store).store(old, b"{}", b"").unwrap();
        let _work = RequestSpool(&store).store(held, b"{}", b"").unwrap().begin().unwrap().unwrap();
        let now = Timestamp::try_from(
            fs::metadata(&RequestSpool(&store).get(old).dir).unwrap().modified().unwrap(),
        )
        .unwrap();
        RequestSpool(&store).forget_old(now);
        assert!(RequestSpool(&store).get(old).dir.is_dir());
        RequestSpool(&store).forget_old(now + jiff::SignedDuration::from_hours(25));
        assert!(!RequestSpool(&store).get(old).dir.is_dir() && RequestSpool(&store).get(held).dir.is_dir());
    }
}
