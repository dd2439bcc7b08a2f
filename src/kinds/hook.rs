//! Gives an agent CLI its hooks for one run, without touching a file of the user's.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

/// The events we need to know what an agent does, each with what it is limited to.
///
/// A hook costs a process, so there is no `PreToolUse`: a tool that asks a person fires `PermissionRequest`, and
/// `PostToolUse` is what tells that it was answered.
const EVENTS: [(&str, Option<&str>); 8] = [
    ("SessionStart", None),
    ("UserPromptSubmit", None),
    ("PermissionRequest", Some("*")),
    // Not `permission_prompt`: it says less than the `PermissionRequest` before it, and would take its place.
    ("Notification", Some("idle_prompt|elicitation_dialog|elicitation_url_dialog|agent_needs_input")),
    ("PostToolUse", Some("*")),
    ("Stop", None),
    ("StopFailure", None),
    ("SessionEnd", None),
];

/// Seconds until the CLI goes on without our hook: an agent must never be held up by us.
const TIMEOUT: u32 = 5;

/// The program that a hook tells what the agent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommand {
    /// Our binary, by its absolute path.
    pub binary: PathBuf,
    /// The environment the agent belongs to.
    pub home: PathBuf,
}

impl HookCommand {
    /// The hook as a line for `sh`.
    pub fn shell(&self) -> String {
        let binary = self.binary.to_string_lossy();
        let home = self.home.to_string_lossy();
        // A path cannot hold NUL, the one thing that cannot be quoted.
        let words = ["--home", &home, "event", "agent"];
        shlex::try_join([binary.as_ref()].into_iter().chain(words)).unwrap_or_default()
    }
}

/// The value of `--settings` that switches the hooks on, in the form of Claude Code.
pub fn settings_json(hook: &HookCommand) -> String {
    let command = json!({"type": "command", "command": hook.shell(), "timeout": TIMEOUT});
    let mut events = Map::new();
    for (event, matcher) in EVENTS {
        let mut entry = json!({"hooks": [command]});
        if let Some(matcher) = matcher {
            entry["matcher"] = matcher.into();
        }
        events.insert(event.to_owned(), Value::Array(vec![entry]));
    }
    json!({"hooks": events}).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_event_calls_our_door_and_gives_up_soon() {
        let hook = HookCommand { binary: "/opt/my tools/symposium".into(), home: "/home/u/it's".into() };
        let settings: Value = serde_json::from_str(&settings_json(&hook)).unwrap();
        for (event, _) in EVENTS {
            let entry = &settings["hooks"][event][0]["hooks"][0];
            assert_eq!(
                entry["command"], "'/opt/my tools/symposium' --home \"/home/u/it's\" event agent",
                "{event}"
            );
            assert!(entry["timeout"].as_u64().unwrap() <= 10);
        }
    }

    proptest! {
        #[test]
        fn any_path_is_one_word_for_the_shell(path in "[^\0]{1,40}") {
            let hook = HookCommand { binary: path.clone().into(), home: path.clone().into() };
            let words = shlex::split(&hook.shell()).unwrap();
            prop_assert_eq!(words, [path.as_str(), "--home", path.as_str(), "event", "agent"]);
        }
    }
}
