//! Messages and the board through tools and resources.

use serde_json::json;

use super::{Client, demo, symposium};
use crate::support::TestEnv;

#[test]
fn a_child_asks_and_its_parent_replies() {
    let env = TestEnv::new();
    demo(&env, "boss", "project", None);
    demo(&env, "kid", "elsewhere", Some("boss"));
    let (mut boss, mut kid) = (Client::of(&env, "boss"), Client::of(&env, "kid"));
    let sent = kid.call("send_message", json!({"to": "parent", "text": "which colour?"}));
    assert_eq!((&sent["messages"][0]["to"], &sent["messages"][0]["from"]), (&"boss".into(), &"kid".into()));
    env.wait_until("the message was typed in", || {
        let screen = boss.call("show_agent", json!({"screen": true}));
        screen["screen"].as_str().is_some_and(|screen| screen.contains("from kid] which colour?"))
    });
    let all = boss.call("read_messages", json!({"all": true}));
    assert_eq!(all["messages"][0]["text"], "which colour?");
    // A message that wakes no agent is kept until it is read.
    boss.call("send_message", json!({"to": "person", "text": "blue, I think"}));
    let mut person = Client::person(&env);
    let mail = person.call("read_messages", json!({}));
    assert_eq!(
        (&mail["messages"][0]["from"], &mail["messages"][0]["text"]),
        (&"boss".into(), &"blue, I think".into())
    );
    assert_eq!(person.call("read_messages", json!({})), json!({"messages": []}), "it is read from now on");
}

#[test]
fn signal_user_reaches_the_user_and_is_noted_on_the_board() {
    let env = TestEnv::new();
    demo(&env, "a", "project", None);
    let mut a = Client::of(&env, "a");
    a.call("signal_user", json!({"message": "the tests are red"}));
    let listed = Client::person(&env).call("read_messages", json!({}));
    assert_eq!(listed["messages"][0]["text"], "the tests are red");
    let noted = a.call("board_get", json!({"key": "log/a"}));
    assert!(noted["value"].as_str().unwrap().ends_with("to the user: the tests are red"), "{noted}");
}

#[test]
fn a_board_is_shared_within_its_project_only() {
    let env = TestEnv::new();
    demo(&env, "a", "project", None);
    demo(&env, "b", "project", None);
    demo(&env, "c", "elsewhere", None);
    let [mut a, mut b, mut c] = ["a", "b", "c"].map(|name| Client::of(&env, name));
    assert_eq!(a.call("board_get", json!({})), json!({"notes": []}));
    a.call("board_set", json!({"key": "plan/first step", "value": "look"}));
    let note = b.call("board_set", json!({"key": "plan/first step", "value": "leap", "append": true}));
    assert_eq!((&note["version"], note.get("value")), (&2.into(), None));
    let note = a.call("board_get", json!({"key": "plan/first step"}));
    assert_eq!((&note["value"], &note["author"]), (&"look\nleap".into(), &"b".into()));
    let board = a.ask("resources/read", json!({"uri": "symposium://board"})).expect("it exists");
    assert!(board["contents"][0]["text"].as_str().unwrap().contains("plan/first step"), "{board}");
    let uri = "symposium://board/plan/first%20step";
    let note = b.ask("resources/read", json!({"uri": uri})).expect("it exists");
    assert_eq!(
        (&note["contents"][0]["text"], &note["contents"][0]["uri"]),
        (&"look\nleap".into(), &uri.into())
    );
    assert_eq!(c.call("board_get", json!({})), json!({"notes": []}));
    assert_eq!(c.fails("board_get", json!({"key": "plan/first step"}))["code"], "no-such-note");
    assert_eq!(c.ask("resources/read", json!({"uri": uri})).expect_err("not there")["code"], -32002);
    // The client of a user has the board of the directory in which it was started.
    let note = Client::person(&env).call("board_get", json!({"key": "plan/first step"}));
    assert_eq!(note["value"], "look\nleap");
    symposium(&env, &["agent", "list"]).ok();
}
