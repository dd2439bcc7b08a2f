//! Deleted projects, old events and files of unknown agents.

use super::*;
use crate::store::AgentLocks;

#[test]
fn deleted_and_restored_projects_are_detected() {
    let context = TestContext::new();
    let dir = context.project().join("sub");
    std::fs::create_dir(&dir).unwrap();
    context.agent_with("api", Status::Stopped, |record| {
        record.working_directory = dir.to_string_lossy().into_owned();
    });
    assert!(Maintenance(&context).mark_directories(&agents(&context)).unwrap().is_empty());
    std::fs::remove_dir(&dir).unwrap();
    assert_eq!(Maintenance(&context).mark_directories(&agents(&context)).unwrap(), [agent_name("api")]);
    assert_eq!(context.stored("api").directory_gone, Some(context.now()));
    assert!(Maintenance(&context).mark_directories(&agents(&context)).unwrap().is_empty(), "reported once");
    std::fs::create_dir(&dir).unwrap();
    Maintenance(&context).mark_directories(&agents(&context)).unwrap();
    assert_eq!(context.stored("api").directory_gone, None);
}

#[test]
fn agents_of_deleted_projects_are_pruned_after_the_configured_time_only() {
    let context = TestContext::new();
    context.configure("[cleanup]\ndeleted_projects = \"prune\"\nafter = \"2d\"\n");
    let gone = Some(context.now());
    for (name, status) in [("old", Status::Stopped), ("live", Status::Idle)] {
        context.agent_with(name, status, |record| {
            record.working_directory = "/nonexistent/project".into();
            record.directory_gone = gone;
        });
    }
    context.advance(Duration::from_secs(2 * 86_400));
    Maintenance(&context).clean_up(&agents(&context)).unwrap();
    assert_eq!(agents(&context).len(), 2, "not yet");
    context.advance_seconds(1);
    let done = Maintenance(&context).clean_up(&agents(&context)).unwrap();
    assert!(done.iter().any(|line| line.contains("old was removed")), "{done:?}");
    let left: Vec<_> = agents(&context).into_iter().map(|agent| agent.name.to_string()).collect();
    assert_eq!(left, ["live"]);
}

#[test]
fn events_older_than_the_retention_period_are_deleted() {
    let context = TestContext::new();
    context.configure("[ledger]\nkeep = \"30d\"\n");
    context.agent("api", Status::Idle);
    context.set_status("api", Status::Working, "long ago");
    context.advance(Duration::from_secs(31 * 86_400));
    context.set_status("api", Status::Idle, "lately");
    let done = Maintenance(&context).clean_up(&agents(&context)).unwrap();
    assert!(done.iter().any(|line| line.contains("of the ledger removed")), "{done:?}");
    assert_eq!(context.events("status"), ["lately"]);
}

#[test]
fn directory_of_an_agent_that_is_being_removed_is_not_reported() {
    let context = TestContext::new();
    context.agent_with("api", Status::Stopped, |record| record.working_directory = "/nonexistent/x".into());
    let removal = AgentLocks(&context.store).lock(&agent_name("api"), "rm").unwrap();
    assert!(Maintenance(&context).mark_directories(&agents(&context)).unwrap().is_empty());
    drop(removal);
    assert_eq!(Maintenance(&context).mark_directories(&agents(&context)).unwrap().len(), 1);
}

#[test]
fn locks_and_empty_directories_of_unknown_agents_are_removed() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let at = |name: &str| context.home().join(name);
    drop(AgentLocks(&context.store).lock(&agent_name("api"), "look").unwrap());
    std::fs::write(at("run/gone.lock"), "1 kill\n").unwrap();
    std::fs::create_dir_all(at("instances/ghost/state")).unwrap();
    std::fs::create_dir_all(at("instances/kept/workspace")).unwrap();
    std::fs::write(at("instances/kept/workspace/notes"), "work").unwrap();
    Maintenance(&context).clean_up(&agents(&context)).unwrap();
    assert!(!at("run/gone.lock").exists() && at("run/api.lock").exists());
    assert!(!at("instances/ghost").exists() && at("instances/api").exists());
    assert!(at("instances/kept/workspace/notes").exists(), "files of a user are never removed");
}
