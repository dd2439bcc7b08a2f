//! Removes files that killed commands left behind: temporary files, sockets without a listener and instance directories
//! in which nothing was ever stored. Removes no file that a running command may still need, and no work.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use crate::model::AgentName;
use crate::store::{InstanceDir, Store, StoreError, replace_file};

/// Minimum age of a temporary file. The command that created it needs milliseconds.
const MIN_AGE: SignedDuration = SignedDuration::from_hours(1);
/// Name prefixes of temporary files.
const TEMPORARY: [&str; 2] = [".tmp-", ".probe-"];
/// Name prefix of the sockets of shared SSH connections.
const SSH_SOCKET: &str = "ssh-";
/// Names of files that may exist in the directory of an agent that was never started.
const DISPOSABLE: [&str; 2] = ["typing.lock", "terminal.json"];

impl Store {
    /// Removes old temporary files and dead sockets, and returns their number.
    pub fn sweep(&self, now: Timestamp) -> Result<usize, StoreError> {
        // Only the holder of its lock creates or removes the temporary files of a registry.
        let lock = self.lock()?;
        let mut count = replace_file::sweep(self.home.path());
        drop(lock);
        let run = self.home.run();
        let instances = entries(&self.home.instances());
        let states = instances.iter().map(|dir| dir.join("state"));
        let dirs = [self.home.path().to_owned(), run.clone()].into_iter();
        for dir in dirs.chain(instances.iter().cloned()).chain(states) {
            let is_left_over = |path: &&PathBuf| {
                has_prefix(path, &TEMPORARY) && is_old(path, now)
                    || dir == run && has_prefix(path, &[SSH_SOCKET]) && is_dead_socket(path)
            };
            let found = entries(&dir);
            count += found.iter().filter(is_left_over).filter(|path| fs::remove_file(path).is_ok()).count();
        }
        Ok(count)
    }

    /// Returns the names of instance directories in which nothing was ever stored.
    pub fn unused_instances(&self) -> Vec<AgentName> {
        let name = |path: &PathBuf| path.file_name()?.to_str()?.parse().ok();
        let unused = |path: &&PathBuf| is_unused(path);
        entries(&self.home.instances()).iter().filter(unused).filter_map(name).collect()
    }
}

impl InstanceDir {
    /// Removes the directory if nothing was ever stored in it. The caller holds the lock of the name.
    pub fn remove_unused(&self) -> Result<(), StoreError> {
        if is_unused(self.dir()) { self.remove() } else { Ok(()) }
    }
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn has_prefix(path: &Path, prefixes: &[&str]) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns whether a file was last written long ago. A time in the future, after the clock was set back, is not old.
fn is_old(path: &Path, now: Timestamp) -> bool {
    let written = fs::symlink_metadata(path).and_then(|meta| meta.modified());
    written
        .ok()
        .and_then(|at| Timestamp::try_from(at).ok())
        .is_some_and(|at| now.duration_since(at) > MIN_AGE)
}

fn is_dead_socket(path: &Path) -> bool {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket());
    let refuses =
        || UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
    is_socket && refuses()
}

/// Returns whether a directory contains only worthless files, at any depth. A symbolic link counts as a file.
fn is_unused(dir: &Path) -> bool {
    let Ok(found) = fs::read_dir(dir) else { return false };
    fs::symlink_metadata(dir).is_ok_and(|meta| meta.is_dir())
        && found.into_iter().all(|entry| {
            let Ok(entry) = entry else { return false };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => is_unused(&entry.path()),
                Ok(kind) if kind.is_file() => {
                    let is_empty = entry.metadata().is_ok_and(|meta| meta.len() == 0);
                    is_empty || entry.file_name().to_str().is_some_and(|name| DISPOSABLE.contains(&name))
                }
                _ => false,
            }
        })
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::net::UnixListener;

    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        store.begin().unwrap();
        (dir, store)
    }

    fn now() -> Timestamp {
        let file = tempfile::tempfile().unwrap();
        file.metadata().unwrap().modified().unwrap().try_into().unwrap()
    }

    fn old(path: &Path) {
        let file = File::create(path).unwrap();
        file.set_modified((now() - MIN_AGE * 2).into()).unwrap();
    }

    #[test]
    fn only_old_temporary_files_and_dead_sockets_are_removed() {
        let (dir, store) = store();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("instances/a/state")).unwrap();
        fs::create_dir_all(at("run")).unwrap();
        let left = ["run/.tmp-a1", "instances/a/.tmp-b2", "instances/a/state/.tmp-c3", ".probe-d4"];
        left.iter().for_each(|name| old(&at(name)));
        old(&at("instances/a/state/mail"));
        File::create(at("run/.tmp-young")).unwrap();
        File::create(at(".agent-sessions.json.tmp-x")).unwrap();
        drop(UnixListener::bind(at("run/ssh-dead")).unwrap());
        let _alive = UnixListener::bind(at("run/ssh-alive")).unwrap();
        assert_eq!(store.sweep(now()).unwrap(), left.len() + 2);
        assert!(left.iter().all(|name| !at(name).exists()));
        assert!(!at("run/ssh-dead").exists() && !at(".agent-sessions.json.tmp-x").exists());
        for kept in ["instances/a/state/mail", "run/.tmp-young", "run/ssh-alive"] {
            assert!(at(kept).exists(), "{kept}");
        }
        assert_eq!(store.sweep(now()).unwrap(), 0);
    }

    #[test]
    fn an_instance_directory_with_anything_in_it_is_kept() {
        let (dir, store) = store();
        let at = |name: &str| dir.path().join("instances").join(name);
        for name in ["empty/state", "locked/state", "work/workspace", "spec", "link"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        fs::write(at("locked/state/typing.lock"), "7 send\n").unwrap();
        fs::write(at("work/workspace/notes"), "x").unwrap();
        fs::write(at("spec/spec.json"), "{}").unwrap();
        std::os::unix::fs::symlink("/", at("link/root")).unwrap();
        let mut unused = store.unused_instances();
        unused.sort();
        let names: Vec<&str> = unused.iter().map(AgentName::as_str).collect();
        assert_eq!(names, ["empty", "locked"]);
        store.instance(&"work".parse().unwrap()).remove_unused().unwrap();
        store.instance(&"empty".parse().unwrap()).remove_unused().unwrap();
        assert!(at("work/workspace/notes").exists() && !at("empty").exists());
    }
}
