//! Packs part files into a hand-off file. The file appears complete or not at all, and only its owner can read it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use super::{ArchiveError, checksum};
pub use crate::base::atomic_file::IfExists;
use crate::base::atomic_file::{directory_of, persist_durably, private_temp};
use crate::model::{MANIFEST, MAX_MANIFEST_BYTES, Manifest, Part, PartEntry};

/// Packs the parts that exist in `from` under their names and returns the manifest as it was packed. The list of
/// entries in the manifest is filled in here.
pub fn pack(
    mut manifest: Manifest,
    from: &Path,
    target: &Path,
    existing: IfExists,
) -> Result<Manifest, ArchiveError> {
    if existing == IfExists::Kept && fs::symlink_metadata(target).is_ok() {
        return Err(ArchiveError::Exists(target.to_owned()));
    }
    manifest.entries = entries(from)?;
    let failed = || ArchiveError::write(target);
    let temp = private_temp(directory_of(target), ".handoff-").map_err(failed())?;
    write_parts(&manifest, from, temp.as_file()).map_err(failed())?;
    persist_durably(temp, target, existing).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => ArchiveError::Exists(target.to_owned()),
        _ => failed()(error),
    })?;
    Ok(manifest)
}

fn entries(from: &Path) -> Result<Vec<PartEntry>, ArchiveError> {
    let mut entries = Vec::new();
    for part in Part::ALL {
        let path = from.join(part.name());
        let mut file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file.map_err(ArchiveError::read(&path))?,
        };
        let sum = checksum::copy(&mut file, &mut io::sink()).map_err(ArchiveError::read(&path))?;
        if sum.size > part.most_bytes() {
            let what = format!("`{part}`");
            return Err(ArchiveError::TooBig { what, size: sum.size, most: part.most_bytes() });
        }
        entries.push(PartEntry { name: part, size: sum.size, sha256: sum.sha256 });
    }
    Ok(entries)
}

fn write_parts(manifest: &Manifest, from: &Path, out: &File) -> io::Result<()> {
    let mut tar = Builder::new(GzEncoder::new(BufWriter::new(out), Compression::default()));
    let text = serde_json::to_vec_pretty(manifest)?;
    if text.len() as u64 > MAX_MANIFEST_BYTES {
        return Err(io::Error::other(format!("its manifest has {} bytes", text.len())));
    }
    let at = u64::try_from(manifest.made_at.as_second()).unwrap_or(0);
    tar.append(&header(MANIFEST, text.len() as u64, at)?, &text[..])?;
    for entry in &manifest.entries {
        let file = File::open(from.join(entry.name.name()))?;
        tar.append(&header(entry.name.name(), entry.size, at)?, file)?;
    }
    tar.into_inner()?.finish()?.flush()
}

fn header(name: &str, size: u64, at: u64) -> io::Result<Header> {
    let mut header = Header::new_ustar();
    header.set_path(name)?;
    header.set_entry_type(EntryType::Regular);
    header.set_size(size);
    header.set_mode(0o600);
    header.set_mtime(at);
    header.set_cksum();
    Ok(header)
}
