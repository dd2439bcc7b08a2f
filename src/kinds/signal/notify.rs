//! What Codex tells its `notify` program, as its last argument: that a turn is over.

use super::{Payload, is_an_id, short, text};
use crate::model::HookSignal;

/// How Codex begins when it asks a model for a title, in a thread that is nobody's conversation; it tells that too,
/// maybe in the middle of the agent's turn. Seen in 0.166.0.
const TITLE: &str = "Generate a concise, single-line task title";

/// The meaning and the conversation, when the message is one of Codex's.
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
