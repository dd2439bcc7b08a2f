//! Which agents are removed, which are kept, and what happens to work that exists nowhere else.

use std::time::Duration;

use jiff::SignedDuration;

use crate::ledger::TaskTransition;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::removal::AgentRemoval;
use crate::manager::removal::prune::PruneRequest;
use crate::manager::removal::remove::Removal;
use crate::manager::testing::{TestContext, agent_name, exit_code};
use crate::model::{AgentRecord, Assignee, NewTask, Status, TaskState, Workspace};

fn names(context: &TestContext) -> Vec<String> {
    let records = context.store.read(context.now()).unwrap();
    records.into_iter().map(|record| record.name.to_string()).collect()
}

fn prune(context: &TestContext, days: i64, dry_run: bool) -> Vec<(String, bool)> {
    let request = PruneRequest { older_than: SignedDuration::from_hours(24 * days), dry_run };
    let pruned = AgentRemoval(context).prune(request).unwrap();
    pruned
        .into_iter()
        .map(|pruned_agent| (pruned_agent.name.to_string(), pruned_agent.outcome.is_ok()))
        .collect()
}

/// Adds an ephemeral agent with its first task in a state.
fn ephemeral(context: &TestContext, name: &str, status: Status, task: TaskState) -> AgentRecord {
    let record = context.agent_with(name, status, |record| record.ephemeral = true);
    let new = NewTask::plain(Assignee::Agent(record.id, record.name.clone()), "x", "spawn");
    let id = TaskQueue(context).queue(&new).unwrap();
    let step = TaskTransition::plain(&[TaskState::Queued], task, "given");
    RegistryWriter(context).with_ledger(|ledger| ledger.move_task(id, &step, context.now())).unwrap();
    record
}

/// Adds a stopped agent whose own directory holds a file.
fn with_scratch_file(context: &TestContext, name: &str) -> AgentRecord {
    let record = context.agent_with(name, Status::Stopped, |record| record.workspace = Workspace::Scratch);
    let dir = context.store.instance(&record.name).create_workspace().unwrap();
    std::fs::write(dir.join("notes.txt"), "only here").unwrap();
    context.edit(name, |record| record.working_directory = dir.to_string_lossy().into_owned())
}

#[test]
fn prune_removes_successful_agents_and_keeps_failed_ones() {
    let context = TestContext::new();
    for (name, status) in [
        ("crashed", Status::Crashed),
        ("exited", Status::Exited),
        ("idle", Status::Idle),
        ("lost", Status::Lost),
        ("stopped", Status::Stopped),
    ] {
        context.agent_with(name, status, |record| {
            if !status.is_live() {
                (record.tmux, record.pid) = (None, None);
            }
        });
    }
    assert_eq!(prune(&context, 0, false), [("exited".into(), true), ("stopped".into(), true)]);
    assert_eq!(names(&context), ["crashed", "idle", "lost"]);
}

#[test]
fn prune_keeps_agents_that_ended_later_than_the_limit() {
    let context = TestContext::new();
    context.agent_with("old", Status::Stopped, |record| record.tmux = None);
    context.advance(Duration::from_secs(86_400));
    context.agent_with("new", Status::Stopped, |record| record.tmux = None);
    context.advance(Duration::from_secs(86_400));
    assert_eq!(prune(&context, 2, false), [("old".into(), true)]);
    assert_eq!(names(&context), ["new"]);
}

#[test]
fn dry_run_of_prune_removes_nothing() {
    let context = TestContext::new();
    context.agent_with("old", Status::Stopped, |record| record.tmux = None);
    assert_eq!(prune(&context, 0, true), [("old".into(), true)]);
    assert_eq!(names(&context), ["old"]);
}

#[test]
fn prune_keeps_an_agent_whose_directory_holds_files() {
    let context = TestContext::new();
    with_scratch_file(&context, "old");
    assert_eq!(prune(&context, 0, false), [("old".into(), false)]);
    assert_eq!(names(&context), ["old"]);
}

#[test]
fn nothing_is_pruned_while_tmux_does_not_answer() {
    let context = TestContext::new();
    context.agent_with("old", Status::Stopped, |record| record.tmux = None);
    context.tmux.fall_silent();
    let request = PruneRequest { older_than: SignedDuration::ZERO, dry_run: false };
    assert!(AgentRemoval(&context).prune(request).is_err());
    assert_eq!(names(&context), ["old"]);
}

#[test]
fn removed_agent_leaves_neither_files_nor_orphaned_children() {
    let context = TestContext::new();
    context.agent("top", Status::Idle);
    let gone = context.agent_with("middle", Status::Stopped, |record| {
        record.parent = Some(agent_name("top"));
        record.tmux = None;
    });
    context.agent_with("child", Status::Idle, |record| record.parent = Some(agent_name("middle")));
    AgentRemoval(&context).rm(&gone.name, Removal::Careful).unwrap();
    assert_eq!(context.stored("child").parent, Some(agent_name("top")));
    assert!(!context.store.instance(&gone.name).dir().exists());
    assert_eq!(context.events("removed").len(), 1);
}

#[test]
fn removing_an_agent_closes_its_session() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    context.end_process("api", exit_code(0));
    context.set_status("api", Status::Exited, "exit code 0");
    AgentRemoval(&context).rm(&agent_name("api"), Removal::Careful).unwrap();
    assert!(context.sent_to_tmux(&["kill-session", "api"]), "{:?}", context.tmux.received());
}

#[test]
fn careful_removal_refuses_to_lose_files_and_says_which() {
    let context = TestContext::new();
    with_scratch_file(&context, "api");
    let preview = AgentRemoval(&context).removal_preview(&agent_name("api")).unwrap();
    assert!(preview.needs_force && !preview.running && !preview.summary.is_empty());
    let error = AgentRemoval(&context).rm(&agent_name("api"), Removal::Careful).unwrap_err();
    assert!(error.text().contains("--force"), "{}", error.text());
    assert_eq!(names(&context), ["api"]);
}

#[test]
fn a_workspace_in_which_another_agent_works_is_removed_only_by_force() {
    let context = TestContext::new();
    let record = with_scratch_file(&context, "api");
    let directory = context.store.instance(&record.name).workspace();
    std::fs::remove_file(directory.join("notes.txt")).unwrap();
    context.agent_with("child", Status::Idle, |record| {
        record.working_directory = directory.join("below").to_string_lossy().into_owned();
    });
    let refused = AgentRemoval(&context).rm(&agent_name("api"), Removal::Careful).unwrap_err();
    assert!(refused.text().contains("agent `child` works in the directory of `api`"), "{}", refused.text());
    let refused = AgentRemoval(&context).rm(&agent_name("api"), Removal::Discard).unwrap_err();
    assert!(refused.text().contains("symposium agent kill child"), "{}", refused.text());
    assert_eq!(names(&context), ["api", "child"]);
    AgentRemoval(&context).rm(&agent_name("api"), Removal::Force).unwrap();
    assert_eq!(names(&context), ["child"]);
}

#[test]
fn forced_removal_keeps_the_files_for_thirty_days() {
    let context = TestContext::new();
    with_scratch_file(&context, "api");
    let removed = AgentRemoval(&context).rm(&agent_name("api"), Removal::Force).unwrap();
    let copy = removed.recovered.unwrap();
    let kept = copy.folder.clone().unwrap().join("notes.txt");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "only here");
    assert_eq!(copy.until.duration_since(context.now()).as_hours(), 30 * 24);
    assert!(
        !AgentRemoval(&context).recovery_commands(&copy).is_empty(),
        "the user is told how to get it back"
    );
    context.advance(Duration::from_secs(30 * 86_400 - 1));
    AgentRemoval(&context).expire_recovered(std::path::Path::new(""));
    assert!(kept.exists(), "the retention period is not over");
    context.advance_seconds(2);
    AgentRemoval(&context).expire_recovered(std::path::Path::new(""));
    assert!(!kept.exists());
}

#[test]
fn ephemeral_agent_is_removed_when_its_task_is_done() {
    let context = TestContext::new();
    ephemeral(&context, "one-shot", Status::Exited, TaskState::Done);
    let gone = AgentRemoval(&context).remove_ephemeral().unwrap();
    assert!(matches!(&gone[..], [pruned_agent] if pruned_agent.outcome.is_ok()), "{gone:?}");
    assert!(names(&context).is_empty());
}

#[test]
fn ephemeral_agent_stays_while_it_works_after_a_failure_and_while_a_client_is_attached() {
    let context = TestContext::new();
    ephemeral(&context, "failed", Status::Exited, TaskState::Failed);
    ephemeral(&context, "watched", Status::Idle, TaskState::Done);
    ephemeral(&context, "working", Status::Working, TaskState::Running);
    context.agent("lasting", Status::Exited);
    context.attach_driver("watched");
    assert!(AgentRemoval(&context).remove_ephemeral().unwrap().is_empty());
    assert_eq!(names(&context).len(), 4);
}

#[test]
fn ephemeral_agent_with_unsaved_files_is_kept_and_no_longer_ephemeral() {
    let context = TestContext::new();
    with_scratch_file(&context, "one-shot");
    context.edit("one-shot", |record| {
        record.ephemeral = true;
        record.status.status = Status::Exited;
    });
    let gone = AgentRemoval(&context).remove_ephemeral().unwrap();
    assert!(matches!(&gone[..], [pruned_agent] if pruned_agent.outcome.is_err()), "{gone:?}");
    assert!(!context.stored("one-shot").ephemeral);
    assert!(AgentRemoval(&context).remove_ephemeral().unwrap().is_empty(), "it is reported once");
}
