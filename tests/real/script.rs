//! The script of the model. The model knows only the conversation that it receives, so an answer about an earlier
//! prompt proves that the agent kept it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::delegation;

/// One request of an agent to its model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The prompts of the user in this conversation, oldest first.
    pub prompts: Vec<String>,
    /// The result of the tool if the last message is one.
    pub tool_result: Option<String>,
    /// The results of all tools since the last prompt.
    pub tool_results: Vec<String>,
}

/// An answer of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A text.
    Words(String),
    /// A request to run this command.
    Run(String),
    /// A refusal of the request.
    Refuse(Refusal),
    /// A call of a tool of an MCP server, or without a server of a tool of the agent CLI itself.
    Call {
        /// The name of the server.
        server: String,
        /// The name of the tool.
        tool: String,
        /// The arguments of the call.
        input: Value,
    },
}

/// An error of the endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status code.
    pub status: u16,
    /// The type of the error in its body.
    pub kind: &'static str,
    /// The message in its body.
    pub message: &'static str,
    /// Additional headers.
    pub headers: Vec<(&'static str, String)>,
    /// The time of the reset in seconds since 1970; in the body, as OpenAI sends it.
    pub resets_at: Option<u64>,
}

/// Returns the refusal that a prompt such as `fail: 429` requests.
fn refusal(which: &str) -> Refusal {
    let plain = |status, kind, message| Refusal { status, kind, message, headers: vec![], resets_at: None };
    match which {
        "401" => plain(401, "authentication_error", "invalid x-api-key"),
        "credit" => {
            plain(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.")
        }
        "429" => plain(429, "rate_limit_error", "This request would exceed your account's rate limit."),
        "limit" => {
            let reset = in_two_hours();
            Refusal {
                headers: vec![
                    ("anthropic-ratelimit-unified-status", "rejected".into()),
                    ("anthropic-ratelimit-unified-reset", reset.to_string()),
                    ("anthropic-ratelimit-unified-representative-claim", "five_hour".into()),
                ],
                resets_at: Some(reset),
                ..plain(429, "usage_limit_reached", "The usage limit has been reached")
            }
        }
        _ => plain(500, "api_error", "Internal server error"),
    }
}

#[expect(clippy::disallowed_methods, reason = "an endpoint names the reset by the clock")]
fn in_two_hours() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is right").as_secs() + 2 * 60 * 60
}

/// A prompt with this beginning is answered only after `Endpoint::let_go`.
pub const SLOWLY: &str = "take your time";

/// Answers a turn.
pub fn answer(turn: &Turn) -> Answer {
    if let Some(answer) = delegation::answer(turn) {
        return answer;
    }
    if let Some(answer) = review_answer(turn) {
        return answer;
    }
    if let Some(output) = &turn.tool_result {
        let refused = ["denied", "rejected", "doesn't want"].iter().any(|word| output.contains(word));
        return Answer::Words(if refused { "I was not let.".into() } else { "The command was run.".into() });
    }
    let Some((prompt, before)) = turn.prompts.split_last() else { return Answer::Words("Hello.".into()) };
    if let Some(command) = prompt.strip_prefix("run: ") {
        return Answer::Run(command.to_owned());
    }
    if let Some((tool, input)) = prompt.strip_prefix("use: ").and_then(|call| call.split_once(' ')) {
        let input = serde_json::from_str(input).expect("a test writes JSON");
        return Answer::Call { server: String::new(), tool: tool.to_owned(), input };
    }
    if let Some((tool, input)) = prompt.strip_prefix("call: ").and_then(|call| call.split_once(' ')) {
        let input = serde_json::from_str(input).expect("a test writes JSON");
        return Answer::Call { server: "symposium".into(), tool: tool.to_owned(), input };
    }
    if let Some(which) = prompt.strip_prefix("fail: ") {
        // The marker of a queue may follow.
        return Answer::Refuse(refusal(which.split_whitespace().next().unwrap_or_default()));
    }
    if prompt == "what was the word?" {
        let word = before.iter().rev().find_map(|output| output.strip_prefix("the word is "));
        return Answer::Words(word.map_or("I know no word.".into(), |word| format!("The word was {word}.")));
    }
    Answer::Words(format!("I heard {} lines.", prompt.lines().count()))
}

/// Answers review comments: runs the command that the first one names after `run: `, if there is one, and then marks it
/// as done.
fn review_answer(turn: &Turn) -> Option<Answer> {
    let text = turn.prompts.last()?.strip_prefix("Review comments on your changes.")?;
    let (_, points) = text.split_once("\n\n")?;
    let command = points.split_once("run: ").map(|(_, command)| command.lines().next().unwrap_or_default());
    let number: u64 = points.split('.').next()?.parse().expect("a numbered point");
    let resolve = Answer::Call {
        server: "symposium".into(),
        tool: "resolve_review_comment".into(),
        input: serde_json::json!({ "number": number }),
    };
    match (turn.tool_results.len(), command) {
        (0, Some(command)) => Some(Answer::Run(command.to_owned())),
        (0, None) | (1, Some(_)) => Some(resolve),
        _ => None,
    }
}

#[test]
fn the_scripted_model_knows_only_its_conversation() {
    let turn = |prompts: &[&str]| Turn {
        prompts: prompts.iter().map(|prompt| (*prompt).to_owned()).collect(),
        ..Turn::default()
    };
    let words = |text: &str| Answer::Words(text.to_owned());
    assert_eq!(answer(&turn(&["the word is plum", "what was the word?"])), words("The word was plum."));
    assert_eq!(answer(&turn(&["what was the word?"])), words("I know no word."));
    assert_eq!(answer(&turn(&["run: touch x"])), Answer::Run("touch x".into()));
    assert_eq!(answer(&turn(&["a\nb"])), words("I heard 2 lines."));
}
