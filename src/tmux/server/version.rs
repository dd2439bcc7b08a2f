//! Version of the tmux program. It is queried once and cached with the metadata of the program file, so that later
//! calls need only a `stat`.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::base::atomic_file;
use crate::tmux::TmuxError;

/// Oldest tmux version that has all features in use.
const MIN_VERSION: (u32, u32) = (3, 2);

/// Returns the version of the program: from the cache if the program file is unchanged, otherwise by calling `ask`.
pub(in crate::tmux) fn known(
    program: &Path,
    cache: &Path,
    ask: impl FnOnce() -> Result<String, TmuxError>,
) -> Result<String, TmuxError> {
    let stamp = stamp(program)?;
    if let Ok(kept) = std::fs::read(cache)
        && let Some(version) = kept.strip_prefix(stamp.as_slice())
        && let Ok(version) = std::str::from_utf8(version)
    {
        return Ok(version.to_owned());
    }
    let version = accept(program, &ask()?)?;
    // A cache that cannot be written only costs time.
    let _ = atomic_file::replace(cache, &[stamp.as_slice(), version.as_bytes()].concat());
    Ok(version)
}

/// Returns the identity of the program file: path, size, inode and modification time.
fn stamp(program: &Path) -> Result<Vec<u8>, TmuxError> {
    let meta = std::fs::metadata(program).map_err(|source| TmuxError::File {
        doing: "look at",
        path: program.to_owned(),
        source,
    })?;
    let facts = format!("\n{} {} {}.{}\n", meta.size(), meta.ino(), meta.mtime(), meta.mtime_nsec());
    Ok([program.as_os_str().as_bytes(), facts.as_bytes()].concat())
}

/// Parses the output of `tmux -V` and checks that the version is new enough.
fn accept(program: &Path, output: &str) -> Result<String, TmuxError> {
    let odd = || TmuxError::OddVersion { program: program.to_owned(), output: output.to_owned() };
    let version = output.trim().strip_prefix("tmux ").ok_or_else(odd)?.trim();
    // `master` and the numbering of OpenBSD come from source trees that are newer than any known release.
    if version == "master" || version.starts_with("openbsd-") {
        return Ok(version.to_owned());
    }
    let number = version.strip_prefix("next-").unwrap_or(version);
    let (major, minor) = number.split_once('.').ok_or_else(odd)?;
    let minor = &minor[..minor.find(|c: char| !c.is_ascii_digit()).unwrap_or(minor.len())];
    let number = (major.parse().map_err(|_| odd())?, minor.parse().map_err(|_| odd())?);
    if number < MIN_VERSION {
        return Err(TmuxError::TooOld { program: program.to_owned(), version: version.to_owned() });
    }
    Ok(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_tmux_writes_them() {
        for (output, version) in [
            ("tmux 3.2a\n", "3.2a"),
            ("tmux 3.3", "3.3"),
            ("tmux 3.5a", "3.5a"),
            ("tmux 3.10", "3.10"),
            ("tmux next-3.6", "next-3.6"),
            ("tmux 3.4-rc2", "3.4-rc2"),
            ("tmux master", "master"),
            ("tmux openbsd-7.4", "openbsd-7.4"),
        ] {
            assert_eq!(accept(Path::new("tmux"), output).unwrap(), version, "{output:?}");
        }
    }

    #[test]
    fn old_and_odd_versions_are_refused() {
        for output in ["tmux 3.1c", "tmux 2.9", "tmux next-3.1", "tmux 1.8"] {
            assert!(matches!(accept(Path::new("t"), output), Err(TmuxError::TooOld { .. })), "{output:?}");
        }
        for output in ["", "screen 4.0", "tmux", "tmux three", "tmux 3.x"] {
            assert!(
                matches!(accept(Path::new("t"), output), Err(TmuxError::OddVersion { .. })),
                "{output:?}"
            );
        }
    }

    #[test]
    fn the_program_is_asked_again_only_when_it_changed() {
        let dir = tempfile::tempdir().unwrap();
        let (program, cache) = (dir.path().join("tmux"), dir.path().join("cache"));
        std::fs::write(&program, "1").unwrap();
        let never = || -> Result<String, TmuxError> { panic!("asked again") };
        assert_eq!(known(&program, &cache, || Ok("tmux 3.3a".into())).unwrap(), "3.3a");
        assert_eq!(known(&program, &cache, never).unwrap(), "3.3a");
        std::fs::write(&program, "22").unwrap();
        assert_eq!(known(&program, &cache, || Ok("tmux 3.5".into())).unwrap(), "3.5");
        std::fs::write(&cache, "garbage").unwrap();
        assert_eq!(known(&program, &cache, || Ok("tmux 3.5".into())).unwrap(), "3.5");
    }
}
