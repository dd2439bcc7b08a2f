//! Qwen Code: hooks in the form of Claude Code, in a file of system defaults of our own. Seen in 0.15.10: hooks of
//! the user's settings run beside them, and any other setting of the user's wins over the file.

use std::path::Path;

use serde_json::json;

use super::{HookCommand, HookSetup, TIMEOUT, claude};

const FILE: &str = "qwen-defaults.json";

pub(super) fn setup(hook: &HookCommand, state_dir: &Path) -> HookSetup {
    let mut hooks = claude::events(hook, TIMEOUT * 1000);
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
