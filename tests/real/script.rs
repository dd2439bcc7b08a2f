//! What the scripted model says. It knows nothing but the conversation that it is sent, so an answer about an
//! earlier prompt proves that the agent kept it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::delegation;

/// One request of an agent to its model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// What people said in this conversation, from the first to the last.
    pub prompts: Vec<String>,
    /// What the tool said, when the last message is about one.
    pub tool_said: Option<String>,
    /// What all tools said since the last prompt.
    pub tools_said: Vec<String>,
}

/// What the model answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Words.
    Words(String),
    /// It wants this command to be run.
    Run(String),
    /// The request is refused.
    Refuse(Refusal),
    /// It calls a tool of an MCP server; without a server, one of the agent CLI itself.
    Call {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// What it is given.
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
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// When the limit resets, in seconds since 1970; in the body, as OpenAI has it.
    pub resets_at: Option<u64>,
}

/// The refusal that a prompt such as `fail: 429` asks for.
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

/// A prompt that begins so is answered only when the test lets it: `Endpoint::let_go`.
pub const SLOWLY: &str = "take your time";

/// Answers a turn.
pub fn answer(turn: &Turn) -> Answer {
    if let Some(answer) = delegation::answer(turn) {
        return answer;
    }
    if let Some(said) = &turn.tool_said {
        let refused = ["denied", "rejected", "doesn't want"].iter().any(|word| said.contains(word));
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
        // The mark of a queue may stand behind it.
        return Answer::Refuse(refusal(which.split_whitespace().next().unwrap_or_default()));
    }
    if prompt == "what was the word?" {
        let word = before.iter().rev().find_map(|said| said.strip_prefix("the word is "));
        return Answer::Words(word.map_or("I know no word.".into(), |word| format!("The word was {word}.")));
    }
    Answer::Words(format!("I heard {} lines.", prompt.lines().count()))
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
