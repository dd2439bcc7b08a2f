//! `state/review.json` of an agent: the comments on its work and the files that were marked as reviewed.
//!
//! Written under a lock and replaced as a whole. A file of a newer format is refused and left untouched, fields that this
//! version does not know are kept, and a file that cannot be parsed is never overwritten. The file is part of the
//! instance directory, so it is renamed and removed together with the agent.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::locks::file_lock::{AgentLock, PlainLock, busy};
use super::{Store, StoreError, replace_file};
use crate::model::{AgentName, Review};

const FILE: &str = "review.json";
/// Format number that this version writes.
const FORMAT: u64 = 1;

/// Reads and changes the reviews of agents.
#[derive(Debug, Clone, Copy)]
pub struct ReviewFiles<'a>(pub &'a Store);

impl ReviewFiles<'_> {
    /// Returns the review of an agent. A missing file is an empty review.
    pub fn read(&self, name: &AgentName) -> Result<Review, StoreError> {
        let path = self.path(name, FILE);
        let Some(bytes) = replace_file::read(&path)? else { return Ok(Review::default()) };
        let damaged = |why: String| StoreError::Read {
            path: path.clone(),
            source: io::Error::new(io::ErrorKind::InvalidData, why),
        };
        let mut whole: Value = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        match whole
            .as_object_mut()
            .and_then(|fields| fields.remove("format"))
            .and_then(|found| found.as_u64())
        {
            Some(found) if found > FORMAT => {
                return Err(StoreError::NewerFormat { path, found, known: FORMAT });
            }
            Some(_) => {}
            None => return Err(damaged("it has no `format`".to_owned())),
        }
        serde_json::from_value(whole).map_err(|error| damaged(error.to_string()))
    }

    /// Changes the review of an agent while its lock is held. Writes nothing if nothing changed, and fails if the
    /// directory of the agent does not exist.
    pub fn update<T>(
        &self,
        name: &AgentName,
        change: impl FnOnce(&mut Review) -> T,
    ) -> Result<T, StoreError> {
        let _lock = PlainLock::acquire(&self.path(name, "review.lock"), self.0.queue)?;
        let before = self.read(name)?;
        let mut review = before.clone();
        let answer = change(&mut review);
        if review != before {
            let path = self.path(name, FILE);
            let failed = |error: serde_json::Error| StoreError::write(&path)(error.into());
            let mut whole = serde_json::to_value(&review).map_err(failed)?;
            whole["format"] = FORMAT.into();
            replace_file::replace_durably(&path, format!("{whole:#}\n").as_bytes())?;
        }
        Ok(answer)
    }

    /// Waits for the lock for sending comments to an agent, so that two commands do not send the same comment.
    pub fn lock_send(&self, name: &AgentName, timeout: Duration) -> Result<AgentLock, StoreError> {
        let path = self.path(name, "review-send.lock");
        AgentLock::acquire(&path, "review --send", timeout)?.ok_or_else(|| busy(&path, name))
    }

    fn path(&self, name: &AgentName, file: &str) -> PathBuf {
        self.0.instance(name).state_dir().join(file)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::model::{BlobPair, CommentId, CommentState};

    fn store() -> (tempfile::TempDir, Store, AgentName) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let name: AgentName = "fix".parse().unwrap();
        store.instance(&name).create().unwrap();
        (dir, store, name)
    }

    fn stored_comment() -> Value {
        json!({
            "id": 4, "file": "a", "side": "old", "lines": {"first": 2, "last": 3}, "snippet": ["x", "y"],
            "text": "why?", "state": "sent", "diff": {"base": "b", "old_blob": "c", "new_blob": null},
            "created_at": "2026-01-31T12:00:00.000Z", "sent_at": "2026-01-31T12:00:01.000Z",
            "colour": "a field of a newer version",
        })
    }

    #[test]
    fn comments_are_read_back_and_unknown_fields_are_kept() {
        let (_dir, store, name) = store();
        assert_eq!(ReviewFiles(&store).read(&name).unwrap(), Review::default());
        let file = json!({"format": 1, "last_id": 4, "comments": [stored_comment()], "future": [1]});
        fs::write(ReviewFiles(&store).path(&name, FILE), file.to_string()).unwrap();
        let marked = BlobPair { old_blob: None, new_blob: Some("d".to_owned()) };
        ReviewFiles(&store)
            .update(&name, |review| {
                assert_eq!(review.comments[0].id, CommentId(4));
                review.comments[0].state = CommentState::Resolved;
                review.reviewed.insert("a".to_owned(), marked);
            })
            .unwrap();
        let written: Value =
            serde_json::from_slice(&fs::read(ReviewFiles(&store).path(&name, FILE)).unwrap()).unwrap();
        assert_eq!((&written["format"], &written["future"]), (&1.into(), &json!([1])));
        assert_eq!(written["comments"][0]["colour"], "a field of a newer version");
        assert_eq!(written["comments"][0]["state"], "resolved");
        assert_eq!(written["reviewed"]["a"]["new_blob"], "d");
    }

    #[test]
    fn damaged_and_newer_files_are_not_overwritten() {
        let (_dir, store, name) = store();
        for text in ["{", "{}", r#"{"format": 2, "comments": 7}"#, r#"{"format": 1, "comments": 7}"#] {
            fs::write(ReviewFiles(&store).path(&name, FILE), text).unwrap();
            assert!(ReviewFiles(&store).update(&name, |review| review.last_id = 9).is_err(), "{text}");
            assert_eq!(fs::read_to_string(ReviewFiles(&store).path(&name, FILE)).unwrap(), text);
        }
    }

    #[test]
    fn a_comment_does_not_bring_a_removed_agent_back() {
        let (_dir, store, name) = store();
        store.instance(&name).remove().unwrap();
        assert!(ReviewFiles(&store).update(&name, |review| review.last_id = 1).is_err());
        assert!(!store.instance(&name).dir().exists());
    }
}
