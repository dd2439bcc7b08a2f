//! Caches the registry for as long as the file is unchanged. One command queries it many times, and with a thousand
//! agents, reading and parsing it each time would dominate the run time of the command.
//!
//! A registry is replaced and never written in place, and the file that was read stays open here: no other file can get
//! its inode number while it is open. Therefore the same inode number means the same registry, even for a writer. A
//! text editor may write in place, in which case the modification time or the length differs.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::registry::schema::{self, Parsed, Registry};
use crate::store::{StoreError, replace_file};

/// The registry as it was last read.
#[derive(Debug, Default)]
pub(in crate::store) struct RegistryCache(Mutex<Option<CachedFile>>);

#[derive(Debug)]
struct CachedFile {
    #[expect(dead_code, reason = "held for its number")]
    file: File,
    mark: FileIdentity,
    text: Arc<Vec<u8>>,
    parsed: Option<Arc<Registry>>,
}

/// Device, inode, length and modification time of a file.
type FileIdentity = (u64, u64, u64, i64, i64);

/// The result of reading the registry file.
pub(in crate::store) enum CachedRead {
    /// A valid registry of the current format.
    Sound(Arc<Registry>),
    /// A registry that is damaged or of another format.
    Other(Parsed),
    /// The file does not exist.
    Nothing,
}

impl RegistryCache {
    /// Returns the text of the registry, or `None` if the file does not exist.
    pub(in crate::store) fn text(&self, path: &Path) -> Result<Option<Arc<Vec<u8>>>, StoreError> {
        let mark = fs::symlink_metadata(path).ok().map(|meta| mark(&meta));
        if let Some(kept) = self.lock().as_ref().filter(|kept| Some(kept.mark) == mark) {
            return Ok(Some(Arc::clone(&kept.text)));
        }
        let Some((file, meta, text)) = replace_file::read_open(path)? else { return Ok(None) };
        let text = Arc::new(text);
        *self.lock() =
            Some(CachedFile { file, mark: self::mark(&meta), text: Arc::clone(&text), parsed: None });
        Ok(Some(text))
    }

    /// Returns the registry, which is parsed only once while it does not change.
    pub(in crate::store) fn registry(&self, path: &Path) -> Result<CachedRead, StoreError> {
        let Some(text) = self.text(path)? else { return Ok(CachedRead::Nothing) };
        let is_of = |kept: &&mut CachedFile| Arc::ptr_eq(&kept.text, &text);
        if let Some(parsed) = self.lock().as_mut().filter(is_of).and_then(|kept| kept.parsed.clone()) {
            return Ok(CachedRead::Sound(parsed));
        }
        match schema::parse(&text) {
            Parsed::Current(registry) => {
                let registry = Arc::new(registry);
                if let Some(kept) = self.lock().as_mut().filter(is_of) {
                    kept.parsed = Some(Arc::clone(&registry));
                }
                Ok(CachedRead::Sound(registry))
            }
            other => Ok(CachedRead::Other(other)),
        }
    }

    /// Drops the cached registry, so that a writer need not copy it before a change.
    pub(in crate::store) fn forget(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<CachedFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn mark(meta: &fs::Metadata) -> FileIdentity {
    (meta.dev(), meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec())
}
