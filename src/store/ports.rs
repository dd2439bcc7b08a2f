//! `ports.json`: the port ranges of worktrees, by path.

use serde_json::{Map, Value, json};

use super::map_file::MapFiles;
use super::{Store, StoreError};

const FILE: &str = "ports.json";
const KEY: &str = "worktrees";
/// Name of the field with the first port of a range.
const FIRST: &str = "first";

/// Records the port ranges of worktrees.
#[derive(Debug, Clone, Copy)]
pub struct PortRanges<'a>(pub &'a Store);

impl PortRanges<'_> {
    /// Returns the first port of a path, or records the one that `choose` returns. `choose` receives the first ports of
    /// all other paths, and runs while the file is locked, so that no two paths get the same ports.
    pub fn find_or_record(
        &self,
        path: &str,
        choose: impl FnOnce(&[u16]) -> Option<u16>,
    ) -> Result<Option<u16>, StoreError> {
        if let Some(known) = first_of(&MapFiles(self.0).read(FILE, KEY)?, path) {
            return Ok(Some(known));
        }
        MapFiles(self.0).update(FILE, KEY, |entries| {
            if let Some(known) = first_of(entries, path) {
                return Some(known);
            }
            let taken: Vec<u16> = entries.keys().filter_map(|path| first_of(entries, path)).collect();
            let first = choose(&taken)?;
            entries.insert(path.to_owned(), json!({ FIRST: first }));
            Some(first)
        })
    }

    /// Returns the first port of a path, if it has a range.
    pub fn known(&self, path: &str) -> Result<Option<u16>, StoreError> {
        Ok(first_of(&MapFiles(self.0).read(FILE, KEY)?, path))
    }

    /// Moves a range to another path.
    pub fn move_to(&self, from: &str, to: &str) -> Result<(), StoreError> {
        if first_of(&MapFiles(self.0).read(FILE, KEY)?, from).is_none() {
            return Ok(());
        }
        MapFiles(self.0).update(FILE, KEY, |entries| {
            if let Some(entry) = entries.remove(from) {
                entries.insert(to.to_owned(), entry);
            }
        })
    }

    /// Gives the ports of a path back.
    pub fn release(&self, path: &str) -> Result<(), StoreError> {
        if MapFiles(self.0).read(FILE, KEY)?.contains_key(path) {
            MapFiles(self.0).update(FILE, KEY, |entries| drop(entries.remove(path)))?;
        }
        Ok(())
    }
}

fn first_of(entries: &Map<String, Value>, path: &str) -> Option<u16> {
    entries.get(path)?.get(FIRST)?.as_u64()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_belongs_to_one_path_until_it_is_released() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        assert_eq!(PortRanges(&store).known("/a").unwrap(), None);
        assert_eq!(PortRanges(&store).find_or_record("/a", |_| Some(20_000)).unwrap(), Some(20_000));
        assert_eq!(PortRanges(&store).find_or_record("/a", |_| Some(1)).unwrap(), Some(20_000));
        let other = |taken: &[u16]| {
            assert_eq!(taken, [20_000]);
            Some(20_010)
        };
        assert_eq!(PortRanges(&store).find_or_record("/b", other).unwrap(), Some(20_010));
        PortRanges(&store).move_to("/a", "/c").unwrap();
        assert_eq!(PortRanges(&store).known("/a").unwrap(), None);
        assert_eq!(PortRanges(&store).known("/c").unwrap(), Some(20_000));
        PortRanges(&store).release("/c").unwrap();
        assert_eq!(PortRanges(&store).known("/c").unwrap(), None);
        assert_eq!(PortRanges(&store).find_or_record("/d", |_| None).unwrap(), None);
    }
}
