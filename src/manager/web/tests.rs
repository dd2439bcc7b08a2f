//! Pairing, devices and their revocation, with a clock that the tests move.

use std::time::Duration;

use crate::error::Code;
use crate::manager::testing::TestContext;
use crate::manager::web::WebAccess;
use crate::manager::web::pair::PairedDevice;
use crate::manager::web::server::WebServing;

/// A context whose page is served by this process.
fn served() -> (TestContext, WebServing) {
    let context = TestContext::new();
    let serving = WebAccess(&context).begin_serving().unwrap();
    WebAccess(&context).publish_url(&serving, "http://127.0.0.1:7717/").unwrap();
    (context, serving)
}

fn code_of(context: &TestContext) -> String {
    WebAccess(context).pairing_link().unwrap().code
}

fn paired(context: &TestContext, name: &str) -> PairedDevice {
    WebAccess(context).pair_device(&code_of(context), name).unwrap().expect("the code is valid")
}

#[test]
fn a_code_pairs_one_device_whose_secret_has_two_halves() {
    let (context, _serving) = served();
    let link = WebAccess(&context).pairing_link().unwrap();
    assert!(
        link.url.starts_with("http://127.0.0.1:7717/#pair="),
        "the code is in the fragment: {}",
        link.url
    );
    let new = WebAccess(&context).pair_device(&link.code, "phone").unwrap().expect("the code is valid");
    assert!(WebAccess(&context).pair_device(&link.code, "again").unwrap().is_none(), "a code works once");
    let found = |cookie: &str, key: &str| WebAccess(&context).device_with(cookie, key).unwrap();
    assert_eq!(found(&new.cookie, &new.key).map(|device| device.id), Some(new.device.id));
    for (cookie, key) in [(new.cookie.as_str(), ""), ("", new.key.as_str()), (&new.key, &new.cookie)] {
        assert!(found(cookie, key).is_none(), "one half is not enough");
    }
}

#[test]
fn an_expired_replaced_or_wrong_code_pairs_nothing() {
    let (context, _serving) = served();
    let replaced = code_of(&context);
    let code = code_of(&context);
    let pair = |code: &str| WebAccess(&context).pair_device(code, "phone").unwrap().is_some();
    assert!(!pair(&replaced));
    assert!(!pair(""));
    assert!(!pair(&code[1..]));
    context.advance(Duration::from_secs(601));
    assert!(!pair(&code));
    assert!(WebAccess(&context).devices().unwrap().is_empty());
}

#[test]
fn a_new_device_is_announced_with_the_command_that_revokes_it() {
    let (context, _serving) = served();
    context.agent("api", crate::model::Status::Working);
    context.attach_driver("api");
    let device = paired(&context, "phone").device;
    let expected = format!("symposium web revoke {}", device.id);
    assert!(context.sent_to_tmux(&["new device on the web page: phone", &expected]));
}

#[test]
fn no_secret_is_stored_and_names_are_one_clean_line() {
    let (context, _serving) = served();
    let new = paired(&context, "a\u{1b}[2J\nphone");
    let text = std::fs::read_to_string(context.home().join("web.json")).unwrap();
    assert!(!text.contains(&new.cookie) && !text.contains(&new.key), "{text}");
    assert!(!new.device.name.contains(['\u{1b}', '\n']), "{:?}", new.device.name);
}

#[test]
fn a_revoked_device_is_unknown_at_once() {
    let (context, _serving) = served();
    let (one, two) = (paired(&context, "phone"), paired(&context, "laptop"));
    let access = WebAccess(&context);
    assert_eq!(access.revoke("no such").unwrap_err().code(), Code::NoSuchDevice);
    access.revoke("phone").unwrap();
    assert!(access.device_with(&one.cookie, &one.key).unwrap().is_none());
    assert!(!access.has_device(&one.device.id));
    access.revoke(&two.device.id).unwrap();
    assert!(access.device_with(&two.cookie, &two.key).unwrap().is_none());
}

#[test]
fn the_last_use_of_a_device_is_noted_once_a_minute() {
    let (context, _serving) = served();
    let new = paired(&context, "phone");
    let last = || WebAccess(&context).devices().unwrap()[0].last_used;
    let request = || WebAccess(&context).device_with(&new.cookie, &new.key).unwrap();
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
    let (context, _serving) = served();
    context.agent("api", crate::model::Status::Working);
    assert!(WebAccess(&context).devices().is_ok());
    context.edit("api", |record| record.pid = i32::try_from(std::process::id()).ok());
    let error = WebAccess(&context).devices().unwrap_err();
    assert_eq!(error.to_string(), "agent `api` may not list the devices of the web page");
}

#[test]
fn pairing_needs_a_running_server() {
    let context = TestContext::new();
    assert_eq!(WebAccess(&context).pairing_link().unwrap_err().code(), Code::WebNotRunning);
    let (context, serving) = served();
    assert_eq!(WebAccess(&context).begin_serving().unwrap_err().code(), Code::WebRunning);
    drop(serving);
    assert_eq!(WebAccess(&context).pairing_link().unwrap_err().code(), Code::WebNotRunning);
}
