//! Opens files in the git directory of a working tree, which an agent can replace by anything.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Maximum length in bytes of a file in which git names a ref, an object or a directory.
const MAX_SHORT_FILE_BYTES: u64 = 16 << 10;

/// Opens a regular file for reading. Anything else is an error: opening a named pipe would wait for its writer.
pub(super) fn open_regular_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{} is not a regular file", path.display()),
        )),
    }
}

/// Returns the beginning of a file in which git names a ref, an object or a directory, or `None` if there is no such
/// file or it is not text.
pub(super) fn read_short_file(path: &Path) -> Option<String> {
    let mut text = String::new();
    open_regular_file(path).ok()?.take(MAX_SHORT_FILE_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::super::testing::Repository;
    use super::super::uncommitted::copy_of_index;
    use super::super::worktree::verify_link;
    use super::super::{git_dir, operation_in_progress};
    use super::*;

    #[test]
    fn named_pipes_and_endless_files_in_a_git_directory_delay_nothing() {
        let r = Repository::new();
        r.commit("first");
        let top = r.dir.path().join("w");
        r.git(&["worktree", "add", "-q", "-b", "work", top.to_str().unwrap()]);
        let own = git_dir(&top).unwrap();
        fs::create_dir(own.join("rebase-merge")).unwrap();
        for name in ["commondir", "gitdir", "index", "rebase-merge/autostash", "rebase-merge/head-name"] {
            let _ = fs::remove_file(own.join(name));
            rustix::fs::mkfifoat(rustix::fs::CWD, own.join(name), 0o600.into()).unwrap();
        }
        let (done, result) = mpsc::channel();
        let (git, repository) = (r.ours(), r.top());
        thread::spawn(move || {
            assert!(verify_link(&top, &repository).is_err());
            assert!(copy_of_index(&own.join("index"), &own.join("copy")).is_err());
            assert_eq!(super::super::checkpoint::tracked_files(&top), 0);
            assert_eq!(operation_in_progress(&top), Some("rebase"));
            let _ = super::super::recover::SetAsideCommits(&git).list(&top);
            fs::File::create(own.join("long")).unwrap().set_len(1 << 40).unwrap();
            assert!(read_short_file(&own.join("long")).unwrap().len() < 1 << 20);
            let _ = done.send(());
        });
        result.recv_timeout(Duration::from_secs(60)).expect("no read waits");
    }
}
