//! Gives one more user access to a file, with a POSIX access control list. `guest_listener` checks who connects, also on
//! file systems without such lists.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{XattrFlags, setxattr};
use rustix::io::Errno;

/// Extended attribute in which Linux stores the list. Its format is a version, followed by tag, permissions and user of
/// each entry.
const NAME: &str = "system.posix_acl_access";
const VERSION: u32 = 2;
const OWNER: u16 = 0x01;
const USER: u16 = 0x02;
const GROUP: u16 = 0x04;
const MASK: u16 = 0x10;
const OTHERS: u16 = 0x20;
const NO_ID: u32 = u32::MAX;

/// Whether the file system itself restricts access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AclSupport {
    /// Only the owner and this user have access.
    OneUser,
    /// Access is not restricted, because the file system has no access control lists.
    None,
}

/// Gives the owner all permissions, this user the given ones, and other users none. `without` is the mode for file
/// systems without access control lists.
pub(super) fn only(path: &Path, user: u32, rights: u16, without: u32) -> io::Result<AclSupport> {
    let entries = [
        (OWNER, 7, NO_ID),
        (USER, rights, user),
        (GROUP, 0, NO_ID),
        (MASK, rights, NO_ID),
        (OTHERS, 0, NO_ID),
    ];
    let mut list = VERSION.to_le_bytes().to_vec();
    for (tag, rights, user) in entries {
        list.extend(tag.to_le_bytes());
        list.extend(rights.to_le_bytes());
        list.extend(user.to_le_bytes());
    }
    match setxattr(path, NAME, &list, XattrFlags::empty()) {
        Ok(()) => Ok(AclSupport::OneUser),
        Err(Errno::NOTSUP | Errno::NOSYS | Errno::INVAL | Errno::PERM) => {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(without))?;
            Ok(AclSupport::None)
        }
        Err(other) => Err(other.into()),
    }
}
