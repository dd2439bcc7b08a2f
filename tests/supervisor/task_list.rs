//! `task list`: states, results and reasons, `--since` and `--watch`.

use serde_json::json;

use super::queue::{add, idle, task, wait};
use super::{shown, symposium};
use crate::support::TestEnv;

#[test]
fn task_list_shows_results_reasons_and_dependencies() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let done = add(&env, &["a", "count to three"]);
    wait(&env, &done);
    let asks = add(&env, &["a", "/ask make clean"]);
    env.wait_until("the agent asks", || {
        shown(&env, "a")["status"] == "waiting" && task(&env, &asks)["state"] == "running"
    });
    let blocked = add(&env, &["a", "later", "--after", &asks]);
    let listed = symposium(&env, &["task", "list", "--since", "1h"]).ok().stdout;
    let line = |id: &str| {
        listed.lines().find(|line| line.starts_with(&format!("{id} "))).unwrap_or_default().to_owned()
    };
    assert!(line(&done).contains("done") && line(&done).contains("You said: count to three"), "{listed}");
    assert!(line(&asks).contains("waiting") && line(&asks).contains("waits for approval"), "{listed}");
    assert!(
        line(&blocked).contains("blocked") && line(&blocked).contains(&format!("after {asks}")),
        "{listed}"
    );
    for (state, expected) in [
        ("waiting", vec![&asks]),
        ("running", vec![&asks]),
        ("blocked", vec![&blocked]),
        ("queued", vec![&blocked]),
        ("done", vec![&done]),
        ("unknown", vec![]),
    ] {
        let found = symposium(&env, &["task", "list", "--state", state, "--json"]).ok().json();
        let ids: Vec<String> = found.as_array().unwrap().iter().map(|task| task["id"].to_string()).collect();
        assert_eq!(ids.iter().collect::<Vec<_>>(), expected, "{state}: {found}");
    }
    let found = symposium(&env, &["task", "list", "--state", "blocked", "--json"]).ok().json();
    assert_eq!((&found[0]["status"], &found[0]["state"]), (&json!("blocked"), &json!("queued")));
    let none = symposium(&env, &["task", "list", "--since", "0s", "--json"]).ok().json();
    assert_eq!(none, json!([]));
}

#[test]
fn task_add_prints_a_sentence_in_a_terminal_and_a_number_in_a_pipe() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let id = symposium(&env, &["task", "add", "a", "one"]).ok().stdout;
    assert!(id.trim().parse::<u32>().is_ok(), "{id}");
    let script = "\"$0\" task add a two; exec sleep 1000";
    let terminal = env.terminal(["sh", "-c", script, env.binary()]);
    terminal.wait_for_text("task 2 is on the queue of `a`");
}

#[test]
fn a_watched_task_list_follows_the_queue() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let terminal = env.terminal([env.binary(), "task", "list", "--watch"]);
    terminal.wait_for_text("no tasks to show");
    let id = add(&env, &["a", "/work 1h"]);
    terminal.wait_for_text("/work 1h");
    symposium(&env, &["task", "progress", &id, "40", "tests green"]).outcome();
    terminal.wait_for_text("a ");
}
