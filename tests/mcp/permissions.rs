//! The permissions of an agent through its tools.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::{Client, demo, names, server, symposium};
use crate::support::TestEnv;

/// Creates `me` and `neighbour` in one project, `child` below `me` elsewhere, `boss` above `me` elsewhere, and a
/// stranger.
fn village() -> TestEnv {
    let env = TestEnv::new();
    demo(&env, "boss", "b", None);
    demo(&env, "me", "project", Some("boss"));
    demo(&env, "child", "c", Some("me"));
    demo(&env, "neighbour", "project", None);
    demo(&env, "stranger", "x", None);
    env
}

#[test]
fn an_agent_reaches_only_permitted_agents() {
    let env = village();
    let mut me = Client::of(&env, "me");
    let list = me.call("list_agents", json!({}));
    assert_eq!(names(&list), ["boss", "child", "me", "neighbour"]);
    let bonds: Vec<_> =
        list["agents"].as_array().unwrap().iter().map(|one| (&one["name"], &one["bond"])).collect();
    assert!(bonds.contains(&(&"child".into(), &"below".into())), "{bonds:?}");
    assert!(list["agents"][0].get("command").is_none(), "the command line of other agents is hidden");
    assert_eq!(me.call("show_agent", json!({}))["name"], "me");
    let screen = me.call("show_agent", json!({"name": "child", "screen": true}));
    assert!(screen["screen"].as_str().unwrap().contains('❯'), "{screen}");

    symposium(&env, &["task", "add", "stranger", "theirs"]).ok();
    let theirs = 1;
    for (tool, arguments) in [
        ("show_agent", json!({"name": "stranger"})),
        ("show_agent", json!({"name": "boss", "screen": true})),
        ("recap", json!({"name": "stranger"})),
        ("recap", json!({"name": "boss"})),
        ("send_message", json!({"to": "stranger", "text": "hello"})),
        ("send_message", json!({"to": "stranger@x", "text": "hello"})),
        ("send_message", json!({"to": "@x", "text": "hello @stranger"})),
        ("add_task", json!({"agent": "stranger", "text": "work"})),
        ("add_task", json!({"agent": "boss", "text": "work"})),
        ("add_task", json!({"agent": "any:demo", "text": "work"})),
        ("add_task", json!({"agent": "me", "text": "work", "after": [theirs]})),
        ("task_status", json!({"id": theirs})),
        ("wait_task", json!({"id": theirs, "timeout_s": 0})),
        ("report_progress", json!({"id": theirs, "percent": 100})),
        ("complete_task", json!({"id": theirs, "result": "done for you"})),
        ("update_taskspace", json!({"name": "neighbour", "title": "mine now"})),
        ("delete_taskspace", json!({"name": "neighbour"})),
        ("delete_taskspace", json!({"name": "stranger"})),
    ] {
        let failed = me.fails(tool, arguments.clone());
        assert_eq!(failed["code"], "out-of-place", "{tool} {arguments}: {failed}");
    }
    assert_eq!(
        me.call("task_status", json!({"all": true}))["tasks"],
        json!([]),
        "others' tasks are not listed"
    );
    for name in ["stranger", "boss"] {
        let error = me.ask("resources/read", json!({"uri": format!("symposium://agents/{name}/transcript")}));
        assert_eq!(error.expect_err("refused")["code"], -32002);
    }
    for name in ["me", "child", "neighbour"] {
        let read = me.ask("resources/read", json!({"uri": format!("symposium://agents/{name}/transcript")}));
        let text = read.expect("it may be read")["contents"][0]["text"].take();
        assert!(text.as_str().is_some_and(|text| text.contains('❯')), "{text}");
    }
    for to in ["boss", "parent", "child", "children", "neighbour", "person", "@", "@project"] {
        me.call("send_message", json!({"to": to, "text": "hello"}));
    }
}

#[test]
fn errors_do_not_name_agents_and_projects_without_access() {
    let env = village();
    let other = env.root().join("y/x");
    std::fs::create_dir_all(&other).unwrap();
    demo(&env, "twin", "y/x", None);
    let mut me = Client::of(&env, "me");
    for (tool, arguments) in [
        ("show_agent", json!({"name": "nobody"})),
        ("send_message", json!({"to": "nobody", "text": "hello"})),
        ("send_message", json!({"to": "@nowhere", "text": "hello"})),
        ("send_message", json!({"to": "stranger@project", "text": "hello"})),
        ("add_task", json!({"agent": "nobody", "text": "work"})),
    ] {
        let failed = me.fails(tool, arguments.clone())["saw"].to_string();
        for hidden in ["stranger", "twin", "/x\""] {
            assert!(!failed.contains(hidden), "{tool} {arguments}: {failed}");
        }
    }
}

#[test]
fn children_work_inside_their_parents_project() {
    let env = village();
    symlink(env.root().join("x"), env.project().join("way-out")).unwrap();
    std::fs::create_dir(env.project().join("below")).unwrap();
    std::fs::write(env.root().join("x/secret"), "s3cret").unwrap();
    let mut me = Client::of(&env, "me");
    for arguments in [
        json!({"spec": "demo", "dir": "/"}),
        json!({"spec": "demo", "dir": ".."}),
        json!({"spec": "demo", "dir": "below/../../x"}),
        json!({"spec": "demo", "dir": "way-out"}),
        json!({"spec": "demo", "dir": env.root().join("x")}),
        json!({"spec": "./specs/own.md"}),
        json!({"spec": env.root().join("x")}),
    ] {
        let failed = me.fails("spawn_agent", arguments.clone());
        assert_eq!(failed["code"], "out-of-place", "{arguments}: {failed}");
    }
    let failed = me.fails("add_task", json!({"agent": "me", "text": "read it", "topic": "way-out/secret"}));
    assert_eq!(failed["code"], "out-of-place", "{failed}");
    let spawned = me.call("spawn_agent", json!({"spec": "demo", "name": "kid", "dir": "below"}));
    assert_eq!(spawned["agent"]["parent"], "me");
    assert_eq!(spawned["agent"]["working_directory"], env.project().join("below").to_str().unwrap());
    let spawned = me.call("spawn_agent", json!({"name": "like-me"}));
    assert_eq!((&spawned["agent"]["kind"], &spawned["task"]), (&"demo".into(), &json!(null)));
}

#[test]
fn a_client_with_an_invalid_identity_has_no_access() {
    let env = village();
    let id = super::shown(&env, "me")["id"].as_str().unwrap().to_owned();
    let stale = "5f0ac2a6-3d6e-4b51-9c35-2f8f6a1c9d10";
    for (name, id) in [("", ""), ("me", ""), ("me", stale), ("", stale), ("gone", stale), ("me", "nonsense")]
    {
        let run = server(&env).env("SYMPOSIUM_AGENT", name).env("SYMPOSIUM_AGENT_ID", id);
        let mut client = Client::hello(run);
        for (tool, arguments) in [
            ("list_agents", json!({})),
            ("spawn_agent", json!({"spec": "demo"})),
            ("read_messages", json!({})),
            ("board_get", json!({})),
            ("board_set", json!({"key": "k", "value": "v"})),
            ("signal_user", json!({"message": "hello"})),
        ] {
            assert_eq!(client.fails(tool, arguments)["code"], "unknown-caller", "{name} {id} {tool}");
        }
        let error = client.ask("resources/read", json!({"uri": "symposium://board/k"})).expect_err("refused");
        assert_eq!(error["data"]["code"], "unknown-caller");
    }
    // The id identifies the agent, whatever its current name is.
    symposium(&env, &["agent", "rename", "me", "renamed"]).ok();
    let mut client = Client::hello(server(&env).env("SYMPOSIUM_AGENT", "me").env("SYMPOSIUM_AGENT_ID", id));
    assert_eq!(client.call("show_agent", json!({}))["name"], "renamed");
}

#[test]
fn a_user_may_use_every_tool() {
    let env = village();
    let mut person = Client::person(&env);
    assert_eq!(
        names(&person.call("list_agents", json!({}))),
        ["boss", "child", "me", "neighbour", "stranger"]
    );
    let dir = env.root().join("x");
    let spawned = person.call("spawn_agent", json!({"spec": "demo", "name": "new", "dir": dir}));
    assert_eq!((&spawned["agent"]["parent"], &spawned["agent"]["name"]), (&json!(null), &"new".into()));
    person.call("send_message", json!({"to": "stranger", "text": "hello"}));
    person.call("add_task", json!({"agent": "any:demo", "text": "work"}));
}

#[test]
fn reserved_words_are_refused_as_names() {
    let env = TestEnv::new();
    demo(&env, "me", "project", None);
    let mut me = Client::of(&env, "me");
    for word in ["person", "handoff", "parent", "children", "any", "all"] {
        let refused = me.refuses("spawn_agent", json!({"spec": "demo", "name": word}));
        assert!(refused.contains("it is a reserved word"), "{refused}");
        let refused = symposium(&env, &["agent", "rename", "me", word]).fails(2).stderr;
        assert!(refused.contains("it is a reserved word"), "{refused}");
    }
}

#[test]
fn a_later_agent_of_the_same_name_inherits_no_tasks() {
    let env = TestEnv::new();
    demo(&env, "giver", "project", None);
    demo(&env, "doer", "project", None);
    let given = Client::of(&env, "giver").call("add_task", json!({"agent": "doer", "text": "/work 10m"}));
    let id = given["task"]["id"].as_i64().unwrap_or_else(|| panic!("{given}"));
    assert_eq!(Client::of(&env, "giver").call("task_status", json!({"id": id}))["source"], "giver");
    symposium(&env, &["agent", "rename", "giver", "renamed"]).ok();
    Client::of(&env, "renamed").call("task_status", json!({"id": id}));
    demo(&env, "giver", "elsewhere", None);
    let mut later = Client::of(&env, "giver");
    assert_eq!(later.fails("task_status", json!({"id": id}))["code"], "out-of-place");
    let own_id = super::shown(&env, "giver")["id"].as_str().unwrap().to_owned();
    let as_later = |run: crate::support::run::Run| {
        run.env("SYMPOSIUM_AGENT", "giver").env("SYMPOSIUM_AGENT_ID", own_id.clone())
    };
    let cancel = as_later(symposium(&env, &["task", "cancel", &id.to_string(), "--json"])).fails(1).stderr;
    assert!(cancel.contains("out-of-place"), "{cancel}");
}
