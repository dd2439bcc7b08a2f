//! Events around a running queue: its agent is ended or removed, a draft is in the input line, a damaged ledger,
//! reports of other agents.

use super::queue::{add, idle, prompts, task, wait};
use super::{shown, symposium};
use crate::support::TestEnv;

#[test]
fn killing_an_agent_fails_its_task_and_holds_its_queue() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let first = add(&env, &["a", "/work 1h"]);
    env.wait_until("the task is running", || task(&env, &first)["state"] == "running");
    let next = add(&env, &["a", "later"]);
    symposium(&env, &["agent", "kill", "a"]).ok();
    let failed = wait(&env, &first);
    assert_eq!(failed["state"], "failed", "{failed}");
    assert_eq!(failed["why"], "its agent is stopped: it was ended on request");
    assert_eq!(task(&env, &next)["state"], "queued");
    assert_eq!(prompts(&env), [format!("/work 1h [symposium task {first}]")]);
    symposium(&env, &["agent", "resume", "a"]).ok();
    assert_eq!(wait(&env, &next)["state"], "done", "the task is still queued");
}

#[test]
fn a_pool_task_does_not_wait_for_an_agent_with_a_draft() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        idle(&env, name, &[]);
    }
    // A draft without an attached client.
    env.tmux(["send-keys", "-t", "=a:", "-l", "half a sen"]);
    env.wait_until("the task is typed", || {
        env.tmux(["capture-pane", "-p", "-t", "=a:"]).stdout.contains("half a sen")
    });
    let tasks = [1, 2, 3].map(|n| add(&env, &["any:demo", &format!("number {n}")]));
    for id in &tasks {
        let done = wait(&env, id);
        assert_eq!((done["state"].as_str(), done["agent"].as_str()), (Some("done"), Some("b")), "{done}");
    }
}

#[test]
fn a_question_is_not_forwarded_twice_after_a_kill() {
    let env = TestEnv::new();
    for (name, more) in [("lead", &[][..]), ("child", &["--parent", "lead"])] {
        env.symposium([&["agent", "spawn", "demo", "--name", name], more].concat()).ok();
        env.symposium(["agent", "wait", name, "--for", "idle", "--timeout", "20s"]).ok();
    }
    env.symposium(["agent", "send", "child", "/ask make"]).ok();
    env.symposium(["agent", "wait", "child", "--for", "waiting", "--timeout", "20s"]).ok();
    env.symposium(["supervisor", "run"]).env("SYMPOSIUM_FAILPOINT", "bubble.sent").fails(137);
    symposium(&env, &["supervisor", "start"]).ok();
    // Later messages are typed later.
    let lead = || prompts(&env).into_iter().filter(|prompt| prompt.contains(" from ")).collect::<Vec<_>>();
    env.wait_until("the parent received the question", || lead().len() == 1);
    symposium(&env, &["message", "send", "lead", "the last one"]).ok();
    env.wait_until("the parent received the last message", || {
        lead().iter().any(|prompt| prompt.ends_with("the last one"))
    });
    assert_eq!(lead().len(), 2, "{:?}", lead());
}

#[test]
fn an_agent_reports_only_for_itself_and_its_descendants() {
    let env = TestEnv::new();
    for (name, more) in [("a", &[][..]), ("child", &["--parent", "a"]), ("other", &[])] {
        let args = [&["agent", "spawn", "--name", name], more, &["--", "sleep", "1000"]].concat();
        env.symposium(args).ok();
    }
    let as_agent = |name: &str, args: &[&str]| {
        let id = shown(&env, name)["id"].as_str().unwrap().to_owned();
        env.symposium(args.to_vec()).env("SYMPOSIUM_AGENT", name).env("SYMPOSIUM_AGENT_ID", id)
    };
    let given = as_agent("other", &["task", "add", "child", "x"]).ok().stdout;
    let given = given.trim();
    for verb in ["done", "fail"] {
        let refused = as_agent("other", &["task", verb, given]).fails(1);
        assert!(refused.stderr.contains("may not report on task"), "{}", refused.stderr);
    }
    as_agent("other", &["task", "progress", given, "10"]).fails(1);
    as_agent("other", &["task", "cancel", given]).ok();
    as_agent("other", &["task", "retry", given]).ok();
    as_agent("a", &["task", "done", given, "done for it"]).ok();
    let own = env.symposium(["task", "add", "a", "x"]).ok().stdout;
    as_agent("child", &["task", "cancel", own.trim()]).fails(1);
}

#[test]
fn a_task_completes_without_hooks() {
    let env = TestEnv::new();
    crate::cli::no_hooks::without_hooks(&env);
    idle(&env, "a", &[]);
    let id = add(&env, &["a", "/work 1s"]);
    assert_eq!(wait(&env, &id)["state"], "done");
    assert_eq!(prompts(&env), [format!("/work 1s [symposium task {id}]")]);
}

#[test]
fn start_repairs_a_damaged_ledger_and_the_next_command_that_is_not_quiet_reports_it_once() {
    let env = TestEnv::new();
    super::configure(&env, "[supervisor]\nreconcile = \"1h\"\n");
    symposium(&env, &["agent", "spawn", "demo", "--name", "a"]).ok();
    symposium(&env, &["task", "add", "a", "hello"]).ok();
    symposium(&env, &["task", "wait", "1"]).ok();
    let _ = std::fs::remove_file(env.state().join("ledger.db-wal"));
    std::fs::write(env.state().join("ledger.db"), "noise".repeat(9000)).unwrap();
    symposium(&env, &["-q", "supervisor", "start"]).outcome();
    let quiet = symposium(&env, &["-q", "task", "list"]).ok();
    let listed = symposium(&env, &["task", "list"]).ok();
    let output = "the ledger was unusable";
    assert_eq!(quiet.stderr, "");
    let doctor = symposium(&env, &["doctor"]).outcome().stdout;
    assert!(doctor.contains("note  ledger: ") && doctor.contains("kept from repairs"), "{doctor}");
    let again = symposium(&env, &["task", "list"]).ok();
    assert!(!again.stderr.contains(output), "{again:?}");
    assert!(listed.stderr.contains(output), "{listed:?}");
}
