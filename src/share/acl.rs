//! Letting one more user at a file: an access list as Linux keeps it beside the mode.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{XattrFlags, setxattr};
use rustix::io::Errno;

/// Where Linux keeps the list, and how it is written: a version, then tag, rights and user of each entry.
const NAME: &str = "system.posix_acl_access";
const VERSION: u32 = 2;
const OWNER: u16 = 0x01;
const USER: u16 = 0x02;
const GROUP: u16 = 0x04;
const MASK: u16 = 0x10;
const OTHERS: u16 = 0x20;
const NOBODY: u32 = u32::MAX;

/// Who is kept out by the file system itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fence {
    /// All but the owner and this user.
    OneUser,
    /// Nobody: the file system has no such lists.
    None,
}

/// Gives the owner all rights, this user these, and nobody else any; `without` is the mode where there are no lists.
pub(super) fn only(path: &Path, user: u32, rights: u16, without: u32) -> io::Result<Fence> {
    let entries = [
        (OWNER, 7, NOBODY),
        (USER, rights, user),
        (GROUP, 0, NOBODY),
        (MASK, rights, NOBODY),
        (OTHERS, 0, NOBODY),
    ];
    let mut list = VERSION.to_le_bytes().to_vec();
    for (tag, rights, user) in entries {
        list.extend(tag.to_le_bytes());
        list.extend(rights.to_le_bytes());
        list.extend(user.to_le_bytes());
    }
    match setxattr(path, NAME, &list, XattrFlags::empty()) {
        Ok(()) => Ok(Fence::OneUser),
        Err(Errno::NOTSUP | Errno::NOSYS | Errno::INVAL | Errno::PERM) => {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(without))?;
            Ok(Fence::None)
        }
        Err(other) => Err(other.into()),
    }
}
