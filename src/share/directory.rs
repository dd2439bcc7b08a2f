//! Directories of share sockets: `/tmp/symposium-share-OWNER/GUEST/NAME`, with numeric user ids. All users may pass
//! through the first directory but not list it. Only the guest may enter the second, if the file system supports access
//! control lists.
//!
//! All users can write to `/tmp`. A directory that does not belong to the owner, is a symbolic link or is writable by
//! others is refused, on both sides.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::ShareError;
use super::connect;
use super::posix_acl::{self, AclSupport};
use crate::model::AgentName;

/// Parent of all share directories, independent of `TMPDIR`, because both users must find the same path.
const ROOT: &str = "/tmp";
const PREFIX: &str = "symposium-share-";

/// Maximum number of shares that a search returns: a process may have 1024 files open.
const MAX_SHARES: usize = 512;
/// Maximum number of shares of one owner in a search, and of directory entries that are checked for it.
const MAX_SHARES_PER_OWNER: usize = 64;
const MAX_SCANNED_ENTRIES: usize = 4096;

/// Directory for the shares of one owner with one guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareDir {
    owner: u32,
    guest: u32,
}

/// A share that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundShare {
    /// User id of the owner.
    pub owner: u32,
    /// Name of the shared agent.
    pub name: AgentName,
    /// Path of the socket.
    pub path: PathBuf,
}

/// Result of a search for shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareSearch {
    /// Shares that were found.
    pub found: Vec<FoundShare>,
    /// Whether the list is complete.
    pub is_complete: bool,
}

impl ShareDir {
    /// Returns the directory for this owner and guest.
    pub fn of(owner: u32, guest: u32) -> ShareDir {
        ShareDir { owner, guest }
    }

    /// Returns `true` if this user has, or has had, any share.
    pub fn is_any_of(owner: u32) -> bool {
        fs::symlink_metadata(ShareDir::of(owner, owner).outer()).is_ok()
    }

    /// Returns the path of the socket for an agent.
    pub fn socket_path(&self, name: &AgentName) -> PathBuf {
        self.inner().join(name.as_str())
    }

    fn outer(&self) -> PathBuf {
        Path::new(ROOT).join(format!("{PREFIX}{}", self.owner))
    }

    fn inner(&self) -> PathBuf {
        self.outer().join(self.guest.to_string())
    }

    /// Creates the directory, on the owner's side. Returns whether the file system itself denies access to other users.
    pub fn prepare(&self) -> Result<bool, ShareError> {
        match self.prepare_once() {
            // The last share in the directory has just ended and removed it.
            Err(ShareError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                self.prepare_once()
            }
            other => other,
        }
    }

    fn prepare_once(&self) -> Result<bool, ShareError> {
        let (outer, inner) = (self.outer(), self.inner());
        make(&outer, 0o711)?;
        self.check_dir(&outer)?;
        set_mode(&outer, 0o711)?;
        make(&inner, 0o700)?;
        self.check_dir(&inner)?;
        let fence =
            posix_acl::only(&inner, self.guest, 5, 0o755).map_err(ShareError::file("open", &inner))?;
        Ok(fence == AclSupport::OneUser)
    }

    /// Gives the guest access to an existing socket.
    pub(super) fn open(&self, socket: &Path) -> Result<(), ShareError> {
        posix_acl::only(socket, self.guest, 6, 0o666).map_err(ShareError::file("open", socket)).map(drop)
    }

    /// Returns `true` if a process listens on the socket of the agent.
    pub fn has_listener(&self, name: &AgentName) -> bool {
        self.checked_socket_path(name).is_ok_and(|path| connect::has_listener(&path))
    }

    /// Removes the socket if no process listens on it. A socket of another environment of the same owner stays.
    pub fn clear(&self, name: &AgentName) {
        if !self.has_listener(name) {
            self.remove(name);
        }
    }

    /// Removes the socket, and the directories if they are empty.
    pub fn remove(&self, name: &AgentName) {
        if self.check_dir(&self.outer()).is_ok() && self.check_dir(&self.inner()).is_ok() {
            let _ = fs::remove_file(self.socket_path(name));
            let _ = fs::remove_dir(self.inner());
            let _ = fs::remove_dir(self.outer());
        }
    }

    /// Returns the path of the socket on the guest's side, after checking that it belongs to the owner.
    pub fn checked_socket_path(&self, name: &AgentName) -> Result<PathBuf, ShareError> {
        let path = self.socket_path(name);
        for dir in [self.outer(), self.inner()] {
            match self.check_dir(&dir) {
                Err(ShareError::File { source, .. })
                    if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) =>
                {
                    return Err(ShareError::NotShared { path });
                }
                other => other?,
            }
        }
        let refuse = |why: String| Err(ShareError::Unsafe { path: path.clone(), why });
        match fs::symlink_metadata(&path) {
            Err(_) => Err(ShareError::NotShared { path }),
            Ok(meta) if !meta.file_type().is_socket() => refuse("it is not a socket".to_owned()),
            Ok(meta) if meta.uid() != self.owner => refuse(format!("it belongs to user {}", meta.uid())),
            Ok(_) => Ok(path),
        }
    }

    /// Finds all shares with this user, until the deadline. The first share of each owner comes first, so that one
    /// owner cannot crowd out the others.
    pub fn all_for(guest: u32, until: Instant) -> ShareSearch {
        let is_late = || Instant::now() >= until;
        let (mut found, mut is_whole) = (Vec::new(), true);
        for entry in fs::read_dir(ROOT).into_iter().flatten().flatten() {
            if is_late() {
                is_whole = false;
                break;
            }
            let Some(owner) = entry.file_name().to_str().and_then(owner_in) else { continue };
            let share_dir = ShareDir::of(owner, guest);
            let (shares, all) = share_dir.shares_by(is_late);
            is_whole &= all;
            found.extend(shares.into_iter().enumerate());
        }
        found.sort_by(|(at, a), (bt, b)| (at, a.owner, &a.name).cmp(&(bt, b.owner, &b.name)));
        is_whole &= found.len() <= MAX_SHARES;
        ShareSearch {
            found: found.into_iter().take(MAX_SHARES).map(|(_, share)| share).collect(),
            is_complete: is_whole,
        }
    }

    /// Returns the shares in this directory, and whether the list is complete.
    fn shares_by(&self, is_late: impl Fn() -> bool) -> (Vec<FoundShare>, bool) {
        let mut found = Vec::new();
        // The check comes before anything is read, because the directory may be a symbolic link to any path.
        if self.check_dir(&self.outer()).is_err() || self.check_dir(&self.inner()).is_err() {
            return (found, true);
        }
        for (count, share) in fs::read_dir(self.inner()).into_iter().flatten().flatten().enumerate() {
            if found.len() == MAX_SHARES_PER_OWNER || count == MAX_SCANNED_ENTRIES || is_late() {
                return (found, false);
            }
            if let Some(name) = share.file_name().to_str().and_then(|name| name.parse::<AgentName>().ok())
                && let Ok(path) = self.checked_socket_path(&name)
            {
                found.push(FoundShare { owner: self.owner, name, path });
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        (found, true)
    }

    fn check_dir(&self, dir: &Path) -> Result<(), ShareError> {
        let refuse = |why: String| Err(ShareError::Unsafe { path: dir.to_owned(), why });
        // If other users could replace the directory, a check of it would prove nothing.
        let root = fs::metadata(ROOT).map_err(ShareError::file("look at", ROOT))?;
        if root.mode() & 0o022 != 0 && root.mode() & 0o1000 == 0 {
            return refuse(format!("{ROOT} has no sticky bit, so others can replace it"));
        }
        let meta = fs::symlink_metadata(dir).map_err(ShareError::file("look at", dir))?;
        match meta.mode() & 0o7777 {
            _ if !meta.is_dir() => refuse("it is not a directory".to_owned()),
            _ if meta.uid() != self.owner => refuse(format!("it belongs to user {}", meta.uid())),
            // With an access control list, the group bits of the mode are the mask of the list.
            mode if mode & 0o022 != 0 => refuse(format!("others can write there (mode {mode:04o})")),
            _ => Ok(()),
        }
    }
}

/// Parses the owner's user id from the name of a directory. Accepts only its canonical form, because other spellings of
/// the number could be created by any user.
fn owner_in(name: &str) -> Option<u32> {
    let number = name.strip_prefix(PREFIX)?;
    number.parse().ok().filter(|owner: &u32| owner.to_string() == number)
}

fn make(dir: &Path, mode: u32) -> Result<(), ShareError> {
    match fs::DirBuilder::new().mode(mode).create(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(ShareError::file("create", dir)(error))
        }
        _ => Ok(()),
    }
}

fn set_mode(dir: &Path, mode: u32) -> Result<(), ShareError> {
    fs::set_permissions(dir, fs::Permissions::from_mode(mode)).map_err(ShareError::file("open", dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_share_directory_is_canonical() {
        assert_eq!(owner_in("symposium-share-1001"), Some(1001));
        assert_eq!(owner_in("symposium-share-0"), Some(0));
        for name in [
            "symposium-share-01001",
            "symposium-share-+1001",
            "symposium-share-",
            "symposium-share--1",
            "1001",
        ] {
            assert_eq!(owner_in(name), None, "{name}");
        }
    }
}
