//! Tests with many writers, and for the locks between them.

use std::thread;
use std::time::Instant;

use super::super::locks::agent_locks::AgentLocks;
use super::*;
use crate::store::registry::schema::{self, Parsed};

/// A timeout that is long enough to cause a wait and short enough for a test.
const SHORT_TIMEOUT: Duration = Duration::from_millis(40);

/// Returns when the kernel lists a waiter, `->`, for the lock on this file.
fn wait_for_waiter(path: &Path) {
    let inode = format!(":{} ", fs::metadata(path).unwrap().ino());
    let deadline = Instant::now() + Duration::from_secs(10);
    while !fs::read_to_string("/proc/locks").unwrap().lines().any(|l| l.contains("->") && l.contains(&inode))
    {
        assert!(Instant::now() < deadline, "no process waits for {path:?}");
        thread::yield_now();
    }
}

#[test]
fn many_writers_lose_nothing() {
    let env = TestStore::new();
    thread::scope(|scope| {
        for writer in 0..8 {
            let env = &env;
            scope.spawn(move || {
                let store = env.store();
                for n in 0..25 {
                    store.update(now(), |edit| edit.put(record(&format!("w{writer}-{n}")))).unwrap();
                    assert!(store.read(now()).unwrap().len() > n);
                }
                assert!(store.take_notices().is_empty());
            });
        }
    });
    assert_eq!(env.store().read(now()).unwrap().len(), 200);
    match schema::parse(&fs::read(env.backup()).unwrap()) {
        Parsed::Current(backup) => assert_eq!(backup.entries.len(), 199),
        other => panic!("{other:?}"),
    }
    assert_eq!(env.beside(), ["agent-sessions.json", "agent-sessions.json.bak"]);
}

#[test]
fn locked_registry_is_reported_within_the_timeout() {
    let env = TestStore::new();
    let store = Store { queue: SHORT_TIMEOUT, ..env.store() };
    let held = store.lock().unwrap();
    match store.update(now(), |edit| edit.put(record("a"))) {
        Err(StoreError::LockTimeout { waited, .. }) => assert_eq!(waited, SHORT_TIMEOUT),
        other => panic!("{other:?}"),
    }
    assert_eq!(store.read(now()).unwrap(), []);
    drop(held);
    store.update(now(), |edit| edit.put(record("a"))).unwrap();
}

#[test]
fn a_waiting_writer_continues_when_the_lock_is_released() {
    let env = TestStore::new();
    let store = env.store();
    let held = store.lock().unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| env.store().update(now(), |edit| edit.put(record("a"))));
        wait_for_waiter(&store.home().join("agent-sessions.json.lock"));
        drop(held);
        waiting.join().unwrap().unwrap();
    });
    assert_eq!(store.read(now()).unwrap().len(), 1);
}

#[test]
fn lock_error_names_the_process_that_holds_the_agent() {
    let env = TestStore::new();
    let store = Store { lock_timeout: SHORT_TIMEOUT, ..env.store() };
    let a = name("a");
    let held = AgentLocks(&store).lock(&a, "starting it").unwrap();
    assert!(AgentLocks(&store).try_lock(&a, "killing it").unwrap().is_none());
    assert!(AgentLocks(&store).try_lock(&name("b"), "killing it").unwrap().is_some());
    match AgentLocks(&store).lock(&a, "killing it") {
        Err(StoreError::AgentBusy { name, pid, doing }) => {
            assert_eq!((name, pid), (a.clone(), i32::try_from(std::process::id()).ok()));
            assert_eq!(doing, "starting it");
        }
        other => panic!("{other:?}"),
    }
    drop(held);
    drop(AgentLocks(&store).lock(&a, "killing it").unwrap());
    let lock_file = store.run_dir().join("a.lock");
    assert_eq!(fs::read_to_string(&lock_file).unwrap(), "");
    assert_eq!(fs::metadata(&lock_file).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn waiter_of_a_retired_lock_gets_a_new_one() {
    let env = TestStore::new();
    let store = env.store();
    let a = name("a");
    let held = AgentLocks(&store).lock(&a, "removing it").unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| AgentLocks(&env.store()).lock(&a, "starting it"));
        wait_for_waiter(&store.run_dir().join("a.lock"));
        held.release_and_remove();
        let _new = waiting.join().unwrap().unwrap();
        assert!(AgentLocks(&store).try_lock(&a, "killing it").unwrap().is_none());
    });
    assert!(AgentLocks(&store).try_lock(&a, "killing it").unwrap().is_some());
}

#[test]
fn a_removed_run_directory_is_created_again() {
    let env = TestStore::new();
    let store = env.store();
    fs::remove_dir(store.run_dir()).unwrap();
    AgentLocks(&store).lock(&name("a"), "starting it").unwrap().release_and_remove();
    assert_eq!(fs::read_dir(store.run_dir()).unwrap().count(), 0);
}
