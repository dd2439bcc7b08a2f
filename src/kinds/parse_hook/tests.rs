//! Tests of parsing hook messages.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::FailureCause;

/// The prompt with which Codex asks a model for a title in a separate thread.
const TITLE: &str =
    "Generate a concise, single-line task title of at most 36 characters.\n\nUser prompt:\nfix it";

fn signal(payload: Value) -> HookSignal {
    read_hook(payload.to_string().as_bytes()).unwrap().0
}

#[test]
fn each_event_has_its_meaning() {
    let waiting = |what, text: &str| HookSignal::Waiting(what, text.to_owned().into());
    let (approval, question) = (WaitingFor::Approval, WaitingFor::Question);
    let tool_input = json!({"questions": [{"question": "Which colour?"}]});
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
            HookSignal::Waiting(
                approval,
                ReportedQuestion { line: "Bash: rm -rf build".into(), whole: "Bash: rm -rf\nbuild".into() },
            ),
        ),
        (
            json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "ls", "description": "lists", "sandbox": false}}),
            HookSignal::Waiting(
                approval,
                ReportedQuestion { line: "Bash: ls".into(), whole: "Bash: ls\nsandbox: false".into() },
            ),
        ),
        (
            json!({"hook_event_name": "PermissionRequest", "tool_name": "Edit", "tool_input": {"file_path": "a.rs", "old_string": "x", "new_string": "y\nz"}}),
            HookSignal::Waiting(
                approval,
                ReportedQuestion {
                    line: "Edit: a.rs".into(),
                    whole: "Edit: a.rs\nnew_string: y\nz\nold_string: x".into(),
                },
            ),
        ),
        (
            json!({"hook_event_name": "PermissionRequest", "tool_name": "X", "tool_input": {"n": 1}}),
            waiting(approval, "X: {\"n\":1}"),
        ),
        (json!({"hook_event_name": "PermissionRequest"}), waiting(approval, "a tool")),
        (
            json!({"hook_event_name": "PermissionRequest", "tool_name": "AskUserQuestion", "tool_input": tool_input}),
            waiting(question, "Which colour?"),
        ),
        (
            json!({"hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion", "tool_input": tool_input}),
            waiting(question, "Which colour?"),
        ),
        (json!({"hook_event_name": "PreToolUse", "tool_name": "Bash"}), HookSignal::Busy),
        (json!({"hook_event_name": "PostToolUse", "tool_name": "Bash"}), HookSignal::Busy),
        (
            json!({"hook_event_name": "Notification", "notification_type": "permission_prompt", "message": "may I?"}),
            HookSignal::StillWaiting(approval, "may I?".into()),
        ),
        (json!({"hook_event_name": "Notification", "notification_type": "idle_prompt"}), HookSignal::Ready),
        (
            json!({"hook_event_name": "Notification", "notification_type": "elicitation_dialog"}),
            HookSignal::StillWaiting(question, "asks for input".into()),
        ),
        (
            json!({"hook_event_name": "Notification", "notification_type": "agent_completed"}),
            HookSignal::Other("Notification".into()),
        ),
        (json!({"hook_event_name": "Elicitation", "message": "who?"}), waiting(question, "who?")),
        (
            json!({"hook_event_name": "Stop", "last_assistant_message": "done"}),
            HookSignal::TurnOver(Some("done".into())),
        ),
        (json!({"hook_event_name": "Stop", "last_assistant_message": null}), HookSignal::TurnOver(None)),
        (
            json!({"hook_event_name": "Notification", "notification_type": "auth_success"}),
            HookSignal::LoggedIn,
        ),
        (json!({"hook_event_name": "SessionEnd", "reason": "other"}), HookSignal::Ending),
        (json!({"hook_event_name": "SessionEnd", "reason": "clear"}), HookSignal::Other("SessionEnd".into())),
        (
            json!({"hookName": "permissionRequest", "toolName": "bash", "toolInput": {"command": "rm x"}}),
            waiting(approval, "bash: rm x"),
        ),
        (
            json!({"hook_event_name": "PermissionRequest", "tool_name": "ask_user_question", "tool_input": tool_input}),
            waiting(question, "Which colour?"),
        ),
        (
            json!({"type": "agent-turn-complete", "input-messages": ["fix it"], "last-assistant-message": "done"}),
            HookSignal::TurnOver(Some("done".into())),
        ),
        (
            json!({"type": "agent-turn-complete", "input-messages": 7, "last-assistant-message": null}),
            HookSignal::TurnOver(None),
        ),
        (
            json!({"type": "agent-turn-complete", "input-messages": [TITLE], "last-assistant-message": "Fix it"}),
            HookSignal::Other("agent-turn-complete".into()),
        ),
        (json!({"type": "approval-requested"}), HookSignal::Other("approval-requested".into())),
        (json!({"hook_event_name": "WorktreeCreate"}), HookSignal::Other("WorktreeCreate".into())),
    ] {
        assert_eq!(signal(payload.clone()), expected, "{payload}");
    }
}

#[test]
fn a_tool_is_read_with_its_main_argument() {
    let tool = |payload: serde_json::Value| read_tool(payload.to_string().as_bytes());
    let used =
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}});
    assert_eq!(tool(used).as_deref(), Some("Bash: make"));
    assert_eq!(tool(json!({"hook_event_name": "PostToolUse", "tool_name": "Bash"})), None);
    assert_eq!(tool(json!({"hook_event_name": "PreToolUse"})), None);
}

#[test]
fn a_failed_turn_has_its_cause_and_its_message() {
    use FailureCause::{Credit, Error, Limit, Login};
    // The first seven are messages of Claude Code 2.1.325.
    for (error, message, cause) in [
        (json!("authentication_failed"), "Not logged in · Please run /login", Login),
        (json!("authentication_failed"), "Invalid API key · Fix external API key", Login),
        (json!("rate_limit"), "You've hit your 5-hour limit · resets 8:51pm (UTC)", Limit),
        (json!("rate_limit"), "API Error: Request rejected (429) · This request would exceed", Limit),
        (json!("server_error"), "API Error: 500 Internal server error.", Error),
        (json!("server_error"), "API Error: 529 Overloaded.", Error),
        (json!("billing_error"), "Credit balance is too low", Credit),
        (json!("unknown"), "Error: 429 Too Many Requests", Limit),
        (json!("unknown"), "401 Incorrect API key provided", Login),
        (json!("unknown"), "something (code 1429) went wrong", Error),
        (json!({"name": "x", "message": "Rate limit exceeded"}), "", Limit),
        (json!(7), "", Error),
    ] {
        let payload =
            json!({"hook_event_name": "StopFailure", "error": error, "last_assistant_message": message});
        let HookSignal::TurnFailed(failure) = signal(payload) else { panic!("{error}") };
        assert_eq!(failure.cause, cause, "{error} {message}");
        let expected =
            if message.is_empty() { error["message"].as_str().unwrap_or_default() } else { message };
        assert_eq!(failure.message, expected, "{error}");
    }
    // Messages of our plugin for OpenCode 1.18.33: the HTTP status decides if the message names no cause.
    for (error, cause) in [
        (json!({"name": "APIError", "message": "No access.", "status": 401}), Login),
        (json!({"name": "APIError", "message": "No access, see page 401.", "status": 500}), Error),
        (json!({"name": "APIError", "message": "Your credit balance is too low.", "status": 400}), Credit),
        (json!({"name": "ProviderAuthError", "message": "x"}), Login),
    ] {
        let payload = json!({"hook_event_name": "StopFailure", "error": error, "resets_at": null});
        let HookSignal::TurnFailed(failure) = signal(payload) else { panic!("{error}") };
        assert_eq!((failure.cause, failure.resets_at), (cause, None), "{error}");
    }
    let HookSignal::TurnFailed(bare) =
        signal(json!({"hook_event_name": "StopFailure", "error": "rate_limit"}))
    else {
        panic!("it is a failure")
    };
    assert_eq!((bare.cause, bare.message.as_str()), (Limit, "rate_limit"));
}

#[test]
fn a_pause_contains_the_time_at_which_the_turn_continues() {
    let payload = json!({
        "hook_event_name": "StopFailure", "paused": true,
        "error": {"message": "Rate limit reached"}, "resets_at": "2026-11-18T05:00:00.000Z",
    });
    let HookSignal::TurnPaused(failure) = signal(payload) else { panic!("it is a pause") };
    assert_eq!(failure.cause, FailureCause::Limit);
    assert_eq!(failure.resets_at, "2026-11-18T05:00:00Z".parse().ok());
}

#[test]
fn failure_without_a_code_is_classified_by_its_text() {
    use FailureCause::{Credit, Error, Limit, Login};
    for (message, cause) in [
        ("litellm.RateLimitError: OpenAIException - Rate limit reached for m1", Limit),
        ("litellm.InternalServerError: The server had an error", Error),
        ("API Error: You exceeded your current quota, please check your plan and billing details.", Credit),
        // Gemini uses the same text for a limit and names the time to wait.
        (
            "You exceeded your current quota, please check your plan and billing details. Please retry in 7s.",
            Limit,
        ),
        (r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}"#, Limit),
        (r#"{"error":{"code":401,"message":"x"}}"#, Login),
    ] {
        assert_eq!(failure::cause_of(message), cause, "{message}");
    }
}

#[test]
fn conversation_id_is_reported_if_it_is_valid() {
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
fn threads_that_generate_titles_are_not_conversations() {
    for (prompt, expected) in [("fix it", Some("01a1-e2")), (TITLE, None)] {
        let payload =
            json!({"type": "agent-turn-complete", "thread-id": "01a1-e2", "input-messages": [prompt]});
        let (_, found) = read_hook(payload.to_string().as_bytes()).unwrap();
        assert_eq!(found.as_deref(), expected, "{prompt}");
    }
    let payload = json!({"hookName": "permissionRequest", "sessionId": "9a5f-0e"});
    assert_eq!(read_hook(payload.to_string().as_bytes()).unwrap().1.as_deref(), Some("9a5f-0e"));
}

#[test]
fn undecodable_text_does_not_lose_the_event() {
    let payload = br#"{"hook_event_name":"Stop","last_assistant_message":"half \ud83d"}"#;
    assert_eq!(read_hook(payload).unwrap().0, HookSignal::TurnOver(None));
}

#[test]
fn payload_without_an_event_is_an_error() {
    let deep = format!("{{\"hook_event_name\":\"Stop\",\"x\":{}", "[".repeat(100_000));
    for bad in [b"".as_slice(), b"{", b"[]", b"\xff\xfe", b"null", deep.as_bytes()] {
        assert!(matches!(read_hook(bad), Err(KindError::HookMalformed(_))), "{}", bad.len());
    }
    for nameless in [b"{}".as_slice(), b"{\"hook_event_name\":7}", b"{\"type\":[]}"] {
        assert!(matches!(read_hook(nameless), Err(KindError::HookNameless)));
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
        let _ = signal(json!({"hookName": name, "toolName": event}));
        let _ = signal(json!({"type": name, "thread-id": event, "input-messages": [input, name]}));
    }
}
