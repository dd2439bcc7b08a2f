//! GitHub Copilot CLI: a plugin directory with hooks for one run, `--plugin-dir`. Verified with 1.0.102: with
//! capitalized event names it uses the format of Claude Code, except for `PermissionRequest`.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{HookCommand, HookSetup, TIMEOUT};

const EVENTS: [&str; 7] = [
    "SessionStart",
    "UserPromptSubmit",
    "PermissionRequest",
    "Notification",
    "PostToolUse",
    "Stop",
    "SessionEnd",
];

pub(super) fn setup(hook: &HookCommand, state_dir: &Path) -> HookSetup {
    let plugin = json!({
        "name": "symposium",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Tells symposium what this agent does",
        "hooks": "hooks.json",
    });
    let command = json!({"type": "command", "bash": hook.shell(), "timeoutSec": TIMEOUT});
    let events: Map<String, Value> =
        EVENTS.iter().map(|event| ((*event).to_owned(), json!([command]))).collect();
    let hooks = json!({"version": 1, "hooks": events});
    HookSetup {
        args: vec!["--plugin-dir".into(), state_dir.to_string_lossy().into_owned()],
        files: vec![("plugin.json", plugin.to_string()), ("hooks.json", hooks.to_string())],
        ..HookSetup::default()
    }
}
