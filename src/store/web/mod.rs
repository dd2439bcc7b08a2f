//! `web.json`: the devices that may use the web page, the code that pairs the next one, and the address of the server.
//!
//! Written like the registry: under a lock, and complete or not at all, with mode 0600. A file of a newer format is not
//! changed, unknown fields are kept, and an unreadable file admits no device.
//!
//! - `links`: links for guests that were not opened yet

mod links;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::locks::file_lock::{AgentLock, holder};
use super::map_file::{MapFiles, put_entry};
use super::{Store, StoreError, home};
use crate::model::{PairingCode, WebDevice};

/// Name of the file in the state directory.
const FILE: &str = "web.json";
/// The same name, for a watch on changes.
pub const WEB_FILES: &[&str] = &[FILE];
/// Key of everything that the file holds.
const KEY: &str = "web";
const DEVICES: &str = "devices";
/// Devices with limits; see `links`.
const GUESTS: &str = "guests";
const PAIRING: &str = "pairing";
/// The checksums of the devices that the server has paired itself, by their ids.
const ADMITTED: &str = "admitted";
const SERVER: &str = "server";
const URL: &str = "url";
/// Name of the lock in the run directory that the server holds.
const LOCK: &str = "_web.lock";

/// The content of the file while it is being changed under the lock.
pub struct WebEdit<'a>(&'a mut Map<String, Value>);

impl WebEdit<'_> {
    /// Returns all devices with valid entries, ordered by id.
    pub fn devices(&self) -> Vec<WebDevice> {
        devices(self.0)
    }

    /// Adds a device, or replaces the one with the same id.
    pub fn put_device(&mut self, device: &WebDevice) {
        let Ok(Value::Object(known)) = serde_json::to_value(device) else { return };
        let key = if device.grant.is_some() { GUESTS } else { DEVICES };
        if let Value::Object(entries) = self.0.entry(key).or_insert_with(|| json!({})) {
            put_entry(entries, &device.id, known);
        }
    }

    /// Removes a device.
    pub fn remove_device(&mut self, id: &str) {
        for key in [DEVICES, GUESTS, ADMITTED] {
            if let Some(Value::Object(entries)) = self.0.get_mut(key) {
                entries.remove(id);
            }
        }
    }

    /// Replaces the pairing code, or deletes it.
    pub fn set_pairing(&mut self, pairing: Option<&PairingCode>) {
        match pairing.and_then(|pairing| serde_json::to_value(pairing).ok()) {
            Some(pairing) => drop(self.0.insert(PAIRING.to_owned(), pairing)),
            None => drop(self.0.remove(PAIRING)),
        }
    }

    /// Returns the pairing code, if there is one.
    pub fn pairing(&self) -> Option<PairingCode> {
        pairing(self.0)
    }

    /// Returns the checksums of the devices that the server has paired, by their ids, or `None` if no server has stored
    /// them yet.
    pub fn admitted(&self) -> Option<BTreeMap<String, String>> {
        serde_json::from_value(self.0.get(ADMITTED)?.clone()).ok()
    }

    /// Replaces the checksums of the devices that the server has paired.
    pub fn set_admitted(&mut self, admitted: &BTreeMap<String, String>) {
        self.0.insert(ADMITTED.to_owned(), json!(admitted));
    }

    /// Stores the address under which users open the page.
    pub fn set_url(&mut self, url: &str) {
        self.0.insert(SERVER.to_owned(), json!({ URL: url }));
    }
}

/// Reads and changes the devices and links that may use the web page.
#[derive(Debug, Clone, Copy)]
pub struct WebStore<'a>(pub &'a Store);

impl WebStore<'_> {
    /// Returns all devices with valid entries, ordered by id.
    pub fn devices(&self) -> Result<Vec<WebDevice>, StoreError> {
        Ok(devices(&MapFiles(self.0).read(FILE, KEY)?))
    }

    /// Returns the pairing code, if there is one.
    pub fn pairing(&self) -> Result<Option<PairingCode>, StoreError> {
        Ok(pairing(&MapFiles(self.0).read(FILE, KEY)?))
    }

    /// Returns the address that the last web server has stored.
    pub fn url(&self) -> Result<Option<String>, StoreError> {
        let all = MapFiles(self.0).read(FILE, KEY)?;
        Ok(all.get(SERVER).and_then(|server| server.get(URL)?.as_str().map(str::to_owned)))
    }

    /// Changes the file while its lock is held. Writes nothing if nothing changed.
    pub fn update<T>(&self, change: impl FnOnce(&mut WebEdit) -> T) -> Result<T, StoreError> {
        MapFiles(self.0).update(FILE, KEY, |entries| change(&mut WebEdit(entries)))
    }

    /// Takes the lock of the web server without waiting. Returns `None` if another server holds it.
    pub fn lock_server(&self) -> Result<Option<AgentLock>, StoreError> {
        let run = self.0.home.run();
        home::create_private(&run).map_err(StoreError::write(&run))?;
        AgentLock::acquire(&run.join(LOCK), "web", std::time::Duration::ZERO)
    }

    /// Returns the process id of the web server, if one is running.
    pub fn server(&self) -> Option<i32> {
        holder(&self.0.home.run().join(LOCK)).map(|(pid, _)| pid)
    }
}

fn pairing(all: &Map<String, Value>) -> Option<PairingCode> {
    serde_json::from_value(all.get(PAIRING)?.clone()).ok()
}

fn devices(all: &Map<String, Value>) -> Vec<WebDevice> {
    let of_key = |key: &str| {
        let entries = all.get(key).and_then(Value::as_object).into_iter().flatten();
        let device = |(id, value): (&String, &Value)| {
            let device: WebDevice = serde_json::from_value(value.clone()).ok()?;
            // A guest without readable limits has no access.
            let has_limits = device.grant.is_some();
            (device.id == *id && has_limits == (key == GUESTS)).then_some(device)
        };
        entries.filter_map(device).collect::<Vec<_>>()
    };
    [of_key(DEVICES), of_key(GUESTS)].concat()
}
