//! Reads what a hook says, in the form of Claude Code or of a CLI that says it otherwise, and gives it our meaning.
//!
//! What comes in is another program's: it may be cut, huge or of a newer version, and is never trusted to be whole.

pub(super) mod failure;
mod notify;

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::KindError;
use crate::model::{Asks, HookSignal, Title, WaitingFor};

/// The longest message that is read: tools answer with whole files.
pub const MAX_HOOK_BYTES: usize = 16 << 20;

/// A message's members, kept raw until one is needed: one that cannot be decoded must not cost us the event.
type Payload<'a> = BTreeMap<String, &'a RawValue>;

/// What a hook's message means, and the conversation it speaks of.
pub fn read_hook(payload: &[u8]) -> Result<(HookSignal, Option<String>), KindError> {
    if payload.len() > MAX_HOOK_BYTES {
        return Err(KindError::HookTooBig { bytes: payload.len() });
    }
    let payload: Payload = serde_json::from_slice(payload)?;
    let event = text(&payload, "hook_event_name").or_else(|| text(&payload, "hookName").map(capital));
    let Some(event) = event else { return notify::read(&payload).ok_or(KindError::HookNameless) };
    let conversation = text(&payload, "session_id").or_else(|| text(&payload, "sessionId"));
    Ok((meaning(&event, &payload), conversation.filter(|id| is_an_id(id))))
}

fn meaning(event: &str, payload: &Payload) -> HookSignal {
    let other = || HookSignal::Other(short(event));
    match event {
        // Compaction starts the session anew in the middle of a turn.
        "SessionStart" if text(payload, "source").as_deref() == Some("compact") => other(),
        "SessionStart" => HookSignal::Ready,
        "UserPromptSubmit" => HookSignal::Prompted(text(payload, "prompt").unwrap_or_default()),
        "PreToolUse" | "PermissionRequest" => about_a_tool(event, payload),
        "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" | "ElicitationResult" => HookSignal::Busy,
        "Elicitation" => HookSignal::Waiting(WaitingFor::Question, asks(&words(payload, "asks for input"))),
        "Notification" => notification(payload).unwrap_or_else(other),
        "Stop" => HookSignal::TurnOver(text(payload, "last_assistant_message")),
        "StopFailure" if flag(payload, "paused") => HookSignal::TurnPaused(failure::read(payload)),
        "StopFailure" => HookSignal::TurnFailed(failure::read(payload)),
        // `/clear` and switching the conversation end a session while the program stays.
        "SessionEnd" if matches!(text(payload, "reason").as_deref(), Some("clear" | "resume")) => other(),
        "SessionEnd" => HookSignal::Ending,
        _ => other(),
    }
}

fn about_a_tool(event: &str, payload: &Payload) -> HookSignal {
    let tool = text(payload, "tool_name").or_else(|| text(payload, "toolName"));
    let tool = tool.unwrap_or_else(|| "a tool".to_owned());
    let input = payload.get("tool_input").or_else(|| payload.get("toolInput"));
    let input: Value = input.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    if matches!(tool.as_str(), "AskUserQuestion" | "ask_user_question" | "ask_user") {
        let question = input["questions"][0]["question"].as_str().or(input["question"].as_str());
        return HookSignal::Waiting(WaitingFor::Question, asks(question.unwrap_or("asks a question")));
    }
    if event == "PreToolUse" {
        return HookSignal::Busy;
    }
    HookSignal::Waiting(WaitingFor::Approval, about_its_input(&tool, &input))
}

/// What a tool is to be used for: the one thing that tells most, and below it what else it is given.
fn about_its_input(tool: &str, input: &Value) -> Asks {
    let Some(given) = input.as_object().filter(|given| !given.is_empty()) else { return asks(tool) };
    let main = ["command", "file_path", "url", "path", "query", "description"]
        .into_iter()
        .find_map(|key| Some((key, given.get(key)?.as_str()?)));
    let Some((main, said)) = main else { return asks(&format!("{tool}: {input}")) };
    let mut told = asks(&format!("{tool}: {said}"));
    // What it says about it in its own words is no part of what it does.
    for (key, value) in given.iter().filter(|(key, _)| *key != main && *key != "description") {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        told.whole.push_str(&format!("\n{key}: {value}"));
    }
    told
}

fn asks(text: &str) -> Asks {
    Asks { line: short(text), whole: text.to_owned() }
}

fn notification(payload: &Payload) -> Option<HookSignal> {
    let (waiting_for, plain) = match text(payload, "notification_type")?.as_str() {
        "idle_prompt" => return Some(HookSignal::Ready),
        "auth_success" => return Some(HookSignal::LoggedIn),
        "permission_prompt" => (WaitingFor::Approval, "asks for permission"),
        "elicitation_dialog" | "elicitation_url_dialog" | "agent_needs_input" => {
            (WaitingFor::Question, "asks for input")
        }
        _ => return None,
    };
    Some(HookSignal::StillWaiting(waiting_for, short(&words(payload, plain))))
}

fn text(payload: &Payload, key: &str) -> Option<String> {
    payload.get(key).and_then(|raw| serde_json::from_str(raw.get()).ok())
}

/// Returns whether a member is there and true.
fn flag(payload: &Payload, key: &str) -> bool {
    payload.get(key).is_some_and(|raw| raw.get() == "true")
}

fn words(payload: &Payload, otherwise: &str) -> String {
    let words = text(payload, "message").filter(|text| !short(text).is_empty());
    words.unwrap_or_else(|| otherwise.to_owned())
}

fn short(text: &str) -> String {
    Title::clean(text).map(String::from).unwrap_or_default()
}

/// `permissionRequest`, as some spell it, in the spelling of the others.
fn capital(event: String) -> String {
    let mut letters = event.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// An id goes back to the CLI as an argument one day, so it must look like one.
fn is_an_id(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 200
        && !id.starts_with('-')
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
}

#[cfg(test)]
mod tests;
