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

use super::{ArchiveError, checksum};
use crate::base::sanitize;
use crate::model::{HANDOFF_FORMAT, MANIFEST, MAX_MANIFEST_BYTES, Manifest, Part, PartEntry};

/// Number of unpacked bytes that every file may contain, regardless of its packed size.
const MIN_ALLOWED_BYTES: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
/// Number of unpacked bytes per packed byte that a file may contain beyond that. Text compresses by a factor of
/// 20 at best; a decompression bomb reaches a factor of a thousand.
const MAX_COMPRESSION_RATIO: u64 = 200;
/// Number of bytes that may follow the last part: tar pads its last record with zeros.
const MAX_PADDING_BYTES: u64 = 64 << 10;

/// Unpacks a hand-off file into an empty directory and returns its manifest. On failure, nothing outside that directory
/// has been changed.
pub fn unpack(path: &Path, into: &Path) -> Result<Manifest, ArchiveError> {
    let refused = FileCheck { path };
    // Without NONBLOCK, opening a named pipe would wait for its writer.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file =
        OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(ArchiveError::read(path))?;
    let meta = file.metadata().map_err(ArchiveError::read(path))?;
    if !meta.is_file() {
        return Err(refused.not_a_handoff("it is not a file"));
    }
    let mut source = BufReader::new(file);
    if source.fill_buf().map_err(ArchiveError::read(path))?.get(..2) != Some(&[0x1f, 0x8b]) {
        return Err(refused.not_a_handoff("it is not packed with gzip"));
    }
    let most = MIN_ALLOWED_BYTES.saturating_add(meta.len().saturating_mul(MAX_COMPRESSION_RATIO));
    let mut tar = Archive::new(BoundedReader { inner: GzDecoder::new(source), left: most });
    let manifest = refused.parts(&mut tar, into)?;
    refused.end(tar.into_inner())?;
    Ok(manifest)
}

/// Builds the errors for one rejected file and holds the checks that return them.
struct FileCheck<'a> {
    path: &'a Path,
}

/// A reader that fails after the number of bytes that a file of this size can plausibly contain.
struct BoundedReader<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.left = self
            .left
            .checked_sub(n as u64)
            .ok_or_else(|| io::Error::other("it unpacks to more data than a file of its size may contain"))?;
        Ok(n)
    }
}

/// The manifest fields that stay the same in every format version.
#[derive(Deserialize)]
struct ManifestHead {
    format: u64,
    #[serde(default)]
    symposium: Option<String>,
}

impl FileCheck<'_> {
    fn parts(&self, tar: &mut Archive<impl Read>, into: &Path) -> Result<Manifest, ArchiveError> {
        // With `raw`, extension headers that would change the name or size of the next entry appear as entries and are
        // rejected like any other unexpected entry.
        let mut found = tar.entries().map_err(|error| self.unreadable(&error))?.raw(true);
        let Some(first) = found.next() else { return Err(self.not_a_handoff("it is empty")) };
        let mut first = first.map_err(|error| self.unreadable(&error))?;
        let size = self.plain_file(first.header())?;
        if *first.header().path_bytes() != *MANIFEST.as_bytes() {
            return Err(self.not_a_handoff("it does not begin with a manifest"));
        }
        if size > MAX_MANIFEST_BYTES {
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
                return Err(self.damaged(format!("`{}` is not the part that is expected here", shown(&name))));
            };
            if size != named.size {
                return Err(self.damaged(format!("`{}` has an unexpected size", named.name)));
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
            return Err(self.damaged("its manifest is truncated"));
        }
        let head: ManifestHead = serde_json::from_slice(text)
            .map_err(|error| self.not_a_handoff(format!("its manifest cannot be read: {error}")))?;
        if head.format > u64::from(HANDOFF_FORMAT) {
            let (path, found, known) = (self.path.to_owned(), head.format, HANDOFF_FORMAT);
            return Err(ArchiveError::Newer { path, found, known, needs: head.symposium });
        }
        if head.format != u64::from(HANDOFF_FORMAT) {
            return Err(self.not_a_handoff(format!("format {} does not exist", head.format)));
        }
        let manifest: Manifest = serde_json::from_slice(text)
            .map_err(|error| self.damaged(format!("its manifest cannot be read: {error}")))?;
        for (at, entry) in manifest.entries.iter().enumerate() {
            if manifest.entries[..at].iter().any(|before| before.name == entry.name) {
                return Err(self.damaged(format!("it contains `{}` twice", entry.name)));
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
        let copied = checksum::copy(&mut entry.take(named.size), &mut file);
        let sum = copied.map_err(|error| match error.raw_os_error() {
            Some(_) => ArchiveError::write(&target)(error),
            None => self.unreadable(&error),
        })?;
        if sum.size != named.size {
            return Err(self.damaged(format!("`{}` is truncated", named.name)));
        }
        if sum.sha256 != named.sha256 {
            return Err(self.damaged(format!("`{}` is damaged: its checksum differs", named.name)));
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
    fn end(&self, mut rest: BoundedReader<GzDecoder<BufReader<File>>>) -> Result<(), ArchiveError> {
        let mut padding = Vec::new();
        let read = (&mut rest).take(MAX_PADDING_BYTES + 1).read_to_end(&mut padding);
        read.map_err(|error| self.unreadable(&error))?;
        if padding.len() as u64 > MAX_PADDING_BYTES || padding.iter().any(|byte| *byte != 0) {
            return Err(self.damaged("it is followed by other data"));
        }
        let behind = rest.inner.into_inner().fill_buf().map_err(ArchiveError::read(self.path))?.len();
        if behind > 0 { Err(self.damaged("it is followed by other data")) } else { Ok(()) }
    }

    fn unreadable(&self, error: &io::Error) -> ArchiveError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged("it is truncated"),
            _ => self.damaged(error.to_string()),
        }
    }

    fn not_a_handoff(&self, why: impl Into<String>) -> ArchiveError {
        ArchiveError::NotAHandoff { path: self.path.to_owned(), why: why.into() }
    }

    fn damaged(&self, why: impl Into<String>) -> ArchiveError {
        ArchiveError::Damaged { path: self.path.to_owned(), why: why.into() }
    }
}

/// Returns the name of an entry for an error message, shortened and safe for a terminal.
fn shown(name: &[u8]) -> String {
    sanitize::shown(&String::from_utf8_lossy(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_entry_cannot_reorder_an_error() {
        assert_eq!(shown(b"a\x1bb\xe2\x80\xaec"), "a\u{fffd}b\u{fffd}c");
    }
}
