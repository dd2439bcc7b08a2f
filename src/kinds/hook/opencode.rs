//! OpenCode: our plugin, named in `OPENCODE_CONFIG_CONTENT` in addition to its existing content. Verified with
//! 1.18.33: the list of plugins is added to those of the user's files.

use std::path::Path;

use serde_json::{Value, json};

use super::{HookCommand, HookSetup};

const FILE: &str = "opencode-plugin.js";
const PLUGIN: &str = include_str!("opencode.js");

/// Returns the setup. `before` is the value of the variable without our plugin; if it cannot be parsed, it stays
/// unchanged and there are no hooks.
pub(super) fn setup(
    hook: &HookCommand,
    state_dir: &Path,
    before: Option<&str>,
    owner: Option<&str>,
) -> HookSetup {
    let path = state_dir.join(FILE).to_string_lossy().into_owned();
    let Some(config) = with_plugin(before, &format!("file://{path}")) else { return HookSetup::default() };
    let hook_command = Value::from(hook.words()).to_string();
    HookSetup {
        env: vec![("OPENCODE_CONFIG_CONTENT".into(), config)],
        files: vec![(FILE, plugin(&hook_command, owner.unwrap_or_default()))],
        ..HookSetup::default()
    }
}

fn plugin(hook_command: &str, owner: &str) -> String {
    // The command is inserted last, because its path may contain any text.
    PLUGIN.replacen("\"OWNER\"", &Value::from(owner).to_string(), 1).replacen("[\"DOOR\"]", hook_command, 1)
}

fn with_plugin(before: Option<&str>, plugin: &str) -> Option<String> {
    let mut config: Value = match before {
        Some(text) => serde_json::from_str(text).ok()?,
        None => json!({}),
    };
    let plugins = config.as_object_mut()?.entry("plugin").or_insert_with(|| json!([])).as_array_mut()?;
    // An agent that was started by another agent has inherited the plugin of that agent.
    plugins
        .retain(|plugin_path| !plugin_path.as_str().is_some_and(|plugin_path| plugin_path.ends_with(FILE)));
    plugins.push(plugin.into());
    Some(config.to_string())
}
