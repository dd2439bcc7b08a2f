//! Aider: a command that is run when an answer is there and it waits for a person. Seen in 0.86.2.
//!
//! It says nothing to the command and lends it its terminal, so the message is an argument and the input is closed.

use super::{HookCommand, HookSetup};

const WAITS: &str = r#"{"hook_event_name":"Notification","notification_type":"idle_prompt"}"#;

pub(super) fn setup(hook: &HookCommand) -> HookSetup {
    let command = format!("{} '{WAITS}' </dev/null", hook.shell());
    HookSetup {
        args: vec!["--notifications".into(), "--notifications-command".into(), command],
        ..HookSetup::default()
    }
}
