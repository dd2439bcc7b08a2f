//! Replaces files atomically: a reader sees the old or the new content, and a failed write leaves the old one.
//!
//! New files have mode 0600 under any umask. A symbolic link at the target is replaced, never followed; a caller that
//! wants to follow it resolves the path first.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use tempfile::NamedTempFile;

/// Prefix of temporary files whose caller has no prefix of its own.
const TEMP_PREFIX: &str = ".tmp-";

/// The action for a target file that exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfExists {
    /// Keep the existing file and fail without writing.
    Kept,
    /// Replace the existing file atomically.
    Replaced,
}

/// Replaces a file atomically. A power failure may restore the old content.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_temp(path, bytes)?.persist(path).map(drop).map_err(|error| error.error)
}

/// Replaces a file durably: after a power failure, either the old or the new content exists.
pub fn replace_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    persist_durably(write_temp(path, bytes)?, path, IfExists::Replaced)
}

/// Gives a temporary file its final name after its content has reached the disk.
pub fn persist_durably(temp: NamedTempFile, path: &Path, existing: IfExists) -> io::Result<()> {
    temp.as_file().sync_all()?;
    let persisted = match existing {
        IfExists::Kept => temp.persist_noclobber(path),
        IfExists::Replaced => temp.persist(path),
    };
    persisted.map_err(|error| error.error)?;
    sync_directory(directory_of(path))
}

/// Creates a temporary file with mode 0600. It is deleted when the value is dropped.
pub fn private_temp(dir: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    let temp = tempfile::Builder::new().prefix(prefix).tempfile_in(dir)?;
    make_private(temp.as_file())?;
    Ok(temp)
}

/// Opens a file for reading and writing without following a symbolic link, and creates it with mode 0600 if it is
/// missing.
pub fn open_private(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)?;
    make_private(&file)?;
    Ok(file)
}

/// Makes the names in a directory durable.
pub fn sync_directory(dir: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match File::open(dir).and_then(|dir| dir.sync_all()) {
        // Some file systems do not support this; they give no guarantees about renames either. A directory may also be
        // writable but not readable.
        Err(error) if matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) => Ok(()),
        other => other,
    }
}

/// Returns the directory of a file.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn write_temp(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut temp = private_temp(directory_of(path), TEMP_PREFIX)?;
    temp.as_file_mut().write_all(bytes)?;
    Ok(temp)
}

/// Sets mode 0600 if the file has another one: an older file, or a umask that removed permissions of the owner.
fn make_private(file: &File) -> io::Result<()> {
    if file.metadata()?.mode() & 0o7777 != 0o600 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn a_replaced_file_is_private_and_leaves_no_temporary_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        for (replace, text) in [(replace as fn(&Path, &[u8]) -> _, "one"), (replace_durably, "two")] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(mode(&path), 0o600);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_symbolic_link_is_replaced_and_its_target_is_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        fs::write(&target, "precious").unwrap();
        symlink(&target, &link).unwrap();
        assert!(open_private(&link).is_err());
        replace(&link, b"new").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
        assert!(fs::symlink_metadata(&link).unwrap().is_file());
    }

    #[test]
    fn an_existing_file_is_kept_on_request() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let temp = || {
            let mut temp = private_temp(dir.path(), ".new-").unwrap();
            temp.write_all(b"new").unwrap();
            temp
        };
        persist_durably(temp(), &path, IfExists::Kept).unwrap();
        fs::write(&path, "mine").unwrap();
        let error = persist_durably(temp(), &path, IfExists::Kept).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_replacement_keeps_the_old_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::create_dir(&path).unwrap();
        assert!(replace(&path, b"new").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_directory_of_a_bare_name_is_the_current_one() {
        assert_eq!(directory_of(Path::new("file")), Path::new("."));
        assert_eq!(directory_of(Path::new("/a/file")), Path::new("/a"));
    }
}
