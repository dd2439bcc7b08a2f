//! Tests of the ledger through its public functions, on real files.

mod announced;
mod damage;
mod killed;
mod mail;
mod property;
mod tasks;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::thread;

use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::model::{AgentId, EventKind, Exit, LedgerEvent, Status, WaitingFor};

/// A separate state directory for each test.
struct TestLedger {
    dir: tempfile::TempDir,
}

impl TestLedger {
    fn new() -> TestLedger {
        TestLedger { dir: tempfile::tempdir().unwrap() }
    }

    /// Opens the ledger and asserts that there was no notice about damage.
    #[track_caller]
    fn ledger(&self) -> Ledger {
        let (ledger, notice) = Ledger::open(self.dir.path(), at(0)).unwrap();
        assert_eq!(notice, None);
        ledger
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("ledger.db")
    }

    fn files(&self) -> Vec<String> {
        let files = fs::read_dir(self.dir.path()).unwrap().flatten();
        let mut names: Vec<_> = files.map(|file| file.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Returns the time this many seconds after a fixed point.
fn at(seconds: i64) -> Timestamp {
    "2026-03-01T12:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_secs(seconds)
}

fn plain(agent: AgentId, what: EventKind, seconds: i64) -> LedgerEvent {
    LedgerEvent { at: at(seconds), agent, name: "fix".parse().unwrap(), what, why: "it was told to".into() }
}

fn turned(agent: AgentId, seq: u64, to: Status) -> LedgerEvent {
    let what = EventKind::Status { seq, from: Some(Status::Working), to, waiting_for: None, exit: None };
    plain(agent, what, i64::try_from(seq).unwrap())
}

fn event_kinds(found: &[(i64, LedgerEvent)]) -> Vec<&EventKind> {
    found.iter().map(|(_, event)| &event.what).collect()
}

#[test]
fn stored_events_are_returned_in_order_and_unchanged() {
    let env = TestLedger::new();
    let agent = AgentId::fresh();
    let waiting = EventKind::Status {
        seq: 2,
        from: None,
        to: Status::Waiting,
        waiting_for: Some(WaitingFor::Approval),
        exit: None,
    };
    let crashed = EventKind::Status {
        seq: 3,
        from: Some(Status::Waiting),
        to: Status::Crashed,
        waiting_for: None,
        exit: Some(Exit { code: None, signal: Some(9) }),
    };
    let happened = [EventKind::Attached, waiting, crashed, EventKind::GaveUp, EventKind::Removed]
        .map(|what| plain(agent, what, 7));
    env.ledger().note(&happened).unwrap();
    let found = env.ledger().events(&EventQuery::default()).unwrap();
    assert_eq!(found.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(found.into_iter().map(|(_, event)| event).collect::<Vec<_>>(), happened);
    assert_eq!(env.ledger().last_id().unwrap(), 5);
}

#[test]
fn a_query_returns_matching_events_only() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let (first, other) = (AgentId::fresh(), AgentId::fresh());
    for n in 1..=6 {
        ledger.note(&[turned(if n % 2 == 0 { first } else { other }, n, Status::Idle)]).unwrap();
    }
    let ids = |query: EventQuery| -> Vec<i64> {
        ledger.events(&query).unwrap().into_iter().map(|(id, _)| id).collect()
    };
    let all = EventQuery::default();
    assert_eq!(ids(EventQuery { agent: Some(first), ..all.clone() }), [2, 4, 6]);
    assert_eq!(ids(EventQuery { since: Some(at(4)), ..all.clone() }), [4, 5, 6]);
    assert_eq!(ids(EventQuery { after: Some(3), limit: 2, ..all.clone() }), [4, 5]);
    assert_eq!(ids(EventQuery { agent: Some(other), since: Some(at(3)), after: Some(3), limit: 9 }), [5]);
    assert_eq!(ids(EventQuery { limit: 0, ..all.clone() }), [0; 0]);
    assert_eq!(ids(EventQuery { agent: Some(AgentId::fresh()), ..all }), [0; 0]);
}

#[test]
fn rewritten_event_replaces_the_former_one_under_a_new_number() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let agent = AgentId::fresh();
    ledger.note(&[turned(agent, 1, Status::Idle), turned(agent, 2, Status::Crashed)]).unwrap();
    ledger.set_cursor("notify", 2).unwrap();
    ledger.note(&[turned(agent, 2, Status::Exited), turned(AgentId::fresh(), 2, Status::Idle)]).unwrap();
    let found = ledger.events(&EventQuery { agent: Some(agent), ..EventQuery::default() }).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(
        found[1],
        (3, turned(agent, 2, Status::Exited)),
        "a reader that passed the former event sees it"
    );
    // Events other than status changes may repeat.
    ledger.note(&[plain(agent, EventKind::Prompted, 9), plain(agent, EventKind::Prompted, 9)]).unwrap();
    assert_eq!(ledger.events(&EventQuery::default()).unwrap().len(), 5);
}

#[test]
fn a_reader_continues_at_its_cursor() {
    let env = TestLedger::new();
    assert_eq!(env.ledger().cursor("notify").unwrap(), 0);
    env.ledger().set_cursor("notify", 7).unwrap();
    env.ledger().set_cursor("other", 9).unwrap();
    env.ledger().set_cursor("notify", 8).unwrap();
    assert_eq!((env.ledger().cursor("notify").unwrap(), env.ledger().cursor("other").unwrap()), (8, 9));
}

#[test]
fn old_events_are_deleted_but_stay_counted() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let agent = AgentId::fresh();
    let many: Vec<_> = (0..5000).map(|n| turned(agent, n, Status::Idle)).collect();
    ledger.note(&many).unwrap();
    ledger.note(&[plain(agent, EventKind::Restarted, 1), plain(agent, EventKind::Heartbeat, 1)]).unwrap();
    let before = ledger.event_counters().unwrap();
    assert_eq!((before.transitions[&Status::Idle], before.restarts, before.heartbeats), (5000, 1, 1));
    ledger.set_cursor("slow", 100).unwrap();
    ledger.set_cursor("fast", 5002).unwrap();
    assert_eq!(ledger.forget_before(at(4000)).unwrap(), 100, "the slow reader has not seen more");
    ledger.set_cursor("slow", 5002).unwrap();
    assert_eq!(ledger.forget_before(at(4000)).unwrap(), 3902);
    assert_eq!(ledger.events(&EventQuery::default()).unwrap().len(), 1000);
    assert_eq!(ledger.forget_before(at(100_000)).unwrap(), 1000);
    assert_eq!(ledger.forget_before(at(100_000)).unwrap(), 0);
    assert_eq!(ledger.event_counters().unwrap(), before);
    assert_eq!(ledger.last_id().unwrap(), 5002);
    ledger.note(&[plain(agent, EventKind::Attached, 1)]).unwrap();
    assert_eq!(ledger.events(&EventQuery::default()).unwrap()[0].0, 5003, "a number is never given twice");
}

#[test]
fn rows_of_a_newer_version_are_skipped() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let agent = AgentId::fresh();
    ledger.note(&[plain(agent, EventKind::Attached, 1)]).unwrap();
    let raw = Connection::open(env.file()).unwrap();
    for (what, to, waiting_for) in [("teleported", None, None), ("status", Some("dreaming"), None)]
        .into_iter()
        .chain([("status", Some("waiting"), Some("godot"))])
    {
        raw.execute(
            "INSERT INTO happenings (at, agent, name, what, seq, to_status, waiting_for, why)
             VALUES (1, ?1, 'a', ?2, NULL, ?3, ?4, '')",
            (agent.0.as_bytes(), what, to, waiting_for),
        )
        .unwrap();
    }
    raw.execute(
        "INSERT INTO happenings (at, agent, name, what, why) VALUES ('x', 'y', x'ff', 'hung', 3)",
        [],
    )
    .unwrap();
    ledger.note(&[plain(agent, EventKind::Detached, 2)]).unwrap();
    let found = ledger.events(&EventQuery { limit: 2, ..EventQuery::default() }).unwrap();
    assert_eq!(event_kinds(&found), [&EventKind::Attached, &EventKind::Detached]);
    ledger.event_counters().unwrap();
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let env = TestLedger::new();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let agent = AgentId::fresh();
                for n in 0..25 {
                    // Opened each time, as commands do. The first threads create the ledger at the same time.
                    let (ledger, notice) = Ledger::open(env.dir.path(), at(0)).unwrap();
                    assert_eq!(notice, None);
                    ledger
                        .note(&[turned(agent, n, Status::Idle), plain(agent, EventKind::Prompted, 1)])
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(env.ledger().events(&EventQuery::default()).unwrap().len(), 8 * 25 * 2);
    assert_eq!(env.files(), ["ledger.db", "ledger.db-shm", "ledger.db-wal", "ledger.db.lock"]);
}

#[test]
fn one_ledger_is_shared_by_threads() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| ledger.note(&[plain(AgentId::fresh(), EventKind::Hung, 1)]).unwrap());
        }
    });
    assert_eq!(ledger.events(&EventQuery::default()).unwrap().len(), 4);
}

#[test]
fn private_files_are_readable_by_their_owner_only() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    ledger.note(&[plain(AgentId::fresh(), EventKind::Attached, 1)]).unwrap();
    for file in ["ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db.lock"] {
        let mode = fs::metadata(env.dir.path().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[test]
fn reading_a_missing_ledger_creates_nothing() {
    let env = TestLedger::new();
    assert!(Ledger::open_existing(env.dir.path()).unwrap().is_none());
    assert!(Ledger::open_existing(&env.dir.path().join("nowhere")).unwrap().is_none());
    assert_eq!(env.files(), [""; 0]);
    env.ledger().note(&[plain(AgentId::fresh(), EventKind::Attached, 1)]).unwrap();
    let reader = Ledger::open_existing(env.dir.path()).unwrap().unwrap();
    assert_eq!(reader.events(&EventQuery::default()).unwrap().len(), 1);
}

#[test]
fn the_log_stays_short_though_every_command_is_a_process_of_its_own() {
    let env = TestLedger::new();
    let log = || fs::metadata(env.dir.path().join("ledger.db-wal")).map_or(0, |log| log.len());
    let agent = AgentId::fresh();
    let mut longest = 0;
    for n in 0..400 {
        env.ledger().note(&[turned(agent, n, Status::Idle)]).unwrap();
        longest = longest.max(log());
    }
    assert!(longest < 600 << 10, "{longest}");
    env.ledger().checkpoint().unwrap();
    assert_eq!(log(), 0);
    assert_eq!(env.ledger().events(&EventQuery::default()).unwrap().len(), 400);
}
