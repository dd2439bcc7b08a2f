//! Tasks from `task add` to their end, without a process: the agents are records and panes that are given as data.

use std::path::PathBuf;
use std::time::Duration;

use crate::ledger::TaskTransition;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::tasks::add::TaskRequest;
use crate::manager::tasks::manage::TaskFilter;
use crate::manager::tasks::{TaskCompletion, Tasks};
use crate::manager::testing::TestContext;
use crate::model::{Status, Task, TaskId, TaskProgress, TaskState, TaskStatus};
use crate::rules::status::from_hook::INTERRUPTED;

fn request(to: &str, text: &str) -> TaskRequest {
    TaskRequest { to: to.into(), text: text.into(), ..TaskRequest::default() }
}

fn add(context: &TestContext, request: TaskRequest) -> Task {
    Tasks(context).task_add(request).unwrap().task
}

/// Moves a queued task to its agent, as a dispatch does, and records that the agent accepted it.
fn start(context: &TestContext, task: &Task) {
    let agent = (task.agent.unwrap(), task.agent_name.as_ref().unwrap());
    RegistryWriter(context)
        .with_ledger(|ledger| ledger.claim_task(task.id, agent, "typing", context.now()))
        .unwrap();
    let step = TaskTransition::plain(&[TaskState::Dispatched], TaskState::Running, "taken");
    RegistryWriter(context).with_ledger(|ledger| ledger.move_task(task.id, &step, context.now())).unwrap();
    context.set_status(agent.1.as_str(), Status::Working, "a turn has begun");
}

fn now(context: &TestContext, id: TaskId) -> Task {
    TaskQueue(context).task(id).unwrap().unwrap()
}

#[test]
fn task_of_an_idle_agent_is_queued_without_a_remark_on_the_agent() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let added = Tasks(&context).task_add(request("api", "write the docs")).unwrap();
    assert_eq!((added.task.state, added.task.agent), (TaskState::Queued, Some(api.id)));
    assert_eq!(added.task.source, "person");
    assert!(added.remarks.iter().all(|remark| !remark.contains("`api`")), "{:?}", added.remarks);
}

#[test]
fn task_of_a_working_agent_is_reported_as_waiting() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    let added = Tasks(&context).task_add(request("api", "write")).unwrap();
    assert!(added.remarks.contains(&"waits until `api` is idle".to_owned()), "{:?}", added.remarks);
}

#[test]
fn task_of_a_plain_command_says_that_it_is_never_taken() {
    let context = TestContext::new();
    context.agent_with("top", Status::Working, |record| record.kind = "command".into());
    let added = Tasks(&context).task_add(request("top", "write")).unwrap();
    assert!(added.remarks.iter().any(|remark| remark.contains("plain command")), "{:?}", added.remarks);
}

#[test]
fn text_that_cannot_be_typed_is_refused_and_nothing_is_queued() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    assert!(Tasks(&context).task_add(request("api", "a\u{1b}[201~b")).is_err());
    assert!(Tasks(&context).task_list(&TaskFilter::default()).unwrap().is_empty());
}

#[test]
fn task_after_an_unknown_task_is_refused() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let wrong = TaskRequest { after: vec![TaskId(9)], ..request("api", "x") };
    let error = Tasks(&context).task_add(wrong).unwrap_err();
    assert!(error.to_string().contains('9'), "{error}");
}

#[test]
fn unknown_assignee_is_an_error_that_lists_the_agents() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let error = Tasks(&context).task_add(request("apo", "x")).unwrap_err();
    assert!(error.text().contains("api"), "{}", error.text());
}

#[test]
fn task_on_behalf_of_an_agent_carries_its_name() {
    let context = TestContext::new();
    let lead = context.agent("lead", Status::Working);
    context.agent("api", Status::Idle);
    let task = add(&context, TaskRequest { by: Some(lead.name.clone()), ..request("api", "x") });
    assert_eq!((task.source.as_str(), task.source_id), ("lead", Some(lead.id)));
}

#[test]
fn task_for_any_agent_of_a_spec_without_agents_says_how_to_start_one() {
    let context = TestContext::new();
    let added = Tasks(&context).task_add(request("any:demo", "x")).unwrap();
    assert_eq!((added.task.pool.as_deref(), added.task.agent), (Some("demo"), None));
    assert!(added.remarks.iter().any(|remark| remark.contains("agent spawn demo")), "{:?}", added.remarks);
}

#[test]
fn missing_topic_is_a_remark_and_the_task_is_queued_anyway() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let wanted = TaskRequest { topic: Some(PathBuf::from("plan.md")), ..request("api", "x") };
    let added = Tasks(&context).task_add(wanted).unwrap();
    assert!(added.remarks.iter().any(|remark| remark.contains("plan.md does not exist")));
    assert_eq!(Tasks(&context).with_topic(&added.task).unwrap().lines().next(), Some("x"));
}

#[test]
fn topic_is_handed_over_with_the_task_and_marked_as_in_progress() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let path = context.write_file("plan.md", "---\nstatus: open\n---\nbuild it\r\n");
    let task = add(&context, TaskRequest { topic: Some(path.clone()), ..request("api", "do this") });
    let typed = Tasks(&context).with_topic(&task).unwrap();
    assert!(typed.contains("do this") && typed.contains("build it"), "{typed}");
    let file = std::fs::read_to_string(&path).unwrap();
    assert!(!file.contains("status: open") && file.ends_with("build it\r\n"), "{file:?}");
}

#[test]
fn task_is_done_with_the_complete_last_message_when_the_turn_is_over() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let task = add(&context, request("api", "x"));
    start(&context, &task);
    context.advance_seconds(30);
    assert!(TaskCompletion(&context).finish_tasks().unwrap().over.is_empty(), "the agent still works");
    let words = "first line\nsecond line";
    let reason = crate::rules::status::from_hook::one_line(words);
    context.store.instance(&api.name).write_state("last-words", words.as_bytes()).unwrap();
    context.set_status("api", Status::Idle, &reason);
    let over = TaskCompletion(&context).finish_tasks().unwrap().over;
    assert_eq!(over.iter().map(|task| task.id).collect::<Vec<_>>(), [task.id]);
    let done = now(&context, task.id);
    assert_eq!(done.state, TaskState::Done);
    assert!(done.result.is_some_and(|result| result.starts_with("first line")));
    assert_eq!(context.events("task-done").len(), 1);
}

#[test]
fn interrupted_turn_fails_its_task() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let task = add(&context, request("api", "x"));
    start(&context, &task);
    context.set_status("api", Status::Idle, INTERRUPTED);
    TaskCompletion(&context).finish_tasks().unwrap();
    let failed = now(&context, task.id);
    assert_eq!((failed.state, failed.why.as_str()), (TaskState::Failed, INTERRUPTED));
}

#[test]
fn task_of_an_agent_that_crashed_fails_with_the_reason() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let task = add(&context, request("api", "x"));
    start(&context, &task);
    context.set_status("api", Status::Crashed, "exit code 3");
    TaskCompletion(&context).finish_tasks().unwrap();
    let failed = now(&context, task.id);
    assert_eq!(failed.state, TaskState::Failed);
    assert!(failed.why.contains("crashed: exit code 3"), "{}", failed.why);
}

#[test]
fn task_of_an_agent_that_was_removed_fails() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let task = add(&context, request("api", "x"));
    start(&context, &task);
    RegistryWriter(&context).write(|edit| edit.remove(&api.name)).unwrap();
    TaskCompletion(&context).finish_tasks().unwrap();
    assert_eq!(now(&context, task.id).why, "its agent is gone");
}

#[test]
fn failed_task_is_queued_again_as_often_as_it_has_retries() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let task = add(&context, TaskRequest { retries: 1, ..request("api", "x") });
    start(&context, &task);
    context.set_status("api", Status::Idle, INTERRUPTED);
    TaskCompletion(&context).finish_tasks().unwrap();
    let again = now(&context, task.id);
    assert_eq!(again.state, TaskState::Queued);
    assert!(again.why.contains("attempt 1 failed"), "{}", again.why);
    assert!(context.events("task-failed").is_empty(), "a task that is retried has not failed");
    start(&context, &again);
    context.advance_seconds(1);
    context.set_status("api", Status::Idle, INTERRUPTED);
    TaskCompletion(&context).finish_tasks().unwrap();
    assert_eq!(now(&context, task.id).state, TaskState::Failed);
    assert_eq!(context.events("task-failed").len(), 1);
}

#[test]
fn task_beyond_its_time_limit_fails_and_its_agent_is_named_for_an_interrupt() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let task = add(&context, TaskRequest { timeout: Some(Duration::from_secs(60)), ..request("api", "x") });
    start(&context, &task);
    let begun = context.now();
    context.advance_seconds(59);
    let settled = TaskCompletion(&context).finish_tasks().unwrap();
    assert!(settled.over.is_empty() && settled.too_long.is_empty());
    assert_eq!(settled.next, Some(begun + Duration::from_secs(60)), "the supervisor wakes at the limit");
    context.advance_seconds(1);
    let settled = TaskCompletion(&context).finish_tasks().unwrap();
    assert_eq!(settled.too_long, [api.name]);
    let failed = now(&context, task.id);
    assert_eq!(failed.state, TaskState::Failed);
    assert!(failed.why.contains("longer than 60s"), "{}", failed.why);
}

#[test]
fn running_task_shows_the_question_that_its_agent_asks() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let task = add(&context, request("api", "x"));
    start(&context, &task);
    context.set_status("api", Status::Waiting, "delete the database?");
    let view = Tasks(&context).task_view(now(&context, task.id)).unwrap();
    assert_eq!(view.status, TaskStatus::Waiting);
    assert!(view.waits_for.is_some_and(|what| what.contains("delete the database?")));
}

#[test]
fn dependent_task_names_the_tasks_that_it_waits_for_and_how_to_retry_a_failed_one() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let first = add(&context, request("api", "first"));
    let second = add(&context, TaskRequest { after: vec![first.id, first.id], ..request("api", "second") });
    assert_eq!((&second.after[..], second.blocked), (&[first.id][..], 1), "duplicates are dropped");
    let view = Tasks(&context).task_view(now(&context, second.id)).unwrap();
    assert_eq!(
        (view.status, view.waits_for),
        (TaskStatus::Blocked, Some(format!("after {} (queued)", first.id)))
    );
    Tasks(&context).task_fail(first.id, "no").unwrap();
    let waits_for = Tasks(&context).task_view(now(&context, second.id)).unwrap().waits_for.unwrap();
    assert!(waits_for.contains(&format!("symposium task retry {}", first.id)), "{waits_for}");
    Tasks(&context).task_done(first.id, Some("fixed by hand")).unwrap();
    assert_eq!(now(&context, second.id).blocked, 0);
}

#[test]
fn finished_task_can_be_neither_cancelled_nor_failed() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let task = add(&context, request("api", "x"));
    Tasks(&context).task_done(task.id, Some("ok")).unwrap();
    let error = Tasks(&context).task_cancel(task.id).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot cancel task {}: it is already done", task.id));
    assert!(Tasks(&context).task_fail(task.id, "no").is_err());
    assert_eq!(now(&context, task.id).result.as_deref(), Some("ok"));
}

#[test]
fn cancelled_task_can_be_queued_again_and_keeps_its_history() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let task = add(&context, request("api", "x"));
    Tasks(&context).task_cancel(task.id).unwrap();
    context.advance_seconds(5);
    assert_eq!(Tasks(&context).task_retry(task.id).unwrap().state, TaskState::Queued);
    let steps = Tasks(&context).task_show(task.id).unwrap().steps;
    let states: Vec<_> = steps.iter().map(|step| step.state).collect();
    assert_eq!(states, [TaskState::Queued, TaskState::Cancelled, TaskState::Queued]);
    assert_eq!(steps[2].at.duration_since(steps[1].at).as_secs(), 5);
}

#[test]
fn progress_of_a_finished_task_is_refused() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let task = add(&context, request("api", "x"));
    start(&context, &task);
    let half = TaskProgress { percent: 50, note: "half".into() };
    assert_eq!(Tasks(&context).task_progress(task.id, &half).unwrap().progress, Some(half.clone()));
    Tasks(&context).task_done(task.id, None).unwrap();
    assert!(Tasks(&context).task_progress(task.id, &half).is_err());
}

#[test]
fn list_since_a_time_contains_old_tasks_that_changed_after_it() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let old = add(&context, request("api", "old"));
    let untouched = add(&context, request("api", "untouched"));
    context.advance_seconds(3600);
    let since = Some(context.now());
    Tasks(&context).task_done(old.id, None).unwrap();
    let states = TaskState::OPEN.into_iter().chain([TaskState::Done]).collect();
    let filter = TaskFilter { since, states, newest: Some(1), ..TaskFilter::default() };
    let listed: Vec<_> =
        Tasks(&context).task_list(&filter).unwrap().into_iter().map(|task| task.id).collect();
    assert_eq!(listed, [old.id]);
    assert_ne!(old.id, untouched.id);
}
