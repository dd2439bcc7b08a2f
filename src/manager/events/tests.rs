//! What the hooks of an agent CLI and the events of tmux record, with a clock and a tmux server that are data.

use serde_json::{Value, json};

use crate::manager::access::Access;
use crate::manager::events::Events;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::registry::queries::INITIAL_PROMPT_FILE;
use crate::manager::status::StatusTracker;
use crate::manager::status::reconcile::STOPPING;
use crate::manager::testing::{TestContext, agent_name, exit_code};
use crate::model::{
    AgentId, AgentRecord, Assignee, Exit, NewTask, Share, Status, StatusNote, TaskState, TmuxEvent,
    WaitingFor,
};
use crate::store::AgentLocks;

const CRASH: Exit = Exit { code: Some(9), signal: None };

/// Returns a context in which the calling process is a hook of the agent `api`.
fn hook_of_agent(status: Status) -> TestContext {
    let id = AgentId::fresh();
    let context =
        TestContext::of_caller(&[("SYMPOSIUM_AGENT", "api"), ("SYMPOSIUM_AGENT_ID", &id.to_string())]);
    context.agent_with("api", status, |record| (record.id, record.kind) = (id, "claude".into()));
    context
}

/// Reports an event of a hook, and returns the record of the agent after it.
fn report(context: &TestContext, payload: Value) -> AgentRecord {
    Events(context).agent_event(payload.to_string().as_bytes()).unwrap();
    context.stored("api")
}

fn prompted(text: &str) -> Value {
    json!({"hook_event_name": "UserPromptSubmit", "prompt": text, "session_id": "0b9e2c1a-3f4d"})
}

fn turn_over(words: &str) -> Value {
    json!({"hook_event_name": "Stop", "last_assistant_message": words})
}

fn ready() -> Value {
    json!({"hook_event_name": "SessionStart", "source": "startup"})
}

fn pane_died(context: &TestContext, pane: &str, exit: Exit) {
    let event = TmuxEvent::PaneDied { session: "api".into(), pane: pane.into(), exit };
    Events(context).tmux_event(&event).unwrap();
}

fn state_file(context: &TestContext, file: &str) -> Option<String> {
    let bytes = context.store.instance(&agent_name("api")).read_state(file).unwrap();
    bytes.map(|bytes| String::from_utf8(bytes).unwrap())
}

#[test]
fn hooks_update_status_and_conversation() {
    let context = hook_of_agent(Status::Starting);
    assert_eq!(report(&context, ready()).status.status, Status::Idle);
    context.advance_seconds(5);
    let working = report(&context, prompted("fix\n it"));
    assert_eq!((working.status.status, working.status.since), (Status::Working, context.now()));
    assert_eq!(working.conversation.id.as_deref(), Some("0b9e2c1a-3f4d"));
    assert_eq!(working.prompt.as_deref(), Some("fix it"));
    let waiting = report(
        &context,
        json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "make"}}),
    );
    assert_eq!(
        (waiting.status.status, waiting.status.waiting_for),
        (Status::Waiting, Some(WaitingFor::Approval))
    );
    assert_eq!(waiting.status.reason, "Bash: make");
    let reminded = report(
        &context,
        json!({"hook_event_name": "Notification", "notification_type": "permission_prompt", "message": "look!"}),
    );
    assert_eq!(reminded, waiting, "a reminder does not replace the question");
    let allowed = report(&context, json!({"hook_event_name": "PostToolUse", "tool_name": "Bash"}));
    assert_eq!(allowed.status.status, Status::Working);
    let done = report(&context, turn_over("all done"));
    assert_eq!((done.status.status, done.status.waiting_for), (Status::Idle, None));
    assert_eq!(done.status.reason, "all done");
    assert_eq!(state_file(&context, "last-words").as_deref(), Some("all done"));
    assert_eq!(context.events("prompted"), ["fix it"]);
    assert!(context.sent_to_tmux(&["@symposium_status", "working"]), "{:?}", context.tmux.received());
}

#[test]
fn an_event_that_changes_nothing_leaves_the_registry_as_it_is() {
    let context = hook_of_agent(Status::Working);
    report(&context, json!({"hook_event_name": "PostToolUse"}));
    let before = (context.stored("api"), context.events("status").len());
    context.advance_seconds(60);
    report(&context, json!({"hook_event_name": "PostToolUse"}));
    report(&context, json!({"hook_event_name": "SessionEnd", "reason": "clear"}));
    assert_eq!((context.stored("api"), context.events("status").len()), before);
}

#[test]
fn a_name_without_the_id_identifies_no_agent() {
    let context = TestContext::of_caller(&[("SYMPOSIUM_AGENT", "api")]);
    let before = context.agent("api", Status::Idle);
    assert_eq!(report(&context, prompted("x")), before);
}

#[test]
fn an_event_of_an_unknown_agent_leaves_no_file() {
    let context = TestContext::of_caller(&[("SYMPOSIUM_AGENT", "ghost"), ("SYMPOSIUM_AGENT_ID", "")]);
    Events(&context).agent_event(prompted("x").to_string().as_bytes()).unwrap();
    let event = TmuxEvent::PaneDied { session: "ghost".into(), pane: "%9".into(), exit: CRASH };
    Events(&context).tmux_event(&event).unwrap();
    assert!(!context.store.run_dir().join("ghost.lock").exists());
    assert!(!context.store.instance(&agent_name("ghost")).dir().exists());
}

#[test]
fn readiness_that_is_reported_late_does_not_end_the_turn() {
    let context = hook_of_agent(Status::Working);
    assert_eq!(report(&context, ready()).status.status, Status::Working, "the turn was seen first");
    assert_eq!(report(&context, ready()).status.status, Status::Idle, "the turn was interrupted");
}

#[test]
fn an_exit_report_is_not_the_first_report_of_the_next_start() {
    let context = hook_of_agent(Status::Working);
    report(&context, json!({"hook_event_name": "SessionEnd"}));
    assert_eq!(report(&context, ready()).status.status, Status::Working, "the readiness is still late");
}

#[test]
fn an_agent_that_is_being_ended_does_not_finish_its_turn() {
    let context = hook_of_agent(Status::Working);
    context.store.instance(&agent_name("api")).write_state(STOPPING, b"").unwrap();
    let lock = AgentLocks(&context.store).lock(&agent_name("api"), "kill").unwrap();
    assert_eq!(report(&context, turn_over("")).status.status, Status::Working);
    drop(lock);
    assert_eq!(report(&context, turn_over("")).status.status, Status::Idle, "the kill was interrupted");
}

#[test]
fn an_ended_agent_without_a_process_is_not_revived_by_a_late_hook() {
    let context = hook_of_agent(Status::Stopped);
    let before = context.stored("api");
    assert_eq!(report(&context, turn_over("late")), before);
}

#[test]
fn a_failed_turn_is_recorded_with_its_message_and_end_of_the_limit() {
    let context = hook_of_agent(Status::Working);
    let failed = report(
        &context,
        json!({
            "hook_event_name": "StopFailure",
            "error": "rate_limit",
            "last_assistant_message": "You have hit your limit",
            "resets_at": "2026-01-05T14:00:00Z",
        }),
    );
    let failure = failed.status.failure().unwrap();
    assert!(failure.held_until.is_some_and(|until| until > context.now()), "{failure:?}");
    assert_eq!(state_file(&context, "last-words").as_deref(), Some("You have hit your limit"));
    assert_eq!(context.events("turn-failed").len(), 1);
}

#[test]
fn a_long_last_message_is_cut() {
    let context = hook_of_agent(Status::Working);
    report(&context, turn_over(&"é".repeat(20_000)));
    assert_eq!(state_file(&context, "last-words").unwrap().chars().count(), 16 * 1024);
}

#[test]
fn the_tool_in_use_is_kept_for_the_activity_of_the_agent() {
    let context = hook_of_agent(Status::Working);
    let uses =
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}});
    report(&context, uses);
    assert_eq!(StatusTracker(&context).activity(&agent_name("api")).as_deref(), Some("Bash: make"));
}

#[test]
fn the_first_report_of_a_turn_forgets_the_first_prompt() {
    for (payload, is_kept) in [(ready(), true), (prompted("x"), false), (turn_over("done"), false)] {
        let context = hook_of_agent(Status::Starting);
        context.store.instance(&agent_name("api")).write_state(INITIAL_PROMPT_FILE, b"fix it").unwrap();
        report(&context, payload.clone());
        assert_eq!(state_file(&context, INITIAL_PROMPT_FILE).is_some(), is_kept, "{payload}");
    }
}

#[test]
fn a_prompt_with_the_marker_of_a_task_starts_the_task() {
    let context = hook_of_agent(Status::Idle);
    let api = context.stored("api");
    let new = NewTask::plain(Assignee::Agent(api.id, api.name.clone()), "fix it", "person");
    let id = TaskQueue(&context).queue(&new).unwrap();
    RegistryWriter(&context)
        .with_ledger(|ledger| ledger.claim_task(id, (api.id, &api.name), "typing", context.now()))
        .unwrap();
    report(&context, prompted(&format!("fix it [symposium task {id}]")));
    let task = TaskQueue(&context).task(id).unwrap().unwrap();
    assert_eq!(task.state, TaskState::Running);
    assert_eq!(context.stored("api").prompt.as_deref(), Some("fix it"), "the marker is not shown");
}

#[test]
fn an_exit_is_recorded_without_a_command() {
    let context = TestContext::new();
    let pane = context.agent("api", Status::Working).tmux.unwrap().pane;
    context.advance_seconds(60);
    context.end_process("api", CRASH);
    pane_died(&context, &pane, CRASH);
    let stored = context.stored("api");
    assert_eq!((stored.status.status, stored.exit), (Status::Crashed, Some(CRASH)));
    assert_eq!(stored.status.since, context.now());
}

#[test]
fn the_exit_of_another_pane_does_not_end_the_agent() {
    let context = TestContext::new();
    let before = context.agent("api", Status::Working);
    pane_died(&context, "%77", CRASH);
    assert_eq!(context.stored("api"), before);
}

#[test]
fn an_exit_that_a_command_requested_is_left_to_the_command() {
    let context = TestContext::new();
    let before = context.agent("api", Status::Working);
    context.store.instance(&before.name).write_state(STOPPING, b"").unwrap();
    context.end_process("api", CRASH);
    pane_died(&context, &before.tmux.clone().unwrap().pane, CRASH);
    assert_eq!(context.stored("api"), before);
}

#[test]
fn an_exit_that_was_recorded_before_is_not_recorded_again() {
    let context = TestContext::new();
    let pane = context.agent("api", Status::Working).tmux.unwrap().pane;
    context.set_status("api", Status::Exited, "exit code 0");
    let before = context.stored("api");
    context.advance_seconds(60);
    pane_died(&context, &pane, CRASH);
    assert_eq!(context.stored("api"), before);
}

#[test]
fn a_closed_session_makes_its_agent_lost() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.agent("docs", Status::Idle);
    context.close_session("api");
    Events(&context).tmux_event(&TmuxEvent::SessionClosed { session: "api".into() }).unwrap();
    let stored = context.stored("api");
    assert_eq!(stored.status.status, Status::Lost);
    assert_eq!(stored.status.reason, "its tmux session was closed from outside");
    assert_eq!(context.stored("docs").status.status, Status::Idle);
}

#[test]
fn shares_end_with_the_process_of_the_agent() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Working);
    let share =
        Share { with: "ann".into(), uid: 90_001, read_only: false, since: context.now(), until: None };
    Access(&context).write_shares(&api.name, vec![share]).unwrap();
    let pane = api.tmux.unwrap().pane;
    pane_died(&context, "%77", CRASH);
    assert_eq!(Access(&context).written_shares(&api.name).len(), 1, "another pane has ended");
    context.end_process("api", exit_code(0));
    pane_died(&context, &pane, exit_code(0));
    assert_eq!(Access(&context).written_shares(&api.name), []);
}

#[test]
fn attaching_and_the_departure_of_the_last_client_are_recorded_once() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    context.attach_driver("api");
    Events(&context).tmux_event(&TmuxEvent::ClientAttached { session: "api".into() }).unwrap();
    let attached = context.now();
    assert_eq!(context.stored("api").last_attached, Some(attached));
    let left = TmuxEvent::ClientDetached { session: "api".into() };
    context.advance_seconds(60);
    Events(&context).tmux_event(&left).unwrap();
    assert_eq!(context.stored("api").last_detached, None, "a client is still attached");
    context.tmux.change(|server| server.clients.clear());
    Events(&context).tmux_event(&left).unwrap();
    let detached = context.now();
    context.advance_seconds(60);
    Events(&context).tmux_event(&left).unwrap();
    let stored = context.stored("api");
    assert_eq!((stored.last_attached, stored.last_detached), (Some(attached), Some(detached)));
    assert_eq!((context.events("attached").len(), context.events("detached").len()), (1, 1));
}

#[test]
fn a_client_that_moves_leaves_one_agent_and_attends_the_other() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    context.agent("docs", Status::Idle);
    context.attach_driver("api");
    Events(&context).tmux_event(&TmuxEvent::ClientAttached { session: "api".into() }).unwrap();
    context.advance_seconds(60);
    context.tmux.change(|server| server.clients[0].session = "docs".into());
    Events(&context).tmux_event(&TmuxEvent::ClientMoved).unwrap();
    assert_eq!(context.stored("api").last_detached, Some(context.now()));
    assert_eq!(context.stored("docs").last_attached, Some(context.now()));
}

#[test]
fn an_observer_does_not_attend_an_agent() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    context.attach_driver("api");
    context.tmux.change(|server| server.clients[0].observer = true);
    Events(&context).tmux_event(&TmuxEvent::ClientMoved).unwrap();
    assert_eq!(context.stored("api").last_attached, None);
}

#[test]
fn an_event_while_tmux_does_not_answer_changes_no_record() {
    let context = TestContext::new();
    let before = context.agent("api", Status::Working);
    context.tmux.fall_silent();
    let _ = Events(&context).tmux_event(&TmuxEvent::SessionClosed { session: "api".into() });
    let _ = Events(&context).tmux_event(&TmuxEvent::ClientMoved);
    assert_eq!(context.stored("api"), before);
}

#[test]
fn a_dialog_makes_tmux_report_the_next_output() {
    let context = hook_of_agent(Status::Working);
    let asks =
        json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "a"}});
    let pane = context.stored("api").tmux.unwrap().pane;
    let sent = context.tmux.received().len();
    report(&context, asks);
    let received = context.tmux.received().split_off(sent);
    let is_rearmed = |command: &String| command.contains("monitor-activity") && command.contains(&pane);
    assert!(received.iter().any(is_rearmed), "{received:?}");
}

#[test]
fn a_late_exit_of_a_lost_agent_changes_nothing() {
    let context = TestContext::new();
    let pane = context.agent("api", Status::Working).tmux.unwrap().pane;
    let lost = StatusNote::new(Status::Lost, context.now(), "its tmux server is gone (reboot or crash)");
    context.close_session("api");
    context.edit("api", |record| record.status = lost);
    let before = context.stored("api");
    pane_died(&context, &pane, CRASH);
    assert_eq!(context.stored("api"), before);
}
