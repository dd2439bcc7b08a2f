//! Small files of the tmux adapter in the run directory. They are replaced atomically and readable only by their owner.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Replaces the file atomically with mode 0600. A reader sees the old or the new contents.
pub(in crate::tmux) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = private_temp(path)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

/// Creates a temporary file that only its owner can read and write, under any umask.
fn private_temp(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let file = tempfile::NamedTempFile::new_in(directory_of(path)?)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o600))?;
    Ok(file)
}

fn directory_of(path: &Path) -> io::Result<&Path> {
    path.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
}
