//! Claude Code: hooks as JSON in `--settings`, beside those of the user's files. Seen to work in 2.1.325.

use serde_json::{Map, Value, json};

use super::{HookCommand, HookSetup, TIMEOUT};

/// The events we need to know what an agent does, each with what it is limited to.
///
/// A hook costs a process, so there is no `PreToolUse`: a tool that asks a person fires `PermissionRequest`, and
/// `PostToolUse` is what tells that it was answered.
const EVENTS: [(&str, Option<&str>); 8] = [
    ("SessionStart", None),
    ("UserPromptSubmit", None),
    ("PermissionRequest", Some("*")),
    // Not `permission_prompt`: it says less than the `PermissionRequest` before it, and would take its place.
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

/// The events in the form that others have taken over, each with a line for `sh` and the bound in the unit of theirs.
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
