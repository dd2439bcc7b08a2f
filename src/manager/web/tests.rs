//! Pairing, devices and their revocation, with a clock that the tests move.

use std::ops::Deref;
use std::time::Duration;

use crate::error::Code;
use crate::manager::testing::TestContext;
use crate::manager::web::pair::PairedDevice;
use crate::manager::web::server::WebServing;
use crate::manager::web::{AdmittedDevices, WebAccess};
use crate::model::{WebDevice, WebPermission};
use crate::rules::access::web_secret::checksum;

/// A running server: its process is this one.
struct Served {
    context: TestContext,
    admitted: AdmittedDevices,
    serving: WebServing,
}

impl Deref for Served {
    type Target = TestContext;

    fn deref(&self) -> &TestContext {
        &self.context
    }
}

impl Served {
    fn new() -> Served {
        Served::in_context(TestContext::new())
    }

    fn in_context(context: TestContext) -> Served {
        let serving = WebAccess(&context).begin_serving().unwrap();
        WebAccess(&context).publish_url(&serving, "http://127.0.0.1:7717/").unwrap();
        let admitted = WebAccess(&context).devices_at_start(&serving).unwrap();
        Served { context, admitted, serving }
    }

    /// Starts the server again.
    fn restarted(self) -> Served {
        drop(self.serving);
        Served::in_context(self.context)
    }

    fn code(&self) -> String {
        WebAccess(self).new_code().unwrap().code
    }

    fn pair(&self, code: &str, name: &str) -> Option<PairedDevice> {
        WebAccess(self).pair_device(&self.admitted, code, name).unwrap()
    }

    fn paired(&self, name: &str) -> PairedDevice {
        self.pair(&self.code(), name).expect("the code is valid")
    }

    /// Returns the id of the device that a request with these halves comes from.
    fn device_with(&self, cookie: &str, key: &str) -> Option<String> {
        WebAccess(self).device_with(&self.admitted, cookie, key).unwrap().map(|device| device.id)
    }
}

#[test]
fn a_code_pairs_one_device_whose_secret_has_two_halves() {
    let context = Served::new();
    let link = WebAccess(&context).new_code().unwrap();
    assert!(
        link.url.starts_with("http://127.0.0.1:7717/#pair="),
        "the code is in the fragment: {}",
        link.url
    );
    let new = context.pair(&link.code, "phone").expect("the code is valid");
    assert!(context.pair(&link.code, "again").is_none(), "a code works once");
    let found = |cookie: &str, key: &str| context.device_with(cookie, key);
    assert_eq!(found(&new.cookie, &new.key), Some(new.device.id));
    for (cookie, key) in [(new.cookie.as_str(), ""), ("", new.key.as_str()), (&new.key, &new.cookie)] {
        assert!(found(cookie, key).is_none(), "one half is not enough");
    }
}

#[test]
fn an_expired_replaced_or_wrong_code_pairs_nothing() {
    let context = Served::new();
    let replaced = context.code();
    let code = context.code();
    let pair = |code: &str| context.pair(code, "phone").is_some();
    assert!(!pair(&replaced));
    assert!(!pair(""));
    assert!(!pair(&code[1..]));
    context.advance(Duration::from_secs(601));
    assert!(!pair(&code));
    assert!(WebAccess(&context).devices().unwrap().is_empty());
}

#[test]
fn a_new_device_is_announced_with_the_command_that_revokes_it() {
    let context = Served::new();
    context.agent("api", crate::model::Status::Working);
    context.attach_driver("api");
    let device = context.paired("phone").device;
    let expected = format!("symposium web revoke {}", device.id);
    assert!(context.sent_to_tmux(&["new device on the web page: phone", &expected]));
}

#[test]
fn no_secret_is_stored_and_names_are_one_clean_line() {
    let context = Served::new();
    let new = context.paired("a\u{1b}[2J\nphone");
    let text = std::fs::read_to_string(context.home().join("web.json")).unwrap();
    assert!(!text.contains(&new.cookie) && !text.contains(&new.key), "{text}");
    assert!(!new.device.name.contains(['\u{1b}', '\n']), "{:?}", new.device.name);
}

#[test]
fn a_revoked_device_is_unknown_at_once() {
    let context = Served::new();
    let (one, two) = (context.paired("phone"), context.paired("laptop"));
    let access = WebAccess(&context);
    assert_eq!(access.revoke("no such").unwrap_err().code(), Code::NoSuchDevice);
    access.revoke("phone").unwrap();
    assert!(context.device_with(&one.cookie, &one.key).is_none());
    assert!(access.recent_devices(&context.admitted, &one.device.id).unwrap().is_none());
    access.revoke(&two.device.id).unwrap();
    assert!(context.device_with(&two.cookie, &two.key).is_none());
}

#[test]
fn the_last_use_of_a_device_is_noted_once_a_minute() {
    let context = Served::new();
    let new = context.paired("phone");
    let last = || WebAccess(&context).devices().unwrap()[0].last_used;
    let request = || context.device_with(&new.cookie, &new.key);
    context.advance(Duration::from_secs(59));
    request();
    assert_eq!(last(), new.device.paired_at);
    context.advance(Duration::from_secs(1));
    request();
    assert_eq!(last(), context.now());
}

#[test]
fn agents_may_not_pair_list_revoke_or_serve() {
    for vars in [("SYMPOSIUM_AGENT", "api"), ("SYMPOSIUM_AGENT_ID", "")] {
        let context = TestContext::of_caller(&[vars]);
        let access = WebAccess(&context);
        let codes = [
            access.pairing_link().unwrap_err().code(),
            access.devices().unwrap_err().code(),
            access.revoke("x").unwrap_err().code(),
            access.revoke_all().unwrap_err().code(),
            access.begin_serving().unwrap_err().code(),
        ];
        assert_eq!(codes, [Code::NotPermitted; 5]);
    }
}

#[test]
fn an_agent_that_cleared_its_environment_is_found_by_its_processes() {
    let context = Served::new();
    context.agent("api", crate::model::Status::Working);
    assert!(WebAccess(&context).devices().is_ok());
    context.edit("api", |record| record.pid = i32::try_from(std::process::id()).ok());
    let error = WebAccess(&context).devices().unwrap_err();
    assert_eq!(error.to_string(), "agent `api` may not list the devices of the web page");
}

#[test]
fn pairing_needs_a_running_server() {
    let context = TestContext::new();
    assert_eq!(WebAccess(&context).new_code().unwrap_err().code(), Code::WebNotRunning);
    let Served { context, serving, .. } = Served::new();
    assert_eq!(WebAccess(&context).begin_serving().unwrap_err().code(), Code::WebRunning);
    drop(serving);
    assert_eq!(WebAccess(&context).new_code().unwrap_err().code(), Code::WebNotRunning);
}

#[test]
fn a_device_keeps_its_access_over_a_restart_unless_its_checksum_was_replaced() {
    let context = Served::new();
    let (one, two) = (context.paired("phone"), context.paired("laptop"));
    let context = context.restarted();
    assert!(context.device_with(&one.cookie, &one.key).is_some());
    let file = context.home().join("web.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let (own, other) = (&one.device.secret_sha256, checksum("forged.forged"));
    std::fs::write(&file, text.replacen(own.as_str(), &other, 2)).unwrap();
    assert!(context.device_with("forged", "forged").is_none(), "the secret of a device was replaced");
    assert!(context.device_with(&two.cookie, &two.key).is_some());
    context.agent("api", crate::model::Status::Working);
    context.attach_driver("api");
    WebAccess(&context).report_foreign_devices(&context.admitted).unwrap();
    let revoke = format!("symposium web revoke {}", one.device.id);
    assert!(context.sent_to_tmux(&["a program wrote a device for the web page: phone", &revoke]));
}

#[test]
fn a_device_revokes_itself_and_those_that_were_paired_later() {
    let context = Served::new();
    let one = context.paired("phone").device;
    context.advance(Duration::from_secs(1));
    let two = context.paired("laptop").device;
    let access = WebAccess(&context);
    let recent = |id: &str| {
        let recent = access.recent_devices(&context.admitted, id).unwrap().unwrap();
        recent.into_iter().map(|device| device.name).collect::<Vec<_>>()
    };
    assert_eq!((recent(&one.id), recent(&two.id)), (vec!["laptop".to_owned()], vec![]));
    let revoke = |own: &str, id: &str| access.revoke_newer(&context.admitted, own, id);
    assert_eq!(revoke(&two.id, &one.id).unwrap_err().code(), Code::NotPermitted);
    assert_eq!(revoke(&two.id, "no-such").unwrap_err().code(), Code::NoSuchDevice);
    assert!(revoke(&one.id, &two.id).is_ok() && revoke(&one.id, &one.id).is_ok());
    assert!(access.devices().unwrap().is_empty());
}

/// Returns the code of a link for a guest of the agent `api`.
fn guest_code(context: &Served) -> String {
    let (name, lifetime) = ("api".parse().unwrap(), Duration::from_secs(3600));
    let link = WebAccess(context).new_link(&name, WebPermission::Watch, lifetime).unwrap();
    link.url.split_once("#pair=").expect("a code").1.to_owned()
}

#[test]
fn a_guest_is_admitted_until_its_access_expires_and_sees_no_other_device() {
    let context = Served::new();
    context.agent("api", crate::model::Status::Working);
    let guest = context.pair(&guest_code(&context), "guest").expect("the link is valid");
    context.advance(Duration::from_secs(1));
    let owner = context.paired("phone");
    let context = context.restarted();
    let access = WebAccess(&context);
    assert_eq!(context.device_with(&guest.cookie, &guest.key), Some(guest.device.id.clone()));
    let recent = |id: &str| access.recent_devices(&context.admitted, id).unwrap();
    assert!(recent(&guest.device.id).expect("it has access").is_empty(), "the newer device is not shown");
    let refused = access.revoke_newer(&context.admitted, &guest.device.id, &owner.device.id).unwrap_err();
    assert_eq!(refused.code(), Code::NotPermitted);
    context.advance(Duration::from_secs(3600));
    assert!(context.device_with(&guest.cookie, &guest.key).is_none());
    assert!(recent(&guest.device.id).is_none() && recent(&owner.device.id).is_some());
}

#[test]
fn a_guest_whose_limits_were_changed_in_the_file_is_refused() {
    let context = Served::new();
    context.agent("api", crate::model::Status::Working);
    let guest = context.pair(&guest_code(&context), "guest").expect("the link is valid");
    let has_access = || context.device_with(&guest.cookie, &guest.key).is_some();
    assert!(has_access());
    let file = context.home().join("web.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"watch\"", "\"type\"")).unwrap();
    assert!(!has_access(), "the guest may type now");
    let WebDevice { id, secret_sha256, .. } = &guest.device;
    let mut all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut unlimited = all["web"]["guests"][id].take();
    assert_eq!(unlimited["secret_sha256"], secret_sha256.as_str());
    unlimited.as_object_mut().unwrap().remove("grant");
    all["web"]["guests"].as_object_mut().unwrap().remove(id);
    all["web"]["devices"] = serde_json::json!({ id.as_str(): unlimited });
    std::fs::write(&file, all.to_string()).unwrap();
    assert_eq!(WebAccess(&context).devices().unwrap()[0].grant, None);
    assert!(!has_access(), "the guest has no limits now");
}
