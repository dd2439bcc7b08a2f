//! Reads untrusted files: only regular files of limited size in UTF-8, without side effects.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::base::source_text::{LineIndex, LocatedMistake, Position};

/// Maximum size of a file, larger than any spec or prompt that a user writes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Returns the text of a file, or the reason why it cannot be read.
pub(in crate::specs) fn read(path: &Path) -> Result<String, LocatedMistake> {
    let refused = |why: String| LocatedMistake::new(Position::START, why);
    let failed = |error: std::io::Error| refused(format!("cannot be read: {error}"));
    // Opening a pipe would wait for a writer, so the file type is checked first.
    let meta = fs::metadata(path).map_err(failed)?;
    if !meta.is_file() {
        return Err(refused("cannot be read: it is not a file".into()));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(refused(format!("is larger than {MAX_FILE_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let (good, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
        let text = String::from_utf8_lossy(&bytes[..good]);
        LocatedMistake::new(LineIndex::of(&text).position(good), "is not UTF-8 from here on")
    })
}

/// Returns the entries of a directory in the order of their names. A missing directory is empty.
pub(in crate::specs) fn entries(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut found: Vec<_> =
        fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_file_is_refused_with_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("latin"), b"a\nb\xfc").unwrap();
        fs::write(path("large"), vec![b'x'; MAX_FILE_BYTES as usize + 1]).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        for (name, place, says) in [
            ("none", Position::START, "cannot be read: No such file"),
            (".", Position::START, "not a file"),
            ("pipe", Position::START, "not a file"),
            ("large", Position::START, "larger than 1048576"),
            ("latin", Position { line: 2, column: 2 }, "not UTF-8"),
        ] {
            let wrong = read(&path(name)).expect_err(name);
            assert!(wrong.message.contains(says) && wrong.at == place, "{name}: {wrong:?}");
        }
    }
}
