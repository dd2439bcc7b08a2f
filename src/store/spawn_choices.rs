//! `spawn-choices.json`: the choices of the last spawn in each project, by the directory of the project.

use serde_json::{Map, Value};

use super::map_file::{MapFiles, put_entry};
use super::{Store, StoreError};
use crate::model::SpawnChoices;

const FILE: &str = "spawn-choices.json";
const KEY: &str = "projects";
/// Number of projects that are kept. Those without a spawn for the longest time are dropped.
const MAX_PROJECTS: usize = 100;

/// Records the choices of the last spawn in each project.
#[derive(Debug, Clone, Copy)]
pub struct LastSpawnChoices<'a>(pub &'a Store);

impl LastSpawnChoices<'_> {
    /// Returns the choices of the last spawn in a project.
    pub fn read(&self, project: &str) -> Result<Option<SpawnChoices>, StoreError> {
        Ok(MapFiles(self.0).read(FILE, KEY)?.get(project).and_then(choices))
    }

    /// Stores the choices of a spawn in a project.
    pub fn write(&self, project: &str, kept: &SpawnChoices) -> Result<(), StoreError> {
        let Ok(Value::Object(known)) = serde_json::to_value(kept) else { return Ok(()) };
        MapFiles(self.0).update(FILE, KEY, |entries| {
            put_entry(entries, project, known);
            drop_oldest(entries);
        })
    }
}

fn choices(entry: &Value) -> Option<SpawnChoices> {
    serde_json::from_value(entry.clone()).ok()
}

fn drop_oldest(entries: &mut Map<String, Value>) {
    let excess = entries.len().saturating_sub(MAX_PROJECTS);
    if excess == 0 {
        return;
    }
    let mut by_age: Vec<_> = entries
        .iter()
        .map(|(project, entry)| (choices(entry).map(|kept| kept.chosen_at), project.clone()))
        .collect();
    by_age.sort();
    for (_, project) in by_age.into_iter().take(excess) {
        entries.remove(&project);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(spec: &str, second: i64) -> SpawnChoices {
        let chosen_at = jiff::Timestamp::from_second(second).unwrap();
        SpawnChoices { spec: Some(spec.to_owned()), chosen_at, ..SpawnChoices::default() }
    }

    #[test]
    fn each_project_has_its_own_choices_and_the_oldest_are_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        assert_eq!(LastSpawnChoices(&store).read("/p").unwrap(), None);
        LastSpawnChoices(&store).write("/p", &chosen("claude", 2)).unwrap();
        LastSpawnChoices(&store).write("/q", &chosen("codex", 1)).unwrap();
        assert_eq!(LastSpawnChoices(&store).read("/p").unwrap(), Some(chosen("claude", 2)));
        for more in 0..MAX_PROJECTS - 1 {
            LastSpawnChoices(&store).write(&format!("/more/{more}"), &chosen("demo", 10)).unwrap();
        }
        assert_eq!(LastSpawnChoices(&store).read("/q").unwrap(), None);
        assert_eq!(LastSpawnChoices(&store).read("/p").unwrap(), Some(chosen("claude", 2)));
    }
}
