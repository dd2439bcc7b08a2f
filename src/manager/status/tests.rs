//! The status of agents, decided from the registry and a tmux snapshot that is given as data.

use std::sync::Arc;

use crate::manager::access::Access;
use crate::manager::registry::session_copy::session_record_json;
use crate::manager::status::evidence::{HOOK_SEEN_FILE, LAST_PROMPT_FILE, LAST_TOOL_FILE};
use crate::manager::status::reconcile::STOPPING;
use crate::manager::status::{AgentLookup, StatusTracker};
use crate::manager::testing::{TestContext, agent_name, exit_code};
use crate::model::{Agent, Exit, Share, Status, StatusNote};
use crate::store::AgentLocks;

fn listed(context: &TestContext, name: &str) -> Agent {
    let agents = StatusTracker(context).current_agents().unwrap().agents;
    agents.into_iter().find(|agent| agent.name.as_str() == name).unwrap()
}

#[test]
fn agent_that_exits_with_an_error_is_crashed_in_list_and_registry() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.advance_seconds(60);
    context.end_process("api", exit_code(3));
    let agent = listed(&context, "api");
    assert_eq!((agent.status, agent.exit), (Status::Crashed, Some(exit_code(3))));
    let stored = context.stored("api");
    assert_eq!((stored.status.status, stored.exit), (Status::Crashed, Some(exit_code(3))));
    assert_eq!(stored.status.since, context.now(), "the status changed when the process ended");
}

#[test]
fn agent_that_exits_without_an_error_is_exited() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    context.end_process("api", exit_code(0));
    assert_eq!(listed(&context, "api").status, Status::Exited);
}

#[test]
fn requested_end_is_a_stop_even_if_the_process_fails() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.store.instance(&agent_name("api")).write_state(STOPPING, b"").unwrap();
    context.end_process("api", Exit { code: None, signal: Some(15) });
    let agent = listed(&context, "api");
    assert_eq!((agent.status, agent.reason.as_str()), (Status::Stopped, "it was ended on request"));
    let request = context.store.instance(&agent_name("api")).read_state(STOPPING).unwrap();
    assert_eq!(request, None, "a request is used once");
}

#[test]
fn requested_end_with_a_reason_is_a_crash_with_that_reason() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.store.instance(&agent_name("api")).write_state(STOPPING, b"it hung").unwrap();
    context.end_process("api", exit_code(0));
    let agent = listed(&context, "api");
    assert_eq!((agent.status, agent.reason.as_str()), (Status::Crashed, "it hung"));
}

#[test]
fn agents_of_a_server_that_is_gone_are_lost_and_keep_the_turn_that_was_cut_off() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.agent("docs", Status::Idle);
    context.tmux.end();
    assert_eq!(listed(&context, "api").status, Status::Lost);
    assert!(context.stored("api").cut_off.is_some(), "the turn of `api` was interrupted");
    assert_eq!(context.stored("docs").cut_off, None, "`docs` was idle");
}

#[test]
fn agent_that_works_again_is_no_longer_cut_off() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.tmux.end();
    listed(&context, "api");
    context.set_status("api", Status::Working, "a prompt was accepted");
    assert_eq!(context.stored("api").cut_off, None);
}

#[test]
fn live_agents_are_unknown_while_tmux_does_not_answer_and_nothing_is_written() {
    let context = TestContext::new();
    let before = context.agent("api", Status::Working);
    context.agent("old", Status::Exited);
    context.tmux.fall_silent();
    let list = StatusTracker(&context).current_agents().unwrap();
    let of = |name: &str| list.agents.iter().find(|agent| agent.name.as_str() == name).unwrap().status;
    assert_eq!((of("api"), of("old")), (Status::Unknown, Status::Exited));
    assert!(list.silence.is_some(), "the caller gets the reason");
    assert_eq!(context.stored("api"), before);
}

#[test]
fn session_that_carries_a_record_of_this_environment_is_adopted() {
    let context = TestContext::new();
    let mut record = context.agent("api", Status::Idle);
    context.store.update(context.now(), |edit| edit.remove(&record.name)).unwrap();
    record.changes = 0;
    context.tmux.set_record("api", session_record_json(&record, context.home()));
    let agent = listed(&context, "api");
    assert_eq!((agent.id, agent.status), (record.id, Status::Idle));
    assert_eq!(context.stored("api").id, record.id);
}

#[test]
fn session_of_another_environment_is_not_adopted() {
    let context = TestContext::new();
    let record = context.agent("api", Status::Idle);
    context.store.update(context.now(), |edit| edit.remove(&record.name)).unwrap();
    context.tmux.set_record("api", session_record_json(&record, &context.project()));
    assert!(StatusTracker(&context).current_agents().unwrap().agents.is_empty());
}

#[test]
fn adopted_agent_whose_name_is_taken_gets_a_numbered_name() {
    let context = TestContext::new();
    let record = context.agent("api", Status::Idle);
    context.store.update(context.now(), |edit| edit.remove(&record.name)).unwrap();
    context.tmux.set_record("api", session_record_json(&record, context.home()));
    context.agent_with("api", Status::Stopped, |other| other.tmux = None);
    let agents = StatusTracker(&context).current_agents().unwrap().agents;
    let names: Vec<_> = agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["api", "api-2"]);
}

#[test]
fn session_that_the_user_renamed_gets_the_name_of_its_agent_back() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    context.tmux.change(|server| server.panes[0].session = "mine".into());
    assert_eq!(listed(&context, "api").status, Status::Idle);
    assert!(context.sent_to_tmux(&["rename-session", "mine", "api"]), "{:?}", context.tmux.received());
}

#[test]
fn agent_is_starting_while_a_spawn_holds_its_lock() {
    let context = TestContext::new();
    context.agent_with("api", Status::Starting, |record| (record.tmux, record.pid) = (None, None));
    let lock = AgentLocks(&context.store).lock(&agent_name("api"), "spawn").unwrap();
    let agent = listed(&context, "api");
    assert_eq!((agent.status, agent.reason.as_str()), (Status::Starting, "it is being prepared"));
    drop(lock);
    assert_ne!(listed(&context, "api").status, Status::Starting, "the spawn was killed");
}

#[test]
fn pane_of_an_agent_is_found_again_after_the_registry_lost_it() {
    let context = TestContext::new();
    let pane = context.agent("api", Status::Idle).tmux.unwrap().pane;
    context.edit("api", |record| (record.tmux, record.pid) = (None, None));
    assert_eq!(listed(&context, "api").status, Status::Idle);
    let stored = context.stored("api");
    assert_eq!(stored.tmux.map(|location| location.pane), Some(pane));
    assert!(stored.pid.is_some());
}

#[test]
fn agent_that_kills_itself_stays_stopped_if_a_reader_saw_its_pane_before_the_session_closed() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    // `kill` has recorded the stop and is about to close the session.
    context.edit("api", |record| {
        record.status = StatusNote::new(Status::Stopped, context.now(), "it was ended on request");
        (record.tmux, record.pid) = (None, None);
    });
    let tmux = Arc::clone(&context.tmux);
    context.tmux.after_next_snapshot(move || tmux.change(|server| server.panes.clear()));
    listed(&context, "api");
    assert_eq!(context.stored("api").status.status, Status::Stopped);
    assert_eq!(listed(&context, "api").status, Status::Stopped);
}

#[test]
fn agent_whose_kill_was_interrupted_before_its_session_closed_is_live_again() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.edit("api", |record| {
        record.status = StatusNote::new(Status::Stopped, context.now(), "it was ended on request");
        (record.tmux, record.pid) = (None, None);
    });
    assert!(listed(&context, "api").status.is_live());
    assert!(context.stored("api").tmux.is_some());
}

#[test]
fn unknown_name_is_an_error_that_suggests_the_similar_agent() {
    let context = TestContext::new();
    context.agent("backend", Status::Idle);
    let error = AgentLookup(&context).show(&agent_name("backen")).unwrap_err();
    assert!(error.text().contains("backend"), "{}", error.text());
}

#[test]
fn agent_that_is_needed_running_and_is_not_says_its_status() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.end_process("api", exit_code(1));
    let error = AgentLookup(&context).running(&agent_name("api"), "send").unwrap_err();
    assert!(error.to_string().contains("crashed"), "{error}");
}

#[test]
fn status_line_of_attached_clients_shows_the_end_of_an_agent() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.end_process("api", exit_code(1));
    listed(&context, "api");
    assert!(context.sent_to_tmux(&["@symposium_status", "crashed"]), "{:?}", context.tmux.received());
}

#[test]
fn driver_and_observers_of_the_snapshot_are_shown() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    context.attach_driver("api");
    let agent = listed(&context, "api");
    assert_eq!(agent.clients.iter().map(|client| client.driver).collect::<Vec<_>>(), [true]);
}

#[test]
fn shares_end_with_the_agent() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Working);
    let share =
        Share { with: "ann".into(), uid: 90_001, read_only: false, since: context.now(), until: None };
    Access(&context).write_shares(&api.name, vec![share]).unwrap();
    context.end_process("api", exit_code(1));
    listed(&context, "api");
    assert_eq!(Access(&context).written_shares(&api.name), []);
}

#[test]
fn the_activity_is_the_reported_tool_or_else_the_last_line() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    let (name, tracker) = (agent_name("api"), StatusTracker(&context));
    let instance = context.store.instance(&name);
    assert_eq!(tracker.activity(&name), None);
    std::fs::write(instance.transcript(), "compiling\r\n\x1b[32mtesting\x1b[0m\r\n\r\n").unwrap();
    assert_eq!(tracker.activity(&name).as_deref(), Some("testing"));
    instance.write_state(HOOK_SEEN_FILE, b"").unwrap();
    assert_eq!(tracker.activity(&name), None, "the screen of an agent CLI ends with its input line");
    instance.write_state(LAST_TOOL_FILE, b"Bash: cargo test").unwrap();
    assert_eq!(tracker.activity(&name).as_deref(), Some("Bash: cargo test"));
    let before = std::fs::metadata(instance.state_dir().join(LAST_TOOL_FILE)).unwrap().modified().unwrap();
    instance.write_state(LAST_PROMPT_FILE, b"{}").unwrap();
    let prompt = std::fs::File::open(instance.state_dir().join(LAST_PROMPT_FILE)).unwrap();
    prompt.set_modified(before + std::time::Duration::from_secs(1)).unwrap();
    assert_eq!(tracker.activity(&name), None, "a tool of the turn before is over");
}
