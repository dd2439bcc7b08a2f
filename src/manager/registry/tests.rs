//! The registry and the ledger change together, and each is completed from the other after an interruption.

use crate::ledger::EventQuery;
use crate::manager::registry::RegistryWriter;
use crate::manager::registry::session_copy::{of_home, session_record_json};
use crate::manager::testing::TestContext;
use crate::model::{AgentRecord, CutOff, EventKind, LedgerEvent, Status, StatusNote, TaskState, WaitingFor};
use crate::store::{LEDGER_STALE, RunFiles};

/// Returns the sequence numbers of the status changes in the ledger.
fn numbers(context: &TestContext) -> Vec<u64> {
    let query = EventQuery { agent: None, since: None, after: None, limit: 1000 };
    let rows = RegistryWriter(context).with_existing_ledger(|ledger| ledger.events(&query)).unwrap();
    let number = |event: LedgerEvent| match event.what {
        EventKind::Status { seq, .. } => Some(seq),
        _ => None,
    };
    rows.into_iter().filter_map(|(_, event)| number(event)).collect()
}

fn registry_file(context: &TestContext) -> std::path::PathBuf {
    context.home().join("agent-sessions.json")
}

/// Makes the ledger unusable until the returned directory is removed.
fn block_ledger(context: &TestContext) -> std::path::PathBuf {
    let path = context.home().join("ledger.db");
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn every_status_change_is_in_the_ledger_once() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    context.set_status("api", Status::Working, "it accepted a prompt");
    context.edit("api", |record| record.title = Some("a title".into()));
    context.set_status("api", Status::Idle, "its turn is over");
    assert_eq!(numbers(&context), [1, 2, 3]);
    assert_eq!(context.stored("api").changes, 3);
}

#[test]
fn events_that_the_ledger_refuses_are_stored_later_in_their_order() {
    let context = TestContext::new();
    let blocked = block_ledger(&context);
    context.agent("api", Status::Idle);
    context.set_status("api", Status::Working, "it accepted a prompt");
    assert_eq!(context.stored("api").status.status, Status::Working, "the change itself is stored");
    assert!(context.store.has_pending_events(context.now()).unwrap());
    let notices = context.notices();
    assert!(notices.iter().any(|notice| notice.contains("could not be stored yet")), "{notices:?}");
    RegistryWriter(&context).store_pending_events().unwrap();
    assert!(context.store.has_pending_events(context.now()).unwrap(), "the ledger is still unusable");
    std::fs::remove_dir(blocked).unwrap();
    RegistryWriter(&context).store_pending_events().unwrap();
    assert!(!context.store.has_pending_events(context.now()).unwrap());
    context.set_status("api", Status::Idle, "its turn is over");
    assert_eq!(numbers(&context), [1, 2, 3]);
}

#[test]
fn the_event_of_a_command_that_was_killed_before_its_change_is_not_duplicated() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let what = EventKind::Status {
        seq: api.changes + 1,
        from: Some(Status::Idle),
        to: Status::Working,
        waiting_for: None,
        exit: None,
    };
    let (agent, name) = (api.id, api.name.clone());
    RegistryWriter(&context).note(&[LedgerEvent { at: context.now(), agent, name, what, why: "x".into() }]);
    context.set_status("api", Status::Waiting, "it asks");
    assert_eq!(numbers(&context), [1, 2]);
}

#[test]
fn a_change_that_is_missing_in_the_ledger_is_added_once() {
    let context = TestContext::new();
    let mut api = context.agent("api", Status::Idle);
    api.status = StatusNote::new(Status::Working, context.now(), "it accepted a prompt");
    context.store.update(context.now(), |edit| edit.put(api)).unwrap();
    assert_eq!(numbers(&context), [1]);
    assert_eq!(RegistryWriter(&context).mend_ledger().unwrap(), 1);
    assert_eq!(numbers(&context), [1, 2]);
    assert_eq!(RegistryWriter(&context).mend_ledger().unwrap(), 0);
}

#[test]
fn a_rebuilt_registry_gets_the_last_status_from_the_ledger() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    let outdated = std::fs::read(registry_file(&context)).unwrap();
    context.advance_seconds(60);
    let last = context.set_status("api", Status::Idle, "its turn is over");
    std::fs::write(registry_file(&context), outdated).unwrap();
    RunFiles(&context.store).write(LEDGER_STALE, b"").unwrap();
    assert_eq!(RegistryWriter(&context).mend_ledger().unwrap(), 0);
    assert_eq!(context.stored("api").status, last.status);
    assert!(!RunFiles(&context.store).exists(LEDGER_STALE), "the registry is up to date");
    assert_eq!(numbers(&context), [1, 2]);
}

#[test]
fn an_unreadable_ledger_hides_no_agent_of_a_rebuilt_registry() {
    let context = TestContext::new();
    block_ledger(&context);
    let before = context.agent("api", Status::Working);
    RunFiles(&context.store).write(LEDGER_STALE, b"").unwrap();
    RegistryWriter(&context).catch_up().unwrap();
    assert_eq!(context.stored("api"), before);
    assert!(RunFiles(&context.store).exists(LEDGER_STALE), "the next command tries again");
    let notices = context.notices();
    assert!(notices.iter().any(|notice| notice.contains("may be outdated")), "{notices:?}");
}

#[test]
fn a_repair_is_reported_to_the_user_once() {
    let context = TestContext::new();
    assert!(RegistryWriter(&context).unreported_notices().is_empty());
    RegistryWriter(&context).report_ledger_repair("the ledger was unusable".into());
    assert_eq!(RegistryWriter(&context).unreported_notices(), ["the ledger was unusable"]);
    assert!(RegistryWriter(&context).unreported_notices().is_empty());
}

#[test]
fn reading_creates_no_ledger() {
    let context = TestContext::new();
    assert_eq!(RegistryWriter(&context).tasks(&[TaskState::Queued]).unwrap(), []);
    RegistryWriter(&context).repair_ledger().unwrap();
    assert!(!context.home().join("ledger.db").exists());
}

#[test]
fn an_agent_that_is_lost_in_its_turn_is_cut_off_until_it_works_again() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    let lost = context.edit("api", |record| {
        record.status = StatusNote::new(Status::Lost, context.now(), "its tmux server is gone");
    });
    assert_eq!(context.stored("api").cut_off.map(|cut: CutOff| cut.status), Some(Status::Working));
    assert_eq!(lost.status.status, Status::Lost);
    context.edit("api", |record| record.title = Some("x".into()));
    assert!(context.stored("api").cut_off.is_some(), "another change keeps it");
    context.edit("api", |record| {
        record.status = StatusNote::new(Status::Working, context.now(), "it accepted a prompt");
    });
    assert_eq!(context.stored("api").cut_off, None);
}

#[test]
fn the_status_line_is_updated_when_another_agent_needs_an_answer() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    let shown = |count: &str| context.sent_to_tmux(&["@symposium_needing_count", count]);
    context.edit("api", |record| record.title = Some("x".into()));
    assert!(!shown(""), "{:?}", context.tmux.received());
    context.edit("api", |record| {
        record.status = StatusNote::waiting(WaitingFor::Approval, context.now(), "Bash: make");
    });
    assert!(shown("1") && context.sent_to_tmux(&["@symposium_needing ", "api "]));
}

#[test]
fn the_record_in_a_session_belongs_to_one_state_directory() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let of = |json: &str| of_home(json, context.home()).map(|record: AgentRecord| record.id);
    assert_eq!(of(&session_record_json(&api, context.home())), Some(api.id));
    assert_eq!(of(&session_record_json(&api, &context.project())), None, "of another environment");
    let moved = context.project().join("no-longer-there");
    assert_eq!(of(&session_record_json(&api, &moved)), Some(api.id), "the state directory was moved");
    assert_eq!(of(&serde_json::to_string(&api).unwrap()), Some(api.id), "written by an older version");
    for text in ["", "{", "[]", r#"{"home":7}"#, "{}"] {
        assert_eq!(of(text), None, "{text}");
    }
}
