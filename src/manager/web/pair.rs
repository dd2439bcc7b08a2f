//! `web pair`: creates a code that pairs one device within some minutes, and exchanges the code for a secret.

use jiff::{SignedDuration, Timestamp};

use crate::env::Env;
use crate::error::{Code, Error};
use crate::manager::maintenance::Notifications;
use crate::manager::web::WebAccess;
use crate::model::{Notice, NotifyOn, PairingCode, Urgency, WebDevice, WebLink, without_deception};
use crate::rules::access::web_grant::is_valid;
use crate::rules::access::web_secret::{checksum, encoded, grouped, is_same_checksum, ungrouped};

/// How long a code is valid: enough to take the phone and to type it.
const CODE_LIFETIME: SignedDuration = SignedDuration::from_mins(10);
/// Maximum number of devices. A user has a few.
const MAX_DEVICES: usize = 50;
/// Maximum length of the name of a device in characters.
const MAX_NAME_CHARS: usize = 40;
/// Random bytes of a pairing code; the file with its checksum can be read by agents.
pub(in crate::manager::web) const CODE_BYTES: usize = 12;
/// Random bytes of each half of a secret.
const SECRET_BYTES: usize = 20;
/// Random bytes of the id of a device.
pub(in crate::manager::web) const ID_BYTES: usize = 5;

/// The link that pairs a device.
#[derive(Debug)]
pub struct PairingLink {
    /// Address of the page, with the code in the fragment, which browsers do not send.
    pub url: String,
    /// Code in groups, for users that type it.
    pub code: String,
    /// Time after which the code is refused.
    pub expires_at: Timestamp,
}

/// A device that was just paired.
#[derive(Debug)]
pub struct PairedDevice {
    /// The device as it is stored.
    pub device: WebDevice,
    /// Half of the secret that the browser keeps in a cookie.
    pub cookie: String,
    /// Half of the secret that the page keeps and sends in a header.
    pub key: String,
}

impl WebAccess<'_> {
    /// Creates a code for one device. An older code is no longer valid.
    pub fn pairing_link(&self) -> Result<PairingLink, Error> {
        self.refuse_agents("pair a device with the web page")?;
        let url = self.url()?;
        let code = random::<CODE_BYTES>()?;
        let expires_at = self.0.now() + CODE_LIFETIME;
        let pairing = PairingCode { sha256: checksum(&code), expires_at };
        self.0.store.update_web(|edit| edit.set_pairing(Some(&pairing)))?;
        Ok(PairingLink { url: format!("{url}#pair={code}"), code: grouped(&code), expires_at })
    }

    /// Exchanges a code for the secret of a new device, and notifies the user. Returns `None` for a wrong, used or
    /// expired code.
    pub fn pair_device(&self, code: &str, name: &str) -> Result<Option<PairedDevice>, Error> {
        let (cookie, key) = (random::<SECRET_BYTES>()?, random::<SECRET_BYTES>()?);
        let now = self.0.now();
        let mut device = WebDevice {
            id: random::<ID_BYTES>()?,
            name: device_name(name),
            secret_sha256: secret_checksum(&cookie, &key),
            paired_at: now,
            last_used: now,
            grant: None,
        };
        let given = checksum(&ungrouped(code));
        let outcome = self.0.store.update_web(|edit| {
            let expired = |device: &&WebDevice| !is_valid(device.grant.as_ref(), now);
            edit.devices().iter().filter(expired).for_each(|device| edit.remove_device(&device.id));
            let is_opened =
                |link: &WebLink| is_same_checksum(&link.sha256, &given) && is_valid(Some(&link.grant), now);
            let link = edit.links().into_iter().find(is_opened);
            let is_pairing = edit
                .pairing()
                .is_some_and(|known| is_same_checksum(&known.sha256, &given) && now < known.expires_at);
            if !is_pairing && link.is_none() {
                return Ok(false);
            }
            if edit.devices().len() >= MAX_DEVICES {
                return Err(too_many_devices());
            }
            match link {
                Some(link) => {
                    edit.remove_link(&link.id);
                    (device.id, device.grant) = (link.id, Some(link.grant));
                }
                None => edit.set_pairing(None),
            }
            edit.put_device(&device);
            Ok(true)
        })?;
        if !outcome? {
            return Ok(None);
        }
        for failure in Notifications(self.0).send_now(&notice_about(&device)) {
            self.0.notice(format!("the notice about the device `{}` failed: {failure}", device.name));
        }
        Ok(Some(PairedDevice { device, cookie, key }))
    }
}

/// Returns the checksum of a secret from its halves.
pub(in crate::manager) fn secret_checksum(cookie: &str, key: &str) -> String {
    checksum(&format!("{cookie}.{key}"))
}

pub(in crate::manager::web) fn random<const N: usize>() -> Result<String, Error> {
    let bytes = Env::random_bytes::<N>().map_err(Error::io("cannot create a secret"))?;
    Ok(encoded(&bytes))
}

/// Returns the name of a device on one line, up to the maximum length.
fn device_name(given: &str) -> String {
    let line = without_deception(given).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().take(MAX_NAME_CHARS).collect::<String>() {
        name if name.is_empty() => "browser".to_owned(),
        name => name,
    }
}

fn notice_about(device: &WebDevice) -> Notice {
    Notice {
        title: format!("new device on the web page: {}", device.name),
        body: format!("if it is not yours: symposium web revoke {}", device.id),
        urgency: Urgency::Critical,
        agent: None,
        agents: vec![],
        on: NotifyOn::Device,
        at: device.paired_at,
    }
}

fn too_many_devices() -> Error {
    Error::new(Code::TooManyDevices, format!("{MAX_DEVICES} devices are paired already"))
        .hint("`symposium web devices` lists them, `symposium web revoke DEVICE` removes one")
}
