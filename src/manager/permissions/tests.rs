//! What an agent may do when it calls a tool, and that a foreign process is never taken for a user.

use std::path::PathBuf;

use crate::ledger::TaskTransition;
use crate::manager::permissions::Permissions;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{AgentId, AgentRecord, Assignee, NewTask, Status, TaskId, TaskState};
use crate::rules::access::permissions::Action;

/// Returns a context in which the calling process belongs to the agent `me`, with its child, its neighbour in the
/// project and a stranger.
fn called_by_agent() -> TestContext {
    let id = AgentId::fresh();
    let context =
        TestContext::of_caller(&[("SYMPOSIUM_AGENT", "me"), ("SYMPOSIUM_AGENT_ID", &id.to_string())]);
    context.agent_with("me", Status::Working, |record| record.id = id);
    context.agent_with("child", Status::Idle, |record| record.parent = Some(agent_name("me")));
    context.agent("neighbour", Status::Idle);
    context.agent_with("stranger", Status::Idle, |record| {
        record.working_directory = "/elsewhere".into();
        record.project = Some("/elsewhere".into());
    });
    context
}

fn task_of(context: &TestContext, agent: &AgentRecord, source: &str) -> TaskId {
    let new = NewTask::plain(Assignee::Agent(agent.id, agent.name.clone()), "x", source);
    TaskQueue(context).queue(&new).unwrap()
}

#[test]
fn user_may_act_on_every_agent() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let permissions = Permissions(&context).permissions().unwrap();
    assert!(Permissions(&context).within_reach(&permissions, Action::Change, &agent_name("api")).is_ok());
}

#[test]
fn agent_may_act_on_its_child_and_not_on_a_stranger() {
    let context = called_by_agent();
    let permissions = Permissions(&context).permissions().unwrap();
    assert_eq!(permissions.calling_agent().map(|me| me.name.as_str()), Some("me"));
    let may =
        |name: &str| Permissions(&context).within_reach(&permissions, Action::Change, &agent_name(name));
    assert!(may("child").is_ok());
    let error = may("stranger").unwrap_err();
    assert!(error.to_string().contains("agent `me` may not"), "{error}");
    assert!(error.text().contains("child"), "the error names the agents within reach: {}", error.text());
}

#[test]
fn process_that_names_an_agent_that_does_not_exist_is_not_a_user() {
    for vars in [[("SYMPOSIUM_AGENT", "ghost")], [("SYMPOSIUM_AGENT_ID", "")]] {
        let context = TestContext::of_caller(&vars);
        assert!(Permissions(&context).permissions().is_err(), "{vars:?}");
    }
}

#[test]
fn name_of_another_agent_gives_no_rights_without_its_id() {
    let context = TestContext::of_caller(&[("SYMPOSIUM_AGENT", "boss")]);
    context.agent("boss", Status::Idle);
    assert!(Permissions(&context).permissions().is_err());
}

#[test]
fn agent_is_recognized_by_its_id_after_a_rename() {
    let id = AgentId::fresh();
    let context =
        TestContext::of_caller(&[("SYMPOSIUM_AGENT", "old"), ("SYMPOSIUM_AGENT_ID", &id.to_string())]);
    context.agent_with("new", Status::Working, |record| record.id = id);
    let permissions = Permissions(&context).permissions().unwrap();
    assert_eq!(permissions.calling_agent().map(|me| me.name.as_str()), Some("new"));
}

#[test]
fn agent_reports_on_its_own_task_only() {
    let context = called_by_agent();
    let own = task_of(&context, &context.stored("me"), "person");
    let foreign = task_of(&context, &context.stored("neighbour"), "person");
    assert!(Permissions(&context).refuse_foreign_report(own).is_ok());
    let error = Permissions(&context).refuse_foreign_report(foreign).unwrap_err();
    assert!(error.to_string().contains("may not report"), "{error}");
}

#[test]
fn path_outside_the_project_of_an_agent_is_refused_even_through_a_link() {
    let context = called_by_agent();
    let permissions = Permissions(&context).permissions().unwrap();
    context.write_file("sub/plan.md", "x");
    std::os::unix::fs::symlink("/etc", context.project().join("link")).unwrap();
    let reach = |path: &str| Permissions(&context).path_within_reach(&permissions, Some(PathBuf::from(path)));
    assert!(reach("sub/plan.md").unwrap().is_some());
    assert!(reach("sub/not-yet").unwrap().is_some());
    for outside in ["../..", "/etc/passwd", "link/passwd"] {
        assert!(reach(outside).is_err(), "{outside}");
    }
}

#[test]
fn current_task_is_the_running_one() {
    let context = called_by_agent();
    let me = context.stored("me");
    let error = Permissions(&context).task_at_hand(&me).unwrap_err();
    assert!(error.to_string().contains("`me`"), "{error}");
    for state in [TaskState::Dispatched, TaskState::Running] {
        let id = task_of(&context, &me, "person");
        let step = TaskTransition::plain(&[TaskState::Queued], state, "given");
        RegistryWriter(&context).with_ledger(|ledger| ledger.move_task(id, &step, context.now())).unwrap();
    }
    assert_eq!(Permissions(&context).task_at_hand(&me).unwrap().state, TaskState::Running);
}

#[test]
fn agent_reports_on_the_task_of_its_child_and_withdraws_tasks_that_it_gave() {
    let context = called_by_agent();
    let of_child = task_of(&context, &context.stored("child"), "person");
    assert!(Permissions(&context).refuse_foreign_report(of_child).is_ok());
    let neighbour = context.stored("neighbour");
    let assignee = Assignee::Agent(neighbour.id, neighbour.name.clone());
    let given = NewTask { source_id: Some(context.stored("me").id), ..NewTask::plain(assignee, "x", "me") };
    let given = TaskQueue(&context).queue(&given).unwrap();
    assert!(Permissions(&context).refuse_foreign_withdrawal(given).is_ok());
    assert!(Permissions(&context).refuse_foreign_report(given).is_err(), "its agent reports on it");
    let foreign = task_of(&context, &neighbour, "person");
    assert!(Permissions(&context).refuse_foreign_withdrawal(foreign).is_err());
}
