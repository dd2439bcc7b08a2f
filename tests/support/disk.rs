//! A small disk for tests that fill it or take it away.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, UnmountFlags, mount, mount_remount, unmount};

/// A small file system of its own for the state directory; let go before the environment's directory is removed.
pub struct Disk(PathBuf);

impl Disk {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Needs root; says so and gives nothing without.
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

    /// Takes the last byte; gives the file that holds it.
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
