//! Parses the hook message of a turn that ended with an error: its cause and its message.

use serde_json::Value;

use super::{Payload, text};
use crate::model::{FailureCause, TurnFailure};

/// Causes by the error code of the CLI. Verified with Claude Code 2.1.325: `authentication_failed`, `billing_error`,
/// `rate_limit`, `server_error`; the others are from its documentation.
const CODES: [(&str, FailureCause); 11] = [
    ("authentication_failed", FailureCause::Login),
    ("authentication_error", FailureCause::Login),
    ("oauth_org_not_allowed", FailureCause::Login),
    ("permission_error", FailureCause::Login),
    // OpenCode sends this for a provider without a key.
    ("ProviderAuthError", FailureCause::Login),
    ("billing_error", FailureCause::Credit),
    ("insufficient_quota", FailureCause::Credit),
    ("rate_limit", FailureCause::Limit),
    ("rate_limit_error", FailureCause::Limit),
    ("usage_limit_reached", FailureCause::Limit),
    ("overloaded", FailureCause::Error),
];

/// Phrases in lower case for messages whose code is not specific. The first match decides.
const PHRASES: [(&str, FailureCause); 18] = [
    ("credit balance", FailureCause::Credit),
    // Gemini reports any limit with the text that OpenAI uses for an account without credit.
    ("please retry in", FailureCause::Limit),
    ("resource_exhausted", FailureCause::Limit),
    ("insufficient_quota", FailureCause::Credit),
    ("exceeded your current quota, please check your plan and billing", FailureCause::Credit),
    ("not logged in", FailureCause::Login),
    ("invalid api key", FailureCause::Login),
    ("api key not valid", FailureCause::Login),
    ("api key not found", FailureCause::Login),
    ("incorrect api key", FailureCause::Login),
    ("unauthorized", FailureCause::Login),
    ("unauthenticated", FailureCause::Login),
    ("authentication", FailureCause::Login),
    ("usage limit", FailureCause::Limit),
    ("rate limit", FailureCause::Limit),
    ("daily quota", FailureCause::Limit),
    ("quota exceeded", FailureCause::Limit),
    ("too many requests", FailureCause::Limit),
];

/// HTTP status codes, as a number in the payload or as a word in the message.
const STATUSES: [(&str, FailureCause); 3] =
    [("401", FailureCause::Login), ("402", FailureCause::Credit), ("429", FailureCause::Limit)];

/// Parses a payload. Its `error` is a code, or an object with a name, a message and the HTTP status. `resets_at` is
/// the reset time of a limit, if the CLI reports it.
pub(super) fn read(payload: &Payload) -> TurnFailure {
    let error: Value =
        payload.get("error").and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let code = error.as_str().or(error["name"].as_str()).unwrap_or_default().to_owned();
    let filled = |message: Option<String>| message.filter(|message| !message.trim().is_empty());
    let message = filled(text(payload, "last_assistant_message"))
        .or_else(|| filled(error["message"].as_str().map(str::to_owned)))
        .or_else(|| filled(text(payload, "error_details")))
        .unwrap_or_else(|| code.clone());
    let status = error["status"].as_u64().map(|status| status.to_string());
    let resets_at = text(payload, "resets_at").and_then(|at| at.parse().ok());
    TurnFailure { cause: cause(&code, status.as_deref(), &message), message, resets_at }
}

/// Returns the cause of an error without a code.
pub(in crate::kinds) fn cause_of(message: &str) -> FailureCause {
    cause("", None, message)
}

fn cause(code: &str, status: Option<&str>, message: &str) -> FailureCause {
    let named = CODES.iter().find(|(known, _)| *known == code).map(|(_, cause)| *cause);
    let lower = message.to_ascii_lowercase();
    let phrase = || PHRASES.iter().find(|(phrase, _)| lower.contains(phrase)).map(|(_, cause)| *cause);
    let is_number = |word: &str, number: &str| word.trim_matches(|c: char| !c.is_ascii_digit()) == number;
    let status_in = |text: &str| {
        let known = |(number, cause): &(&str, FailureCause)| {
            text.split_whitespace().any(|word| is_number(word, number)).then_some(*cause)
        };
        STATUSES.iter().find_map(known)
    };
    let by_status = || status_in(status.unwrap_or(&lower));
    named.or_else(phrase).or_else(by_status).unwrap_or(FailureCause::Error)
}
