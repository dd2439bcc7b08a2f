//! Where doors are: `/tmp/symposium-share-OWNER/GUEST/NAME`, with numbers for the users. The first directory lets
//! everybody through and nobody look; the second only the guest, where the file system keeps lists of users.
//!
//! `/tmp` is anybody's. A directory that is not its user's own, that is a link, or that others can write in is
//! refused, on both sides.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use super::ShareError;
use super::acl::{self, Fence};
use crate::model::AgentName;

/// Where all are, whatever `TMPDIR` says: both users must find the same place.
const ROOT: &str = "/tmp";
const PREFIX: &str = "symposium-share-";

/// The doors of one user for another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    owner: u32,
    guest: u32,
}

/// A door of somebody's that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Whose.
    pub owner: u32,
    /// What it is called.
    pub name: AgentName,
    /// Where it is.
    pub path: PathBuf,
}

impl Place {
    /// The place of these two.
    pub fn of(owner: u32, guest: u32) -> Place {
        Place { owner, guest }
    }

    /// Where the door of an agent is.
    pub fn door(&self, name: &AgentName) -> PathBuf {
        self.inner().join(name.as_str())
    }

    fn outer(&self) -> PathBuf {
        Path::new(ROOT).join(format!("{PREFIX}{}", self.owner))
    }

    fn inner(&self) -> PathBuf {
        self.outer().join(self.guest.to_string())
    }

    /// Makes it, on the owner's side; says whether the file system itself keeps others out.
    pub fn prepare(&self) -> Result<bool, ShareError> {
        match self.prepare_once() {
            // The last door that was there has just taken it along.
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
        let fence = acl::only(&inner, self.guest, 5, 0o755).map_err(ShareError::file("open", &inner))?;
        Ok(fence == Fence::OneUser)
    }

    /// Lets the guest use a socket that is there.
    pub(super) fn open(&self, socket: &Path) -> Result<(), ShareError> {
        acl::only(socket, self.guest, 6, 0o666).map_err(ShareError::file("open", socket)).map(drop)
    }

    /// Whether somebody listens at the door.
    pub fn answers(&self, name: &AgentName) -> bool {
        self.checked(name).is_ok_and(|path| UnixStream::connect(path).is_ok())
    }

    /// Takes the door away, and what is empty then.
    pub fn remove(&self, name: &AgentName) {
        if self.check_dir(&self.outer()).is_ok() && self.check_dir(&self.inner()).is_ok() {
            let _ = fs::remove_file(self.door(name));
            let _ = fs::remove_dir(self.inner());
            let _ = fs::remove_dir(self.outer());
        }
    }

    /// The door of an agent, on the guest's side, when it certainly is the owner's.
    pub fn checked(&self, name: &AgentName) -> Result<PathBuf, ShareError> {
        let path = self.door(name);
        for dir in [self.outer(), self.inner()] {
            match self.check_dir(&dir) {
                Err(ShareError::File { source, .. })
                    if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) =>
                {
                    return Err(ShareError::NoDoor { path });
                }
                other => other?,
            }
        }
        let refuse = |why: String| Err(ShareError::Unsafe { path: path.clone(), why });
        match fs::symlink_metadata(&path) {
            Err(_) => Err(ShareError::NoDoor { path }),
            Ok(meta) if !meta.file_type().is_socket() => refuse("it is not a socket".to_owned()),
            Ok(meta) if meta.uid() != self.owner => refuse(format!("it belongs to user {}", meta.uid())),
            Ok(_) => Ok(path),
        }
    }

    /// All doors that anybody has opened for this user.
    pub fn all_for(guest: u32) -> Vec<Found> {
        let mut found = Vec::new();
        for entry in fs::read_dir(ROOT).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<u32>().ok());
            let Some(place) = owner.map(|owner| Place::of(owner, guest)) else { continue };
            for door in fs::read_dir(place.inner()).into_iter().flatten().flatten() {
                if let Some(name) = door.file_name().to_str().and_then(|name| name.parse::<AgentName>().ok())
                    && let Ok(path) = place.checked(&name)
                {
                    found.push(Found { owner: place.owner, name, path });
                }
            }
        }
        found.sort_by(|a, b| (a.owner, &a.name).cmp(&(b.owner, &b.name)));
        found
    }

    fn check_dir(&self, dir: &Path) -> Result<(), ShareError> {
        let refuse = |why: String| Err(ShareError::Unsafe { path: dir.to_owned(), why });
        // Where others could put another one in its place, it says nothing that it is the right one now.
        let root = fs::metadata(ROOT).map_err(ShareError::file("look at", ROOT))?;
        if root.mode() & 0o022 != 0 && root.mode() & 0o1000 == 0 {
            return refuse(format!("{ROOT} has no sticky bit, so others can replace it"));
        }
        let meta = fs::symlink_metadata(dir).map_err(ShareError::file("look at", dir))?;
        match meta.mode() & 0o7777 {
            _ if !meta.is_dir() => refuse("it is not a directory".to_owned()),
            _ if meta.uid() != self.owner => refuse(format!("it belongs to user {}", meta.uid())),
            // With an access list the group's bits are the list's mask.
            mode if mode & 0o022 != 0 => refuse(format!("others can write there (mode {mode:04o})")),
            _ => Ok(()),
        }
    }
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
