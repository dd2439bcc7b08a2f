//! The book of hosts, and what is listed of a host that does not answer. `false` stands for ssh.

use crate::error::{Code, Error};
use crate::manager::hosts::{HostCheck, HostRequest, Hosts, Interaction, RemoteAgentList};
use crate::manager::testing::TestContext;
use crate::model::{Host, HostName};
use crate::store::{RunFiles, StoredHosts};

/// Returns a context in which no host can be reached.
fn without_network() -> TestContext {
    let context = TestContext::new();
    context.configure("[hosts]\nssh = \"false\"\n");
    context
}

fn name(text: &str) -> HostName {
    text.parse().unwrap()
}

fn add(context: &TestContext, host: &str, address: &str, check: HostCheck) -> Result<Vec<String>, Error> {
    let request = HostRequest {
        name: name(host),
        address: address.parse().unwrap(),
        port: None,
        binary: None,
        check,
        asking: Interaction::Never,
    };
    Hosts(context).host_add(request).map(|added| added.remarks)
}

fn addresses(context: &TestContext) -> Vec<String> {
    let hosts = Hosts(context).host_list().unwrap();
    hosts.iter().map(|view| format!("{}={}", view.host.name, view.host.address)).collect()
}

/// Stores an answer of a host as if it had listed this agent.
fn note_answer(context: &TestContext, host: &str, agent: &str) {
    let answer = format!(
        r#"{{"format":1,"as_of":"{}","agents":[{{"name":"{agent}","status":"idle"}}]}}"#,
        context.now()
    );
    RunFiles(&context.store).write(&format!("host-{host}.json"), answer.as_bytes()).unwrap();
}

fn list(context: &TestContext) -> Vec<RemoteAgentList> {
    let hosts: Vec<Host> = Hosts(context).hosts().unwrap();
    Hosts(context).remote_agents(&hosts, None, &mut |_| {}).unwrap()
}

#[test]
fn a_host_without_symposium_is_added_only_if_the_check_is_skipped() {
    let context = without_network();
    let error = add(&context, "gpu", "me@gpu.example", HostCheck::Require).unwrap_err();
    assert_eq!(error.code(), Code::HostLacksSymposium);
    assert!(error.hints().join("\n").contains("me@gpu.example"), "{:?}", error.hints());
    assert!(addresses(&context).is_empty());
    let remarks = add(&context, "gpu", "me@gpu.example", HostCheck::Skip).unwrap();
    assert!(remarks[0].contains("added anyway: symposium is not installed on host `gpu`"), "{remarks:?}");
    assert_eq!(addresses(&context), ["gpu=me@gpu.example"]);
}

#[test]
fn the_name_of_a_host_is_taken_until_it_is_replaced_or_removed() {
    let context = without_network();
    add(&context, "gpu", "old.example", HostCheck::Skip).unwrap();
    let error = add(&context, "gpu", "new.example", HostCheck::Require).unwrap_err();
    assert_eq!(error.code(), Code::HostTaken);
    assert_eq!(error.observations(), ["it is old.example"]);
    assert_eq!(addresses(&context), ["gpu=old.example"]);
    add(&context, "gpu", "new.example", HostCheck::Skip).unwrap();
    assert_eq!(addresses(&context), ["gpu=new.example"]);
    Hosts(&context).host_remove(&name("gpu")).unwrap();
    assert!(addresses(&context).is_empty());
    assert_eq!(Hosts(&context).host_remove(&name("gpu")).unwrap_err().code(), Code::NoSuchHost);
}

#[test]
fn agents_of_a_former_address_are_forgotten() {
    let context = without_network();
    add(&context, "gpu", "old.example", HostCheck::Skip).unwrap();
    note_answer(&context, "gpu", "train");
    assert_eq!(Hosts(&context).host_list().unwrap()[0].agents, Some(1));
    add(&context, "gpu", "old.example", HostCheck::Skip).unwrap();
    assert_eq!(Hosts(&context).host_list().unwrap()[0].agents, Some(1), "it is the same machine");
    add(&context, "gpu", "new.example", HostCheck::Skip).unwrap();
    assert_eq!(Hosts(&context).host_list().unwrap()[0].agents, None);
}

#[test]
fn an_unknown_host_is_refused_with_the_nearest_name() {
    let context = without_network();
    add(&context, "laptop", "laptop.example", HostCheck::Skip).unwrap();
    let error = Hosts(&context).host(&name("latpop")).unwrap_err();
    assert_eq!(error.code(), Code::NoSuchHost);
    assert_eq!(error.observations(), ["known hosts: laptop"]);
    assert_eq!(error.hints(), ["did you mean `laptop:…`?"]);
    let error = Hosts(&context).host(&name("gpu")).unwrap_err();
    assert_eq!(error.hints(), ["add it with `symposium host add gpu [USER@]ADDRESS`"]);
}

#[test]
fn a_host_that_does_not_answer_is_listed_with_its_last_agents_marked_as_stale() {
    let context = without_network();
    add(&context, "gpu", "gpu.example", HostCheck::Skip).unwrap();
    add(&context, "new", "new.example", HostCheck::Skip).unwrap();
    note_answer(&context, "gpu", "train");
    let answered_at = context.now();
    context.advance_seconds(3600);
    let lists = list(&context);
    assert_eq!(lists.iter().map(|list| list.host.as_str()).collect::<Vec<_>>(), ["gpu", "new"]);
    let agent = &lists[0].agents[0];
    assert_eq!((&agent["name"], &agent["host"]), (&"train".into(), &"gpu".into()));
    assert_eq!((&agent["stale"], &agent["as_of"]), (&true.into(), &answered_at.to_string().into()));
    assert!(lists.iter().all(|list| list.silence.is_some()));
    assert_eq!((lists[1].agents.len(), lists[1].as_of), (0, None), "unknown is not the same as empty");
}

#[test]
fn a_damaged_answer_counts_as_none() {
    let context = without_network();
    add(&context, "gpu", "gpu.example", HostCheck::Skip).unwrap();
    RunFiles(&context.store).write("host-gpu.json", b"{").unwrap();
    assert_eq!(Hosts(&context).host_list().unwrap()[0].agents, None);
    assert!(list(&context)[0].agents.is_empty());
}

#[test]
fn the_version_of_a_host_is_stored_when_it_changes() {
    let context = without_network();
    add(&context, "gpu", "gpu.example", HostCheck::Skip).unwrap();
    let host = Hosts(&context).host(&name("gpu")).unwrap();
    assert_eq!(host.version, None);
    Hosts(&context).note_version(&host, "9.9.9");
    assert_eq!(StoredHosts(&context.store).list().unwrap()[0].version.as_deref(), Some("9.9.9"));
}
