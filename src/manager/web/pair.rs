//! `web pair`: creates a code that pairs one device within some minutes, and exchanges the code for a secret.

use jiff::{SignedDuration, Timestamp};

use crate::env::Env;
use crate::error::{Code, Error};
use crate::manager::maintenance::Notifications;
use crate::manager::web::admission::admission_checksum;
use crate::manager::web::{AdmittedDevices, WebAccess};
use crate::model::{Notice, NotifyOn, PairingCode, Urgency, WebDevice, WebLink, without_deception};
use crate::rules::access::web_grant::is_valid;
use crate::rules::access::web_secret::{checksum, encoded, grouped, is_same_checksum, ungrouped};
use crate::store::{WebEdit, WebStore};

/// How long a code is valid: enough to take the phone and to type it.
const CODE_LIFETIME: SignedDuration = SignedDuration::from_mins(10);
/// Description of `web pair` in refusals.
const PAIR: &str = "pair a device with the web page";
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
    /// Creates a code for one device, for the owner at a terminal. An older code is no longer valid.
    pub fn pairing_link(&self) -> Result<PairingLink, Error> {
        self.refuse_agents(PAIR)?;
        self.require_terminal(PAIR)?;
        self.new_code()
    }

    /// Creates a code after the caller was checked.
    pub(in crate::manager) fn new_code(&self) -> Result<PairingLink, Error> {
        let url = self.url()?;
        let code = random::<CODE_BYTES>()?;
        let expires_at = self.0.now() + CODE_LIFETIME;
        let pairing = PairingCode { sha256: checksum(&code), expires_at };
        WebStore(&self.0.store).update(|edit| edit.set_pairing(Some(&pairing)))?;
        Ok(PairingLink { url: format!("{url}#pair={code}"), code: grouped(&code), expires_at })
    }

    /// Exchanges a code for the secret of a new device, and notifies the user. Returns `None` for a wrong, used or
    /// expired code. A wrong code is refused without taking the lock of the file, so that many of them delay nothing.
    pub fn pair_device(
        &self,
        admitted: &AdmittedDevices,
        code: &str,
        name: &str,
    ) -> Result<Option<PairedDevice>, Error> {
        let given = GivenCode { sha256: checksum(&ungrouped(code)), now: self.0.now() };
        if given.offer(WebStore(&self.0.store).pairing()?, WebStore(&self.0.store).links()?).is_none() {
            return Ok(None);
        }
        let (cookie, key) = (random::<SECRET_BYTES>()?, random::<SECRET_BYTES>()?);
        let new = WebDevice {
            id: random::<ID_BYTES>()?,
            name: device_name(name),
            secret_sha256: secret_checksum(&cookie, &key),
            paired_at: given.now,
            last_used: given.now,
            grant: None,
        };
        let store = || WebStore(&self.0.store).update(|edit| store_device(edit, &given, new))?;
        let Some(device) = admitted.admit(store)? else { return Ok(None) };
        for failure in Notifications(self.0).send_now(&notice_about(&device)) {
            self.0.notice(format!("the notice about the device `{}` failed: {failure}", device.name));
        }
        Ok(Some(PairedDevice { device, cookie, key }))
    }
}

/// A code that a new device has sent.
struct GivenCode {
    sha256: String,
    now: Timestamp,
}

/// Access that a valid code gives to a device.
enum PairingOffer {
    /// All agents, with all rights of the user.
    Owner,
    /// Permission and agent of a link.
    Guest(WebLink),
}

impl GivenCode {
    /// Returns what this code gives access to, or `None` if it is neither the valid pairing code nor that of a link.
    fn offer(&self, pairing: Option<PairingCode>, links: Vec<WebLink>) -> Option<PairingOffer> {
        let is_same = |sha256: &str| is_same_checksum(sha256, &self.sha256);
        if pairing.is_some_and(|pairing| is_same(&pairing.sha256) && self.now < pairing.expires_at) {
            return Some(PairingOffer::Owner);
        }
        let is_opened = |link: &WebLink| is_same(&link.sha256) && is_valid(Some(&link.grant), self.now);
        links.into_iter().find(is_opened).map(PairingOffer::Guest)
    }
}

/// Stores a new device with the limits that belong to its code, and deletes the code. Returns `None` if the code is not
/// valid any more.
fn store_device(
    edit: &mut WebEdit<'_>,
    given: &GivenCode,
    mut device: WebDevice,
) -> Result<Option<WebDevice>, Error> {
    let Some(offer) = given.offer(edit.pairing(), edit.links()) else { return Ok(None) };
    let has_expired = |device: &&WebDevice| !is_valid(device.grant.as_ref(), given.now);
    edit.devices().iter().filter(has_expired).for_each(|device| edit.remove_device(&device.id));
    if edit.devices().len() >= MAX_DEVICES {
        return Err(too_many_devices());
    }
    match offer {
        PairingOffer::Owner => edit.set_pairing(None),
        PairingOffer::Guest(link) => {
            edit.remove_link(&link.id);
            (device.id, device.grant) = (link.id, Some(link.grant));
        }
    }
    edit.put_device(&device);
    let mut known = edit.admitted().unwrap_or_default();
    known.insert(device.id.clone(), admission_checksum(&device));
    edit.set_admitted(&known);
    Ok(Some(device))
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
pub(in crate::manager) fn device_name(given: &str) -> String {
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
