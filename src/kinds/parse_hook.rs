//! Parses the messages of hooks, in the format of Claude Code or of other CLIs, into signals.
//!
//! The input comes from another program: it may be truncated, huge or of a newer version, and is never assumed to be
//! complete.

pub(super) mod failure;
mod notify;

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::KindError;
use crate::model::{HookSignal, ReportedQuestion, Title, WaitingFor};

/// Maximum size of a message: the results of tools may contain whole files.
pub const MAX_HOOK_BYTES: usize = 16 << 20;

/// The members of a message, kept raw until they are needed, so that a member that cannot be decoded does not lose
/// the event.
type Payload<'a> = BTreeMap<String, &'a RawValue>;

/// Returns the meaning of a hook message and the conversation that it concerns.
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

/// Returns the tool that an agent is about to use, with its most significant argument, from the report of a hook.
pub fn read_tool(payload: &[u8]) -> Option<String> {
    if payload.len() > MAX_HOOK_BYTES {
        return None;
    }
    let payload: Payload = serde_json::from_slice(payload).ok()?;
    let event = text(&payload, "hook_event_name").or_else(|| text(&payload, "hookName").map(capital))?;
    if event != "PreToolUse" {
        return None;
    }
    let tool = text(&payload, "tool_name").or_else(|| text(&payload, "toolName"))?;
    let input = payload.get("tool_input").or_else(|| payload.get("toolInput"));
    let input: Value = input.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    Some(question_from_input(&tool, &input).line)
}

fn meaning(event: &str, payload: &Payload) -> HookSignal {
    let other = || HookSignal::Other(short(event));
    match event {
        // Compaction starts the session again in the middle of a turn.
        "SessionStart" if text(payload, "source").as_deref() == Some("compact") => other(),
        "SessionStart" => HookSignal::Ready,
        "UserPromptSubmit" => HookSignal::Prompted(text(payload, "prompt").unwrap_or_default()),
        "PreToolUse" | "PermissionRequest" => tool_signal(event, payload),
        "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" | "ElicitationResult" => HookSignal::Busy,
        "Elicitation" => HookSignal::Waiting(WaitingFor::Question, asks(&words(payload, "asks for input"))),
        "Notification" => notification(payload).unwrap_or_else(other),
        "Stop" => HookSignal::TurnOver(text(payload, "last_assistant_message")),
        "StopFailure" if flag(payload, "paused") => HookSignal::TurnPaused(failure::read(payload)),
        "StopFailure" => HookSignal::TurnFailed(failure::read(payload)),
        // `/clear` and switching the conversation end a session while the program keeps running.
        "SessionEnd" if matches!(text(payload, "reason").as_deref(), Some("clear" | "resume")) => other(),
        "SessionEnd" => HookSignal::Ending,
        _ => other(),
    }
}

fn tool_signal(event: &str, payload: &Payload) -> HookSignal {
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
    HookSignal::Waiting(WaitingFor::Approval, question_from_input(&tool, &input))
}

/// Describes the use of a tool: its most significant argument, and its other arguments below.
fn question_from_input(tool: &str, input: &Value) -> ReportedQuestion {
    let Some(given) = input.as_object().filter(|given| !given.is_empty()) else { return asks(tool) };
    let main = ["command", "file_path", "url", "path", "query", "description"]
        .into_iter()
        .find_map(|key| Some((key, given.get(key)?.as_str()?)));
    let Some((main, argument)) = main else { return asks(&format!("{tool}: {input}")) };
    let mut question = asks(&format!("{tool}: {argument}"));
    // The tool's description of itself is not part of its action.
    for (key, value) in given.iter().filter(|(key, _)| *key != main && *key != "description") {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        question.whole.push_str(&format!("\n{key}: {value}"));
    }
    question
}

fn asks(text: &str) -> ReportedQuestion {
    ReportedQuestion { line: short(text), whole: text.to_owned() }
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

/// Returns whether a member exists and is true.
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

/// Capitalizes an event name such as `permissionRequest`, which some CLIs spell in lower case.
fn capital(event: String) -> String {
    let mut letters = event.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// Checks an id, because it is later passed to the CLI as an argument.
fn is_an_id(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 200
        && !id.starts_with('-')
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
}

#[cfg(test)]
mod tests;
