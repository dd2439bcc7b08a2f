//! The devices that the server admits: those that it has paired itself. Every process of the user can write a device
//! into `web.json`, or change the limits of a guest; such a device is refused and reported.

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
use crate::rules::access::web_grant::is_valid;
use crate::rules::access::web_secret::{checksum, is_same_checksum};
use crate::store::{StoreError, WebStore};

/// How long a device counts as new for the others.
const RECENT: SignedDuration = SignedDuration::from_hours(24);

/// The devices that this server admits, kept in its memory: their checksums by their ids.
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

    /// Admits the device that `store` stores. No report can see the device in between and take it for a foreign one.
    pub(in crate::manager) fn admit(
        &self,
        store: impl FnOnce() -> Result<Option<WebDevice>, Error>,
    ) -> Result<Option<WebDevice>, Error> {
        let mut state = self.state();
        let stored = store()?;
        if let Some(device) = &stored {
            state.admitted.insert(device.id.clone(), admission_checksum(device));
        }
        Ok(stored)
    }

    /// Checks whether the server has paired a device, and with this secret and these limits.
    pub(in crate::manager) fn contains(&self, device: &WebDevice) -> bool {
        let given = admission_checksum(device);
        self.state().admitted.get(&device.id).is_some_and(|known| is_same_checksum(known, &given))
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
        let is_admitted = |device: &WebDevice| admitted.get(&device.id) == Some(&admission_checksum(device));
        let foreign = stored.iter().filter(|device| !is_admitted(device));
        let unreported =
            foreign.filter(|device| reported.insert((device.id.clone(), admission_checksum(device))));
        Ok(unreported.cloned().collect())
    }
}

impl WebAccess<'_> {
    /// Returns the devices that earlier servers of this environment have paired. A file of a version that did not store
    /// them has only such devices.
    pub fn devices_at_start(&self, _serving: &WebServing) -> Result<AdmittedDevices, Error> {
        let admitted = WebStore(&self.0.store).update(|edit| {
            let stored = edit.devices();
            let known = edit.admitted();
            let is_known = |device: &&WebDevice| {
                known.as_ref().is_none_or(|known| known.get(&device.id) == Some(&admission_checksum(device)))
            };
            let admitted = checksums(stored.iter().filter(is_known));
            edit.set_admitted(&admitted);
            admitted
        })?;
        Ok(AdmittedDevices(Mutex::new(AdmissionState { admitted, reported: BTreeSet::new() })))
    }

    /// Notifies the owner of devices that were written into the file by another program. They have no access.
    pub fn report_foreign_devices(&self, admitted: &AdmittedDevices) -> Result<(), Error> {
        for device in admitted.unreported(|| WebStore(&self.0.store).devices())? {
            for failure in Notifications(self.0).send_now(&notice_about(&device, self.0.now())) {
                self.0.notice(format!("the notice about the device `{}` failed: {failure}", device.id));
            }
        }
        Ok(())
    }

    /// Returns what a device should know about others: those that were paired after it within a day, and those that the
    /// server has not paired. A guest sees no other device. Returns `None` if the device has no access itself.
    pub fn recent_devices(
        &self,
        admitted: &AdmittedDevices,
        id: &str,
    ) -> Result<Option<Vec<RecentDevice>>, Error> {
        let stored = WebStore(&self.0.store).devices()?;
        let now = self.0.now();
        let has_access = |device: &WebDevice| is_valid(device.grant.as_ref(), now);
        let is_own = |device: &&WebDevice| device.id == id && admitted.contains(device) && has_access(device);
        let Some(own) = stored.iter().find(is_own) else { return Ok(None) };
        if own.grant.is_some() {
            return Ok(Some(vec![]));
        }
        let is_recent = |device: &WebDevice| {
            has_access(device)
                && now.duration_since(device.paired_at) < RECENT
                && device.paired_at > own.paired_at
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
    /// server has not paired, so that a stolen code does not end the access of the owner. A guest can remove none.
    pub fn revoke_newer(&self, admitted: &AdmittedDevices, own: &str, id: &str) -> Result<WebDevice, Error> {
        let is_admitted = |device: &WebDevice| device.id == id && admitted.contains(device);
        let has_access = WebStore(&self.0.store).devices()?.iter().any(is_admitted);
        WebStore(&self.0.store).update(|edit| {
            let stored = edit.devices();
            let paired_at = match stored.iter().find(|device| device.id == own) {
                Some(own) if own.grant.is_some() => return Err(guests_may_not_revoke()),
                own => own.map(|device| device.paired_at),
            };
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

/// Returns the checksums of devices, with their limits, by their ids.
pub(in crate::manager) fn checksums<'a>(
    devices: impl Iterator<Item = &'a WebDevice>,
) -> BTreeMap<String, String> {
    devices.map(|device| (device.id.clone(), admission_checksum(device))).collect()
}

/// Returns the checksum of what must not change after the pairing: the secret of a device, and the limits of a guest.
pub(in crate::manager) fn admission_checksum(device: &WebDevice) -> String {
    match device.grant.as_ref().map(serde_json::to_string) {
        None => device.secret_sha256.clone(),
        Some(grant) => checksum(&format!("{} {}", device.secret_sha256, grant.unwrap_or_default())),
    }
}

fn guests_may_not_revoke() -> Error {
    Error::not_permitted("the device of a guest may not revoke others")
        .hint("on the machine of the agents: `symposium web devices` and `symposium web revoke ID`")
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
