//! Aider: a command that runs when an answer is complete and Aider waits for the user. Verified with 0.86.2.
//!
//! Aider passes no input to the command and shares its terminal with it, so the message is an argument and stdin is
//! closed.

use super::{HookCommand, HookSetup};

const IDLE_EVENT: &str = r#"{"hook_event_name":"Notification","notification_type":"idle_prompt"}"#;

pub(super) fn setup(hook: &HookCommand) -> HookSetup {
    let command = format!("{} '{IDLE_EVENT}' </dev/null", hook.shell());
    HookSetup {
        args: vec!["--notifications".into(), "--notifications-command".into(), command],
        ..HookSetup::default()
    }
}
