//! Failed turns of agent CLIs other than Claude Code and Codex, by fake programs that draw recorded screens and send
//! the hooks that the real programs send.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::queue::{add, task, wait};
use super::{shown, symposium};
use crate::support::TestEnv;

/// Reads keys like an agent CLI, shows them in its composer, and runs `turn` with each line that is entered. `hook`
/// sends a hook, `show` draws a recorded screen.
const CLI: &str = r#"
hook() { printf '%s' "$1" | "$BINARY" event agent; }
show() { printf '\033[2J\033[H%s\n' "$(<"$SCREENS/$1.txt")"; }
compose
line=
while IFS= read -rsN1 key; do
    case $key in
        $'\r' | $'\n') turn "${line%% \[*}"; line= ;;
        *) line=$line$key; compose "$line" ;;
    esac
done
"#;

/// Installs a fake CLI. `functions` are its `compose` and `turn`, and what it does first.
fn fake_cli(env: &TestEnv, program: &str, functions: &str) {
    let screens = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/screens");
    let variables = format!("BINARY='{}'\nSCREENS='{}'\n", env.binary(), screens.display());
    let script = env.root().join(format!("{program}.bash"));
    fs::write(&script, format!("{variables}{functions}{CLI}")).expect("writing the fake");
    env.fake_program(program, &format!("exec bash '{}'", script.display()));
}

/// Starts an agent and waits until it takes a prompt.
fn idle(env: &TestEnv, kind: &str, name: &str) {
    symposium(env, &["agent", "spawn", kind, "--name", name]).ok();
    symposium(env, &["agent", "wait", name, "--for", "idle", "--timeout", "20s"]).ok();
}

/// Gives an agent a task that fails, one that depends on it and another one, and returns the agent after the failure.
/// The other two tasks must not have been typed.
#[track_caller]
fn failed(env: &TestEnv, name: &str, prompt: &str) -> Value {
    let first = add(env, &[name, prompt]);
    let next = add(env, &[name, "next"]);
    let dependent = add(env, &[name, "dependent", "--after", &first]);
    let failed = wait(env, &first);
    let agent = shown(env, name);
    assert_eq!((&failed["state"], &failed["why"]), (&json!("failed"), &agent["reason"]), "{failed}\n{agent}");
    let held = symposium(env, &["task", "show", &next, "--json"]).ok().json();
    assert_eq!(held["state"], "queued", "{held}");
    assert!(held["waits_for"].as_str().is_some_and(|why| why.starts_with("held")), "{held}");
    assert_eq!(task(env, &dependent)["state"], "queued");
    let listed = symposium(env, &["task", "list", "--all", "--json"]).ok().json();
    let statuses: Vec<&Value> = listed.as_array().expect("a list").iter().map(|one| &one["status"]).collect();
    assert!(statuses.contains(&&json!("blocked")), "{listed}");
    agent
}

#[test]
fn a_failed_turn_on_the_screen_fails_the_task_and_holds_the_queue() {
    let env = TestEnv::new();
    let functions = r#"
compose() { printf '\033[2J\033[H──────\n> %s\n──────\n' "${1:-Type your message or @path/to/file}"; }
turn() { printf '\033[2J\033[H⠋ Thinking... (esc to cancel, 1s)\n'; sleep 0.5; show "$1"; }
"#;
    fake_cli(&env, "gemini", functions);
    for (name, screen, status, cause, reason) in [
        ("a", "gemini-failed-login", json!(["waiting", "setup"]), "login", "API key not valid"),
        ("b", "gemini-failed-limit", json!(["waiting", "limit"]), "limit", "exhausted your daily quota"),
    ] {
        idle(&env, "gemini", name);
        let agent = failed(&env, name, screen);
        assert_eq!(json!([agent["status"], agent["waiting_for"]]), status, "{agent}");
        assert_eq!(
            (&agent["failure"]["cause"], &agent["failure"]["source"]),
            (&json!(cause), &json!("screen"))
        );
        assert!(agent["reason"].as_str().is_some_and(|why| why.contains(reason)), "{agent}");
    }
}

#[test]
fn the_screen_reports_a_failed_turn_that_the_hooks_omit() {
    let env = TestEnv::new();
    let functions = r#"
compose() { printf '\033[2J\033[H──────\n❯ %s\n──────\n' "$1"; }
turn() {
    hook '{"hook_event_name":"UserPromptSubmit","prompt":"'"$line"'"}'
    printf '\033[2J\033[H──────\n❯\n──────\n○ Working esc edit prompt\n'
    sleep 0.5
    show "$1"
}
hook '{"hook_event_name":"SessionStart"}'
"#;
    fake_cli(&env, "copilot", functions);
    idle(&env, "copilot", "a");
    let agent = failed(&env, "a", "copilot-failed-limit");
    assert_eq!((&agent["status"], &agent["waiting_for"]), (&json!("waiting"), &json!("limit")), "{agent}");
    assert!(agent["failure"]["resets_at"].is_string(), "it says when to try again: {agent}");
    assert!(agent["reason"].as_str().is_some_and(|why| why.starts_with("429 Rate limit reached")), "{agent}");
}

/// Sends hooks like the plugin for OpenCode; `tests/real/opencode.rs` runs the plugin.
const OPENCODE: &str = r#"
compose() { printf '\033[2J\033[H┃ %s\n╹▀▀▀▀\n' "$1"; }
turn() {
    hook '{"hook_event_name":"UserPromptSubmit","prompt":"'"$line"'"}'
    case $1 in
        refused) hook '{"hook_event_name":"StopFailure","error":{"name":"APIError","message":"No access.","status":401},"resets_at":null}' ;;
        broken) hook '{"hook_event_name":"StopFailure","error":{"name":"APIError","message":"Server error.","status":500},"resets_at":null}' ;;
        limited)
            hook '{"hook_event_name":"StopFailure","paused":true,"error":{"message":"Rate limit reached."},"resets_at":"2199-01-01T00:00:00.000Z"}'
            until [ -e reset ]; do sleep 0.1; done
            hook '{"hook_event_name":"PostToolUse"}'
            hook '{"hook_event_name":"Stop","last_assistant_message":"It is done."}' ;;
    esac
    compose
}
hook '{"hook_event_name":"SessionStart"}'
"#;

#[test]
fn a_hook_with_an_http_status_fails_the_task_with_its_cause() {
    let env = TestEnv::new();
    fake_cli(&env, "opencode", OPENCODE);
    for (name, prompt, status, cause) in [
        ("a", "refused", json!(["waiting", "setup"]), "login"),
        ("b", "broken", json!(["idle", null]), "error"),
    ] {
        idle(&env, "opencode", name);
        let agent = failed(&env, name, prompt);
        assert_eq!(json!([agent["status"], agent["waiting_for"]]), status, "{agent}");
        assert_eq!(
            (&agent["failure"]["cause"], &agent["failure"]["source"]),
            (&json!(cause), &json!("hook"))
        );
    }
}

#[test]
fn a_turn_paused_by_a_limit_is_not_over() {
    let env = TestEnv::new();
    fake_cli(&env, "opencode", OPENCODE);
    idle(&env, "opencode", "a");
    let first = add(&env, &["a", "limited"]);
    let next = add(&env, &["a", "next"]);
    env.wait_until("the agent waits for the limit", || shown(&env, "a")["waiting_for"] == "limit");
    let agent = shown(&env, "a");
    assert_eq!(agent["failure"]["resets_at"], "2199-01-01T00:00:00.000Z", "{agent}");
    assert_eq!((&agent["failure"]["paused"], &agent["question"]), (&json!(true), &json!(null)), "{agent}");
    assert_eq!(task(&env, &first)["state"], "running");
    assert_eq!(task(&env, &next)["state"], "queued");
    fs::write(env.project().join("reset"), "").expect("the limit resets");
    let done = wait(&env, &first);
    assert_eq!((&done["state"], &done["result"]), (&json!("done"), &json!("It is done.")), "{done}");
}
