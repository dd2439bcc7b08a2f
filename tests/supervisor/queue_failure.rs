//! Failed turns: the task fails, the rest of the agent's queue is held, and the user or the reset releases it.

use serde_json::json;

use super::queue::{add, idle, prompts, task, wait};
use super::{shown, symposium};
use crate::support::TestEnv;

#[test]
fn a_usage_limit_fails_the_task_and_holds_the_queue_until_a_retry_is_requested() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let first = add(&env, &["a", "/fail rate_limit You've hit your limit · resets in 2 hours"]);
    let next = add(&env, &["a", "next"]);
    let dependent = add(&env, &["a", "dependent", "--after", &first]);
    let failed = wait(&env, &first);
    assert_eq!(failed["state"], "failed", "{failed}");
    assert_eq!(failed["why"], "You've hit your limit · resets in 2 hours");
    let agent = shown(&env, "a");
    assert_eq!((&agent["status"], &agent["waiting_for"]), (&json!("waiting"), &json!("limit")), "{agent}");
    assert_eq!((&agent["failure"]["cause"], &agent["question"]), (&json!("limit"), &json!(null)), "{agent}");
    assert!(agent["failure"]["resets_at"].is_string(), "{agent}");
    assert!(symposium(&env, &["agent", "list"]).ok().stdout.contains("waiting(limit)"));
    let held = symposium(&env, &["task", "show", &next, "--json"]).ok().json();
    assert_eq!(held["state"], "queued", "{held}");
    assert!(held["waits_for"].as_str().is_some_and(|why| why.starts_with("held until")), "{held}");
    assert_eq!(prompts(&env).len(), 1);

    symposium(&env, &["task", "retry", &first]).ok();
    env.wait_until("the limit is reached again", || shown(&env, "a")["failure"]["in_a_row"] == 2);
    assert_eq!(task(&env, &dependent)["state"], "queued", "it comes after a failed task");
    // A prompt of the user is typed nevertheless, and its success releases the queue.
    symposium(&env, &["agent", "send", "a", "hello"]).ok();
    assert_eq!(wait(&env, &next)["state"], "done");
    assert_eq!(shown(&env, "a")["failure"], json!(null));
    assert_eq!(task(&env, &dependent)["state"], "queued");
}

#[test]
fn an_agent_that_is_not_logged_in_waits_for_setup() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let id = add(&env, &["a", "/fail authentication_failed Not logged in · Please run /login"]);
    assert_eq!(wait(&env, &id)["state"], "failed");
    let agent = shown(&env, "a");
    assert_eq!((&agent["status"], &agent["waiting_for"]), (&json!("waiting"), &json!("setup")), "{agent}");
    assert_eq!(agent["failure"]["held_until"], json!(null), "{agent}");
    symposium(&env, &["agent", "restart", "a"]).ok();
    env.wait_until("a new process is not held", || shown(&env, "a")["status"] == "idle");
}
