//! Tests of the store through its public functions, on real files.

mod damage;
mod locks;
mod property;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use jiff::Timestamp;

use super::locks::share_locks::ShareLocks;
use super::watch::Watches;
use super::*;
use crate::model::{AgentId, AgentRecord, Conversation, Status, StatusNote, TmuxLocation};

const V1: &str = include_str!("../../tests/compat/registry-v1.json");

/// A separate state directory for each test.
struct TestStore {
    dir: tempfile::TempDir,
}

impl TestStore {
    fn new() -> TestStore {
        TestStore { dir: tempfile::tempdir().unwrap() }
    }

    fn store(&self) -> Store {
        Store::open(self.dir.path()).unwrap()
    }

    fn registry(&self) -> PathBuf {
        self.dir.path().join("agent-sessions.json")
    }

    fn backup(&self) -> PathBuf {
        self.dir.path().join("agent-sessions.json.bak")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.registry()).unwrap()
    }

    /// Returns the names in the state directory that contain the name of the registry, without the lock file.
    fn beside(&self) -> Vec<String> {
        let names =
            fs::read_dir(self.dir.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> =
            names.filter(|name| name.contains("agent-sessions") && !name.ends_with(".lock")).collect();
        names.sort();
        names
    }
}

fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

fn name(text: &str) -> AgentName {
    text.parse().unwrap()
}

fn record(text: &str) -> AgentRecord {
    AgentRecord {
        title: Some(format!("the agent {text} that looks after the login and the tests around it")),
        command: ["claude", "--model", "opus"].map(str::to_owned).to_vec(),
        project: Some("/home/user/src/api".to_owned()),
        branch: Some("main".to_owned()),
        started_at: Some(now()),
        last_activity: Some(now()),
        conversation: Conversation {
            id: Some(AgentId::fresh().to_string()),
            begun: true,
            ..Conversation::default()
        },
        status: StatusNote::new(Status::Working, now(), "its hook said so"),
        pid: Some(4242),
        tmux: Some(TmuxLocation {
            socket: "/tmp/tmux-1000/symposium".to_owned(),
            server: "1772359200:4000".to_owned(),
            session: text.to_owned(),
            pane: "%7".to_owned(),
        }),
        ..AgentRecord::new(name(text), "claude", "/home/user/src/api", now())
    }
}

fn names(records: &[AgentRecord]) -> Vec<&str> {
    records.iter().map(|record| record.name.as_str()).collect()
}

#[test]
fn stored_record_is_read_and_found() {
    let env = TestStore::new();
    let [b, a] = env.store().update(now(), |edit| ["b", "a"].map(|n| edit.put(record(n)))).unwrap();
    let store = env.store();
    assert_eq!(store.read(now()).unwrap(), [a.clone(), b]);
    assert_eq!(store.find(&name("a"), now()).unwrap(), Some(a));
    assert_eq!(store.find(&name("c"), now()).unwrap(), None);
    assert_eq!(store.take_notices(), []);
    assert_eq!(fs::metadata(env.registry()).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_fresh_home_is_empty_and_reading_writes_nothing() {
    let env = TestStore::new();
    assert_eq!(env.store().read(now()).unwrap(), []);
    assert_eq!(env.store().find(&name("a"), now()).unwrap(), None);
    assert!(env.beside().is_empty() && env.store().take_notices().is_empty());
}

#[test]
fn an_update_that_changes_nothing_writes_nothing() {
    let env = TestStore::new();
    let store = env.store();
    let a = record("a");
    store.update(now(), |edit| edit.put(a.clone())).unwrap();
    let inode = fs::metadata(env.registry()).unwrap().ino();
    store.update(now(), |edit| edit.put(a.clone())).unwrap();
    assert!(!store.update(now(), |edit| edit.remove(&name("missing"))).unwrap());
    assert_eq!(fs::metadata(env.registry()).unwrap().ino(), inode);
    assert_eq!(env.beside(), ["agent-sessions.json"]);
}

#[test]
fn an_edit_sees_its_own_changes() {
    let env = TestStore::new();
    let (a, moved) = (record("a"), record("z"));
    let seen = env.store().update(now(), |edit| {
        assert!(edit.is_empty());
        edit.put(a.clone());
        edit.put(record("b"));
        edit.rename(&name("a"), AgentRecord { name: name("c"), ..a.clone() });
        edit.rename(&name("missing"), moved.clone());
        assert!(edit.contains(&name("c")) && !edit.contains(&name("a")));
        assert_eq!(edit.get(&name("c")).unwrap().unwrap().id, a.id);
        assert_eq!(edit.get(&name("a")).unwrap(), None);
        assert!(edit.remove(&name("b")) && !edit.remove(&name("b")));
        assert_eq!(edit.len(), edit.all().unwrap().len());
        edit.names().map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!(seen.unwrap(), ["c", "z"]);
    assert_eq!(names(&env.store().read(now()).unwrap()), ["c", "z"]);
}

#[test]
fn the_backup_is_the_registry_before_the_last_change() {
    let env = TestStore::new();
    let store = env.store();
    let mut before = None;
    for n in ["a", "b", "c"] {
        store.update(now(), |edit| edit.put(record(n))).unwrap();
        assert_eq!(fs::read_to_string(env.backup()).ok(), before);
        before = Some(env.text());
    }
}

#[test]
fn files_of_killed_writers_are_removed() {
    let env = TestStore::new();
    let store = env.store();
    store.update(now(), |edit| edit.put(record("a"))).unwrap();
    // The state after a process died between the backup and the rename.
    fs::hard_link(env.registry(), env.backup()).unwrap();
    fs::write(env.dir.path().join(".agent-sessions.json.tmp-x1"), "{").unwrap();
    fs::write(env.dir.path().join(".other.tmp-x1"), "").unwrap();
    store.update(now(), |edit| edit.put(record("b"))).unwrap();
    assert_eq!(env.beside(), ["agent-sessions.json", "agent-sessions.json.bak"]);
    assert!(env.dir.path().join(".other.tmp-x1").exists());
}

#[test]
fn a_current_registry_is_read_completely() {
    let env = TestStore::new();
    fs::write(env.registry(), V1).unwrap();
    let store = env.store();
    let records = store.read(now()).unwrap();
    assert_eq!(names(&records), ["api-fix", "lead"]);
    let notices = store.take_notices();
    assert_eq!(notices.len(), 1);
    assert!(
        notices[0].what.starts_with("entry `of-tomorrow` of the registry cannot be read: unknown variant")
    );
    assert_eq!(store.find(&name("api-fix"), now()).unwrap().as_ref(), Some(&records[0]));
    assert!(matches!(store.find(&name("of-tomorrow"), now()), Err(StoreError::Entry { .. })));
    assert_eq!(records[0].restart.count, 2);
    assert_eq!(records[0].renamed_from, Some(name("api")));
}

#[test]
fn fields_of_a_newer_version_survive_an_update() {
    let env = TestStore::new();
    fs::write(env.registry(), V1).unwrap();
    let store = env.store();
    store
        .update(now(), |edit| {
            let mut record = edit.get(&name("api-fix")).unwrap().unwrap();
            record.status = StatusNote::new(Status::Idle, now(), "silent");
            record.pid = None;
            edit.put(record);
            assert!(edit.contains(&name("of-tomorrow")));
        })
        .unwrap();
    let expected = V1
        .replace(
            r#""status":"waiting","waiting_for":"approval","since":"2026-03-01T11:30:00Z""#,
            r#""status":"idle","waiting_for":null,"since":"2026-03-01T12:00:00Z""#,
        )
        .replace("asks to run `cargo test`", "silent")
        .replace(r#""pid":4242"#, r#""pid":null"#);
    let (mut expected, text): (serde_json::Value, serde_json::Value) =
        (serde_json::from_str(&expected).unwrap(), serde_json::from_str(&env.text()).unwrap());
    let entry = &mut expected["sessions"]["api-fix"];
    for (field, value) in [
        ("before_start", ().into()),
        ("changes", 1.into()),
        ("cut_off", ().into()),
        ("conversations", vec![(); 0].into()),
        ("directory_gone", ().into()),
        ("heartbeat", ().into()),
        ("last_detached", ().into()),
        ("group", ().into()),
        ("params", vec![(); 0].into()),
        ("prompt", ().into()),
        ("restarts", vec![(); 0].into()),
    ] {
        entry[field] = value;
    }
    entry["status"]["question"] = ().into();
    entry["status"]["failure"] = ().into();
    for time in [
        "/created_at",
        "/started_at",
        "/last_attached",
        "/last_activity",
        "/status/since",
        "/restart/next_at",
    ] {
        if let Some(value) = entry.pointer_mut(time)
            && let Some(time) = value.as_str().map(|text| text.parse::<Timestamp>().unwrap())
        {
            *value = format!("{time:.3}").into();
        }
    }
    assert_eq!(text, expected);
}

#[test]
fn each_change_of_a_status_has_the_next_number() {
    let env = TestStore::new();
    let store = env.store();
    let put = |status, reason: &str| {
        let record = AgentRecord { status: StatusNote::new(status, now(), reason), ..record("a") };
        let id = store.find(&record.name, now()).unwrap().map_or(record.id, |former| former.id);
        store
            .update(now(), |edit| {
                let written = edit.put(AgentRecord { id, ..record });
                (written.changes, edit.moves().len())
            })
            .unwrap()
    };
    assert_eq!(put(Status::Starting, "new"), (1, 1));
    assert_eq!(put(Status::Working, "busy"), (2, 1));
    assert_eq!(put(Status::Working, "busy"), (2, 0));
    assert_eq!(put(Status::Waiting, "may I?"), (3, 1));
}

#[test]
fn a_rename_takes_unknown_fields_along_and_a_new_agent_inherits_none() {
    let env = TestStore::new();
    fs::write(env.registry(), V1).unwrap();
    env.store()
        .update(now(), |edit| {
            let record = edit.get(&name("api-fix")).unwrap().unwrap();
            edit.rename(&name("api-fix"), AgentRecord { name: name("web"), ..record });
        })
        .unwrap();
    assert!(env.text().contains(r#""budget":{"usd":12345678901234567890.10}"#));
    env.store().update(now(), |edit| edit.put(record("web"))).unwrap();
    assert!(!env.text().contains("budget"));
    assert!(env.text().contains("\"shards\":[1, 2]"));
}

#[test]
fn a_registry_laid_out_by_hand_gives_the_same_answers() {
    let env = TestStore::new();
    fs::write(env.registry(), V1).unwrap();
    let expected = env.store().read(now()).unwrap();
    let pretty =
        serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(V1).unwrap()).unwrap();
    let ragged = V1.replace(",\"", ",\n\"").replace("{\"", "{\n\"");
    for text in [pretty, ragged] {
        fs::write(env.registry(), text).unwrap();
        let store = env.store();
        assert_eq!(store.read(now()).unwrap(), expected);
        assert_eq!(store.find(&name("lead"), now()).unwrap().as_ref(), Some(&expected[1]));
        assert_eq!(store.find(&name("conversation"), now()).unwrap(), None);
    }
}

#[test]
fn the_key_of_an_entry_is_the_name_of_the_agent() {
    let env = TestStore::new();
    fs::write(env.registry(), V1.replace("\"lead\":{", "\"boss\":{").replace("\"api-fix\":{", "\"../x\":{"))
        .unwrap();
    let store = env.store();
    assert_eq!(names(&store.read(now()).unwrap()), ["boss"]);
    assert_eq!(store.take_notices().len(), 2);
    assert_eq!(store.find(&name("boss"), now()).unwrap().unwrap().name, name("boss"));
    assert_eq!(store.find(&name("lead"), now()).unwrap(), None);
}

#[test]
fn a_write_that_fails_leaves_the_registry_as_it_was() {
    let env = TestStore::new();
    let store = env.store();
    store.update(now(), |edit| edit.put(record("a"))).unwrap();
    let before = env.text();
    // A directory that cannot be replaced by a file simulates a disk that becomes full at a late step.
    fs::create_dir_all(env.backup().join("in the way")).unwrap();
    let failed = store.update(now(), |edit| edit.put(record("b")));
    assert!(matches!(failed, Err(StoreError::Write { .. })), "{failed:?}");
    assert_eq!(env.text(), before);
    assert_eq!(env.beside(), ["agent-sessions.json", "agent-sessions.json.bak"]);
}

#[test]
fn changes_of_other_writers_are_seen_despite_the_cache() {
    let env = TestStore::new();
    let (first, second) = (env.store(), env.store());
    let names =
        |store: &Store| store.read(now()).unwrap().into_iter().map(|record| record.name).collect::<Vec<_>>();
    for round in 0..50 {
        let (mine, theirs) = (format!("one-{round}"), format!("two-{round}"));
        assert!(first.find(&name(&theirs), now()).unwrap().is_none());
        second.update(now(), |edit| edit.put(record(&theirs))).unwrap();
        assert!(first.find(&name(&theirs), now()).unwrap().is_some());
        first.update(now(), |edit| edit.put(record(&mine))).unwrap();
        assert!(second.find(&name(&mine), now()).unwrap().is_some());
        assert_eq!(names(&first), names(&second));
        assert_eq!(names(&first).len(), 2 * (round + 1));
    }
    // The same as an editor that writes the file in place.
    fs::write(env.registry(), env.text().replace("one-0", "uno-0")).unwrap();
    assert!(first.find(&name("uno-0"), now()).unwrap().is_some());
    assert_eq!(first.live_at_most(100).unwrap(), Some(true));
    assert_eq!(first.live_at_most(99).unwrap(), Some(false));
}

#[test]
fn a_changed_share_wakes_the_watchers_of_the_registry() {
    let test = TestStore::new();
    let store = test.store();
    store.update(now(), |_| ()).unwrap();
    fs::write(test.registry(), "{\"format\":1,\"sessions\":{}}").unwrap();
    let (sender, changes) = std::sync::mpsc::channel();
    let _watch = Watches(&store)
        .on_change(&["agent-sessions.json"], move || sender.send(()).unwrap_or_default())
        .unwrap();
    ShareLocks(&store).announce();
    changes.recv_timeout(std::time::Duration::from_secs(10)).expect("the watch is woken");
    assert_eq!(test.text(), "{\"format\":1,\"sessions\":{}}", "the content stays");
}
