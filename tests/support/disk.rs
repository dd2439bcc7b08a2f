//! A small disk for tests that fill it or make it read-only.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, UnmountFlags, mount, mount_remount, unmount};

/// A small file system for the state directory; it must be dropped before the environment's directory is removed.
pub struct Disk(PathBuf);

impl Disk {
    /// Returns its mount point.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Mounts a disk at this path. It needs root; without root it prints so and returns `None`.
    pub fn under(dir: &Path) -> Option<Disk> {
        fs::create_dir(dir).unwrap();
        match mount("tmpfs", dir, "tmpfs", MountFlags::empty(), Some(c"size=256k,mode=0700")) {
            Ok(()) => Some(Disk(dir.to_owned())),
            Err(why) => {
                eprintln!("skipped: a tmpfs cannot be mounted here: {why}");
                None
            }
        }
    }

    /// Mounts it again with these flags.
    pub fn remount(&self, flags: MountFlags) {
        mount_remount(&self.0, flags, c"size=256k,mode=0700").unwrap();
    }

    /// Fills it completely, and returns the file that does so.
    pub fn fill(&self) -> PathBuf {
        let file = self.0.join("filler");
        let mut out = fs::File::create(&file).unwrap();
        for size in [4096, 1] {
            while std::io::Write::write_all(&mut out, &vec![b'x'; size]).is_ok() {}
        }
        file
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = unmount(&self.0, UnmountFlags::DETACH);
    }
}
