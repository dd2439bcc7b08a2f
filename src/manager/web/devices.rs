//! `web devices` and `web revoke`, and the device that a secret belongs to.

use jiff::SignedDuration;

use crate::error::{Code, Error, shown};
use crate::manager::settings::StoreChangeListener;
use crate::manager::web::pair::secret_checksum;
use crate::manager::web::{AdmittedDevices, WebAccess};
use crate::model::{WebDevice, WebLink};
use crate::rules::access::web_grant::is_valid;
use crate::rules::access::web_secret::is_same_checksum;
use crate::store::{WEB_FILES, Watches, WebStore};

/// Time between two updates of the last use of a device, so that not every request writes the file.
const USE_INTERVAL: SignedDuration = SignedDuration::from_mins(1);

/// Result of `web revoke`.
#[derive(Debug)]
pub enum Revocation {
    /// A device that was paired.
    Device(WebDevice),
    /// A link that was not opened yet.
    Link(WebLink),
}

impl WebAccess<'_> {
    /// Returns all paired devices, those that were used last first.
    pub fn devices(&self) -> Result<Vec<WebDevice>, Error> {
        self.refuse_agents("list the devices of the web page")?;
        let mut devices = WebStore(&self.0.store).devices()?;
        devices.retain(|device| is_valid(device.grant.as_ref(), self.0.now()));
        devices.sort_by_key(|device| std::cmp::Reverse(device.last_used));
        Ok(devices)
    }

    /// Removes a device, given by its id or its name, or a link that was not opened, given by its id. Open connections
    /// end.
    pub fn revoke(&self, given: &str) -> Result<Revocation, Error> {
        self.refuse_agents("revoke a device of the web page")?;
        WebStore(&self.0.store).update(|edit| {
            if let Some(link) = edit.links().into_iter().find(|link| link.id == given) {
                edit.remove_link(&link.id);
                return Ok(Revocation::Link(link));
            }
            let devices = edit.devices();
            let by_id = devices.iter().find(|device| device.id == given);
            let named: Vec<&WebDevice> = devices.iter().filter(|device| device.name == given).collect();
            match by_id.or(if let [device] = named[..] { Some(device) } else { None }) {
                Some(device) => {
                    edit.remove_device(&device.id);
                    Ok(Revocation::Device(device.clone()))
                }
                None => Err(no_such_device(given, &named, &devices)),
            }
        })?
    }

    /// Removes all devices, links and the pairing code. Returns how many devices there were.
    pub fn revoke_all(&self) -> Result<usize, Error> {
        self.refuse_agents("revoke the devices of the web page")?;
        Ok(WebStore(&self.0.store).update(|edit| {
            let devices = edit.devices();
            devices.iter().for_each(|device| edit.remove_device(&device.id));
            edit.links().iter().for_each(|link| edit.remove_link(&link.id));
            edit.set_pairing(None);
            devices.len()
        })?)
    }

    /// Returns the admitted device with this secret, given by its halves, and notes that it was used.
    pub fn device_with(
        &self,
        admitted: &AdmittedDevices,
        cookie: &str,
        key: &str,
    ) -> Result<Option<WebDevice>, Error> {
        let given = secret_checksum(cookie, key);
        let devices = WebStore(&self.0.store).devices()?;
        // All checksums are compared, so that the time does not depend on the position of the device.
        let found = devices.iter().fold(None, |found, device| {
            if is_same_checksum(&device.secret_sha256, &given) { Some(device) } else { found }
        });
        let Some(device) = found.filter(|device| admitted.contains(device)) else { return Ok(None) };
        let now = self.0.now();
        if !is_valid(device.grant.as_ref(), now) {
            return Ok(None);
        }
        if now.duration_since(device.last_used) >= USE_INTERVAL {
            WebStore(&self.0.store).update(|edit| {
                // The device may have been revoked in the meantime.
                if edit.devices().iter().any(|known| known.id == device.id) {
                    edit.put_device(&WebDevice { last_used: now, ..device.clone() });
                }
            })?;
        }
        Ok(Some(device.clone()))
    }

    /// Calls `callback` whenever a device was paired, revoked or used.
    pub fn on_device_change(
        &self,
        callback: impl Fn() + Send + 'static,
    ) -> Result<StoreChangeListener, Error> {
        Ok(Watches(&self.0.store).on_change(WEB_FILES, callback)?)
    }
}

pub(in crate::manager) fn no_such_device(given: &str, named: &[&WebDevice], known: &[WebDevice]) -> Error {
    let message = match named {
        [] => format!("no device with the id or name `{}`", shown(given)),
        several => format!("{} devices have the name `{}`", several.len(), shown(given)),
    };
    let line = |device: &WebDevice| format!("{}  {}", device.id, device.name);
    Error::new(Code::NoSuchDevice, message)
        .saw_all(known.iter().map(line))
        .hint("give the id of a device; `symposium web devices` lists them")
}
