//! Parses the message that Codex passes to its `notify` program as the last argument at the end of a turn.

use super::{Payload, is_an_id, short, text};
use crate::model::HookSignal;

/// The beginning of the prompt with which Codex asks a model for a title in a separate thread. Codex reports the end
/// of that thread too, possibly in the middle of the agent's turn. Verified with 0.166.0.
const TITLE: &str = "Generate a concise, single-line task title";

/// Returns the meaning and the conversation if the message is from Codex.
pub(super) fn read(payload: &Payload) -> Option<(HookSignal, Option<String>)> {
    let what = text(payload, "type")?;
    if what != "agent-turn-complete" || asks_for_a_title(payload) {
        return Some((HookSignal::Other(short(&what)), None));
    }
    let conversation = text(payload, "thread-id").filter(|id| is_an_id(id));
    Some((HookSignal::TurnOver(text(payload, "last-assistant-message")), conversation))
}

fn asks_for_a_title(payload: &Payload) -> bool {
    let prompts: Vec<String> = payload
        .get("input-messages")
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default();
    prompts.first().is_some_and(|prompt| prompt.starts_with(TITLE))
}
