//! Queued tasks are typed when their agent is idle, in order and exactly once.

use serde_json::{Value, json};

use super::{configure, shown, symposium};
use crate::support::TestEnv;

/// Starts an idle demo agent.
pub(super) fn idle(env: &TestEnv, name: &str, more: &[&str]) {
    symposium(env, &[&["agent", "spawn", "demo", "--name", name], more].concat()).ok();
    symposium(env, &["agent", "wait", name, "--for", "idle", "--timeout", "20s"]).ok();
}

/// Adds a task and returns its number.
#[track_caller]
pub(super) fn add(env: &TestEnv, args: &[&str]) -> String {
    symposium(env, &[&["task", "add"], args].concat()).ok().stdout.trim().to_owned()
}

#[track_caller]
pub(super) fn task(env: &TestEnv, id: &str) -> Value {
    symposium(env, &["task", "show", id, "--json"]).ok().json()
}

#[track_caller]
pub(super) fn wait(env: &TestEnv, id: &str) -> Value {
    let waited = symposium(env, &["task", "wait", id, "--timeout", "20s", "--json"]).outcome();
    assert!(waited.code <= 1, "{}\n{}", waited.stderr, task(env, id));
    serde_json::from_str(&waited.stdout).expect("a task")
}

/// Returns every prompt that demo agents took, in the order of each conversation.
pub(super) fn prompts(env: &TestEnv) -> Vec<String> {
    // The directory exists from the first prompt on.
    let Ok(conversations) = std::fs::read_dir(env.state().join("demo")) else { return vec![] };
    let conversations = conversations.flatten();
    let texts = conversations.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let lines: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let values = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    values
        .filter(|value| value["type"] == "user")
        .filter_map(|value| value["text"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn tasks_run_in_order_of_priority_and_dependencies() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    // The agent works on it until it is approved, however long adding the other tasks takes.
    let first = add(&env, &["a", "/ask make"]);
    symposium(&env, &["agent", "wait", "a", "--for", "waiting", "--timeout", "20s"]).ok();
    assert_eq!(task(&env, &first)["state"], "running");
    let last = add(&env, &["a", "four", "--priority", "critical", "--after", &first]);
    let low = add(&env, &["a", "three", "--priority", "low"]);
    let high = add(&env, &["a", "two", "--priority", "high"]);
    let list = symposium(&env, &["task", "list"]).ok().stdout;
    assert!(list.contains("blocked") && list.lines().all(|line| line.len() <= 80), "{list}");
    symposium(&env, &["agent", "approve", "a"]).ok();
    for id in [&first, &last, &low, &high] {
        assert_eq!(wait(&env, id)["state"], "done");
    }
    let taken: Vec<String> = prompts(&env);
    let order: Vec<&str> = taken.iter().map(|prompt| prompt.split(" [").next().unwrap()).collect();
    assert_eq!(order, ["/ask make", "four", "two", "three"]);
    let done = task(&env, &high);
    assert_eq!(
        done["result"],
        format!("You said: two [symposium task {high}]\n(prompt 3 of this conversation)")
    );
    let states: Vec<&str> =
        done["steps"].as_array().unwrap().iter().filter_map(|step| step["state"].as_str()).collect();
    assert_eq!(states, ["queued", "dispatched", "running", "done"]);
    assert_eq!(shown(&env, "a")["tasks"], json!({"queued": 0, "running": 0, "done": 4, "failed": 0}));
}

#[test]
fn pool_tasks_go_to_any_agent_of_the_spec_and_can_spawn_one() {
    let env = TestEnv::new();
    let waiting = env.symposium(["task", "add", "any:demo", "/work 1s"]).ok();
    assert!(waiting.stderr.contains("agent spawn demo"), "{}", waiting.stderr);
    assert!(waiting.stderr.contains("supervisor start"), "{}", waiting.stderr);
    let add_only = || env.symposium(["task", "add", "any:demo", "/work 1s"]).ok().stdout.trim().to_owned();
    let others = [add_only(), add_only()];
    for name in ["a", "b"] {
        env.symposium(["agent", "spawn", "demo", "--name", name]).ok();
        env.symposium(["agent", "wait", name, "--for", "idle", "--timeout", "20s"]).ok();
    }
    symposium(&env, &["supervisor", "start"]).ok();
    let by: std::collections::BTreeSet<String> = others
        .iter()
        .chain([&waiting.stdout.trim().to_owned()])
        .map(|id| wait(&env, id)["agent"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(by.into_iter().collect::<Vec<_>>(), ["a", "b"]);
    let own = add(&env, &["demo", "Fix the login bug!"]);
    let done = wait(&env, &own);
    assert_eq!((&done["agent"], &done["state"]), (&json!("demo-fix-the-login-bug"), &json!("done")));
}

#[test]
fn a_task_over_its_timeout_is_interrupted_and_the_next_runs() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let long = add(&env, &["a", "/work 1h", "--timeout", "1s"]);
    let next = add(&env, &["a", "the next"]);
    let failed = wait(&env, &long);
    assert_eq!((&failed["state"], &failed["why"]), (&json!("failed"), &json!("it took longer than 1s")));
    assert_eq!(wait(&env, &next)["state"], "done");
}

#[test]
fn an_interrupted_turn_fails_its_task() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let id = add(&env, &["a", "/work 1h"]);
    env.wait_until("the task is running", || task(&env, &id)["state"] == "running");
    symposium(&env, &["agent", "interrupt", "a"]).ok();
    let failed = wait(&env, &id);
    assert_eq!((&failed["state"], &failed["why"]), (&json!("failed"), &json!("its turn was interrupted")));
}

#[test]
fn a_task_that_crashes_its_agent_is_retried_up_to_its_limit() {
    let env = TestEnv::new();
    configure(&env, "[restart]\nfirst = \"20ms\"\nlongest = \"40ms\"\n");
    idle(&env, "a", &["--restart", "on-failure"]);
    let id = add(&env, &["a", "/crash 3", "--retries", "1"]);
    let failed = wait(&env, &id);
    assert_eq!((&failed["state"], &failed["attempts"]), (&json!("failed"), &json!(2)), "{failed}");
    let marks: Vec<String> = prompts(&env).into_iter().filter(|prompt| prompt.contains("/crash")).collect();
    assert_eq!(
        marks,
        [format!("/crash 3 [symposium task {id}]"), format!("/crash 3 [symposium task {id}/2]")]
    );
    symposium(&env, &["task", "retry", &id]).ok();
    assert_eq!(wait(&env, &id)["attempts"], 3);
    symposium(&env, &["task", "retry", "99"]).fails(3);
}

#[test]
fn task_progress_and_results_can_be_reported() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let id = add(&env, &["a", "/work 1h"]);
    env.wait_until("the task is running", || task(&env, &id)["state"] == "running");
    symposium(&env, &["task", "progress", &id, "40", "tests green"]).ok();
    let list = symposium(&env, &["agent", "list"]).ok().stdout;
    assert!(list.contains("40% /work 1h"), "{list}");
    let tasks = symposium(&env, &["task", "list"]).ok().stdout;
    assert!(tasks.contains("running 40%") && tasks.contains("tests green"), "{tasks}");
    assert_eq!(shown(&env, "a")["task"]["progress"], json!({"percent": 40, "note": "tests green"}));
    symposium(&env, &["task", "done", &id, "-"]).stdin("all is well").ok();
    assert_eq!(task(&env, &id)["result"], "all is well");
    symposium(&env, &["task", "done", &id]).fails(1);
    symposium(&env, &["task", "progress", &id, "50"]).fails(1);
    symposium(&env, &["task", "progress", &id, "101"]).fails(2);
    let waited = symposium(&env, &["task", "wait", &id]).ok();
    assert_eq!(waited.stdout, "all is well\n");
    // The agent still works: the next task waits.
    let next = add(&env, &["a", "x"]);
    symposium(&env, &["task", "wait", &next, "--timeout", "300ms"]).fails(7);
    assert_eq!(symposium(&env, &["task", "cancel", &next, "--json"]).ok().json()["state"], "cancelled");
    symposium(&env, &["task", "wait", &next]).fails(1);
}

#[test]
fn cancelling_a_running_task_reports_that_the_agent_continues() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let (at_work, queued) = (add(&env, &["a", "/work 1h"]), add(&env, &["a", "x"]));
    env.wait_until("the task is running", || {
        task(&env, &at_work)["state"] == "running" && shown(&env, "a")["status"] == "working"
    });
    let cancel = |id: &str| symposium(&env, &["task", "cancel", id]).ok().stderr;
    assert_eq!(cancel(&queued), format!("task {queued} is cancelled\n"));
    let continues = "`a` continues its current turn; `symposium agent interrupt a` ends it";
    assert_eq!(cancel(&at_work), format!("task {at_work} is cancelled\n{continues}\n"));
    symposium(&env, &["agent", "interrupt", "a"]).ok();
    env.wait_until("the agent is idle", || shown(&env, "a")["status"] == "idle");
}

#[test]
fn a_failed_task_can_be_dismissed() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let id = add(&env, &["a", "/work 1h"]);
    env.wait_until("the task is running", || task(&env, &id)["state"] == "running");
    symposium(&env, &["task", "fail", &id, "no time"]).ok();
    symposium(&env, &["agent", "rm", "a", "--force"]).ok();
    let listed = || symposium(&env, &["task", "list"]).ok().stdout;
    assert!(listed().contains("/work 1h"), "{}", listed());
    assert_eq!(symposium(&env, &["task", "cancel", &id, "--json"]).ok().json()["state"], "cancelled");
    assert!(!listed().contains("/work 1h"), "{}", listed());
    symposium(&env, &["task", "cancel", &id]).fails(1);
}

#[test]
fn a_topic_is_passed_and_updated_and_a_missing_one_blocks_nothing() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let note = env.project().join("auth.md");
    std::fs::write(&note, "---\r\nstatus: open\r\n---\r\nUse tokens\u{1b}.\r\n").unwrap();
    let id = symposium(&env, &["task", "add", "a", "do it", "--topic", "auth.md"])
        .current_dir(env.project())
        .ok()
        .stdout;
    assert_eq!(wait(&env, id.trim())["state"], "done");
    let kept = "---\r\nstatus: in-progress\r\n---\r\nUse tokens\u{1b}.\r\n";
    assert_eq!(std::fs::read_to_string(&note).unwrap(), kept, "the rest of the user's file is unchanged");
    assert!(prompts(&env)[0].contains("\nUse tokens.\n"), "{:?}", prompts(&env));
    let missing = symposium(&env, &["task", "add", "a", "do it", "--topic", "gone.md"]).ok();
    assert!(missing.stderr.contains("gone.md does not exist"), "{}", missing.stderr);
    assert_eq!(wait(&env, missing.stdout.trim())["state"], "done");
}

#[test]
fn a_task_is_not_typed_into_the_users_draft() {
    let env = TestEnv::new();
    idle(&env, "a", &[]);
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("/help for help");
    terminal.type_text("half a sen");
    terminal.wait_for_text("half a sen");
    let id = add(&env, &["a", "from the queue"]);
    terminal.wait_for_text("waits until you pause");
    assert_eq!(task(&env, &id)["state"], "queued");
    terminal.type_text("tence");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("You said: half a sentence");
    drop(terminal);
    symposium(&env, &["agent", "detach", "a"]).outcome();
    assert_eq!(wait(&env, &id)["state"], "done");
    assert_eq!(prompts(&env)[0], "half a sentence");
}

#[test]
fn a_lost_agent_is_restored_for_its_task_if_its_policy_allows() {
    let env = TestEnv::new();
    idle(&env, "kept", &["--restart", "on-failure"]);
    idle(&env, "stopped", &[]);
    symposium(&env, &["agent", "stop", "stopped"]).ok();
    symposium(&env, &["supervisor", "stop"]).ok();
    env.tmux(["kill-server"]);
    assert_eq!(shown(&env, "kept")["status"], "lost");
    let done = add(&env, &["kept", "back again"]);
    let waits = symposium(&env, &["task", "add", "stopped", "x"]).ok();
    assert!(waits.stderr.contains("`stopped` is stopped"), "{}", waits.stderr);
    symposium(&env, &["supervisor", "start"]).ok();
    assert_eq!(wait(&env, &done)["state"], "done");
    assert_eq!(task(&env, waits.stdout.trim())["state"], "queued");
}

#[test]
fn a_childs_question_reaches_its_parent_and_a_finished_task_is_announced() {
    let env = TestEnv::new();
    let cancel = env.home().join("told");
    configure(
        &env,
        &format!("[notify]\ncommand = ['sh', '-c', 'cat >>{0}; echo >>{0}']\n", cancel.display()),
    );
    idle(&env, "lead", &[]);
    idle(&env, "child", &["--parent", "lead"]);
    let id = add(&env, &["child", "/ask make"]);
    env.wait_until("the parent received the question", || {
        prompts(&env).iter().any(|prompt| prompt.contains("from child]"))
    });
    let mail: Vec<String> =
        prompts(&env).into_iter().filter(|prompt| prompt.contains("from child]")).collect();
    assert!(mail[0].contains("agent approve child"), "{mail:?}");
    let waits = task(&env, &id)["waits_for"].as_str().unwrap_or_default().to_owned();
    assert!(waits.starts_with("`child` waits for approval"), "{waits}");
    symposium(&env, &["agent", "approve", "child"]).ok();
    assert_eq!(wait(&env, &id)["state"], "done");
    let notices = || std::fs::read_to_string(&cancel).unwrap_or_default();
    env.wait_until("the end is reported", || notices().contains("child finished a task"));
    assert!(notices().contains("child waits for approval"), "{}", notices());
    assert!(!notices().contains("\"child is done\""), "one notice for one end: {}", notices());
    assert_eq!(mail.len(), 1);
}
