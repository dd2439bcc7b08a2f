//! Copies files into a managed workspace, and computes the disk usage of a workspace.
//!
//! Repositories are untrusted: nothing is read or written through a symbolic link.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use crate::model::{is_git_dir, is_pattern, matches, steps};

/// The result of copying a file or directory.
#[derive(Debug, PartialEq, Eq)]
pub enum CopyResult {
    /// These files were copied; the paths are relative to the root.
    Files(Vec<PathBuf>),
    /// The source does not exist, or the target has a file of its own at this path.
    NotThere,
}

/// Returns the files and directories below a root that match a pattern, in alphabetical order. A name without `*` and
/// `?` is returned whether it exists or not. Symbolic links are returned, but never followed.
pub fn meant_by(top: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for step in steps(pattern) {
        let next = |below: PathBuf| match is_pattern(step) {
            false => vec![below.join(step)],
            true => names(&top.join(&below), step).iter().map(|name| below.join(name)).collect(),
        };
        found = found.into_iter().flat_map(next).collect();
    }
    found
}

/// Returns the names in a directory that match one component of a pattern.
fn names(dir: &Path, step: &str) -> Vec<OsString> {
    if !fs::symlink_metadata(dir).is_ok_and(|meta| meta.is_dir()) {
        return Vec::new();
    }
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let is_meant = |name: &OsString| {
        let name = name.to_string_lossy();
        matches(step, &name) && !is_git_dir(&name)
    };
    let mut names: Vec<OsString> = entries.filter(is_meant).collect();
    names.sort();
    names
}

/// Copies one file or directory to the same path below another root. Existing files stay unchanged.
pub fn copy_into(from: &Path, to: &Path, name: &Path) -> io::Result<CopyResult> {
    let plain = name.components().all(|part| matches!(part, Component::Normal(_)));
    if !plain || name.as_os_str().is_empty() {
        return Err(refused("it is outside of the project"));
    }
    if name.iter().any(|part| is_git_dir(&part.to_string_lossy())) {
        return Err(refused("it belongs to git"));
    }
    let mut source = from.to_owned();
    for part in name.parent().unwrap_or(Path::new("")).components() {
        source.push(part);
        if fs::symlink_metadata(&source).is_ok_and(|meta| meta.is_symlink()) {
            return Err(refused("it is behind a symbolic link"));
        }
    }
    let source = from.join(name);
    match fs::symlink_metadata(&source) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(CopyResult::NotThere),
        Err(error) => return Err(error),
        Ok(_) if fs::symlink_metadata(to.join(name)).is_ok_and(|meta| !meta.is_dir()) => {
            return Ok(CopyResult::NotThere);
        }
        Ok(_) => {}
    }
    make_parents(to, name)?;
    let mut copied = Vec::new();
    copy(&source, to, name, &mut copied)?;
    Ok(CopyResult::Files(copied))
}

fn copy(source: &Path, to: &Path, name: &Path, copied: &mut Vec<PathBuf>) -> io::Result<()> {
    let (meta, target) = (fs::symlink_metadata(source)?, to.join(name));
    if meta.is_dir() {
        // The copy would contain a copy of itself, and so on.
        if to.starts_with(source) {
            return Err(refused("the worktree itself is in it"));
        }
        if fs::symlink_metadata(&target).is_ok_and(|there| there.is_symlink()) {
            return Err(refused("it is behind a symbolic link"));
        }
        fs::create_dir_all(&target)?;
        for entry in fs::read_dir(source)? {
            let entry = entry?;
            if is_git_dir(&entry.file_name().to_string_lossy()) {
                continue;
            }
            copy(&entry.path(), to, &name.join(entry.file_name()), copied)?;
        }
    } else if fs::symlink_metadata(&target).is_ok() {
        // The file of the repository takes precedence over an uncommitted file in the source.
    } else if meta.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(source)?, &target)?;
        copied.push(name.to_owned());
    } else if meta.is_file() {
        fs::copy(source, &target)?;
        copied.push(name.to_owned());
    }
    Ok(())
}

fn make_parents(to: &Path, name: &Path) -> io::Result<()> {
    let mut dir = to.to_owned();
    for part in name.parent().unwrap_or(Path::new("")).components() {
        dir.push(part);
        match fs::symlink_metadata(&dir) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Err(refused("it is behind a symbolic link or a file")),
            Err(_) => fs::create_dir(&dir)?,
        }
    }
    Ok(())
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Returns the disk usage of a tree in bytes. Unreadable directories count as empty, and symbolic links are not
/// followed.
pub(super) fn size(top: &Path) -> u64 {
    let (mut sum, mut open) = (0, vec![top.to_owned()]);
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            // `st_blocks` counts units of 512 bytes, regardless of the block size of the file system.
            sum += meta.blocks() * 512;
            if meta.is_dir() {
                open.push(entry.path());
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn tops() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        for path in [from.join("conf/deep"), to.clone(), dir.path().join("outside")] {
            fs::create_dir_all(path).unwrap();
        }
        fs::write(from.join(".env"), "KEY=1").unwrap();
        fs::write(from.join("conf/deep/x"), "x").unwrap();
        fs::write(dir.path().join("outside/secret"), "s").unwrap();
        (dir, from, to)
    }

    fn files(names: &[&str]) -> CopyResult {
        CopyResult::Files(names.iter().map(PathBuf::from).collect())
    }

    #[test]
    fn files_and_directories_are_copied_without_overwriting() {
        let (_dir, from, to) = tops();
        assert_eq!(copy_into(&from, &to, Path::new(".env")).unwrap(), files(&[".env"]));
        assert_eq!(copy_into(&from, &to, Path::new("conf")).unwrap(), files(&["conf/deep/x"]));
        assert_eq!(copy_into(&from, &to, Path::new("none")).unwrap(), CopyResult::NotThere);
        fs::write(to.join(".env"), "own").unwrap();
        assert_eq!(copy_into(&from, &to, Path::new(".env")).unwrap(), CopyResult::NotThere);
        assert_eq!(copy_into(&from, &to, Path::new("conf")).unwrap(), files(&[]));
        assert_eq!(fs::read_to_string(to.join(".env")).unwrap(), "own");
        assert!(size(&to) >= 4096);
    }

    #[test]
    fn a_pattern_matches_existing_files_and_follows_no_link() {
        let (dir, from, _) = tops();
        for name in [".env.local", "conf/a.local", "conf/b.local", ".gitignore"] {
            fs::write(from.join(name), "x").unwrap();
        }
        fs::create_dir(from.join(".git")).unwrap();
        symlink(dir.path().join("outside"), from.join("away")).unwrap();
        symlink(&from, from.join("conf/loop")).unwrap();
        for (pattern, found) in [
            (".env*", &[".env", ".env.local"][..]),
            ("./conf/*.local", &["conf/a.local", "conf/b.local"]),
            ("c*/d*/?", &["conf/deep/x"]),
            (".git*", &[".gitignore"]),
            ("*", &["away", "conf"]),
            ("*/secret", &["away/secret", "conf/secret"]),
            ("*/s*", &[]),
            ("conf/l*/*", &[]),
            ("nowhere/*", &[]),
            ("nowhere", &["nowhere"]),
        ] {
            let found: Vec<PathBuf> = found.iter().map(PathBuf::from).collect();
            assert_eq!(meant_by(&from, pattern), found, "{pattern}");
        }
    }

    #[test]
    fn git_files_are_not_copied_and_no_tree_into_itself() {
        let (_dir, from, to) = tops();
        fs::create_dir_all(from.join("conf/vendor/.git/hooks")).unwrap();
        fs::write(from.join("conf/vendor/.git/hooks/x"), "x").unwrap();
        symlink(&from, from.join("conf/loop")).unwrap();
        for name in [".git", "conf/vendor/.git", "conf/vendor/.Git/hooks/x"] {
            assert!(copy_into(&from, &to, Path::new(name)).is_err(), "{name}");
        }
        let CopyResult::Files(mut copied) = copy_into(&from, &to, Path::new("conf")).unwrap() else {
            panic!()
        };
        copied.sort();
        assert_eq!(CopyResult::Files(copied), files(&["conf/deep/x", "conf/loop"]));
        assert!(!to.join("conf/vendor/.git").exists());
        let inside = from.join("conf/deep/tree");
        fs::create_dir(&inside).unwrap();
        assert!(copy_into(&from, &inside, Path::new("conf")).is_err());
        assert!(!inside.join("conf/deep").exists());
    }

    #[test]
    fn paths_cannot_leave_the_directory() {
        let (dir, from, to) = tops();
        symlink(dir.path().join("outside"), from.join("link")).unwrap();
        symlink(dir.path().join("outside"), to.join("conf")).unwrap();
        for name in ["../outside/secret", "/etc/passwd", "", "link/secret", "conf/deep/x", "conf"] {
            let copied = copy_into(&from, &to, Path::new(name));
            assert!(!matches!(copied, Ok(CopyResult::Files(_))), "{name}: {copied:?}");
        }
        assert_eq!(fs::read_dir(dir.path().join("outside")).unwrap().count(), 1);
    }
}
