//! Tests of the error messages and codes.

use super::*;

#[test]
fn a_similar_name_is_suggested_for_a_mistyped_one() {
    let known = ["api-fix", "docs", "web"].map(|n| n.parse().unwrap()).to_vec();
    let error = Error::no_such_agent("api-fx".into(), known, "attach");
    assert_eq!(error.to_string(), "no agent named `api-fx`");
    assert_eq!(error.observations(), ["known agents: api-fix, docs, web"]);
    assert_eq!(error.hints(), ["did you mean `symposium agent attach api-fix`?"]);
    assert_eq!(error.exit(), 3);
}

/// The reference lists each code with its exit code and its meaning, in the order of the codes.
#[test]
fn every_code_is_documented() {
    let page = include_str!("../../docs/src/error-codes.md");
    let documented: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let mut expected: Vec<String> = Code::MEANINGS
        .iter()
        .map(|(code, meaning)| format!("| `{}` | {} |{meaning} |", code.as_str(), code.exit()))
        .collect();
    let on_host = Code::FailedOnHost(0).as_str();
    expected.push(format!("| `{on_host}` | that of the command | A command failed on another machine. |"));
    expected.sort();
    assert_eq!(documented, expected);
}

#[test]
fn error_as_json_has_code_message_observations_and_hints() {
    let error = Error::new(Code::Busy, "agent `web` is busy").saw("process 7").hint("try again");
    let expected = serde_json::json!({
        "error": { "code": "busy", "message": "agent `web` is busy", "saw": ["process 7"], "hints": ["try again"] }
    });
    assert_eq!(error.json(), expected);
    assert_eq!(error.text(), "error: agent `web` is busy\n  process 7\nhint: try again");
}
