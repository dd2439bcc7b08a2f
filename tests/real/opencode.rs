//! The plugin that we give OpenCode, run by node with events as OpenCode 1.18.33 sends them; the program itself wants
//! its own registry at the start, so it is not driven here.
#![expect(clippy::disallowed_methods, reason = "looks for node, which came with npm")]

use std::fs;

use serde_json::{Value, json};

use crate::support::TestEnv;

/// Calls the plugin as OpenCode does: with a prompt, an event, or after a moment of quiet.
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
fn the_plugin_tells_in_order_what_the_agent_does_and_not_what_its_subagents_do() {
    let Some(node) = node() else { return };
    let env = TestEnv::new();
    let told = env.root().join("told");
    env.fake_program("opencode", "exec sleep 1000");
    env.symposium(["agent", "spawn", "opencode", "--name", "a"]).ok();
    let file = env.state().join("instances/a/state/opencode-plugin.js");
    let door = env.fake_program("door", &format!("cat >> {0}; echo >> {0}", told.display()));
    let written = fs::read_to_string(file).unwrap();
    let ours = written.lines().find(|line| line.starts_with("const DOOR = ")).expect("the door");
    assert!(ours.contains(&env.hook_program()) && ours.ends_with(r#""event","agent"]"#), "{ours}");
    let plugin = env.root().join("plugin.mjs");
    fs::write(&plugin, written.replace(ours, &format!("const DOOR = [{door:?}]"))).unwrap();
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
    // In its own shell, in the shell of another agent, in nobody's: the file is named in what they inherited.
    speak().env("SYMPOSIUM_AGENT_ID", &id).env("SYMPOSIUM_HOOKED", format!("{id} 1")).ok();
    speak().env("SYMPOSIUM_AGENT_ID", "another").ok();
    speak().ok();
    assert!(!told.exists());
    speak().env("SYMPOSIUM_AGENT_ID", &id).ok();
    let told: Vec<Value> =
        fs::read_to_string(told).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = json!([
        {"hook_event_name": "SessionStart"},
        {"hook_event_name": "UserPromptSubmit", "session_id": "ses_1", "prompt": "a\nb"},
        {"hook_event_name": "PermissionRequest", "tool_name": "bash", "tool_input": {"command": "touch x"}},
        {"hook_event_name": "PostToolUse"},
        {"hook_event_name": "Stop", "session_id": "ses_1", "last_assistant_message": "done"},
    ]);
    assert_eq!(Value::Array(told), expected);
}

fn node() -> Option<String> {
    super::has_packages("node").then_some(())?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|dir| dir.join("node")).find(|file| file.is_file());
    Some(found.expect("node is not there: run scripts/setup").to_string_lossy().into_owned())
}
