//! Review comments through tools: an agent sees and resolves those that it has received, and no others.

use std::fs;

use serde_json::{Value, json};

use super::{Client, symposium};
use crate::cli::workspace::{repository, workspace};
use crate::support::TestEnv;

/// Starts a demo agent in a worktree with one changed file.
#[track_caller]
fn worktree_agent(env: &TestEnv, name: &str) {
    symposium(env, &["agent", "spawn", "demo", "--name", name, "--workspace", "worktree"]).ok();
    symposium(env, &["agent", "wait", name, "--for", "idle", "--timeout", "20s"]).ok();
    fs::write(workspace(env, name).join("src/lib.rs"), "one\ntwo\n").unwrap();
}

#[track_caller]
fn comment(env: &TestEnv, name: &str, place: &str, text: &str) {
    symposium(env, &["agent", "review", name, "--comment", place, text]).ok();
}

fn states(env: &TestEnv, name: &str) -> Vec<Value> {
    let listed = symposium(env, &["agent", "review", name, "--list", "--json"]).ok().json();
    listed["comments"].as_array().unwrap().iter().map(|comment| comment["state"].clone()).collect()
}

#[test]
fn an_agent_resolves_the_comments_that_it_has_received() {
    let env = repository();
    worktree_agent(&env, "a");
    worktree_agent(&env, "b");
    comment(&env, "a", "src/lib.rs:1", "why one?");
    comment(&env, "b", "src/lib.rs:1", "of b");
    symposium(&env, &["agent", "review", "b", "--send"]).ok();
    let mut a = Client::of(&env, "a");
    assert_eq!(a.call("list_review_comments", json!({})), json!({"comments": []}), "a draft is not sent");
    assert_eq!(a.fails("resolve_review_comment", json!({"number": 1}))["code"], "no-such-comment");
    assert_eq!(states(&env, "b"), ["sent"], "the comment of another agent has the same number");

    symposium(&env, &["agent", "review", "a", "--send"]).ok();
    comment(&env, "a", "src/lib.rs:2", "why two?");
    fs::write(workspace(&env, "a").join("src/lib.rs"), "zero\none\ntwo\n").unwrap();
    let listed = a.call("list_review_comments", json!({}));
    assert_eq!(listed["comments"].as_array().map(Vec::len), Some(1), "{listed}");
    let first = &listed["comments"][0];
    assert_eq!(
        (&first["id"], &first["text"], &first["placement"]),
        (&1.into(), &"why one?".into(), &"moved".into())
    );
    assert_eq!(first["current_lines"], json!({"first": 2, "last": 2}));
    a.call("resolve_review_comment", json!({"number": 1}));
    a.call("resolve_review_comment", json!({"number": 1}));
    assert_eq!(a.call("list_review_comments", json!({})), json!({"comments": []}));
    assert_eq!(a.call("list_review_comments", json!({"all": true}))["comments"][0]["state"], "resolved");
    assert_eq!(a.fails("resolve_review_comment", json!({"number": 2}))["code"], "no-such-comment");
    assert_eq!(states(&env, "a"), ["resolved", "draft"]);
    assert_eq!(states(&env, "b"), ["sent"]);

    let mut person = Client::person(&env);
    let refused = person.refuses("list_review_comments", json!({}));
    assert!(refused.contains("only an agent has review comments of its own"), "{refused}");
    a.refuses("resolve_review_comment", json!({"number": "1"}));
}
