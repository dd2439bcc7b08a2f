//! The registry as it was last read, for as long as it is the same file: one command asks many things of it, and with a
//! thousand agents reading and parsing it each time would be most of what the command does.
//!
//! A registry is replaced, never written in place, and the file that was read stays open here: as long as it is open no
//! other file can have its number. So the same number is the same registry, also for who is about to change it. A
//! person's editor may write in place; then the age or the length differs.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::registry::schema::{self, Parsed, Registry};
use crate::store::{StoreError, replace_file};

/// The last look.
#[derive(Debug, Default)]
pub(in crate::store) struct Glance(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    #[expect(dead_code, reason = "held for its number")]
    file: File,
    mark: Mark,
    text: Arc<Vec<u8>>,
    parsed: Option<Arc<Registry>>,
}

/// Which file it is, its length and its age.
type Mark = (u64, u64, u64, i64, i64);

/// What was found at the registry's place.
pub(in crate::store) enum Found {
    /// It is sound.
    Sound(Arc<Registry>),
    /// It is anything else.
    Other(Parsed),
    /// There is none.
    Nothing,
}

impl Glance {
    /// The text of the registry, none when there is no file.
    pub(in crate::store) fn text(&self, path: &Path) -> Result<Option<Arc<Vec<u8>>>, StoreError> {
        let mark = fs::symlink_metadata(path).ok().map(|meta| mark(&meta));
        if let Some(kept) = self.lock().as_ref().filter(|kept| Some(kept.mark) == mark) {
            return Ok(Some(Arc::clone(&kept.text)));
        }
        let Some((file, meta, text)) = replace_file::read_open(path)? else { return Ok(None) };
        let text = Arc::new(text);
        *self.lock() = Some(Kept { file, mark: self::mark(&meta), text: Arc::clone(&text), parsed: None });
        Ok(Some(text))
    }

    /// The registry itself; parsed once as long as it does not change.
    pub(in crate::store) fn registry(&self, path: &Path) -> Result<Found, StoreError> {
        let Some(text) = self.text(path)? else { return Ok(Found::Nothing) };
        let is_of = |kept: &&mut Kept| Arc::ptr_eq(&kept.text, &text);
        if let Some(parsed) = self.lock().as_mut().filter(is_of).and_then(|kept| kept.parsed.clone()) {
            return Ok(Found::Sound(parsed));
        }
        match schema::parse(&text) {
            Parsed::Current(registry) => {
                let registry = Arc::new(registry);
                if let Some(kept) = self.lock().as_mut().filter(is_of) {
                    kept.parsed = Some(Arc::clone(&registry));
                }
                Ok(Found::Sound(registry))
            }
            other => Ok(Found::Other(other)),
        }
    }

    /// Forgets it, so that who changes a registry need not copy it first.
    pub(in crate::store) fn forget(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn mark(meta: &fs::Metadata) -> Mark {
    (meta.dev(), meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec())
}
