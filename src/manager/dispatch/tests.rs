//! Which queue entries are offered to which agents, and how interrupted deliveries are resolved.

use std::collections::HashSet;
use std::time::Duration;

use crate::manager::dispatch::Dispatcher;
use crate::manager::dispatch::run::{DispatchOutcome, Dispatchable, QueueItem};
use crate::manager::lifecycle::Termination;
use crate::manager::messages::Messages;
use crate::manager::messages::mail::MessageRequest;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::reconcile::STOPPING;
use crate::manager::tasks::add::TaskRequest;
use crate::manager::tasks::{TaskCompletion, Tasks};
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{FailureCause, FailureSource};
use crate::model::{MessageState, Priority, RestartPolicy, Status, Task, TaskId, TaskState, TurnFailure};
use crate::rules::status::turn_failure::note_after;
use crate::store::AgentLocks;

fn add(context: &TestContext, to: &str, text: &str) -> Task {
    let request = TaskRequest { to: to.into(), text: text.into(), ..TaskRequest::default() };
    Tasks(context).task_add(request).unwrap().task
}

fn offered(context: &TestContext) -> Vec<Dispatchable> {
    Dispatcher(context).dispatchable(&HashSet::new()).unwrap()
}

/// Returns the offers as `agent: text`.
fn texts(context: &TestContext) -> Vec<String> {
    let text = |item: &QueueItem| match item {
        QueueItem::Task(task) => task.text.clone(),
        QueueItem::Message(message) => message.text.clone(),
    };
    offered(context).iter().map(|due| format!("{}: {}", due.agent.1, text(&due.item))).collect()
}

fn state(context: &TestContext, id: TaskId) -> (TaskState, String, bool) {
    let task = TaskQueue(context).task(id).unwrap().unwrap();
    (task.state, task.why, task.flagged)
}

/// Claims a task for its agent, as a process does that is killed before it has typed the text.
fn claim(context: &TestContext, task: &Task) {
    let agent = (task.agent.unwrap(), task.agent_name.as_ref().unwrap());
    RegistryWriter(context)
        .with_ledger(|ledger| ledger.claim_task(task.id, agent, "typing", context.now()))
        .unwrap();
}

#[test]
fn urgent_task_is_offered_before_older_ones() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    add(&context, "api", "first");
    let urgent = TaskRequest {
        to: "api".into(),
        text: "urgent".into(),
        priority: Priority::High,
        ..TaskRequest::default()
    };
    Tasks(&context).task_add(urgent).unwrap();
    assert_eq!(texts(&context), ["api: urgent"]);
}

#[test]
fn only_idle_agents_are_offered_work() {
    let context = TestContext::new();
    for (name, status) in [
        ("idle", Status::Idle),
        ("working", Status::Working),
        ("waiting", Status::Waiting),
        ("crashed", Status::Crashed),
        ("stopped", Status::Stopped),
        ("asleep", Status::Hibernated),
    ] {
        context.agent(name, status);
        add(&context, name, "x");
    }
    assert_eq!(texts(&context), ["asleep: x", "idle: x"]);
}

#[test]
fn stopped_agent_gets_work_only_if_it_is_always_restarted() {
    let context = TestContext::new();
    context.agent_with("always", Status::Stopped, |record| record.restart.policy = RestartPolicy::Always);
    context.agent_with("failures", Status::Stopped, |record| {
        record.restart.policy = RestartPolicy::OnFailure;
    });
    add(&context, "always", "x");
    add(&context, "failures", "x");
    assert_eq!(texts(&context), ["always: x"]);
}

#[test]
fn message_is_offered_before_a_task() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    add(&context, "api", "task");
    let mail = MessageRequest { to: "api".into(), text: "hello".into(), ..MessageRequest::default() };
    Messages(&context).message_send(&mail).unwrap();
    assert_eq!(texts(&context), ["api: hello"]);
}

#[test]
fn a_retry_that_still_has_to_wait_writes_nothing() {
    let context = TestContext::new();
    context.agent_with("api", Status::Idle, |record| record.kind = "claude".into());
    context.tmux.show("%0", include_str!("../../../tests/golden/screens/claude-draft.txt"));
    let mail = MessageRequest { to: "api".into(), text: "hello".into(), ..MessageRequest::default() };
    Messages(&context).message_send(&mail).unwrap();
    let retry = || {
        context.advance_seconds(5);
        let outcome = Dispatcher(&context).dispatch(&offered(&context)[0]).unwrap();
        assert_eq!(outcome, DispatchOutcome::Later);
        offered(&context)
    };
    let first = retry();
    let QueueItem::Message(message) = &first[0].item else { panic!("a message waits") };
    assert!(message.why.ends_with("nothing was typed"), "{}", message.why);
    assert_eq!(retry(), first, "neither the reason nor its time has changed");
}

#[test]
fn entry_waits_while_a_user_types_into_the_agent() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    context.attach_driver("api");
    let task = add(&context, "api", "x");
    let due = offered(&context);
    assert_eq!(due.iter().map(|due| due.driven).collect::<Vec<_>>(), [true]);
    Dispatcher(&context).announce_dispatch(&due[0]).unwrap();
    assert!(context.sent_to_tmux(&[&format!("task {} waits until you pause", task.id)]));
    // The client is still attached, but the agent has printed nothing for a while.
    context.advance_seconds(11);
    assert_eq!(offered(&context).iter().map(|due| due.driven).collect::<Vec<_>>(), [false]);
}

#[test]
fn task_for_any_agent_is_offered_once_and_to_an_agent_without_a_driver() {
    let context = TestContext::new();
    for name in ["a", "b"] {
        context.agent_with(name, Status::Idle, |record| record.spec = "demo".into());
    }
    context.attach_driver("a");
    add(&context, "any:demo", "x");
    assert_eq!(texts(&context), ["b: x"]);
}

#[test]
fn agent_that_is_left_alone_is_offered_nothing() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    add(&context, "api", "x");
    assert!(Dispatcher(&context).dispatchable(&HashSet::from([api.id])).unwrap().is_empty());
}

/// Records that the last turn of an agent failed with an error of its model.
fn fail_turn(context: &TestContext, name: &str) {
    let failure = TurnFailure { cause: FailureCause::Error, message: "overloaded".into(), resets_at: None };
    let now = context.now();
    context.edit(name, |record| {
        record.status = note_after(&record.status, &failure, FailureSource::Hook, now);
    });
}

#[test]
fn queue_is_held_after_a_failed_turn_until_the_delay_is_over() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    fail_turn(&context, "api");
    let task = add(&context, "api", "x");
    assert!(offered(&context).is_empty());
    let view = Tasks(&context).task_view(task).unwrap();
    assert!(view.waits_for.is_some(), "the list says why the task waits");
    let release = TaskCompletion(&context).next_release().unwrap().unwrap();
    context.advance(Duration::try_from(release.duration_since(context.now())).unwrap());
    assert_eq!(texts(&context), ["api: x"]);
}

#[test]
fn retrying_a_task_releases_the_queue_of_its_agent() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let task = add(&context, "api", "x");
    Tasks(&context).task_fail(task.id, "overloaded").unwrap();
    fail_turn(&context, "api");
    context.advance_seconds(1);
    Tasks(&context).task_retry(task.id).unwrap();
    assert_eq!(texts(&context), ["api: x"]);
}

#[test]
fn queued_tasks_of_a_removed_agent_fail() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let task = add(&context, "api", "x");
    RegistryWriter(&context).write(|edit| edit.remove(&api.name)).unwrap();
    assert!(offered(&context).is_empty());
    assert_eq!(state(&context, task.id), (TaskState::Failed, "its agent is gone".into(), false));
}

#[test]
fn entry_that_was_cancelled_after_the_offer_is_not_typed() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let task = add(&context, "api", "x");
    let due = offered(&context);
    Tasks(&context).task_cancel(task.id).unwrap();
    assert_eq!(Dispatcher(&context).dispatch(&due[0]).unwrap(), DispatchOutcome::Elsewhere);
    assert_eq!(state(&context, task.id).0, TaskState::Cancelled);
}

#[test]
fn nothing_is_typed_into_an_agent_that_is_being_ended() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let task = add(&context, "api", "x");
    let due = offered(&context);
    context.store.instance(&api.name).write_state(STOPPING, b"").unwrap();
    let _kill = AgentLocks(&context.store).lock(&api.name, "kill").unwrap();
    assert_eq!(Dispatcher(&context).dispatch(&due[0]).unwrap(), DispatchOutcome::Later);
    assert_eq!(state(&context, task.id).0, TaskState::Queued);
}

#[test]
fn another_agent_with_the_name_does_not_get_the_entry() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    add(&context, "api", "x");
    let due = offered(&context);
    RegistryWriter(&context).write(|edit| edit.remove(&api.name)).unwrap();
    context.close_session("api");
    context.agent("api", Status::Idle);
    assert_eq!(Dispatcher(&context).dispatch(&due[0]).unwrap(), DispatchOutcome::Elsewhere);
}

#[test]
fn delivery_that_typed_nothing_returns_to_the_queue_once_the_screen_has_settled() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    context.tmux.show(&api.tmux.unwrap().pane, "> \n");
    let task = add(&context, "api", "x");
    claim(&context, &task);
    assert_eq!(Dispatcher(&context).recover_deliveries().unwrap(), 1, "it is too early to tell");
    assert_eq!(state(&context, task.id).0, TaskState::Dispatched);
    context.end_process("api", crate::manager::testing::exit_code(0));
    context.set_status("api", Status::Exited, "exit code 0");
    context.advance_seconds(4);
    assert_eq!(Dispatcher(&context).recover_deliveries().unwrap(), 0);
    assert_eq!(state(&context, task.id).0, TaskState::Queued);
}

#[test]
fn delivery_to_a_removed_agent_is_flagged_for_the_user() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let task = add(&context, "api", "x");
    claim(&context, &task);
    RegistryWriter(&context).write(|edit| edit.remove(&api.name)).unwrap();
    Dispatcher(&context).recover_deliveries().unwrap();
    assert_eq!(state(&context, task.id), (TaskState::Failed, "its agent is gone".into(), true));
}

#[test]
fn delivery_in_progress_is_left_to_the_process_that_types_it() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let task = add(&context, "api", "x");
    claim(&context, &task);
    let _typing = AgentLocks(&context.store).lock_typing(&agent_name("api")).unwrap();
    context.advance_seconds(60);
    assert_eq!(Dispatcher(&context).recover_deliveries().unwrap(), 0);
    assert_eq!(state(&context, task.id).0, TaskState::Dispatched);
}

#[test]
fn prompt_that_a_hook_reports_starts_the_task_of_this_attempt_only() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let task = add(&context, "api", "write it");
    claim(&context, &task);
    Dispatcher(&context).prompt_accepted(&api, &format!("something else [symposium task {}]", task.id));
    assert_eq!(state(&context, task.id).0, TaskState::Dispatched, "the text is not that of the task");
    Dispatcher(&context).prompt_accepted(&api, &format!("write it [symposium task {}]", task.id));
    assert_eq!(state(&context, task.id).0, TaskState::Running);
}

#[test]
fn message_that_a_hook_reports_is_read() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let mail = MessageRequest { to: "api".into(), text: "hello".into(), ..MessageRequest::default() };
    let message = Messages(&context).message_send(&mail).unwrap().remove(0);
    let step = (MessageState::Waiting, MessageState::Dispatched);
    RegistryWriter(&context)
        .with_ledger(|ledger| ledger.move_message(message.id, step, "typing", context.now()))
        .unwrap();
    Dispatcher(&context).prompt_accepted(&api, &message.typed());
    let now = RegistryWriter(&context).with_ledger(|ledger| ledger.message(message.id)).unwrap().unwrap();
    assert_eq!(now.state, MessageState::Read);
}

#[test]
fn task_that_may_be_retried_waits_for_the_delay_after_a_failed_turn() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let request = TaskRequest { to: "api".into(), text: "x".into(), retries: 3, ..TaskRequest::default() };
    let task = Tasks(&context).task_add(request).unwrap().task;
    claim(&context, &task);
    Dispatcher(&context).prompt_accepted(&api, &format!("x [symposium task {}]", task.id));
    context.advance_seconds(1);
    fail_turn(&context, "api");
    TaskCompletion(&context).finish_tasks().unwrap();
    assert_eq!(state(&context, task.id).1, "attempt 1 failed: overloaded");
    assert!(offered(&context).is_empty());
    context.agent("other", Status::Idle);
    add(&context, "other", "fine");
    assert_eq!(texts(&context), ["other: fine"], "the queue of another agent is not held");
}

#[test]
fn retry_of_a_pool_task_does_not_move_to_the_next_agent_of_the_spec() {
    let context = TestContext::new();
    for name in ["a", "b"] {
        context.agent_with(name, Status::Idle, |record| record.spec = "demo".into());
    }
    let request =
        TaskRequest { to: "any:demo".into(), text: "x".into(), retries: 5, ..TaskRequest::default() };
    let task = Tasks(&context).task_add(request).unwrap().task;
    let first = offered(&context).remove(0).agent.1;
    let record = context.stored(first.as_str());
    RegistryWriter(&context)
        .with_ledger(|ledger| ledger.claim_task(task.id, (record.id, &first), "typing", context.now()))
        .unwrap();
    Dispatcher(&context).prompt_accepted(&record, &format!("x [symposium task {}]", task.id));
    context.advance_seconds(1);
    fail_turn(&context, first.as_str());
    TaskCompletion(&context).finish_tasks().unwrap();
    assert_eq!(state(&context, task.id).0, TaskState::Queued);
    assert!(offered(&context).is_empty(), "the other agent shares the account");
    add(&context, "any:demo", "new");
    assert_eq!(offered(&context).len(), 1, "a new task goes to the free agent");
}

#[test]
fn message_waits_until_the_question_of_its_agent_is_answered() {
    let context = TestContext::new();
    context.agent("api", Status::Waiting);
    let mail = MessageRequest { to: "api".into(), text: "later".into(), ..MessageRequest::default() };
    let sent = Messages(&context).message_send(&mail).unwrap();
    let remarks = Messages(&context).message_remarks(&sent);
    assert!(remarks.iter().any(|remark| remark.contains("waits for an answer to `api`")), "{remarks:?}");
    assert!(offered(&context).is_empty());
    context.set_status("api", Status::Idle, "its turn is over");
    assert_eq!(texts(&context), ["api: later"]);
}

#[test]
fn message_to_a_project_is_typed_only_into_the_agents_that_it_mentions() {
    let context = TestContext::new();
    context.agent("b", Status::Idle);
    context.agent("c", Status::Idle);
    let text = "the build is red, @b";
    let mail = MessageRequest { to: "@project".into(), text: text.into(), ..MessageRequest::default() };
    assert_eq!(Messages(&context).message_send(&mail).unwrap().len(), 2, "both can read it");
    assert_eq!(texts(&context), [format!("b: {text}")]);
}

#[test]
fn agent_that_was_killed_while_it_slept_is_not_woken_by_a_task() {
    let context = TestContext::new();
    context.agent("api", Status::Hibernated);
    add(&context, "api", "x");
    assert_eq!(texts(&context), ["api: x"], "a sleeping agent is woken");
    Termination(&context).kill(&agent_name("api"), Duration::ZERO).unwrap();
    assert_eq!(context.stored("api").status.status, Status::Stopped);
    assert!(offered(&context).is_empty());
}

#[test]
fn later_agent_with_the_name_of_a_removed_one_does_not_get_its_tasks() {
    let context = TestContext::new();
    let former = context.agent("api", Status::Stopped);
    let task = add(&context, "api", "x");
    RegistryWriter(&context).write(|edit| edit.remove(&former.name)).unwrap();
    context.agent("api", Status::Idle);
    offered(&context);
    assert_eq!(state(&context, task.id).1, "its agent is gone");
    Tasks(&context).task_retry(task.id).unwrap();
    assert!(offered(&context).is_empty());
    assert_eq!(state(&context, task.id).0, TaskState::Failed);
}
