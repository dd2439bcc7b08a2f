//! Tests of the file with the devices of the web page.

use std::os::unix::fs::PermissionsExt;

use super::*;

fn device(id: &str) -> WebDevice {
    let at = "2026-01-01T00:00:00Z".parse().unwrap();
    WebDevice {
        id: id.into(),
        name: "phone".into(),
        secret_sha256: "aa".into(),
        paired_at: at,
        last_used: at,
        grant: None,
    }
}

#[test]
fn devices_are_stored_and_removed_in_a_private_file() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(WebStore(&store).devices().unwrap(), []);
    WebStore(&store).update(|edit| ["a", "b"].iter().for_each(|id| edit.put_device(&device(id)))).unwrap();
    assert_eq!(WebStore(&store).devices().unwrap(), [device("a"), device("b")]);
    let mode = std::fs::metadata(dir.path().join(FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    WebStore(&store).update(|edit| edit.remove_device("a")).unwrap();
    assert_eq!(WebStore(&store).devices().unwrap(), [device("b")]);
}

#[test]
fn a_pairing_code_is_replaced_and_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let code = PairingCode { sha256: "cc".into(), expires_at: "2026-01-01T00:00:00Z".parse().unwrap() };
    WebStore(&store).update(|edit| edit.set_pairing(Some(&code))).unwrap();
    assert_eq!(WebStore(&store).update(|edit| edit.pairing()).unwrap(), Some(code));
    WebStore(&store).update(|edit| edit.set_pairing(None)).unwrap();
    assert_eq!(WebStore(&store).update(|edit| edit.pairing()).unwrap(), None);
}

#[test]
fn an_unreadable_file_admits_no_device_and_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    for text in ["{", "{\"format\":2,\"web\":{}}"] {
        std::fs::write(dir.path().join(FILE), text).unwrap();
        assert!(WebStore(&store).devices().is_err());
        assert!(WebStore(&store).update(|edit| edit.put_device(&device("a"))).is_err());
        assert_eq!(std::fs::read_to_string(dir.path().join(FILE)).unwrap(), text);
    }
}

#[test]
fn guests_are_unknown_to_versions_without_limits() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let grant = crate::model::DeviceGrant {
        agent: "api".parse().unwrap(),
        agent_id: crate::model::AgentId::fresh(),
        permission: crate::model::WebPermission::Watch,
        expires_at: "2026-01-01T00:00:00Z".parse().unwrap(),
    };
    let guest = WebDevice { grant: Some(grant), ..device("g") };
    WebStore(&store).update(|edit| edit.put_device(&guest)).unwrap();
    assert_eq!(WebStore(&store).devices().unwrap(), [guest]);
    let path = dir.path().join(FILE);
    let mut file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(file["web"]["devices"], Value::Null);
    file["web"]["guests"]["g"].as_object_mut().unwrap().remove("grant");
    std::fs::write(&path, file.to_string()).unwrap();
    assert_eq!(WebStore(&store).devices().unwrap(), [], "a guest without limits is not admitted");
}

#[test]
fn only_one_server_runs() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(WebStore(&store).server(), None);
    let lock = WebStore(&store).lock_server().unwrap();
    assert!(lock.is_some());
    assert_eq!(WebStore(&store).server(), i32::try_from(std::process::id()).ok());
    assert!(WebStore(&store).lock_server().unwrap().is_none());
    drop(lock);
    assert_eq!(WebStore(&store).server(), None);
}
