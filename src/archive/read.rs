//! Unpacks a hand-off file from an untrusted source in one pass, with a limit on every size and a check of every name
//! and checksum.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use flate2::bufread::GzDecoder;
use rustix::fs::OFlags;
use serde::Deserialize;
use tar::{Archive, EntryType};

use super::{ArchiveError, digest};
use crate::model::{BIGGEST_MANIFEST, HANDOFF_FORMAT, MANIFEST, Manifest, Part, PartEntry};

/// Number of unpacked bytes that every file may contain, regardless of its packed size.
const ALWAYS: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
/// Number of unpacked bytes per packed byte that a file may contain beyond that. Text compresses by a factor of
/// 20 at best; a decompression bomb reaches a factor of a thousand.
const MOST_RATIO: u64 = 200;
/// Number of bytes that may follow the last part: tar pads its last record with zeros.
const MOST_PADDING: u64 = 64 << 10;

/// Unpacks a hand-off file into an empty directory and returns its manifest. On failure, nothing outside that directory
/// has been changed.
pub fn unpack(path: &Path, into: &Path) -> Result<Manifest, ArchiveError> {
    let refused = Refused { path };
    // Without NONBLOCK, opening a named pipe would wait for its writer.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file =
        OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(ArchiveError::read(path))?;
    let meta = file.metadata().map_err(ArchiveError::read(path))?;
    if !meta.is_file() {
        return Err(refused.not_one("it is not a file"));
    }
    let mut source = BufReader::new(file);
    if source.fill_buf().map_err(ArchiveError::read(path))?.get(..2) != Some(&[0x1f, 0x8b]) {
        return Err(refused.not_one("it is not packed with gzip"));
    }
    let most = ALWAYS.saturating_add(meta.len().saturating_mul(MOST_RATIO));
    let mut tar = Archive::new(Bounded { inner: GzDecoder::new(source), left: most });
    let manifest = refused.parts(&mut tar, into)?;
    refused.end(tar.into_inner())?;
    Ok(manifest)
}

/// Builds the errors for one rejected file and holds the checks that return them.
struct Refused<'a> {
    path: &'a Path,
}

/// A reader that fails after the number of bytes that a file of this size can plausibly contain.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.left = self
            .left
            .checked_sub(n as u64)
            .ok_or_else(|| io::Error::other("it holds far more than a file of its size can"))?;
        Ok(n)
    }
}

/// The manifest fields that stay the same in every format version.
#[derive(Deserialize)]
struct Head {
    format: u64,
    #[serde(default)]
    symposium: Option<String>,
}

impl Refused<'_> {
    fn parts(&self, tar: &mut Archive<impl Read>, into: &Path) -> Result<Manifest, ArchiveError> {
        // With `raw`, extension headers that would change the name or size of the next entry appear as entries and are
        // rejected like any other unexpected entry.
        let mut found = tar.entries().map_err(|error| self.unreadable(&error))?.raw(true);
        let Some(first) = found.next() else { return Err(self.not_one("it is empty")) };
        let mut first = first.map_err(|error| self.unreadable(&error))?;
        let size = self.plain_file(first.header())?;
        if *first.header().path_bytes() != *MANIFEST.as_bytes() {
            return Err(self.not_one("it does not begin with a manifest"));
        }
        if size > BIGGEST_MANIFEST {
            return Err(self.damaged("its manifest is too big"));
        }
        let mut text = Vec::new();
        first.read_to_end(&mut text).map_err(|error| self.unreadable(&error))?;
        let manifest = self.manifest(&text, size)?;
        let mut expected = manifest.entries.iter();
        for entry in found {
            let mut entry = entry.map_err(|error| self.unreadable(&error))?;
            let size = self.plain_file(entry.header())?;
            let name = entry.header().path_bytes().into_owned();
            let Some(named) = expected.next().filter(|named| Part::named(&name) == Some(named.name)) else {
                return Err(self.damaged(format!("`{}` is not what comes next", shown(&name))));
            };
            if size != named.size {
                return Err(self.damaged(format!("`{}` has not the size that it should have", named.name)));
            }
            self.part(&mut entry, named, into)?;
        }
        match expected.next() {
            None => Ok(manifest),
            Some(missing) => Err(self.damaged(format!("`{}` is missing", missing.name))),
        }
    }

    fn manifest(&self, text: &[u8], size: u64) -> Result<Manifest, ArchiveError> {
        if text.len() as u64 != size {
            return Err(self.damaged("its manifest is cut short"));
        }
        let head: Head = serde_json::from_slice(text)
            .map_err(|error| self.not_one(format!("its manifest cannot be read: {error}")))?;
        if head.format > u64::from(HANDOFF_FORMAT) {
            let (path, found, known) = (self.path.to_owned(), head.format, HANDOFF_FORMAT);
            return Err(ArchiveError::Newer { path, found, known, needs: head.symposium });
        }
        if head.format != u64::from(HANDOFF_FORMAT) {
            return Err(self.not_one(format!("there is no format {}", head.format)));
        }
        let manifest: Manifest = serde_json::from_slice(text)
            .map_err(|error| self.damaged(format!("its manifest cannot be read: {error}")))?;
        for (at, entry) in manifest.entries.iter().enumerate() {
            if manifest.entries[..at].iter().any(|before| before.name == entry.name) {
                return Err(self.damaged(format!("`{}` is in it twice", entry.name)));
            }
            if entry.size > entry.name.most_bytes() {
                return Err(self.damaged(format!("`{}` is too big: {} bytes", entry.name, entry.size)));
            }
        }
        Ok(manifest)
    }

    fn part(&self, entry: &mut impl Read, named: &PartEntry, into: &Path) -> Result<(), ArchiveError> {
        let target = into.join(named.name.name());
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&target);
        let mut file = file.map_err(ArchiveError::write(&target))?;
        // The size in the header was compared with the manifest, and the size in the manifest with the limit of the
        // part.
        let copied = digest::copy(&mut entry.take(named.size), &mut file);
        let sum = copied.map_err(|error| match error.raw_os_error() {
            Some(_) => ArchiveError::write(&target)(error),
            None => self.unreadable(&error),
        })?;
        if sum.size != named.size {
            return Err(self.damaged(format!("`{}` is cut short", named.name)));
        }
        if sum.sha256 != named.sha256 {
            return Err(
                self.damaged(format!("`{}` is not what was packed: its checksum differs", named.name))
            );
        }
        Ok(())
    }

    /// Returns the size of an entry, or an error if the entry is not a plain file.
    fn plain_file(&self, header: &tar::Header) -> Result<u64, ArchiveError> {
        if header.entry_type() != EntryType::Regular {
            let name = header.path_bytes().into_owned();
            return Err(self.damaged(format!("`{}` is not a plain file", shown(&name))));
        }
        header.size().map_err(|error| self.unreadable(&error))
    }

    /// Checks that only the zeros that end a tar archive follow, and that the gzip checksum of the whole file is right.
    fn end(&self, mut rest: Bounded<GzDecoder<BufReader<File>>>) -> Result<(), ArchiveError> {
        let mut padding = Vec::new();
        let read = (&mut rest).take(MOST_PADDING + 1).read_to_end(&mut padding);
        read.map_err(|error| self.unreadable(&error))?;
        if padding.len() as u64 > MOST_PADDING || padding.iter().any(|byte| *byte != 0) {
            return Err(self.damaged("something follows behind its end"));
        }
        let behind = rest.inner.into_inner().fill_buf().map_err(ArchiveError::read(self.path))?.len();
        if behind > 0 { Err(self.damaged("something follows behind its end")) } else { Ok(()) }
    }

    fn unreadable(&self, error: &io::Error) -> ArchiveError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged("it is cut short"),
            _ => self.damaged(error.to_string()),
        }
    }

    fn not_one(&self, why: impl Into<String>) -> ArchiveError {
        ArchiveError::NotOne { path: self.path.to_owned(), why: why.into() }
    }

    fn damaged(&self, why: impl Into<String>) -> ArchiveError {
        ArchiveError::Damaged { path: self.path.to_owned(), why: why.into() }
    }
}

/// Returns the name of an entry for an error message: at most 60 characters, without control characters.
fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name)
        .chars()
        .take(60)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
