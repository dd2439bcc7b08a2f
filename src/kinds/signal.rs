//! Reads what a hook says on standard input, in the form of Claude Code, and gives it our meaning.
//!
//! What comes in is another program's: it may be cut, huge or of a newer version, and is never trusted to be whole.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::KindError;
use crate::model::{HookSignal, Title, WaitingFor};

/// The longest message that is read: tools answer with whole files.
pub const MAX_HOOK_BYTES: usize = 16 << 20;

/// Texts are kept raw until one is needed: one that cannot be decoded must not cost us the event.
#[derive(Deserialize)]
struct Payload<'a> {
    hook_event_name: String,
    #[serde(borrow, default)]
    session_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    prompt: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    notification_type: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    last_assistant_message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    source: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reason: Option<&'a RawValue>,
}

/// What a hook's message means, and the conversation it speaks of.
pub fn read_hook(payload: &[u8]) -> Result<(HookSignal, Option<String>), KindError> {
    if payload.len() > MAX_HOOK_BYTES {
        return Err(KindError::HookTooBig { bytes: payload.len() });
    }
    let payload: Payload = serde_json::from_slice(payload)?;
    let conversation = text(payload.session_id).filter(|id| is_an_id(id));
    Ok((meaning(&payload), conversation))
}

fn meaning(payload: &Payload) -> HookSignal {
    let event = payload.hook_event_name.as_str();
    let other = || HookSignal::Other(short(event));
    match event {
        // Compaction starts the session anew in the middle of a turn.
        "SessionStart" if text(payload.source).as_deref() == Some("compact") => other(),
        "SessionStart" => HookSignal::Ready,
        "UserPromptSubmit" => HookSignal::Prompted(text(payload.prompt).unwrap_or_default()),
        "PreToolUse" | "PermissionRequest" => about_a_tool(payload),
        "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" | "ElicitationResult" => HookSignal::Busy,
        "Elicitation" => HookSignal::Waiting(WaitingFor::Question, words(payload.message, "asks for input")),
        "Notification" => notification(payload).unwrap_or_else(other),
        "Stop" => HookSignal::TurnOver(text(payload.last_assistant_message)),
        "StopFailure" => {
            HookSignal::TurnOver(text(payload.last_assistant_message).or_else(|| text(payload.error)))
        }
        // `/clear` and switching the conversation end a session while the program stays.
        "SessionEnd" if matches!(text(payload.reason).as_deref(), Some("clear" | "resume")) => other(),
        "SessionEnd" => HookSignal::Ending,
        _ => other(),
    }
}

fn about_a_tool(payload: &Payload) -> HookSignal {
    let tool = text(payload.tool_name).unwrap_or_else(|| "a tool".to_owned());
    let input: Value =
        payload.tool_input.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    if tool == "AskUserQuestion" {
        let question = input["questions"][0]["question"].as_str().or(input["question"].as_str());
        return HookSignal::Waiting(WaitingFor::Question, short(question.unwrap_or("asks a question")));
    }
    if payload.hook_event_name == "PreToolUse" {
        return HookSignal::Busy;
    }
    let said = ["command", "file_path", "url", "path", "query", "description"]
        .into_iter()
        .find_map(|key| input[key].as_str().map(str::to_owned))
        .or_else(|| input.as_object().filter(|map| !map.is_empty()).map(|_| input.to_string()));
    let asks = said.map_or_else(|| tool.clone(), |said| format!("{tool}: {said}"));
    HookSignal::Waiting(WaitingFor::Approval, short(&asks))
}

fn notification(payload: &Payload) -> Option<HookSignal> {
    let (waiting_for, plain) = match text(payload.notification_type)?.as_str() {
        "idle_prompt" => return Some(HookSignal::Ready),
        "permission_prompt" => (WaitingFor::Approval, "asks for permission"),
        "elicitation_dialog" | "elicitation_url_dialog" | "agent_needs_input" => {
            (WaitingFor::Question, "asks for input")
        }
        _ => return None,
    };
    Some(HookSignal::StillWaiting(waiting_for, words(payload.message, plain)))
}

fn text(raw: Option<&RawValue>) -> Option<String> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
}

fn words(raw: Option<&RawValue>, otherwise: &str) -> String {
    text(raw).map(|text| short(&text)).filter(|text| !text.is_empty()).unwrap_or_else(|| otherwise.to_owned())
}

fn short(text: &str) -> String {
    Title::clean(text).map(String::from).unwrap_or_default()
}

/// An id goes back to the CLI as an argument one day, so it must look like one.
fn is_an_id(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 200
        && !id.starts_with('-')
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn signal(payload: Value) -> HookSignal {
        read_hook(payload.to_string().as_bytes()).unwrap().0
    }

    #[test]
    fn each_event_has_its_meaning() {
        let waiting = |what, text: &str| HookSignal::Waiting(what, text.to_owned());
        let (approval, question) = (WaitingFor::Approval, WaitingFor::Question);
        let asked = json!({"questions": [{"question": "Which colour?"}]});
        for (payload, expected) in [
            (json!({"hook_event_name": "SessionStart", "source": "startup"}), HookSignal::Ready),
            (
                json!({"hook_event_name": "SessionStart", "source": "compact"}),
                HookSignal::Other("SessionStart".into()),
            ),
            (
                json!({"hook_event_name": "UserPromptSubmit", "prompt": "a\nb"}),
                HookSignal::Prompted("a\nb".into()),
            ),
            (
                json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "rm -rf\nbuild"}}),
                waiting(approval, "Bash: rm -rf build"),
            ),
            (
                json!({"hook_event_name": "PermissionRequest", "tool_name": "X", "tool_input": {"n": 1}}),
                waiting(approval, "X: {\"n\":1}"),
            ),
            (json!({"hook_event_name": "PermissionRequest"}), waiting(approval, "a tool")),
            (
                json!({"hook_event_name": "PermissionRequest", "tool_name": "AskUserQuestion", "tool_input": asked}),
                waiting(question, "Which colour?"),
            ),
            (
                json!({"hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion", "tool_input": asked}),
                waiting(question, "Which colour?"),
            ),
            (json!({"hook_event_name": "PreToolUse", "tool_name": "Bash"}), HookSignal::Busy),
            (json!({"hook_event_name": "PostToolUse", "tool_name": "Bash"}), HookSignal::Busy),
            (
                json!({"hook_event_name": "Notification", "notification_type": "permission_prompt", "message": "may I?"}),
                HookSignal::StillWaiting(approval, "may I?".into()),
            ),
            (
                json!({"hook_event_name": "Notification", "notification_type": "idle_prompt"}),
                HookSignal::Ready,
            ),
            (
                json!({"hook_event_name": "Notification", "notification_type": "elicitation_dialog"}),
                HookSignal::StillWaiting(question, "asks for input".into()),
            ),
            (
                json!({"hook_event_name": "Notification", "notification_type": "auth_success"}),
                HookSignal::Other("Notification".into()),
            ),
            (json!({"hook_event_name": "Elicitation", "message": "who?"}), waiting(question, "who?")),
            (
                json!({"hook_event_name": "Stop", "last_assistant_message": "done"}),
                HookSignal::TurnOver(Some("done".into())),
            ),
            (json!({"hook_event_name": "Stop", "last_assistant_message": null}), HookSignal::TurnOver(None)),
            (
                json!({"hook_event_name": "StopFailure", "error": "rate_limit"}),
                HookSignal::TurnOver(Some("rate_limit".into())),
            ),
            (json!({"hook_event_name": "SessionEnd", "reason": "other"}), HookSignal::Ending),
            (
                json!({"hook_event_name": "SessionEnd", "reason": "clear"}),
                HookSignal::Other("SessionEnd".into()),
            ),
            (json!({"hook_event_name": "WorktreeCreate"}), HookSignal::Other("WorktreeCreate".into())),
        ] {
            assert_eq!(signal(payload.clone()), expected, "{payload}");
        }
    }

    #[test]
    fn the_conversation_is_told_when_it_looks_like_one() {
        for (id, expected) in [
            (json!("0b7c-1"), Some("0b7c-1")),
            (json!("--resume"), None),
            (json!("a b"), None),
            (json!(7), None),
            (json!(""), None),
        ] {
            let payload = json!({"hook_event_name": "Stop", "session_id": id});
            let (_, found) = read_hook(payload.to_string().as_bytes()).unwrap();
            assert_eq!(found.as_deref(), expected, "{id}");
        }
    }

    #[test]
    fn a_text_that_cannot_be_decoded_does_not_cost_the_event() {
        let payload = br#"{"hook_event_name":"Stop","last_assistant_message":"half \ud83d"}"#;
        assert_eq!(read_hook(payload).unwrap().0, HookSignal::TurnOver(None));
    }

    #[test]
    fn what_is_no_hook_is_an_error() {
        let deep = format!("{{\"hook_event_name\":\"Stop\",\"x\":{}", "[".repeat(100_000));
        for bad in [b"".as_slice(), b"{", b"[]", b"{}", b"\xff\xfe", b"null", deep.as_bytes()] {
            assert!(matches!(read_hook(bad), Err(KindError::HookMalformed(_))), "{}", bad.len());
        }
        let huge = vec![b' '; MAX_HOOK_BYTES + 1];
        assert!(matches!(read_hook(&huge), Err(KindError::HookTooBig { .. })));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_hook(&bytes);
        }

        #[test]
        fn no_payload_makes_it_panic(event in "PermissionRequest|Notification|Stop|.*", name in ".*", input in ".*") {
            let _ = signal(json!({"hook_event_name": event, "tool_name": name, "tool_input": input, "notification_type": name}));
        }
    }
}
