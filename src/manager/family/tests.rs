//! The parent of a new agent, the limits on spawning, and the descendants of an agent.

use crate::error::Code;
use crate::manager::family::Family;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::spawn_manifest::{SpawnArgs, SpawnManifest};
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{AgentId, AgentRecord, ChildLimits, Spec, Status};

/// Adds an agent with this parent, whose spec has these limits for its descendants.
fn agent(context: &TestContext, name: &str, parent: Option<&str>, limits: ChildLimits) -> AgentRecord {
    let record = context.agent_with(name, Status::Idle, |record| record.parent = parent.map(agent_name));
    let spec = Some(Spec { limits, ..Spec::default() });
    let manifest = SpawnManifest { record: record.clone(), env: vec![], spec, args: None, variables: vec![] };
    LaunchPlanner(context).write_spawn_manifest(&manifest).unwrap();
    record
}

fn plan(context: &TestContext, max_instances: Option<u32>) -> LaunchPlan {
    let spec = Spec { name: "web".into(), kind: Some("demo".into()), max_instances, ..Spec::default() };
    LaunchPlanner(context).chosen_from(spec, SpawnArgs::default(), &context.project(), vec![]).unwrap()
}

fn refusal(context: &TestContext, parent: &str) -> Option<String> {
    let checked = Family(context).check_spawn_limits(&plan(context, None), Some(&agent_name(parent)));
    checked.err().map(|error| error.to_string())
}

#[test]
fn the_parent_is_the_named_agent_or_the_one_that_runs_the_command() {
    let id = AgentId::fresh();
    let context =
        TestContext::of_caller(&[("SYMPOSIUM_AGENT", "me"), ("SYMPOSIUM_AGENT_ID", &id.to_string())]);
    context.agent_with("me", Status::Working, |record| record.id = id);
    context.agent("other", Status::Idle);
    assert_eq!(Family(&context).parent(None).unwrap(), Some(agent_name("me")));
    assert_eq!(Family(&context).parent(Some(&agent_name("other"))).unwrap(), Some(agent_name("other")));
    let missing = Family(&context).parent(Some(&agent_name("missing"))).unwrap_err();
    assert_eq!(missing.code(), Code::NoSuchAgent);
    let user = TestContext::new();
    assert_eq!(Family(&user).parent(None).unwrap(), None);
}

#[test]
fn a_spec_limits_the_agents_that_run_or_will_run_again() {
    let context = TestContext::new();
    let of_web = |name: &str, status: Status| {
        context.agent_with(name, status, |record| record.spec = "web".into());
    };
    of_web("web-1", Status::Hibernated);
    of_web("web-2", Status::Stopped);
    let check = |most: u32| Family(&context).check_spawn_limits(&plan(&context, Some(most)), None);
    check(2).unwrap();
    let error = check(1).unwrap_err();
    assert_eq!(error.code(), Code::TooManyAgents);
    assert_eq!(error.to_string(), "spec `web` may have 1 agent at once (`max_instances`)");
    assert!(error.text().contains("existing agents: web-1"), "{}", error.text());
    assert!(Family(&context).lock_instance_count(&plan(&context, None), None).unwrap().is_none());
    assert!(Family(&context).lock_instance_count(&plan(&context, Some(1)), None).unwrap().is_some());
}

#[test]
fn an_ended_agent_does_not_come_back_if_others_have_filled_its_place() {
    let context = TestContext::new();
    let old = context.agent_with("web-1", Status::Stopped, |record| record.spec = "web".into());
    let spec = Some(Spec { max_instances: Some(1), ..Spec::default() });
    let manifest = SpawnManifest { record: old.clone(), env: vec![], spec, args: None, variables: vec![] };
    LaunchPlanner(&context).write_spawn_manifest(&manifest).unwrap();
    Family(&context).check_instance_limit(&old).unwrap();
    context.agent_with("web-2", Status::Idle, |record| record.spec = "web".into());
    assert_eq!(Family(&context).check_instance_limit(&old).unwrap_err().code(), Code::TooManyAgents);
    let running = AgentRecord { status: context.stored("web-2").status, ..old };
    Family(&context).check_instance_limit(&running).unwrap();
}

#[test]
fn limits_of_every_ancestor_apply() {
    let context = TestContext::new();
    agent(&context, "top", None, ChildLimits { depth: Some(2), children: Some(1) });
    assert_eq!(refusal(&context, "top"), None);
    agent(&context, "middle", Some("top"), ChildLimits::default());
    assert!(refusal(&context, "top").unwrap().contains("`top` may have 1 children at once"));
    assert_eq!(refusal(&context, "middle"), None);
    agent(&context, "bottom", Some("middle"), ChildLimits::default());
    assert!(refusal(&context, "bottom").unwrap().contains("`top` may have 2 generations below it"));
    context.set_status("middle", Status::Stopped, "it was ended on request");
    assert_eq!(refusal(&context, "top"), None, "an ended child does not count");
}

#[test]
fn records_that_are_parents_of_each_other_do_not_hang() {
    let context = TestContext::new();
    agent(&context, "a", Some("b"), ChildLimits::default());
    agent(&context, "b", Some("a"), ChildLimits::default());
    assert_eq!(refusal(&context, "a"), None);
    let mut below = Family(&context).descendants(&[agent_name("a")]).unwrap();
    below.retain(|name| *name != agent_name("a"));
    assert_eq!(below, [agent_name("b")]);
}

#[test]
fn descendants_are_all_running_agents_below() {
    let context = TestContext::new();
    for (name, parent, status) in [
        ("top", None, Status::Idle),
        ("middle", Some("top"), Status::Stopped),
        ("bottom", Some("middle"), Status::Working),
        ("other", None, Status::Idle),
    ] {
        context.agent_with(name, status, |record| record.parent = parent.map(agent_name));
    }
    let descendants = |name: &str| Family(&context).descendants(&[agent_name(name)]).unwrap();
    assert_eq!(descendants("top"), [agent_name("bottom")]);
    assert!(descendants("bottom").is_empty() && descendants("other").is_empty());
}
