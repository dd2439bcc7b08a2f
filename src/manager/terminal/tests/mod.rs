//! Answers, keys, interrupts and waits. The screens are captures of real agents.

mod answers;
mod typing;
mod waits;

use crate::manager::status::evidence::HOOK_SEEN_FILE;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::Status;

const BUSY: &str = include_str!("../../../../tests/golden/screens/claude-busy.txt");
const READY: &str = include_str!("../../../../tests/golden/screens/claude-ready.txt");

/// The pane of the first agent.
const PANE: &str = "%0";

/// Adds the agent `api` of this kind with this screen.
fn agent(context: &TestContext, kind: &str, status: Status, screen: &str) {
    context.agent_with("api", status, |record| record.kind = kind.into());
    context.store.instance(&agent_name("api")).write_state(HOOK_SEEN_FILE, b"").unwrap();
    context.tmux.show(PANE, screen);
}

fn is_pressed(context: &TestContext) -> bool {
    context.sent_to_tmux(&["send-keys"]) || context.sent_to_tmux(&["paste-buffer"])
}

fn is_key_pressed(context: &TestContext, key: &str) -> bool {
    context.sent_to_tmux(&["send-keys", &format!("\"{key}\"")])
}
