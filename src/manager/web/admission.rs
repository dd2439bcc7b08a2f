//! The devices that the server admits: those that it has paired itself. Every process of the user can write a device
//! into `web.json`; such a device is refused and reported.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::error::Error;
use crate::manager::maintenance::Notifications;
use crate::manager::web::pair::device_name;
use crate::manager::web::server::WebServing;
use crate::manager::web::{WebAccess, devices};
use crate::model::{Notice, NotifyOn, Urgency, WebDevice};
use crate::rules::access::web_secret::is_same_checksum;
use crate::store::StoreError;

/// How long a device counts as new for the others.
const RECENT: SignedDuration = SignedDuration::from_hours(24);

/// The devices that this server admits, kept in its memory: the checksums of their secrets by their ids.
#[derive(Debug, Default)]
pub struct AdmittedDevices(Mutex<AdmissionState>);

#[derive(Debug, Default)]
struct AdmissionState {
    admitted: BTreeMap<String, String>,
    /// Ids and checksums of refused devices that the owner was notified of.
    reported: BTreeSet<(String, String)>,
}

/// A device that the owner should look at, as the page shows it.
#[derive(Debug, Serialize)]
pub struct RecentDevice {
    /// Id of the device, to revoke it.
    pub id: String,
    /// Name that the device gave itself, on one line.
    pub name: String,
    /// Time at which it was paired.
    #[serde(with = "crate::base::json_time")]
    pub paired_at: Timestamp,
    /// Whether it has access. A device that the server has not paired has none.
    pub is_admitted: bool,
}

impl AdmittedDevices {
    fn state(&self) -> std::sync::MutexGuard<'_, AdmissionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a device if `store` stores it. No report can see the device in between and take it for a foreign one.
    pub(in crate::manager) fn admit(
        &self,
        device: &WebDevice,
        store: impl FnOnce() -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        let mut state = self.state();
        let is_stored = store()?;
        if is_stored {
            state.admitted.insert(device.id.clone(), device.secret_sha256.clone());
        }
        Ok(is_stored)
    }

    /// Checks whether the server has paired a device, and with this secret.
    pub(in crate::manager) fn contains(&self, device: &WebDevice) -> bool {
        self.state().admitted.get(&device.id).is_some_and(|sum| is_same_checksum(sum, &device.secret_sha256))
    }

    /// Returns the devices that are stored without having been paired, once each, and forgets those that were revoked.
    fn unreported(
        &self,
        read: impl FnOnce() -> Result<Vec<WebDevice>, StoreError>,
    ) -> Result<Vec<WebDevice>, StoreError> {
        let mut state = self.state();
        let stored = read()?;
        let AdmissionState { admitted, reported } = &mut *state;
        admitted.retain(|id, _| stored.iter().any(|device| device.id == *id));
        let is_admitted = |device: &WebDevice| admitted.get(&device.id) == Some(&device.secret_sha256);
        let foreign = stored.iter().filter(|device| !is_admitted(device));
        let unreported =
            foreign.filter(|device| reported.insert((device.id.clone(), device.secret_sha256.clone())));
        Ok(unreported.cloned().collect())
    }
}

impl WebAccess<'_> {
    /// Returns the devices that earlier servers of this environment have paired. A file of a version that did not store
    /// them has only such devices.
    pub fn devices_at_start(&self, _serving: &WebServing) -> Result<AdmittedDevices, Error> {
        let admitted = self.0.store.update_web(|edit| {
            let stored = edit.devices();
            let known = edit.admitted();
            let is_known = |device: &&WebDevice| {
                known.as_ref().is_none_or(|known| known.get(&device.id) == Some(&device.secret_sha256))
            };
            let admitted = checksums(stored.iter().filter(is_known));
            edit.set_admitted(&admitted);
            admitted
        })?;
        Ok(AdmittedDevices(Mutex::new(AdmissionState { admitted, reported: BTreeSet::new() })))
    }

    /// Notifies the owner of devices that were written into the file by another program. They have no access.
    pub fn report_foreign_devices(&self, admitted: &AdmittedDevices) -> Result<(), Error> {
        for device in admitted.unreported(|| self.0.store.web_devices())? {
            for failure in Notifications(self.0).send_now(&notice_about(&device, self.0.now())) {
                self.0.notice(format!("the notice about the device `{}` failed: {failure}", device.id));
            }
        }
        Ok(())
    }

    /// Returns what a device should know about others: those that were paired after it within a day, and those that the
    /// server has not paired. Returns `None` if the device has no access itself.
    pub fn recent_devices(
        &self,
        admitted: &AdmittedDevices,
        id: &str,
    ) -> Result<Option<Vec<RecentDevice>>, Error> {
        let stored = self.0.store.web_devices()?;
        let own = stored.iter().find(|device| device.id == id && admitted.contains(device));
        let Some(own) = own else { return Ok(None) };
        let is_recent = |device: &WebDevice| {
            self.0.now().duration_since(device.paired_at) < RECENT && device.paired_at > own.paired_at
        };
        let recent = |device: &WebDevice| {
            let is_admitted = admitted.contains(device);
            (!is_admitted || is_recent(device)).then(|| RecentDevice {
                id: device.id.clone(),
                name: device_name(&device.name),
                paired_at: device.paired_at,
                is_admitted,
            })
        };
        Ok(Some(stored.iter().filter(|device| device.id != id).filter_map(recent).collect()))
    }

    /// Removes a device for another one. A device can remove itself, those that were paired after it and those that the
    /// server has not paired, so that a stolen code does not end the access of the owner.
    pub fn revoke_newer(&self, admitted: &AdmittedDevices, own: &str, id: &str) -> Result<WebDevice, Error> {
        let is_admitted = |device: &WebDevice| device.id == id && admitted.contains(device);
        let has_access = self.0.store.web_devices()?.iter().any(is_admitted);
        self.0.store.update_web(|edit| {
            let stored = edit.devices();
            let paired_at = stored.iter().find(|device| device.id == own).map(|device| device.paired_at);
            let Some(other) = stored.iter().find(|device| device.id == id) else {
                return Err(devices::no_such_device(id, &[], &stored));
            };
            let is_newer = paired_at.is_some_and(|paired_at| other.paired_at > paired_at);
            if id != own && !is_newer && has_access {
                let message =
                    format!("device `{}` was paired before this one, which may not revoke it", other.name);
                return Err(Error::not_permitted(message)
                    .hint(format!("on the machine of the agents: `symposium web revoke {id}`")));
            }
            edit.remove_device(id);
            Ok(other.clone())
        })?
    }
}

/// Returns the checksums of devices by their ids.
pub(in crate::manager) fn checksums<'a>(
    devices: impl Iterator<Item = &'a WebDevice>,
) -> BTreeMap<String, String> {
    devices.map(|device| (device.id.clone(), device.secret_sha256.clone())).collect()
}

fn notice_about(device: &WebDevice, now: Timestamp) -> Notice {
    Notice {
        title: format!("a program wrote a device for the web page: {}", device_name(&device.name)),
        body: format!("it has no access; remove it: symposium web revoke {}", device_name(&device.id)),
        urgency: Urgency::Critical,
        agent: None,
        agents: vec![],
        on: NotifyOn::Device,
        at: now,
    }
}
