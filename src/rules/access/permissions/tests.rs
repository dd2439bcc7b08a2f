//! Tests of relations and permissions.

use crate::model::Status;
use crate::rules::access::permissions::*;
use crate::rules::status::decide::tests::record;
use crate::rules::tasks::queue::tests::example as task;

/// `me` in project `/p` with a parent in another project, a child in another project and its child, a neighbour in the
/// same project and an unrelated agent.
fn all() -> Vec<AgentRecord> {
    let one = |name: &str, project: &str, parent: &str| AgentRecord {
        project: Some(project.to_owned()).filter(|project| !project.is_empty()),
        working_directory: format!("{project}/here"),
        parent: parent.parse().ok(),
        spec: name.to_owned(),
        // The id is the same in each call.
        id: AgentId(uuid::Uuid::from_u128(name.bytes().fold(0, |sum, byte| sum * 256 + u128::from(byte)))),
        ..record(name, Status::Idle)
    };
    vec![
        one("boss", "/b", ""),
        one("me", "/p", "boss"),
        one("child", "/c", "me"),
        one("grandchild", "/g", "child"),
        one("neighbour", "/p", ""),
        one("sister", "/s", "boss"),
        one("stranger", "/x", ""),
        one("nowhere", "", ""),
    ]
}

fn named<'a>(records: &'a [AgentRecord], name: &str) -> &'a AgentRecord {
    records.iter().find(|record| record.name.as_str() == name).unwrap()
}

fn place_of(name: &str) -> Place {
    let records = all();
    let me = named(&records, name).clone();
    Place::new(Caller::Agent(Box::new(me)), records)
}

#[test]
fn the_nearest_bond_counts() {
    let (place, records) = (place_of("me"), all());
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
        assert_eq!(place.bond(named(&records, name)), Some(expected), "{name}");
    }
    let mut near = records.clone();
    near.iter_mut().for_each(|record| record.project = Some("/p".into()));
    let place = Place::new(Caller::Agent(Box::new(named(&near, "me").clone())), near.clone());
    assert_eq!(
        place.bond(named(&near, "boss")),
        Some(Relation::Project),
        "a parent of the project is of the project"
    );
    assert_eq!(place.bond(named(&near, "child")), Some(Relation::Below), "a child is more than a neighbour");
    let nowhere = place_of("nowhere");
    assert_eq!(
        nowhere.bond(named(&records, "stranger")),
        Some(Relation::Stranger),
        "no project is nobody's project"
    );
}

#[test]
fn an_act_is_allowed_by_the_bond() {
    // In the order of Relation::ALL.
    for (act, allowed) in [
        (Act::See, "yyyyn"),
        (Act::Read, "yyynn"),
        (Act::Message, "yyyyn"),
        (Act::Task, "yyynn"),
        (Act::Report, "yynnn"),
        (Act::Change, "yynnn"),
    ] {
        let found: String =
            Relation::ALL.map(|bond| if act.is_for(bond) { 'y' } else { 'n' }).iter().collect();
        assert_eq!(found, allowed, "{act:?}");
    }
}

#[test]
fn a_person_may_do_everything() {
    let place = Place::new(Caller::Person, all());
    for act in Act::ALL {
        assert_eq!(place.those(act).count(), all().len());
        assert!(place.allows_about(act, &task(1)));
    }
    assert!(
        place.holds(Path::new("/anywhere")) && place.allows_pool("stranger") && place.is_own_project("x")
    );
    assert_eq!(place.bond(&all()[0]), None);
}

#[test]
fn a_task_is_seen_by_who_gave_it_and_ended_by_who_has_it_or_stands_above() {
    let (place, records) = (place_of("me"), all());
    let of = |doer: Option<&str>, source: &str| Task {
        agent: doer.map(|name| named(&records, name).id),
        source: source.to_owned(),
        source_id: records.iter().find(|record| record.name.as_str() == source).map(|record| record.id),
        ..task(1)
    };
    for (doer, source, sees, reports) in [
        (Some("me"), "person", true, true),
        (Some("grandchild"), "person", true, true),
        (Some("neighbour"), "person", true, false),
        (Some("stranger"), "person", false, false),
        (Some("stranger"), "me", true, false),
        (None, "me", true, false),
        (None, "person", false, false),
    ] {
        let task = of(doer, source);
        assert_eq!(place.allows_about(Act::See, &task), sees, "{doer:?} {source}");
        assert_eq!(place.allows_about(Act::Report, &task), reports, "{doer:?} {source}");
    }
    let gone = Task { agent: Some(AgentId::fresh()), ..of(None, "me") };
    assert!(place.allows_about(Act::See, &gone), "what an agent that vanished left behind");
    assert!(!place.allows_about(Act::Report, &gone));
}

#[test]
fn a_name_alone_gives_no_access_to_tasks() {
    let mut records = all();
    let at = records.iter().position(|record| record.name.as_str() == "me").unwrap();
    for word in ["person", "handoff", "former"] {
        records[at].name = word.parse().unwrap();
        let stranger = named(&records, "stranger").id;
        let place = Place::new(Caller::Agent(Box::new(records[at].clone())), records.clone());
        for source_id in [None, Some(AgentId::fresh())] {
            let task = Task { agent: Some(stranger), source: word.to_owned(), source_id, ..task(1) };
            assert!(!place.allows_about(Act::See, &task), "{word} {source_id:?}");
        }
    }
}

#[test]
fn a_pool_is_open_when_no_stranger_swims_in_it() {
    let place = place_of("me");
    for (spec, expected) in [("child", true), ("neighbour", true), ("nobody-yet", true), ("stranger", false)]
    {
        assert_eq!(place.allows_pool(spec), expected, "{spec}");
    }
    let mut records = all();
    records.iter_mut().for_each(|record| record.spec = "worker".into());
    let me = named(&records, "me").clone();
    assert!(!Place::new(Caller::Agent(Box::new(me)), records).allows_pool("worker"));
}

#[test]
fn a_directory_is_held_by_project_or_workspace() {
    let place = place_of("me");
    for (dir, expected) in
        [("/p", true), ("/p/a/b", true), ("/p/here/x", true), ("/pp", false), ("/", false), ("/c", false)]
    {
        assert_eq!(place.holds(Path::new(dir)), expected, "{dir}");
    }
    let mut away = all();
    away[1].working_directory = "/w/tree".into();
    let place = Place::new(Caller::Agent(Box::new(away[1].clone())), away);
    assert!(place.holds(Path::new("/w/tree/x")) && place.holds(Path::new("/p")));
    assert!(!place.holds(Path::new("/w")));
}

#[test]
fn only_its_own_project_is_spoken_to_as_a_whole() {
    let place = place_of("me");
    for (named, expected) in [("p", true), ("/p", true), ("x", false), ("/x", false), ("", false)] {
        assert_eq!(place.is_own_project(named), expected, "{named}");
    }
    assert!(!place_of("nowhere").is_own_project("p"));
}
