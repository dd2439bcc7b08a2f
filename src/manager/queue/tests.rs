//! Entries in the queues, and the task that an ephemeral agent is spawned with.

use crate::ledger::TaskTransition;
use crate::manager::queue::TaskQueue;
use crate::manager::queue::ephemeral_task::SOURCE;
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::spawn_manifest::SpawnArgs;
use crate::manager::testing::TestContext;
use crate::model::{AgentRecord, Assignee, NewTask, Spec, Status, Task, TaskId, TaskState};
use crate::store::AgentLocks;

fn new_task(agent: &AgentRecord, source: &str) -> NewTask {
    NewTask::plain(Assignee::Agent(agent.id, agent.name.clone()), "fix it", source)
}

fn task(context: &TestContext, id: TaskId) -> Task {
    TaskQueue(context).task(id).unwrap().unwrap()
}

/// Returns the launch plan of the demo agent, or of a plain command.
fn plan(context: &TestContext, command: &[&str]) -> LaunchPlan {
    let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
    let kind = command.is_empty().then(|| "demo".to_owned());
    let spec = Spec { name: "demo".into(), kind, command, ..Spec::default() };
    LaunchPlanner(context).chosen_from(spec, SpawnArgs::default(), &context.project(), vec![]).unwrap()
}

#[test]
fn queues_exist_from_the_first_task_on() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    assert!(!RegistryWriter(&context).has_queues());
    assert_eq!(TaskQueue(&context).task(TaskId(1)).unwrap(), None);
    let id = TaskQueue(&context).queue(&new_task(&api, "person")).unwrap();
    assert!(RegistryWriter(&context).has_queues());
    let added = task(&context, id);
    assert_eq!((added.state, added.created_at), (TaskState::Queued, context.now()));
    assert_eq!(added.assignee_name(), "api");
}

#[test]
fn a_task_after_one_that_does_not_exist_is_refused_and_not_added() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let after = NewTask { after: vec![TaskId(7)], ..new_task(&api, "person") };
    let error = TaskQueue(&context).queue(&after).unwrap_err();
    assert!(error.to_string().contains('7'), "{error}");
    assert!(RegistryWriter(&context).tasks(&[TaskState::Queued]).unwrap().is_empty());
}

#[test]
fn only_an_ephemeral_agent_records_its_first_task_and_runs_it_at_once() {
    let context = TestContext::new();
    let lasting = context.agent("lasting", Status::Starting);
    let ephemeral = context.agent_with("one-shot", Status::Starting, |record| record.ephemeral = true);
    let add = |record: &AgentRecord, chosen: &LaunchPlan, text: Option<&str>| {
        TaskQueue(&context).add_first_task(record, chosen, text).unwrap()
    };
    assert_eq!(add(&lasting, &plan(&context, &[]), Some("fix it")), None);
    assert_eq!(add(&ephemeral, &plan(&context, &[]), None), None, "it was given none");
    let id = add(&ephemeral, &plan(&context, &[]), Some("fix it")).unwrap();
    let first = task(&context, id);
    assert_eq!((first.state, first.source.as_str()), (TaskState::Running, SOURCE));
    let id = add(&ephemeral, &plan(&context, &["sh", "-c", "make all"]), None).unwrap();
    assert_eq!(task(&context, id).text, "sh -c make all", "the command is the task");
}

#[test]
fn the_first_task_fails_if_its_agent_cannot_be_started() {
    let context = TestContext::new();
    let record = context.agent_with("one-shot", Status::Starting, |record| record.ephemeral = true);
    let id = TaskQueue(&context).add_first_task(&record, &plan(&context, &[]), Some("fix it")).unwrap();
    TaskQueue(&context).cancel_first_task(id);
    let failed = task(&context, id.unwrap());
    assert_eq!((failed.state, failed.why.as_str()), (TaskState::Failed, "its agent could not be started"));
    TaskQueue(&context).cancel_first_task(None);
}

#[test]
fn an_agent_is_being_spawned_while_its_lock_is_held_and_its_record_exists() {
    let context = TestContext::new();
    let record = context.agent_with("one-shot", Status::Starting, |record| record.ephemeral = true);
    let id = TaskQueue(&context).add_first_task(&record, &plan(&context, &[]), Some("fix it")).unwrap();
    let first = task(&context, id.unwrap());
    let is_spawning = |task: &Task| TaskQueue(&context).is_spawning(task).unwrap();
    let lock = AgentLocks(&context.store).lock(&record.name, "spawn").unwrap();
    assert!(is_spawning(&first));
    drop(lock);
    assert!(is_spawning(&first), "its record is there");
    RegistryWriter(&context).write(|edit| edit.remove(&record.name)).unwrap();
    assert!(!is_spawning(&first), "the spawn was killed");
    let other = TaskQueue(&context).queue(&new_task(&record, "person")).unwrap();
    let _lock = AgentLocks(&context.store).lock(&record.name, "spawn").unwrap();
    assert!(!is_spawning(&task(&context, other)), "it was not spawned with this task");
}

#[test]
fn a_first_task_has_begun_once_its_agent_has_worked() {
    let context = TestContext::new();
    let record = context.agent_with("one-shot", Status::Starting, |record| record.ephemeral = true);
    context.advance_seconds(1);
    let id = TaskQueue(&context).add_first_task(&record, &plan(&context, &[]), Some("fix it")).unwrap();
    let first = task(&context, id.unwrap());
    let has_begun = || TaskQueue(&context).has_begun(&first).unwrap();
    context.set_status("one-shot", Status::Idle, "it is ready for a prompt");
    assert!(!has_begun(), "it can be ready before its task");
    context.set_status("one-shot", Status::Working, "it accepted a prompt");
    context.set_status("one-shot", Status::Idle, "its turn is over");
    assert!(has_begun());
    let other = TaskQueue(&context).queue(&new_task(&record, "person")).unwrap();
    assert!(TaskQueue(&context).has_begun(&task(&context, other)).unwrap());
}

#[test]
fn the_tasks_of_agents_are_counted_only_after_a_task_was_added() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Working);
    let count = || {
        let mut agents = context.agents();
        RegistryWriter(&context).count_tasks(&mut agents);
        agents.remove(0)
    };
    assert_eq!(count().task, None);
    let add = |text: &str| {
        let new = NewTask::plain(Assignee::Agent(api.id, api.name.clone()), text, "person");
        TaskQueue(&context).queue(&new).unwrap()
    };
    let (first, _) = (add("first\nwith details"), add("second"));
    let step = TaskTransition::plain(&[TaskState::Queued], TaskState::Running, "given");
    RegistryWriter(&context).with_ledger(|ledger| ledger.move_task(first, &step, context.now())).unwrap();
    let agent = count();
    assert_eq!(agent.task.map(|task| (task.id, task.title)), Some((first, "first".to_owned())));
    assert_eq!(agent.tasks.queued, 1);
}
