//! `hosts.json`: the configured hosts by name. Written like the registry: under a lock, and complete or not at all. A
//! file of a newer format is not changed, unknown fields of a host are kept, and an unreadable file is never
//! overwritten.

use serde_json::{Map, Value};

use super::map_file::{MapFiles, put_entry};
use super::{Store, StoreError};
use crate::model::{Host, HostName};

/// Name of the file in the state directory.
const FILE: &str = "hosts.json";
/// Key of the hosts in the file.
const KEY: &str = "hosts";

/// The hosts while they are being changed under the lock.
pub struct HostsEdit<'a>(&'a mut Map<String, Value>);

impl HostsEdit<'_> {
    /// Returns the host with this name, if its entry is valid.
    pub fn get(&self, name: &HostName) -> Option<Host> {
        host(name.as_str(), self.0.get(name.as_str())?)
    }

    /// Adds a host, or replaces the one with the same name.
    pub fn put(&mut self, host: &Host) {
        let Ok(Value::Object(known)) = serde_json::to_value(host) else { return };
        put_entry(self.0, host.name.as_str(), known);
    }

    /// Removes a host and returns whether it existed.
    pub fn remove(&mut self, name: &HostName) -> bool {
        self.0.remove(name.as_str()).is_some()
    }
}

/// Reads and changes the configured hosts.
#[derive(Debug, Clone, Copy)]
pub struct StoredHosts<'a>(pub &'a Store);

impl StoredHosts<'_> {
    /// Returns all hosts with valid entries, ordered by name.
    pub fn list(&self) -> Result<Vec<Host>, StoreError> {
        let all = MapFiles(self.0).read(FILE, KEY)?;
        Ok(all.iter().filter_map(|(name, value)| host(name, value)).collect())
    }

    /// Changes the hosts while their lock is held. Writes nothing if nothing changed.
    pub fn update<T>(&self, change: impl FnOnce(&mut HostsEdit) -> T) -> Result<T, StoreError> {
        MapFiles(self.0).update(FILE, KEY, |entries| change(&mut HostsEdit(entries)))
    }
}

fn host(name: &str, value: &Value) -> Option<Host> {
    let host: Host = serde_json::from_value(value.clone()).ok()?;
    (host.name.as_str() == name).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu() -> Host {
        Host {
            name: "gpu1".parse().unwrap(),
            address: "me@gpu1".parse().unwrap(),
            port: Some(2222),
            binary: None,
            link: "0a1b2c3d".to_owned(),
            version: None,
            added_at: "2026-01-01T00:00:00Z".parse().unwrap(),
        }
    }

    #[test]
    fn fields_of_a_newer_version_survive() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        assert_eq!(StoredHosts(&store).list().unwrap(), []);
        StoredHosts(&store).update(|edit| edit.put(&gpu())).unwrap();
        let file = dir.path().join(FILE);
        let text = std::fs::read_to_string(&file).unwrap().replace("\"port\"", "\"later\": 7,\n\"port\"");
        std::fs::write(&file, text).unwrap();
        let moved = Host { port: None, ..gpu() };
        StoredHosts(&store).update(|edit| edit.put(&moved)).unwrap();
        assert_eq!(StoredHosts(&store).list().unwrap(), [moved]);
        assert!(std::fs::read_to_string(&file).unwrap().contains("\"later\": 7"));
        assert!(StoredHosts(&store).update(|edit| edit.remove(&gpu().name)).unwrap());
        assert_eq!(StoredHosts(&store).list().unwrap(), []);
    }

    #[test]
    fn unreadable_file_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        for text in ["", "{", "[]", "{\"format\":1}", "{\"hosts\":{}}", "{\"format\":2,\"hosts\":{}}"] {
            std::fs::write(dir.path().join(FILE), text).unwrap();
            assert!(StoredHosts(&store).list().is_err(), "{text}");
            assert!(StoredHosts(&store).update(|edit| edit.put(&gpu())).is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(dir.path().join(FILE)).unwrap(), text);
        }
    }

    #[test]
    fn an_entry_that_looks_like_an_ssh_option_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        StoredHosts(&store).update(|edit| edit.put(&gpu())).unwrap();
        let file = dir.path().join(FILE);
        let text = std::fs::read_to_string(&file).unwrap().replace("me@gpu1", "-oProxyCommand=touch x");
        std::fs::write(&file, text).unwrap();
        assert_eq!(StoredHosts(&store).list().unwrap(), []);
    }
}
