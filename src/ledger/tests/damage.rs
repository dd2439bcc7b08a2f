//! Tests for files that are damaged, newer, deleted or read-only, and for a full disk.

use std::os::unix::fs::symlink;

use rustix::mount::{MountFlags, UnmountFlags, mount, mount_remount, unmount};

use super::*;
use crate::model::{Assignee, NewTask, TaskId, TaskState};

fn kept(env: &TestLedger) -> Vec<String> {
    env.files().into_iter().filter(|name| name.contains("damaged")).collect()
}

#[test]
fn file_that_is_no_ledger_is_kept_aside_and_reported() {
    for damage in ["", "not a database at all", &"x".repeat(5000), "SQLite format 3\0and then nothing"] {
        let env = TestLedger::new();
        env.ledger().note(&[plain(AgentId::fresh(), EventKind::Attached, 1)]).unwrap();
        env.ledger().checkpoint().unwrap();
        fs::write(env.file(), damage).unwrap();
        assert!(
            matches!(Ledger::open_existing(env.dir.path()), Err(LedgerError::Damaged { .. })),
            "{damage:?}"
        );
        let (ledger, notice) = Ledger::open(env.dir.path(), at(5)).unwrap();
        let name = format!("ledger.db.damaged-{}", at(5).as_second());
        assert!(notice.is_some_and(|notice| notice.contains("created again") && notice.contains(&name)));
        assert_eq!(fs::read(env.dir.path().join(&name)).unwrap(), damage.as_bytes());
        ledger.note(&[plain(AgentId::fresh(), EventKind::Hung, 1)]).unwrap();
        assert_eq!(
            event_kinds(&env.ledger().events(&EventQuery::default()).unwrap()),
            [&EventKind::Hung],
            "told once"
        );
    }
}

#[test]
fn two_damages_in_one_second_are_both_kept() {
    let env = TestLedger::new();
    for damage in ["one", "two"] {
        fs::write(env.file(), damage).unwrap();
        Ledger::open(env.dir.path(), at(5)).unwrap();
    }
    let names = kept(&env);
    let texts: Vec<_> = names
        .iter()
        .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
        .map(|name| fs::read_to_string(env.dir.path().join(name)).unwrap())
        .collect();
    assert_eq!(texts, ["one", "two"], "{names:?}");
}

#[test]
fn damage_found_during_use_is_repaired_and_reported() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let many: Vec<_> = (0..300).map(|n| turned(AgentId::fresh(), n, Status::Idle)).collect();
    ledger.note(&many).unwrap();
    ledger.checkpoint().unwrap();
    drop(ledger);
    let mut bytes = fs::read(env.file()).unwrap();
    // The part that SQLite reads when it opens a file stays intact; the rows do not.
    let half = bytes.len() / 2;
    bytes[half..].fill(0x5a);
    fs::write(env.file(), &bytes).unwrap();
    let reader = Ledger::open_existing(env.dir.path()).unwrap().unwrap();
    assert!(matches!(reader.events(&EventQuery::default()), Err(LedgerError::Damaged { .. })));
    assert_eq!(kept(&env), [""; 0], "who only reads changes nothing");
    let ledger = env.ledger();
    ledger.note(&[plain(AgentId::fresh(), EventKind::Hung, 1)]).unwrap();
    assert!(ledger.take_notice().is_some_and(|notice| notice.contains("malformed")));
    assert_eq!(ledger.take_notice(), None);
    assert_eq!(
        event_kinds(&reader.events(&EventQuery::default()).unwrap()),
        [&EventKind::Hung],
        "the reader finds the new one"
    );
}

#[test]
fn tasks_that_can_still_be_read_are_taken_over() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let agent = AgentId::fresh();
    for n in 0..40 {
        let assignee = Assignee::Agent(agent, "fix".parse().unwrap());
        let mut task = NewTask::plain(assignee, format!("task {n} {}", "x".repeat(200)), "person");
        if n == 39 {
            task.after = vec![TaskId(1), TaskId(2)];
        }
        ledger.add_task(&task, at(n)).unwrap().unwrap();
    }
    // The last task still depends on one of two tasks.
    let done = TaskTransition::plain(&[TaskState::Queued], TaskState::Done, "because");
    assert!(ledger.move_task(TaskId(1), &done, at(50)).unwrap());
    ledger.checkpoint().unwrap();
    let before = ledger.tasks(&TaskQuery::default()).unwrap();
    drop(ledger);
    let mut bytes = fs::read(env.file()).unwrap();
    // Overwrites the page in the middle of the queue.
    let middle = bytes.windows(8).position(|window| window == b"task 20 ").unwrap() / 1024 * 1024;
    bytes[middle..middle + 1024].fill(0x5a);
    fs::write(env.file(), &bytes).unwrap();
    let ledger = env.ledger();
    let after = ledger.tasks(&TaskQuery::default()).unwrap();
    assert!(after.len() > 30 && after.len() < 40, "{}", after.len());
    assert!(after.iter().all(|task| before.contains(task)));
    assert_eq!((after[0].id, after.last().unwrap().id), (before[0].id, before[39].id));
    assert_eq!(after.last().unwrap().blocked, 1);
    let notice = ledger.take_notice().unwrap();
    assert!(
        notice.contains(&format!("created again with the {} tasks that could be read", after.len())),
        "{notice}"
    );
}

#[test]
fn concurrent_repairs_keep_one_damaged_copy() {
    let env = TestLedger::new();
    fs::write(env.file(), "garbage").unwrap();
    let notice = thread::scope(|scope| {
        let all: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let (ledger, notice) = Ledger::open(env.dir.path(), at(1)).unwrap();
                    ledger.note(&[plain(AgentId::fresh(), EventKind::Hung, 1)]).unwrap();
                    usize::from(notice.is_some())
                })
            })
            .collect();
        all.into_iter().map(|handle| handle.join().unwrap()).sum::<usize>()
    });
    assert_eq!(notice, 1);
    assert_eq!(env.ledger().events(&EventQuery::default()).unwrap().len(), 8);
}

#[test]
fn a_newer_ledger_is_refused_and_not_touched() {
    let env = TestLedger::new();
    env.ledger().checkpoint().unwrap();
    let raw = Connection::open(env.file()).unwrap();
    raw.pragma_update(None, "user_version", 7).unwrap();
    drop(raw);
    let before = fs::read(env.file()).unwrap();
    for error in
        [Ledger::open(env.dir.path(), at(1)).map(drop), Ledger::open_existing(env.dir.path()).map(drop)]
    {
        assert!(matches!(error, Err(LedgerError::Newer { found: 7, known: 3, .. })), "{error:?}");
    }
    assert_eq!(fs::read(env.file()).unwrap(), before);
    assert_eq!(kept(&env), [""; 0]);
}

#[test]
fn ledger_removed_while_open_is_created_again() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    ledger.note(&[plain(AgentId::fresh(), EventKind::Attached, 1)]).unwrap();
    // Deletes only the database file: its log must not be applied to the new file.
    fs::remove_file(env.file()).unwrap();
    ledger.note(&[plain(AgentId::fresh(), EventKind::Hung, 2)]).unwrap();
    assert_eq!(event_kinds(&env.ledger().events(&EventQuery::default()).unwrap()), [&EventKind::Hung]);
    assert!(ledger.take_notice().is_some());
}

#[test]
fn a_symbolic_link_is_refused() {
    let env = TestLedger::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("precious");
    symlink(&target, env.file()).unwrap();
    Ledger::open(env.dir.path(), at(1)).unwrap_err();
    assert!(!target.exists());
}

#[test]
fn full_disk_is_reported_and_the_ledger_is_kept() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let agent = AgentId::fresh();
    ledger.note(&[plain(agent, EventKind::Attached, 1)]).unwrap();
    ledger
        .read(|connection| connection.pragma_update_and_check(None, "max_page_count", 1, |_| Ok(())))
        .unwrap();
    let many: Vec<_> = (0..500).map(|n| turned(agent, n, Status::Idle)).collect();
    assert!(matches!(ledger.note(&many), Err(LedgerError::Full { .. })));
    assert_eq!(event_kinds(&ledger.events(&EventQuery::default()).unwrap()), [&EventKind::Attached]);
    drop(ledger);
    env.ledger().note(&many).unwrap();
    assert_eq!(env.ledger().events(&EventQuery::default()).unwrap().len(), 501);
}

/// A small tmpfs that is unmounted when it is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts the file system, or returns `None` where the test may not mount.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn mounted(dir: &Path) -> Option<SmallDisk> {
        match mount("tmpfs", dir, "tmpfs", MountFlags::empty(), Some(c"size=256k,mode=0700")) {
            Ok(()) => Some(SmallDisk(dir.to_owned())),
            Err(why) => {
                eprintln!("skipped: a tmpfs cannot be mounted here: {why}");
                None
            }
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = unmount(&self.0, UnmountFlags::DETACH);
    }
}

#[test]
fn a_full_disk_is_an_error_and_damages_nothing() {
    let env = TestLedger::new();
    let Some(disk) = SmallDisk::mounted(env.dir.path()) else { return };
    let agent = AgentId::fresh();
    let ledger = env.ledger();
    let mut kept = 0;
    let error = loop {
        match ledger.note(&[turned(agent, kept, Status::Idle)]) {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, LedgerError::Full { .. }), "{error:?}");
    assert!(kept > 10, "{kept}");
    assert_eq!(ledger.events(&EventQuery::default()).unwrap().len() as u64, kept);
    drop(ledger);
    drop(disk);
}

#[test]
fn a_disk_too_full_for_a_ledger_is_an_error() {
    let env = TestLedger::new();
    let Some(disk) = SmallDisk::mounted(env.dir.path()) else { return };
    fs::write(env.dir.path().join("ballast"), vec![0; 300 << 10]).unwrap_err();
    Ledger::open(env.dir.path(), at(1)).unwrap_err();
    fs::remove_file(env.dir.path().join("ballast")).unwrap();
    env.ledger();
    drop(disk);
}

#[test]
fn a_read_only_disk_can_be_read_and_refuses_to_be_written() {
    let env = TestLedger::new();
    let Some(disk) = SmallDisk::mounted(env.dir.path()) else { return };
    env.ledger().note(&[plain(AgentId::fresh(), EventKind::Attached, 1)]).unwrap();
    mount_remount(env.dir.path(), MountFlags::RDONLY, c"size=256k,mode=0700").unwrap();
    let (ledger, _) = Ledger::open(env.dir.path(), at(1)).unwrap();
    assert_eq!(ledger.events(&EventQuery::default()).unwrap().len(), 1);
    let error = ledger.note(&[plain(AgentId::fresh(), EventKind::Hung, 1)]).unwrap_err();
    assert!(matches!(error, LedgerError::ReadOnly { .. }), "{error:?}");
    drop(ledger);
    drop(disk);
}

#[test]
fn damage_behind_the_back_of_an_open_ledger_is_found_and_repaired() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let many: Vec<_> = (0..300).map(|n| turned(AgentId::fresh(), n, Status::Idle)).collect();
    ledger.note(&many).unwrap();
    ledger.checkpoint().unwrap();
    assert_eq!(ledger.events(&EventQuery::default()).unwrap().len(), 300);
    ledger.repair_if_damaged().unwrap();
    assert_eq!((ledger.take_notice(), kept(&env).len()), (None, 0), "a valid ledger is not changed");
    let mut bytes = fs::read(env.file()).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0x5a);
    fs::write(env.file(), &bytes).unwrap();
    ledger.repair_if_damaged().unwrap();
    assert!(ledger.take_notice().is_some_and(|notice| notice.contains("created again")));
    assert!(!kept(&env).is_empty());
    ledger.note(&[plain(AgentId::fresh(), EventKind::Hung, 1)]).unwrap();
    assert_eq!(event_kinds(&env.ledger().events(&EventQuery::default()).unwrap()), [&EventKind::Hung]);
}
