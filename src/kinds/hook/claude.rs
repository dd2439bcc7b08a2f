//! Claude Code: hooks as JSON in `--settings`, in addition to those of the user's files. Verified with 2.1.325.

use serde_json::{Map, Value, json};

use super::{HookCommand, HookSetup, TIMEOUT};

/// The events that are needed to determine an agent's status, each with its matcher.
///
/// A hook costs a process, so `PreToolUse` is not used: a tool that needs an approval sends `PermissionRequest`, and
/// `PostToolUse` shows that it was answered.
const EVENTS: [(&str, Option<&str>); 8] = [
    ("SessionStart", None),
    ("UserPromptSubmit", None),
    ("PermissionRequest", Some("*")),
    // Not `permission_prompt`: it has less information than the `PermissionRequest` before it and would replace it.
    (
        "Notification",
        Some("idle_prompt|auth_success|elicitation_dialog|elicitation_url_dialog|agent_needs_input"),
    ),
    ("PostToolUse", Some("*")),
    ("Stop", None),
    ("StopFailure", None),
    ("SessionEnd", None),
];

pub(super) fn setup(hook: &HookCommand) -> HookSetup {
    let settings = json!({"hooks": events(&hook.shell(), TIMEOUT)}).to_string();
    HookSetup { args: vec!["--settings".into(), settings], ..HookSetup::default() }
}

/// Returns the events in the format that other CLIs have adopted. `line` is the command for `sh`, `timeout` is in the
/// unit of the CLI.
pub(super) fn events(line: &str, timeout: u32) -> Map<String, Value> {
    let command = json!({"type": "command", "command": line, "timeout": timeout});
    let mut events = Map::new();
    for (event, matcher) in EVENTS {
        let mut entry = json!({"hooks": [command]});
        if let Some(matcher) = matcher {
            entry["matcher"] = matcher.into();
        }
        events.insert(event.to_owned(), Value::Array(vec![entry]));
    }
    events
}
