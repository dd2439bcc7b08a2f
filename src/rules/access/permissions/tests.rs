//! Tests of relations and permissions.

use crate::model::Status;
use crate::rules::access::permissions::*;
use crate::rules::status::decide::tests::record;
use crate::rules::tasks::readiness::tests::example as task;

/// `me` in project `/p` with a parent in another project, a child in another project and its child, a neighbour in the
/// same project and an unrelated agent.
fn all() -> Vec<AgentRecord> {
    let record = |name: &str, project: &str, parent: &str| AgentRecord {
        project: Some(project.to_owned()).filter(|project| !project.is_empty()),
        working_directory: format!("{project}/here"),
        parent: parent.parse().ok(),
        spec: name.to_owned(),
        // The id is the same in each call.
        id: AgentId(uuid::Uuid::from_u128(name.bytes().fold(0, |sum, byte| sum * 256 + u128::from(byte)))),
        ..record(name, Status::Idle)
    };
    vec![
        record("boss", "/b", ""),
        record("me", "/p", "boss"),
        record("child", "/c", "me"),
        record("grandchild", "/g", "child"),
        record("neighbour", "/p", ""),
        record("sister", "/s", "boss"),
        record("stranger", "/x", ""),
        record("nowhere", "", ""),
    ]
}

fn named<'a>(records: &'a [AgentRecord], name: &str) -> &'a AgentRecord {
    records.iter().find(|record| record.name.as_str() == name).unwrap()
}

fn permissions_of(name: &str) -> PermissionTable {
    let records = all();
    let me = named(&records, name).clone();
    PermissionTable::new(Caller::Agent(Box::new(me)), records)
}

#[test]
fn closest_relation_applies() {
    let (permissions, records) = (permissions_of("me"), all());
    for (name, expected) in [
        ("me", Relation::Itself),
        ("child", Relation::Below),
        ("grandchild", Relation::Below),
        ("neighbour", Relation::Project),
        ("boss", Relation::Parent),
        ("sister", Relation::Stranger),
        ("stranger", Relation::Stranger),
        ("nowhere", Relation::Stranger),
    ] {
        assert_eq!(permissions.relation(named(&records, name)), Some(expected), "{name}");
    }
    let mut near = records.clone();
    near.iter_mut().for_each(|record| record.project = Some("/p".into()));
    let permissions = PermissionTable::new(Caller::Agent(Box::new(named(&near, "me").clone())), near.clone());
    assert_eq!(
        permissions.relation(named(&near, "boss")),
        Some(Relation::Project),
        "a parent of the project is of the project"
    );
    assert_eq!(
        permissions.relation(named(&near, "child")),
        Some(Relation::Below),
        "a child is more than a neighbour"
    );
    let nowhere = permissions_of("nowhere");
    assert_eq!(
        nowhere.relation(named(&records, "stranger")),
        Some(Relation::Stranger),
        "an agent without a project shares no project"
    );
}

#[test]
fn action_is_allowed_by_the_relation() {
    // In the order of Relation::ALL.
    for (act, allowed) in [
        (Action::See, "yyyyn"),
        (Action::Read, "yyynn"),
        (Action::Message, "yyyyn"),
        (Action::Task, "yyynn"),
        (Action::Report, "yynnn"),
        (Action::Change, "yynnn"),
    ] {
        let found: String =
            Relation::ALL.map(|relation| if act.is_for(relation) { 'y' } else { 'n' }).iter().collect();
        assert_eq!(found, allowed, "{act:?}");
    }
}

#[test]
fn user_may_do_everything() {
    let permissions = PermissionTable::new(Caller::Person, all());
    for act in Action::ALL {
        assert_eq!(permissions.agents_allowed(act).count(), all().len());
        assert!(permissions.allows_about(act, &task(1)));
    }
    assert!(
        permissions.may_work_in(Path::new("/anywhere"))
            && permissions.allows_pool("stranger")
            && permissions.is_own_project("x")
    );
    assert_eq!(permissions.relation(&all()[0]), None);
}

#[test]
fn task_is_visible_to_its_sender_and_ended_by_its_agent_or_an_ancestor() {
    let (permissions, records) = (permissions_of("me"), all());
    let of = |assignee: Option<&str>, source: &str| Task {
        agent: assignee.map(|name| named(&records, name).id),
        source: source.to_owned(),
        source_id: records.iter().find(|record| record.name.as_str() == source).map(|record| record.id),
        ..task(1)
    };
    for (assignee, source, sees, reports) in [
        (Some("me"), "person", true, true),
        (Some("grandchild"), "person", true, true),
        (Some("neighbour"), "person", true, false),
        (Some("stranger"), "person", false, false),
        (Some("stranger"), "me", true, false),
        (None, "me", true, false),
        (None, "person", false, false),
    ] {
        let task = of(assignee, source);
        assert_eq!(permissions.allows_about(Action::See, &task), sees, "{assignee:?} {source}");
        assert_eq!(permissions.allows_about(Action::Report, &task), reports, "{assignee:?} {source}");
    }
    let gone = Task { agent: Some(AgentId::fresh()), ..of(None, "me") };
    assert!(permissions.allows_about(Action::See, &gone), "messages of a removed agent are included");
    assert!(!permissions.allows_about(Action::Report, &gone));
}

#[test]
fn a_name_alone_gives_no_access_to_tasks() {
    let mut records = all();
    let at = records.iter().position(|record| record.name.as_str() == "me").unwrap();
    for word in ["person", "handoff", "former"] {
        records[at].name = word.parse().unwrap();
        let unrelated = named(&records, "stranger").id;
        let permissions = PermissionTable::new(Caller::Agent(Box::new(records[at].clone())), records.clone());
        for source_id in [None, Some(AgentId::fresh())] {
            let task = Task { agent: Some(unrelated), source: word.to_owned(), source_id, ..task(1) };
            assert!(!permissions.allows_about(Action::See, &task), "{word} {source_id:?}");
        }
    }
}

#[test]
fn pool_is_accessible_only_without_unrelated_agents() {
    let permissions = permissions_of("me");
    for (spec, expected) in [("child", true), ("neighbour", true), ("unused", true), ("stranger", false)] {
        assert_eq!(permissions.allows_pool(spec), expected, "{spec}");
    }
    let mut records = all();
    records.iter_mut().for_each(|record| record.spec = "worker".into());
    let me = named(&records, "me").clone();
    assert!(!PermissionTable::new(Caller::Agent(Box::new(me)), records).allows_pool("worker"));
}

#[test]
fn a_directory_belongs_to_a_project_or_workspace() {
    let permissions = permissions_of("me");
    for (dir, expected) in
        [("/p", true), ("/p/a/b", true), ("/p/here/x", true), ("/pp", false), ("/", false), ("/c", false)]
    {
        assert_eq!(permissions.may_work_in(Path::new(dir)), expected, "{dir}");
    }
    let mut away = all();
    away[1].working_directory = "/w/tree".into();
    let permissions = PermissionTable::new(Caller::Agent(Box::new(away[1].clone())), away);
    assert!(permissions.may_work_in(Path::new("/w/tree/x")) && permissions.may_work_in(Path::new("/p")));
    assert!(!permissions.may_work_in(Path::new("/w")));
}

#[test]
fn broadcast_is_limited_to_the_own_project() {
    let permissions = permissions_of("me");
    for (named, expected) in [("p", true), ("/p", true), ("x", false), ("/x", false), ("", false)] {
        assert_eq!(permissions.is_own_project(named), expected, "{named}");
    }
    assert!(!permissions_of("nowhere").is_own_project("p"));
}
