//! Decisions about the life of agents that need no process: limits, hibernation, renames and the end.

use std::time::Duration;

use crate::manager::lifecycle::{Capacity, Hibernation, Renaming, Termination};
use crate::manager::status::{AgentLookup, StatusTracker};
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{RestartPolicy, Status};

fn status(context: &TestContext, name: &str) -> Status {
    AgentLookup(context).show(&agent_name(name)).unwrap().status
}

#[test]
fn surplus_agents_are_hibernated_and_the_longest_unused_first() {
    let context = TestContext::new();
    context.agent("oldest", Status::Idle);
    context.advance_seconds(10);
    context.agent("newest", Status::Idle);
    context.agent("working", Status::Working);
    context.configure("max_agents = 2\n");
    assert_eq!(Capacity(&context).hibernate_surplus().unwrap(), [agent_name("oldest")]);
    assert_eq!(context.stored("oldest").status.status, Status::Hibernated);
    assert_eq!(context.events("hibernated").len(), 1);
    assert!(Capacity(&context).hibernate_surplus().unwrap().is_empty(), "the limit is met now");
}

#[test]
fn agents_that_work_wait_or_are_attached_are_never_hibernated_for_others() {
    let context = TestContext::new();
    context.agent("attached", Status::Idle);
    context.attach_driver("attached");
    context.agent("waiting", Status::Waiting);
    context.agent("working", Status::Working);
    context.configure("max_agents = 1\n");
    assert!(Capacity(&context).hibernate_surplus().unwrap().is_empty());
}

#[test]
fn full_environment_refuses_another_agent() {
    let context = TestContext::new();
    context.agent("working", Status::Working);
    let other = context.agent("other", Status::Stopped);
    context.configure("max_agents = 1\n");
    let error = Capacity(&context).acquire_start_slot(&other).err().unwrap();
    assert!(error.text().contains("max_agents"), "{}", error.text());
}

#[test]
fn a_start_in_progress_counts_towards_the_capacity() {
    let context = TestContext::new();
    let (first, second) = (context.agent("first", Status::Stopped), context.agent("second", Status::Stopped));
    context.configure("max_agents = 1\n");
    let slot = Capacity(&context).acquire_start_slot(&first).unwrap();
    assert!(slot.is_some());
    assert!(Capacity(&context).acquire_start_slot(&second).is_err());
    drop(slot);
    assert!(Capacity(&context).acquire_start_slot(&second).unwrap().is_some());
}

#[test]
fn busy_agent_cannot_be_hibernated() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    let error = Hibernation(&context).hibernate(&agent_name("api"), "asked").unwrap_err();
    assert!(error.text().contains("working"), "{}", error.text());
    assert_eq!(status(&context, "api"), Status::Working);
}

#[test]
fn only_hibernated_agents_are_woken() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    assert!(!Hibernation(&context).wake(&agent_name("api")).unwrap());
}

#[test]
fn killed_agent_is_stopped_and_its_session_is_closed() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    Termination(&context).kill(&agent_name("api"), Duration::ZERO).unwrap();
    let record = context.stored("api");
    assert_eq!((record.status.status, record.tmux, record.pid), (Status::Stopped, None, None));
    assert!(context.sent_to_tmux(&["kill-session", "api"]), "{:?}", context.tmux.received());
}

#[test]
fn kill_cancels_a_pending_restart() {
    let context = TestContext::new();
    let soon = context.now();
    context.agent_with("api", Status::Crashed, |record| {
        record.restart.policy = RestartPolicy::OnFailure;
        record.restart.next_at = Some(soon);
    });
    assert_eq!(Termination(&context).live().unwrap(), [agent_name("api")], "`kill --all` includes it");
    Termination(&context).kill(&agent_name("api"), Duration::ZERO).unwrap();
    let record = context.stored("api");
    assert_eq!((record.status.status, record.restart.next_at), (Status::Stopped, None));
}

#[test]
fn kill_leaves_an_agent_that_ended_by_itself_as_it_was() {
    let context = TestContext::new();
    context.agent("api", Status::Crashed);
    let killed = Termination(&context).kill(&agent_name("api"), Duration::ZERO).unwrap();
    assert!(!killed.was_running);
    assert_eq!(context.stored("api").status.status, Status::Crashed);
}

#[test]
fn rename_moves_files_children_and_session() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    context.agent_with("child", Status::Idle, |record| record.parent = Some(agent_name("api")));
    context.store.instance(&api.name).write_state("last-words", b"kept").unwrap();
    let renamed = Renaming(&context).rename(&api.name, &agent_name("server")).unwrap();
    assert_eq!((renamed.id, renamed.tmux.unwrap().session.as_str()), (api.id, "server"));
    assert_eq!(context.stored("child").parent, Some(agent_name("server")));
    let words = context.store.instance(&agent_name("server")).read_state("last-words").unwrap();
    assert_eq!(words.as_deref(), Some(&b"kept"[..]));
    assert!(!context.store.instance(&api.name).dir().exists());
    assert!(context.sent_to_tmux(&["rename-session", "server"]), "{:?}", context.tmux.received());
    assert_eq!(context.stored("server").renamed_from, None, "the rename is complete");
}

#[test]
fn rename_to_a_taken_or_reserved_name_changes_nothing() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    context.agent("taken", Status::Idle);
    for name in ["taken", "person"] {
        assert!(Renaming(&context).rename(&api.name, &agent_name(name)).is_err(), "{name}");
    }
    assert_eq!(context.stored("api").id, api.id);
}

#[test]
fn interrupted_rename_is_completed_by_the_next_command() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    context.store.instance(&api.name).write_state("last-words", b"kept").unwrap();
    context.store.instance(&agent_name("server")).remove().unwrap();
    crate::manager::registry::RegistryWriter(&context)
        .write(|edit| {
            let mut record = api.clone();
            record.name = agent_name("server");
            record.renamed_from = Some(api.name.clone());
            edit.rename(&api.name, record);
        })
        .unwrap();
    StatusTracker(&context).current_agents().unwrap();
    let words = context.store.instance(&agent_name("server")).read_state("last-words").unwrap();
    assert_eq!(words.as_deref(), Some(&b"kept"[..]));
    assert_eq!(context.stored("server").renamed_from, None);
}

#[test]
fn kill_after_another_kill_has_nothing_left_to_do() {
    let context = TestContext::new();
    context.agent_with("api", Status::Stopped, |record| (record.tmux, record.pid) = (None, None));
    let killed = Termination(&context).kill(&agent_name("api"), Duration::ZERO).unwrap();
    assert!(!killed.was_running);
    assert!(!context.sent_to_tmux(&["kill-session"]), "{:?}", context.tmux.received());
    // A stop that was recorded earlier does not show that the session is closed.
    context.advance_seconds(1);
    Termination(&context).kill(&agent_name("api"), Duration::ZERO).unwrap();
    assert!(context.sent_to_tmux(&["kill-session"]), "{:?}", context.tmux.received());
}
