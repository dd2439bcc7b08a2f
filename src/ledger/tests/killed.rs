//! Tests with a writer that is killed with `kill -9` at any moment: each of its writes is stored completely or not at
//! all.

use std::process::{Child, Command, Stdio};

use super::*;

/// The environment variable that passes the state directory to a child process.
const HOME: &str = "SYMPOSIUM_TEST_LEDGER";

/// Number of events that a child writes in one transaction.
const BATCH: usize = 3;

/// Runs in a child process of the tests below: opens the ledger and writes until it is killed.
#[test]
fn a_child_writes_until_it_is_killed() {
    #[expect(clippy::disallowed_methods, reason = "how a test speaks to its child")]
    let Some(home) = std::env::var_os(HOME) else { return };
    let agent = AgentId::fresh();
    for n in 0.. {
        let (ledger, _) = Ledger::open(Path::new(&home), at(5)).unwrap();
        ledger.note(&[0; BATCH].map(|_| plain(agent, EventKind::Prompted, n))).unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "a test's own child")]
fn child(env: &TestLedger, failpoint: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ledger::tests::killed::a_child_writes_until_it_is_killed"])
        .env(HOME, env.dir.path())
        .env("SYMPOSIUM_FAILPOINT", failpoint)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn count(env: &TestLedger) -> usize {
    env.ledger().events(&EventQuery::default()).unwrap().len()
}

#[test]
fn a_writer_that_is_killed_leaves_whole_batches() {
    let env = TestLedger::new();
    for round in 0..8 {
        let before = count(&env);
        let mut writer = child(&env, "");
        // Each round ends at a different step of the writer.
        while count(&env) < before + 40 + 17 * round {
            assert!(writer.try_wait().unwrap().is_none(), "it ended by itself");
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let after = count(&env);
        assert!(after > before && after.is_multiple_of(BATCH), "{before} {after}");
        let whole = env.ledger().read(|connection| {
            connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))
        });
        assert_eq!(whole.unwrap(), "ok");
    }
}

#[test]
fn crash_while_creating_a_ledger_loses_nothing() {
    for step in ["ledger.built", "ledger.begun"] {
        let env = TestLedger::new();
        let mut dead = child(&env, step);
        assert!(!dead.wait().unwrap().success());
        assert_eq!(count(&env), 0, "{step}");
        assert!(!env.files().iter().any(|name| name.contains(".new")), "{:?}", env.files());
    }
}

#[test]
fn crash_during_a_repair_is_completed_by_the_next_process() {
    for step in ["ledger.aside", "ledger.built", "ledger.begun"] {
        let env = TestLedger::new();
        env.ledger().note(&[plain(AgentId::fresh(), EventKind::Attached, 1)]).unwrap();
        fs::write(env.file(), "garbage").unwrap();
        let mut dead = child(&env, step);
        assert!(!dead.wait().unwrap().success());
        let (ledger, _) = Ledger::open(env.dir.path(), at(6)).unwrap();
        assert_eq!(ledger.events(&EventQuery::default()).unwrap().len(), 0, "{step}");
        let garbage = |name: &String| fs::read(env.dir.path().join(name)).unwrap() == b"garbage";
        assert!(env.files().iter().any(garbage), "{step}: {:?}", env.files());
    }
}
