//! Qwen Code: hooks in the format of Claude Code, in our own file of system defaults. Verified with 0.15.10: hooks of
//! the user's settings run in addition, and all other settings of the user take precedence over the file.
//!
//! The file is named in a variable that all child processes of the agent inherit. Another Qwen in the agent's shell
//! has its own conversation and must not report for the agent. Qwen sets `QWEN_CODE` for its shell, but not for its
//! hooks.

use std::path::Path;

use serde_json::json;

use super::{HookCommand, HookSetup, TIMEOUT, claude};

const FILE: &str = "qwen-defaults.json";

pub(super) fn setup(hook: &HookCommand, state_dir: &Path, owner: Option<&str>) -> HookSetup {
    let mut hooks = claude::events(&own_only(hook, owner), TIMEOUT * 1000);
    // The matcher for notifications does not support alternatives; notifications that are not needed are ignored.
    hooks["Notification"] = hooks["Stop"].clone();
    // An update would replace the installation for all users while agents run.
    let defaults = json!({"general": {"enableAutoUpdate": false}, "hooks": hooks});
    let path = state_dir.join(FILE).to_string_lossy().into_owned();
    HookSetup {
        env: vec![("QWEN_CODE_SYSTEM_DEFAULTS_PATH".into(), path)],
        files: vec![(FILE, defaults.to_string())],
        ..HookSetup::default()
    }
}

/// Returns a command line that calls our hook only for its own agent. For others it reads the input and discards it.
fn own_only(hook: &HookCommand, owner: Option<&str>) -> String {
    let owner = shlex::try_quote(owner.unwrap_or_default()).unwrap_or("''".into());
    let is_own = format!(r#"[ "${{SYMPOSIUM_AGENT_ID-}}" = {owner} ] && [ -z "${{QWEN_CODE-}}" ]"#);
    format!("if {is_own}; then {}; else cat >/dev/null; fi", hook.shell())
}
