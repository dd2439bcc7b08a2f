//! `hosts.json`: the other machines, by name. Written as the registry is: locked, whole or not at all. What a newer
//! symposium wrote is not touched, what it added to a host survives, and what cannot be read is never overwritten.

use serde_json::{Map, Value};

use super::map_file::put_entry;
use super::{Store, StoreError};
use crate::model::{Host, HostName};

/// What the file is called.
const FILE: &str = "hosts.json";
/// The key of the hosts in it.
const KEY: &str = "hosts";

/// The hosts while they are changed.
pub struct HostsEdit<'a>(&'a mut Map<String, Value>);

impl HostsEdit<'_> {
    /// One of them.
    pub fn get(&self, name: &HostName) -> Option<Host> {
        host(name.as_str(), self.0.get(name.as_str())?)
    }

    /// Puts one in, or in place of the one of that name.
    pub fn put(&mut self, host: &Host) {
        let Ok(Value::Object(known)) = serde_json::to_value(host) else { return };
        put_entry(self.0, host.name.as_str(), known);
    }

    /// Takes one out; says whether it was there.
    pub fn remove(&mut self, name: &HostName) -> bool {
        self.0.remove(name.as_str()).is_some()
    }
}

impl Store {
    /// All hosts that we understand, by name.
    pub fn hosts(&self) -> Result<Vec<Host>, StoreError> {
        let all = self.read_map(FILE, KEY)?;
        Ok(all.iter().filter_map(|(name, value)| host(name, value)).collect())
    }

    /// Changes them under their lock; not written when nothing changed.
    pub fn update_hosts<T>(&self, change: impl FnOnce(&mut HostsEdit) -> T) -> Result<T, StoreError> {
        self.update_map(FILE, KEY, |entries| change(&mut HostsEdit(entries)))
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
    fn what_a_newer_writer_added_survives() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        assert_eq!(store.hosts().unwrap(), []);
        store.update_hosts(|edit| edit.put(&gpu())).unwrap();
        let file = dir.path().join(FILE);
        let text = std::fs::read_to_string(&file).unwrap().replace("\"port\"", "\"later\": 7,\n\"port\"");
        std::fs::write(&file, text).unwrap();
        let moved = Host { port: None, ..gpu() };
        store.update_hosts(|edit| edit.put(&moved)).unwrap();
        assert_eq!(store.hosts().unwrap(), [moved]);
        assert!(std::fs::read_to_string(&file).unwrap().contains("\"later\": 7"));
        assert!(store.update_hosts(|edit| edit.remove(&gpu().name)).unwrap());
        assert_eq!(store.hosts().unwrap(), []);
    }

    #[test]
    fn what_cannot_be_read_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        for text in ["", "{", "[]", "{\"format\":1}", "{\"hosts\":{}}", "{\"format\":2,\"hosts\":{}}"] {
            std::fs::write(dir.path().join(FILE), text).unwrap();
            assert!(store.hosts().is_err(), "{text}");
            assert!(store.update_hosts(|edit| edit.put(&gpu())).is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(dir.path().join(FILE)).unwrap(), text);
        }
    }

    #[test]
    fn an_entry_that_could_be_an_option_of_ssh_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        store.update_hosts(|edit| edit.put(&gpu())).unwrap();
        let file = dir.path().join(FILE);
        let text = std::fs::read_to_string(&file).unwrap().replace("me@gpu1", "-oProxyCommand=touch x");
        std::fs::write(&file, text).unwrap();
        assert_eq!(store.hosts().unwrap(), []);
    }
}
