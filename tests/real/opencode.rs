//! The plugin that we give OpenCode, run by node with events as OpenCode 1.18.33 sends them. The program itself needs
//! its own registry at the start, so it is not run here.
#![expect(clippy::disallowed_methods, reason = "looks for node, which came with npm")]

use std::fs;

use serde_json::{Value, json};

use crate::support::TestEnv;

/// Calls the plugin as OpenCode does: with a prompt, with an event, or after a pause.
const HOST: &str = r#"
const [plugin, calls] = process.argv.slice(2)
const { Symposium } = await import(plugin)
const hooks = await Symposium({})
for (const [what, ...args] of JSON.parse(calls)) await hooks[what]?.(...args)
"#;

fn event(kind: &str, properties: Value) -> Value {
    json!(["event", {"event": {"type": kind, "properties": properties}}])
}

#[test]
fn the_plugin_reports_the_agent_in_order_and_not_its_subagents() {
    let Some(node) = node() else { return };
    let env = TestEnv::new();
    let log = env.root().join("told");
    env.fake_program("opencode", "exec sleep 1000");
    env.symposium(["agent", "spawn", "opencode", "--name", "a"]).ok();
    let file = env.state().join("instances/a/state/opencode-plugin.js");
    let hook = env.fake_program("door", &format!("cat >> {0}; echo >> {0}", log.display()));
    let written = fs::read_to_string(file).unwrap();
    let ours = written.lines().find(|line| line.starts_with("const DOOR = ")).expect("the socket");
    assert!(ours.contains(&env.hook_program()) && ours.ends_with(r#""event","agent"]"#), "{ours}");
    let plugin = env.root().join("plugin.mjs");
    fs::write(&plugin, written.replace(ours, &format!("const DOOR = [{hook:?}]"))).unwrap();
    let host = env.root().join("host.mjs");
    fs::write(&host, HOST).unwrap();

    let text = |message: &str, session: &str, text: &str| {
        event(
            "message.part.updated",
            json!({"part": {"type": "text", "messageID": message, "sessionID": session, "text": text}}),
        )
    };
    let calls = json!([
        event("session.created", json!({"info": {"id": "ses_1"}})),
        ["chat.message", {"sessionID": "ses_1"}, {"parts": [{"type": "text", "text": "a\nb"}, {"type": "text", "text": "x", "synthetic": true}]}],
        event("message.updated", json!({"info": {"role": "user", "id": "msg_1"}})),
        text("msg_1", "ses_1", "a\nb"),
        event("session.created", json!({"info": {"id": "ses_2", "parentID": "ses_1"}})),
        ["chat.message", {"sessionID": "ses_2"}, {"parts": [{"type": "text", "text": "for a subagent"}]}],
        text("msg_3", "ses_2", "a subagent's words"),
        event("session.idle", json!({"sessionID": "ses_2"})),
        event("permission.asked", json!({"permission": "bash", "patterns": ["touch x"], "metadata": {"command": "touch x"}})),
        event("permission.replied", json!({"reply": "once"})),
        text("msg_2", "ses_1", "done"),
        event("something.new", json!(null)),
        event("session.created", json!(null)),
        event("session.idle", json!({"sessionID": "ses_1"})),
    ]);
    let id = env.symposium(["agent", "show", "a", "--json"]).ok().json()["id"].as_str().unwrap().to_owned();
    let calls = calls.to_string();
    let speak = || env.program(&node, [host.to_str().unwrap(), plugin.to_str().unwrap(), &calls]);
    // In its own shell, in the shell of another agent, and in no agent: all of them inherit the path of the file.
    speak().env("SYMPOSIUM_AGENT_ID", &id).env("SYMPOSIUM_HOOKED", format!("{id} 1")).ok();
    speak().env("SYMPOSIUM_AGENT_ID", "another").ok();
    speak().ok();
    assert!(!log.exists());
    speak().env("SYMPOSIUM_AGENT_ID", &id).ok();
    let log: Vec<Value> =
        fs::read_to_string(log).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = json!([
        {"hook_event_name": "SessionStart"},
        {"hook_event_name": "UserPromptSubmit", "session_id": "ses_1", "prompt": "a\nb"},
        {"hook_event_name": "PermissionRequest", "tool_name": "bash", "tool_input": {"command": "touch x"}},
        {"hook_event_name": "PostToolUse"},
        {"hook_event_name": "Stop", "session_id": "ses_1", "last_assistant_message": "done"},
    ]);
    assert_eq!(Value::Array(log), expected);
}

/// Returns the hooks that the plugin sends for these events of a session, after its start.
fn events_of_the_plugin(node: &str, events: &[Value]) -> Vec<Value> {
    let env = TestEnv::new();
    env.fake_program("opencode", "exec sleep 1000");
    env.symposium(["agent", "spawn", "opencode", "--name", "a"]).ok();
    let log = env.root().join("told");
    let hook = env.fake_program("door", &format!("cat >> {0}; echo >> {0}", log.display()));
    let written = fs::read_to_string(env.state().join("instances/a/state/opencode-plugin.js")).unwrap();
    let ours = written.lines().find(|line| line.starts_with("const DOOR = ")).expect("the socket");
    let (plugin, host) = (env.root().join("plugin.mjs"), env.root().join("host.mjs"));
    fs::write(&plugin, written.replace(ours, &format!("const DOOR = [{hook:?}]"))).unwrap();
    fs::write(&host, HOST).unwrap();
    let id = env.symposium(["agent", "show", "a", "--json"]).ok().json()["id"].as_str().unwrap().to_owned();
    let calls = Value::from(events.to_vec()).to_string();
    let args = [host.to_str().unwrap(), plugin.to_str().unwrap(), &calls];
    env.program(node, args).env("SYMPOSIUM_AGENT_ID", &id).ok();
    let lines = fs::read_to_string(log).unwrap();
    lines.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn status(status: Value) -> Value {
    event("session.status", json!({"sessionID": "ses_1", "status": status}))
}

fn error(error: Value) -> Value {
    event("session.error", json!({"sessionID": "ses_1", "error": error}))
}

fn at_rest() -> Value {
    event("session.idle", json!({"sessionID": "ses_1"}))
}

#[test]
fn the_plugin_reports_a_failed_turn_once_and_with_its_cause() {
    let Some(node) = node() else { return };
    let refused = json!({
        "name": "APIError",
        "data": {"message": "Too fast.", "statusCode": 429, "responseHeaders": {"retry-after": "7200"}},
    });
    // OpenCode reports the end of a failed turn twice.
    let log =
        events_of_the_plugin(&node, &[status(json!({"type": "busy"})), error(refused), at_rest(), at_rest()]);
    let [failure] = &log[..] else { panic!("{log:?}") };
    assert_eq!(failure["hook_event_name"], "StopFailure");
    assert_eq!(failure["error"], json!({"name": "APIError", "message": "Too fast.", "status": 429}));
    assert!(failure["resets_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{failure}");
}

#[test]
fn the_plugin_reports_a_long_wait_for_a_limit_as_a_pause() {
    let Some(node) = node() else { return };
    let retry =
        |next: i64| json!({"type": "retry", "attempt": 1, "message": "Rate limit reached.", "next": next});
    let far = 7_258_118_400_000; // the year 2200
    let (busy, aborted) = (json!({"type": "busy"}), json!({"name": "MessageAbortedError", "data": {}}));
    let names = |log: &[Value]| -> Vec<Value> {
        log.iter().map(|one| json!([one["hook_event_name"], one["paused"], one["resets_at"]])).collect()
    };
    let continues = [status(busy.clone()), status(retry(far)), status(busy.clone()), at_rest()];
    assert_eq!(
        names(&events_of_the_plugin(&node, &continues)),
        [
            json!(["StopFailure", true, "2200-01-01T00:00:00.000Z"]),
            json!(["PostToolUse", null, null]),
            json!(["Stop", null, null]),
        ]
    );
    // OpenCode reports no error for a pause that the user ended.
    let given_up = [status(busy.clone()), status(retry(far)), at_rest()];
    assert_eq!(
        names(&events_of_the_plugin(&node, &given_up)),
        [
            json!(["StopFailure", true, "2200-01-01T00:00:00.000Z"]),
            json!(["StopFailure", null, "2200-01-01T00:00:00.000Z"]),
        ]
    );
    // A short wait is part of the turn, and a turn that the user ended has not failed.
    let interrupted = [status(busy), status(retry(0)), error(aborted), at_rest()];
    let log = events_of_the_plugin(&node, &interrupted);
    assert_eq!(names(&log), [json!(["Notification", null, null])]);
    assert_eq!(log[0]["notification_type"], "idle_prompt");
}

fn node() -> Option<String> {
    super::has_packages("node").then_some(())?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|dir| dir.join("node")).find(|file| file.is_file());
    Some(found.expect("node is not there: run scripts/setup").to_string_lossy().into_owned())
}
