//! `notice-channels.json`: the channels whose last notice was not delivered, for `symposium doctor`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::store::map_file::{MapFiles, put_entry};
use crate::store::{Store, StoreError};

const FILE: &str = "notice-channels.json";
const KEY: &str = "failures";

/// A notice that was not delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelFailure {
    /// Time of the last attempt.
    #[serde(with = "crate::base::json_time")]
    pub at: Timestamp,
    /// Reason, without secrets.
    pub why: String,
}

/// Reads and changes the failures of channels.
#[derive(Debug, Clone, Copy)]
pub struct ChannelFailures<'a>(pub &'a Store);

impl ChannelFailures<'_> {
    /// Returns the failure of a channel, if its last notice was not delivered.
    pub fn of(&self, channel: &str) -> Result<Option<ChannelFailure>, StoreError> {
        let entries = MapFiles(self.0).read(FILE, KEY)?;
        Ok(entries.get(channel).and_then(|entry| serde_json::from_value(entry.clone()).ok()))
    }

    /// Stores the failure of a channel, or deletes it after a success. A success without a failure before writes nothing.
    pub fn set(&self, channel: &str, failure: Option<&ChannelFailure>) -> Result<(), StoreError> {
        match failure.and_then(|failure| serde_json::to_value(failure).ok()) {
            Some(Value::Object(fields)) => {
                MapFiles(self.0).update(FILE, KEY, |entries| put_entry(entries, channel, fields))
            }
            _ if self.of(channel)?.is_none() => Ok(()),
            _ => MapFiles(self.0).update(FILE, KEY, |entries| drop(entries.remove(channel))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_success_deletes_the_failure_and_otherwise_writes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        ChannelFailures(&store).set("ntfy", None).unwrap();
        assert!(!dir.path().join(FILE).exists());
        let failure = ChannelFailure { at: Timestamp::UNIX_EPOCH, why: "ntfy.sh answered 403".into() };
        ChannelFailures(&store).set("ntfy", Some(&failure)).unwrap();
        assert_eq!(ChannelFailures(&store).of("ntfy").unwrap(), Some(failure));
        assert_eq!(ChannelFailures(&store).of("webhook").unwrap(), None);
        ChannelFailures(&store).set("ntfy", None).unwrap();
        assert_eq!(ChannelFailures(&store).of("ntfy").unwrap(), None);
    }
}
