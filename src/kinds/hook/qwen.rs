//! Qwen Code: hooks in the form of Claude Code, in a file of system defaults of our own. Seen in 0.15.10: hooks of
//! the user's settings run beside them, and any other setting of the user's wins over the file.
//!
//! The file is named in a variable, which whatever the agent starts inherits: another Qwen in its shell has its own
//! conversation and must not speak for the agent. Qwen tells its shell by `QWEN_CODE`, and its hooks not.

use std::path::Path;

use serde_json::json;

use super::{HookCommand, HookSetup, TIMEOUT, claude};

const FILE: &str = "qwen-defaults.json";

pub(super) fn setup(hook: &HookCommand, state_dir: &Path, owner: Option<&str>) -> HookSetup {
    let mut hooks = claude::events(&own_only(hook, owner), TIMEOUT * 1000);
    // Its matcher of notifications knows no alternatives; those that we do not need mean nothing to us.
    hooks["Notification"] = hooks["Stop"].clone();
    // It would replace itself, for everybody, while agents run.
    let defaults = json!({"general": {"enableAutoUpdate": false}, "hooks": hooks});
    let path = state_dir.join(FILE).to_string_lossy().into_owned();
    HookSetup {
        env: vec![("QWEN_CODE_SYSTEM_DEFAULTS_PATH".into(), path)],
        files: vec![(FILE, defaults.to_string())],
        ..HookSetup::default()
    }
}

/// A line that calls our door for its agent alone; others are heard to the end and nothing comes of it.
fn own_only(hook: &HookCommand, owner: Option<&str>) -> String {
    let owner = shlex::try_quote(owner.unwrap_or_default()).unwrap_or("''".into());
    let is_own = format!(r#"[ "${{SYMPOSIUM_AGENT_ID-}}" = {owner} ] && [ -z "${{QWEN_CODE-}}" ]"#);
    format!("if {is_own}; then {}; else cat >/dev/null; fi", hook.shell())
}
