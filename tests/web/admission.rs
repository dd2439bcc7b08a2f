//! Devices that the server did not pair itself, and what the other devices are told about a new one.

use std::fs;

use serde_json::{Value, json};

use super::{Device, Server};
use crate::support::TestEnv;

/// SHA-256 of `forged.forged`.
const FORGED_SUM: &str = "e6526e6bcdb513c4fb13d398eecf5ede459ca3db4f6b1bb0b2473690cd54fe0a";

/// Writes a device whose halves are both `forged` into `web.json`, as a process of an agent could do.
fn forge(env: &TestEnv) {
    let file = env.state().join("web.json");
    let mut all: Value = serde_json::from_str(&fs::read_to_string(&file).expect("a file")).expect("JSON");
    all["web"]["devices"]["forged"] = json!({
        "id": "forged",
        "name": "forged",
        "secret_sha256": FORGED_SUM,
        "paired_at": "2026-01-01T00:00:00Z",
        "last_used": "2026-01-01T00:00:00Z",
    });
    let unfinished = env.root().join("web.json");
    fs::write(&unfinished, all.to_string()).expect("writing a copy");
    fs::rename(unfinished, file).expect("replacing the file");
}

/// Returns a device as it presents itself to a server, whose port is in the name of the cookie.
fn device_on(server: &Server, cookie: &str, key: &str) -> Device {
    let port = server.host.rsplit_once(':').expect("a port").1;
    Device { id: String::new(), cookie: format!("symposium-device-{port}={cookie}"), key: key.into() }
}

/// Makes notices write their JSON to a file, and returns its path.
fn collected_notices(env: &TestEnv) -> std::path::PathBuf {
    let received = env.root().join("notices");
    let command = env.fake_program("notice", &format!("cat >> '{}'", received.display()));
    env.symposium(["agent", "list"]).ok();
    fs::write(env.state().join("config.toml"), format!("[notify]\ncommand = [\"{}\"]\n", command.display()))
        .expect("writing the configuration");
    received
}

#[test]
fn a_device_that_was_written_into_the_file_is_refused_and_reported() {
    let env = TestEnv::new();
    let received = collected_notices(&env);
    let server = Server::start(&env);
    let phone = server.paired(&env, "phone");
    forge(&env);
    let device = device_on(&server, "forged", "forged");
    assert_eq!(server.send(&server.get(&device, "/api/agents")).code(), "device");
    assert_eq!(server.send(&server.get(&phone, "/api/agents")).status, 200);
    env.wait_until("the owner is notified", || {
        fs::read_to_string(&received).is_ok_and(|text| text.contains("symposium web revoke forged"))
    });
}

#[test]
fn a_device_that_was_written_while_no_server_ran_is_refused_at_the_next_start() {
    let env = TestEnv::new();
    let received = collected_notices(&env);
    let server = Server::start(&env);
    let phone = server.paired(&env, "phone");
    drop(server);
    forge(&env);
    let server = Server::start(&env);
    let forged = device_on(&server, "forged", "forged");
    assert_eq!(server.send(&server.get(&forged, "/api/agents")).code(), "device");
    let known = device_on(&server, phone.cookie.split_once('=').expect("a cookie").1, &phone.key);
    assert_eq!(server.send(&server.get(&known, "/api/agents")).status, 200, "it was paired before");
    env.wait_until("the owner is notified", || {
        fs::read_to_string(&received).is_ok_and(|text| text.contains("symposium web revoke forged"))
    });
}

#[test]
fn other_devices_are_told_about_a_new_one_and_can_revoke_it() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let phone = server.paired(&env, "phone");
    let mut stream = server.stream(&phone, "/api/events");
    let laptop = server.paired(&env, "laptop");
    let told = stream.until("devices", |devices| devices[0]["id"] == laptop.id.as_str());
    assert_eq!(told[0]["name"], "laptop");
    assert!(told[0]["paired_at"].is_string() && told[0]["secret_sha256"].is_null(), "{told}");
    let revoke = |device: &Device, other: &Device| {
        server.send(&server.post(device, &format!("/api/devices/{}/revoke", other.id), &json!({})))
    };
    let refused = revoke(&laptop, &phone);
    assert_eq!((refused.status, refused.code().as_str()), (403, "out-of-place"));
    assert_eq!(revoke(&phone, &laptop).status, 200);
    assert_eq!(server.send(&server.get(&laptop, "/api/agents")).code(), "device");
    assert_eq!(server.send(&server.get(&phone, "/api/agents")).status, 200);
    stream.until("devices", |devices| devices == &json!([]));
}
