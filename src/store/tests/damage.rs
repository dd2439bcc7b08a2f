//! Tests with registries that were truncated, overwritten, lost, or written by another version of symposium.

use std::os::unix::fs::symlink;

use super::*;

const V0: &str = include_str!("../../../tests/compat/registry-v0.json");

/// Creates a state directory with `a` and `b` in registry and backup, and `c` in the registry and in its instance
/// directory.
fn lived_in() -> TestStore {
    let env = TestStore::new();
    let store = env.store();
    store.update(now(), |edit| ["a", "b"].map(|n| edit.put(record(n)))).unwrap();
    let c = record("c");
    store.instance(&c.name).create().unwrap();
    store.instance(&c.name).write_spec(&serde_json::json!({ "record": c, "spec": {} })).unwrap();
    store.update(now(), |edit| edit.put(c)).unwrap();
    env
}

#[test]
fn a_damaged_registry_is_kept_aside_and_rebuilt() {
    for bad in
        [&b""[..], b"{\"format\":1,\"sess", b"garbage", b"\xff\xfe", b"[]", b"\0\0\0\0", b"{\"format\":1}"]
    {
        let env = lived_in();
        fs::write(env.registry(), bad).unwrap();
        let store = env.store();
        let records = store.read(now()).unwrap();
        assert_eq!(names(&records), ["a", "b", "c"]);
        assert_eq!(
            records[2].status,
            StatusNote::new(Status::Lost, now(), "rebuilt from its instance directory")
        );
        let aside = env.dir.path().join("agent-sessions.json.bad-20260301T120000Z");
        let notices = store.take_notices();
        assert_eq!(notices.len(), 1);
        assert!(
            notices[0]
                .what
                .ends_with("agents restored from its backup: 2, rebuilt from their directories: 1")
        );
        assert_eq!(notices[0].kept.as_ref(), Some(&aside));
        assert_eq!(fs::read(aside).unwrap(), bad);
        assert_eq!(env.store().read(now()).unwrap(), records);
        assert!(store.take_notices().is_empty());
    }
}

#[test]
fn every_store_operation_repairs_the_registry() {
    for operation in ["read", "find", "update"] {
        let env = lived_in();
        fs::write(env.registry(), "{").unwrap();
        let store = env.store();
        match operation {
            "read" => assert_eq!(store.read(now()).unwrap().len(), 3),
            "find" => assert!(store.find(&name("a"), now()).unwrap().is_some()),
            _ => assert_eq!(store.update(now(), |edit| edit.len()).unwrap(), 3),
        }
        assert_eq!(store.take_notices().len(), 1, "{operation}");
    }
}

#[test]
fn an_older_damaged_file_is_never_overwritten() {
    let env = lived_in();
    for bad in ["one", "two", "three"] {
        fs::write(env.registry(), bad).unwrap();
        env.store().read(now()).unwrap();
    }
    for (end, text) in [("", "one"), ("-2", "two"), ("-3", "three")] {
        let path = env.dir.path().join(format!("agent-sessions.json.bad-20260301T120000Z{end}"));
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }
}

#[test]
fn a_missing_registry_is_rebuilt_when_there_was_one() {
    let env = lived_in();
    fs::remove_file(env.registry()).unwrap();
    let store = env.store();
    assert_eq!(names(&store.read(now()).unwrap()), ["a", "b", "c"]);
    assert_eq!(store.take_notices()[0].kept, None);

    fs::remove_file(env.registry()).unwrap();
    fs::remove_file(env.backup()).unwrap();
    assert_eq!(names(&store.read(now()).unwrap()), ["c"]);
    assert!(
        store.take_notices()[0].what.contains("(it is missing); agents restored from no backup: 0, rebuilt")
    );
}

#[test]
fn a_damaged_backup_is_kept_too() {
    let env = lived_in();
    fs::write(env.registry(), "{").unwrap();
    fs::write(env.backup(), "[").unwrap();
    let store = env.store();
    assert_eq!(names(&store.read(now()).unwrap()), ["c"]);
    store.update(now(), |edit| edit.put(record("d"))).unwrap();
    let aside = env.dir.path().join("agent-sessions.json.bak.bad-20260301T120000Z");
    assert_eq!(fs::read_to_string(aside).unwrap(), "[");
}

#[test]
fn a_directory_whose_name_the_backup_gives_to_another_agent_gets_a_name_of_its_own() {
    let env = lived_in();
    let store = env.store();
    let (other, broken) = (record("a"), store.instance(&name("broken")));
    let instance = store.instance(&other.name);
    instance.create().unwrap();
    instance.write_spec(&serde_json::json!({ "record": other })).unwrap();
    broken.create().unwrap();
    fs::write(broken.spec_json(), "{").unwrap();
    symlink(instance.dir(), store.home().join("instances/link")).unwrap();
    fs::write(env.registry(), "").unwrap();
    let records = store.read(now()).unwrap();
    assert_eq!(names(&records), ["a", "a-2", "b", "c"]);
    assert_eq!((records[1].id, &records[1].renamed_from), (other.id, &Some(name("a"))));
}

#[test]
fn a_newer_format_is_refused_and_not_touched() {
    for text in [r#"{"format":2,"sessions":{}}"#, r#"{"format":4,"sessions":[],"x":1}"#] {
        let env = lived_in();
        fs::write(env.registry(), text).unwrap();
        let store = env.store();
        let refused = |error| matches!(error, StoreError::NewerFormat { found: 2 | 4, known: 1, .. });
        assert!(refused(store.read(now()).unwrap_err()));
        assert!(refused(store.find(&name("a"), now()).unwrap_err()));
        assert!(refused(store.update(now(), |edit| edit.put(record("x"))).unwrap_err()));
        assert_eq!(env.text(), text);

        fs::rename(env.registry(), env.backup()).unwrap();
        assert!(refused(store.read(now()).unwrap_err()));
        assert!(!env.registry().exists());
    }
}

#[test]
fn a_registry_that_is_no_regular_file_is_refused() {
    let env = lived_in();
    let store = env.store();
    let elsewhere = env.dir.path().join("elsewhere");
    fs::rename(env.registry(), &elsewhere).unwrap();
    symlink(&elsewhere, env.registry()).unwrap();
    assert!(matches!(store.read(now()), Err(StoreError::Symlink { .. })));
    assert!(matches!(store.update(now(), |edit| edit.put(record("x"))), Err(StoreError::Symlink { .. })));
    assert!(fs::symlink_metadata(env.registry()).unwrap().is_symlink());

    fs::remove_file(env.registry()).unwrap();
    fs::create_dir(env.registry()).unwrap();
    assert!(matches!(store.read(now()), Err(StoreError::NotAFile { .. })));

    fs::remove_dir(env.registry()).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(env.registry()).unwrap();
    assert!(matches!(store.read(now()), Err(StoreError::NotAFile { .. })));
    drop(socket);
}

#[test]
fn failed_repair_reports_the_damage() {
    let env = lived_in();
    let store = env.store();
    fs::write(env.registry(), "{").unwrap();
    fs::remove_file(store.home().join("agent-sessions.json.lock")).unwrap();
    // A dangling link cannot be opened as a lock file, like any lock file in a read-only directory.
    symlink("/nowhere", store.home().join("agent-sessions.json.lock")).unwrap();
    match store.read(now()) {
        Err(StoreError::CannotRepair { damage, source, .. }) => {
            assert!(damage.contains("EOF"), "{damage}");
            assert!(matches!(*source, StoreError::Write { .. }));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(env.text(), "{");
}

#[test]
fn the_older_public_format_is_migrated_and_kept() {
    for operation in ["read", "update"] {
        let env = TestStore::new();
        fs::write(env.registry(), V0).unwrap();
        fs::write(env.dir.path().join("agent-sessions.json.v0"), "an older one").unwrap();
        let store = env.store();
        match operation {
            "read" => assert_eq!(store.read(now()).unwrap().len(), 4),
            _ => assert_eq!(store.update(now(), |edit| edit.len()).unwrap(), 4),
        }
        let kept = env.dir.path().join("agent-sessions.json.v0-2");
        let what = "the registry of an older symposium was migrated; agents in it: 4; not readable in it: not-an-agent";
        assert_eq!(store.take_notices(), [StoreNotice { what: what.to_owned(), kept: Some(kept.clone()) }]);
        assert_eq!(fs::read_to_string(kept).unwrap(), V0);
        assert!(env.text().starts_with("{\"format\":1,"));
        assert_eq!(env.store().find(&name("review"), now()).unwrap().unwrap().status.status, Status::Stopped);
    }
}
