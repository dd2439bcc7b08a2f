//! The file of a taskspace: who owns it, what is kept in it, and what is refused.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::error::Code;
use crate::git::testing::Repository;
use crate::manager::removal::remove::Removal;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::taskspaces::{TaskspaceUpdate, Taskspaces};
use crate::manager::testing::{TestContext, agent_name, exit_code};
use crate::model::{AgentId, Status, Workspace};

/// Adds an agent with a taskspace and returns the path of its file.
fn taskspace(context: &TestContext, name: &str, status: Status) -> PathBuf {
    let record = context.agent_with(name, status, |record| record.workspace = Workspace::Worktree);
    let file = json!({
        "id": record.id, "name": name, "description": "mend the login", "color": "blue",
        "log": [{"at": "2026-01-05T09:00:00Z", "text": "it was created", "by": "a tool"}],
    });
    let path = context.store.instance(&record.name).create_workspace().unwrap().join("taskspace.json");
    std::fs::write(&path, file.to_string()).unwrap();
    path
}

fn read(path: &PathBuf) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_log_takes_notes_and_keeps_existing_fields() {
    let context = TestContext::new();
    let path = taskspace(&context, "fix", Status::Idle);
    context.advance_seconds(60);
    let entry = Taskspaces(&context).taskspace_log(&agent_name("fix"), " the tests pass\n").unwrap();
    assert_eq!((entry.text.as_str(), entry.at), ("the tests pass", context.now()));
    let file = read(&path);
    assert_eq!((&file["color"], &file["log"][0]["by"]), (&json!("blue"), &json!("a tool")));
    assert_eq!(file["log"][1]["text"], "the tests pass");
    let log = Taskspaces(&context).taskspace(&agent_name("fix")).unwrap().log;
    assert_eq!(log.len(), 2);
}

#[test]
fn an_invalid_log_entry_changes_nothing() {
    let context = TestContext::new();
    let path = taskspace(&context, "fix", Status::Idle);
    context.agent("other", Status::Idle);
    let before = std::fs::read(&path).unwrap();
    let refused =
        |name: &str, text: &str| Taskspaces(&context).taskspace_log(&agent_name(name), text).unwrap_err();
    assert_eq!(refused("fix", " \n").code(), Code::Usage);
    let full = refused("fix", &"x".repeat(1 << 20));
    assert!(full.to_string().contains("is full"), "{full}");
    assert_eq!(refused("missing", "x").code(), Code::NoSuchAgent);
    let other = refused("other", "x");
    assert_eq!(
        (other.code(), other.to_string().as_str()),
        (Code::Workspace, "agent `other` is not a taskspace")
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_file_that_is_damaged_or_a_link_is_no_taskspace_and_stays_as_it_is() {
    let context = TestContext::new();
    let path = taskspace(&context, "fix", Status::Idle);
    let before = std::fs::read(&path).unwrap();
    let refuse = || Taskspaces(&context).taskspace_log(&agent_name("fix"), "x").unwrap_err();
    for text in ["{", "[1]", r#"{"log":3}"#] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(refuse().code(), Code::Workspace, "{text}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    let outside = context.project().join("outside.json");
    std::fs::write(&outside, &before).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&outside, &path).unwrap();
    assert_eq!(refuse().code(), Code::Workspace, "a link is not followed");
    assert_eq!(std::fs::read(&outside).unwrap(), before);
}

#[test]
fn a_file_of_the_repository_or_of_another_agent_is_no_taskspace() {
    let context = TestContext::new();
    let path = taskspace(&context, "fix", Status::Idle);
    let mut file = read(&path);
    file["id"] = json!(AgentId::fresh());
    std::fs::write(&path, file.to_string()).unwrap();
    assert!(Taskspaces(&context).taskspaces().unwrap().is_empty());
    let delete = Taskspaces(&context).taskspace_delete(&agent_name("fix"), Removal::Force);
    assert_eq!(delete.unwrap_err().code(), Code::Workspace);
    assert!(context.store.find(&agent_name("fix"), context.now()).unwrap().is_some());
}

#[test]
fn a_taskspace_file_of_the_repository_creates_no_taskspace_and_is_not_replaced() {
    let (context, repository) = (TestContext::new(), Repository::new());
    let file = json!({"id": AgentId::fresh(), "name": "x", "description": "not ours", "log": []});
    repository.write("taskspace.json", &file.to_string());
    repository.commit("first");
    let plain = context.worktree_agent("a", &repository.top());
    assert!(Taskspaces(&context).taskspaces().unwrap().is_empty());
    let log = Taskspaces(&context).taskspace_log(&plain.name, "x");
    assert_eq!(log.unwrap_err().code(), Code::Workspace);
    let with_taskspace = |request: &mut SpawnRequest| request.taskspace = Some("t".into());
    let error = context.worktree_agent_with("fix", &repository.top(), with_taskspace).unwrap_err();
    assert!(error.text().contains("taskspace.json"), "{}", error.text());
    assert!(!context.store.instance(&agent_name("fix")).dir().exists());
}

#[test]
fn a_new_taskspace_is_described_in_its_worktree_and_ignored_by_git() {
    let (context, repository) = (TestContext::new(), Repository::new());
    repository.write("lib.rs", "one");
    repository.commit("first");
    let with_taskspace = |request: &mut SpawnRequest| request.taskspace = Some("mend the login".into());
    let record = context.worktree_agent_with("fix", &repository.top(), with_taskspace).unwrap();
    let taskspace = Taskspaces(&context).taskspace(&record.name).unwrap();
    assert_eq!((taskspace.id, taskspace.description.as_str()), (record.id, "mend the login"));
    assert_eq!((taskspace.log.len(), taskspace.log[0].at), (1, context.now()));
    let at = PathBuf::from(&record.working_directory);
    assert_eq!(repository.output_in(&at, &["status", "--porcelain"]), "");
    assert_eq!(repository.output_in(&repository.top(), &["status", "--porcelain"]), "");
}

#[test]
fn only_taskspaces_are_deleted() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    for removal in [Removal::Careful, Removal::Force] {
        let error = Taskspaces(&context).taskspace_delete(&agent_name("api"), removal).unwrap_err();
        assert_eq!(error.to_string(), "agent `api` is not a taskspace");
    }
    assert_eq!(context.stored("api").status.status, Status::Working, "the agent continues");
}

#[test]
fn a_taskspace_with_work_that_exists_nowhere_else_stays_with_its_running_agent() {
    let context = TestContext::new();
    let path = taskspace(&context, "fix", Status::Working);
    let error = Taskspaces(&context).taskspace_delete(&agent_name("fix"), Removal::Careful).unwrap_err();
    assert!(error.text().contains("--force"), "{}", error.text());
    assert_eq!(context.stored("fix").status.status, Status::Working);
    assert!(path.exists());
}

#[test]
fn a_list_shows_the_current_name_and_what_needs_attention() {
    let context = TestContext::new();
    for (name, status) in [("idle", Status::Idle), ("waiting", Status::Waiting), ("working", Status::Working)]
    {
        taskspace(&context, name, status);
    }
    taskspace(&context, "crashed", Status::Working);
    context.end_process("crashed", exit_code(1));
    context.agent("plain", Status::Waiting);
    let path = context.store.instance(&agent_name("idle")).workspace().join("taskspace.json");
    let mut file = read(&path);
    file["name"] = json!("former");
    std::fs::write(&path, file.to_string()).unwrap();
    let listed = Taskspaces(&context).taskspaces().unwrap();
    let rows: Vec<_> =
        listed.iter().map(|view| (view.taskspace.name.as_str(), view.needs_attention)).collect();
    assert_eq!(rows, [("crashed", true), ("idle", false), ("waiting", true), ("working", false)]);
}

#[test]
fn title_and_description_are_changed_separately() {
    let context = TestContext::new();
    let path = taskspace(&context, "fix", Status::Idle);
    let update = |update: TaskspaceUpdate| {
        Taskspaces(&context).taskspace_update(&agent_name("fix"), &update).unwrap().description
    };
    let title = |text: &str| TaskspaceUpdate { title: Some(text.into()), ..TaskspaceUpdate::default() };
    assert_eq!(update(title(" the\nlogin ")), "mend the login");
    assert_eq!(context.stored("fix").title.as_deref(), Some("the login"));
    let description =
        TaskspaceUpdate { description: Some(" mend all \n".into()), ..TaskspaceUpdate::default() };
    assert_eq!(update(description), "mend all");
    assert_eq!(read(&path)["color"], "blue", "fields of other programs are kept");
    assert_eq!(context.stored("fix").title.as_deref(), Some("the login"));
    update(title(""));
    assert_eq!(context.stored("fix").title, None);
}
