//! Which agents belong to a group, the requests of a new one, and what cannot be forked.

use std::fs;
use std::path::PathBuf;

use crate::error::Code;
use crate::git::testing::Repository;
use crate::manager::finish::request::CheckPolicy;
use crate::manager::groups::{ComparedChecks, ForkRequest, GroupSize, Groups};
use crate::manager::specs::launch_plan::SpawnTarget;
use crate::manager::specs::spawn_request::{SpawnRequest, UncommittedChanges};
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{AgentName, GroupId, MergeForecast, Status, Workspace};

/// Returns a context with a group of three agents, another group, and an agent without a group.
fn grouped() -> TestContext {
    let context = TestContext::new();
    let (group, other) = (GroupId::fresh(), GroupId::fresh());
    for (name, group) in [
        ("fix-2", Some(group)),
        ("fix-1", Some(group)),
        ("fix-3", Some(group)),
        ("b", Some(other)),
        ("c", None),
    ] {
        context.agent_with(name, Status::Idle, |record| record.group = group);
    }
    context
}

fn names(names: &[&str]) -> Vec<AgentName> {
    names.iter().map(|name| agent_name(name)).collect()
}

fn requested(context: &TestContext, request: SpawnRequest, size: &GroupSize) -> Vec<String> {
    let requests = Groups(context).group_requests(&request, size).unwrap();
    let group = requests[0].group;
    assert!(group.is_some());
    for request in &requests {
        assert_eq!((request.group, request.workspace), (group, Some(Workspace::Worktree)));
    }
    requests
        .iter()
        .map(|request| request.name.as_ref().map(ToString::to_string).unwrap_or_default())
        .collect()
}

#[test]
fn the_members_of_a_group_are_those_that_were_started_together() {
    let context = grouped();
    assert_eq!(Groups(&context).members(&agent_name("fix-3")).unwrap(), names(&["fix-1", "fix-2", "fix-3"]));
    assert_eq!(Groups(&context).members(&agent_name("b")).unwrap(), names(&["b"]));
    let error = Groups(&context).members(&agent_name("c")).unwrap_err();
    assert_eq!(error.code(), Code::Usage);
    assert_eq!(
        error.text(),
        "error: agent `c` was not started together with others\nhint: list the other agents by name"
    );
    assert_eq!(Groups(&context).members(&agent_name("missing")).unwrap_err().code(), Code::NoSuchAgent);
}

#[test]
fn the_others_are_discarded_and_never_the_winner() {
    let context = grouped();
    let others = |named: &[&str]| Groups(&context).others(&agent_name("fix-1"), &names(named));
    assert_eq!(others(&[]).unwrap(), names(&["fix-2", "fix-3"]));
    assert_eq!(others(&["fix-3", "c"]).unwrap(), names(&["fix-3", "c"]), "the user named them");
    assert_eq!(others(&["c", "fix-1"]).unwrap_err().code(), Code::Usage);
}

#[test]
fn a_comparison_needs_a_group_or_several_existing_names() {
    let context = grouped();
    let compare = |named: &[&str]| Groups(&context).compare(&names(named), ComparedChecks::Known);
    assert_eq!(compare(&["c"]).unwrap_err().code(), Code::Usage);
    assert_eq!(compare(&["b", "missing"]).unwrap_err().code(), Code::NoSuchAgent);
}

#[test]
fn a_comparison_outside_of_a_repository_says_why_nothing_is_known() {
    let context = grouped();
    let compared = Groups(&context).compare(&names(&["b", "c"]), ComparedChecks::Known).unwrap();
    assert_eq!(compared.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>(), ["b", "c"]);
    for agent in compared {
        assert!(agent.work.is_none() && agent.checks.is_none());
        assert!(agent.remarks[0].contains("not in a git repository"), "{:?}", agent.remarks);
    }
}

/// Returns a context with two idle agents in worktrees of their own, and the repository.
fn compared() -> (TestContext, Repository) {
    let (context, repository) = (TestContext::new(), Repository::new());
    repository.write("lib.rs", "one\n");
    repository.commit("first");
    let group = GroupId::fresh();
    for name in ["fix-1", "fix-2"] {
        context.worktree_agent(name, &repository.top());
        context.edit(name, |record| record.group = Some(group));
    }
    (context, repository)
}

fn directory(context: &TestContext, name: &str) -> PathBuf {
    PathBuf::from(context.stored(name).working_directory)
}

#[test]
fn changes_and_conflicts_stand_side_by_side() {
    let (context, repository) = compared();
    let first = directory(&context, "fix-1");
    fs::write(first.join("committed"), "one\ntwo\n").unwrap();
    repository.git_in(&first, &["add", "committed"]);
    repository.git_in(&first, &["commit", "-q", "-m", "add a file"]);
    fs::write(directory(&context, "fix-2").join("lib.rs"), "of the agent\n").unwrap();
    repository.write("lib.rs", "of main\n");
    repository.commit("change it");
    let [one, two] = &Groups(&context).compare(&names(&["fix-2"]), ComparedChecks::Known).unwrap()[..] else {
        panic!("the whole group is compared")
    };
    let (of_one, of_two) = (one.work.as_ref().unwrap(), two.work.as_ref().unwrap());
    assert_eq!((of_one.commits, of_one.insertions, of_one.uncommitted), (1, 2, 0));
    assert_eq!((of_two.commits, of_two.insertions, of_two.uncommitted), (0, 1, 1));
    assert_eq!(one.merge, MergeForecast::Clean);
    assert_eq!(two.merge, MergeForecast::Conflicts { paths: vec!["lib.rs".into()] });
}

#[test]
fn checks_run_on_request_and_are_known_until_the_work_changes() {
    let (context, _repository) = compared();
    context.configure("[finish]\nchecks = ['test -e wanted']\n");
    fs::write(directory(&context, "fix-1").join("wanted"), "x\n").unwrap();
    let passed = |checks| {
        let compared = Groups(&context).compare(&names(&["fix-1"]), checks).unwrap();
        compared.into_iter().map(|agent| agent.checks.map(|checks| checks.passed)).collect::<Vec<_>>()
    };
    let run = ComparedChecks::Run(CheckPolicy::Run);
    assert_eq!(passed(ComparedChecks::Known), [None, None], "no check runs without a request");
    assert_eq!(passed(run), [Some(true), Some(false)]);
    assert_eq!(passed(ComparedChecks::Known), [Some(true), Some(false)]);
    fs::write(directory(&context, "fix-1").join("more"), "more\n").unwrap();
    assert_eq!(passed(ComparedChecks::Known), [None, Some(false)], "the result is of other work");
    // An agent in the middle of a turn is not checked.
    context.set_status("fix-1", Status::Working, "it accepted a prompt");
    assert_eq!(passed(run), [None, Some(false)]);
}

#[test]
fn the_agents_of_a_new_group_are_numbered() {
    let context = TestContext::new();
    context.agent("fix-2", Status::Stopped);
    let named = SpawnRequest { name: Some(agent_name("fix")), ..SpawnRequest::default() };
    assert_eq!(requested(&context, named, &GroupSize::Count(3)), ["fix-1", "fix-2", "fix-3"]);
}

#[test]
fn a_group_without_a_name_gets_free_names() {
    let context = TestContext::new();
    context.agent("demo-mend-the-login-2", Status::Stopped);
    let request = SpawnRequest {
        body: SpawnTarget::Spec(Some("demo".into())),
        task: Some("mend the login".into()),
        ..SpawnRequest::default()
    };
    assert_eq!(
        requested(&context, request, &GroupSize::Count(2)),
        ["demo-mend-the-login-1", "demo-mend-the-login-3"]
    );
}

#[test]
fn one_agent_of_each_kind_is_requested() {
    let context = TestContext::new();
    let kinds = |kinds: &[&str]| GroupSize::Kinds(kinds.iter().map(|kind| (*kind).to_owned()).collect());
    let named = SpawnRequest { name: Some(agent_name("fix")), ..SpawnRequest::default() };
    assert_eq!(
        requested(&context, named.clone(), &kinds(&["demo", "./Weather"])),
        ["fix-demo", "fix-weather"]
    );
    assert_eq!(requested(&context, SpawnRequest::default(), &kinds(&["demo"])), [""]);
    let twice = Groups(&context).group_requests(&named, &kinds(&["demo", "claude", "demo"])).unwrap_err();
    assert_eq!(twice.to_string(), "`--kinds` names `demo` twice");
}

#[test]
fn agents_of_a_group_never_share_a_directory() {
    let context = TestContext::new();
    for workspace in [Workspace::InPlace, Workspace::Scratch] {
        let request = SpawnRequest { workspace: Some(workspace), ..SpawnRequest::default() };
        let error = Groups(&context).group_requests(&request, &GroupSize::Count(2)).unwrap_err();
        assert_eq!(error.code(), Code::Usage);
        assert!(error.to_string().contains("need a worktree each"), "{error}");
    }
}

#[test]
fn commands_and_agents_outside_of_a_repository_are_not_forked() {
    let context = TestContext::new();
    context.agent_with("make", Status::Working, |record| record.kind = "command".into());
    context.agent("api", Status::Idle);
    let fork = |name: &str| {
        let request = ForkRequest {
            original: agent_name(name),
            name: None,
            changes: UncommittedChanges::StayBehind,
            size: None,
            recap_text: &|_| String::new(),
        };
        Groups(&context).fork(&request).unwrap_err()
    };
    assert_eq!(fork("make").code(), Code::Usage);
    assert_eq!(
        fork("make").text(),
        "error: agent `make` runs a plain command, which has no conversation to copy\n\
         hint: `symposium agent spawn --workspace worktree -- COMMAND` starts the command in a worktree"
    );
    assert_eq!(fork("api").code(), Code::NoRepository);
    assert_eq!(fork("missing").code(), Code::NoSuchAgent);
    assert_eq!(context.store.read(context.now()).unwrap().len(), 2, "nothing was started");
}
