//! Tests with the real Codex. Its hook reports the end of a turn; the status before that is read from its screen.

use std::fs;

use serde_json::json;

use super::Real;
use super::delegation::DELEGATE;

const PROGRAM: &str = "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";

/// Prepares Codex with our own provider; it asks before it runs a command.
pub(super) fn codex() -> Option<Real> {
    let mut real = Real::new("codex", PROGRAM)?;
    let provider = format!(
        r#"{{name="scripted",base_url="{}/v1",wire_api="responses",env_key="KEY",request_max_retries=0,stream_max_retries=0}}"#,
        real.model.url()
    );
    let kinds = format!(
        r#"[codex]
settle_ms = 0
args = [
  "--no-daemon", "-a", "on-request", "-s", "read-only",
  "-c", 'model="gpt-5"', "-c", 'model_provider="scripted"', "-c", 'model_providers.scripted={provider}',
]
"#
    );
    fs::write(real.env.state().join("kinds.toml"), kinds).expect("writing kinds.toml");
    real.variables.push("KEY=none".into());
    Some(real)
}

#[test]
fn codex_is_idle_after_work_with_its_last_reply() {
    let Some(real) = codex() else { return };
    real.spawn("codex", "take your time");
    real.wait_for_screen("esc to interrupt");
    real.reason_when("working");
    real.model.let_go();
    real.wait_for_words("I heard 1 lines.");
    assert!(real.shown()["conversation"]["id"].is_string(), "the hook reported the conversation");
}

#[test]
fn codex_asks_before_a_command_and_continues_after_approval() {
    let Some(real) = codex() else { return };
    let file = real.env.project().join("made-by-codex");
    real.spawn("codex", "run: touch made-by-codex");
    assert_eq!(
        real.reason_when("waiting"),
        "Would you like to run the following command? $ touch made-by-codex"
    );
    real.wait_for_screen("$ touch made-by-codex");
    assert!(!file.exists());
    real.agent("approve", &[]);
    real.wait_for_words("The command was run.");
    assert!(file.exists());
}

#[test]
fn a_multiline_prompt_reaches_codexs_model_verbatim() {
    let Some(real) = codex() else { return };
    real.spawn("codex", "hello");
    real.wait_for_words("I heard 1 lines.");
    let prompt = "first: a \"quoted\" word;\n\tsecond, indented\n\nfourth with ünïcödé \\ and $HOME";
    real.agent("send", &[prompt]);
    real.wait_for_words("I heard 4 lines.");
    assert_eq!(real.model.last_prompt().as_deref(), Some(prompt));
}

#[test]
fn codex_remembers_after_the_tmux_server_was_killed() {
    let Some(real) = codex() else { return };
    real.spawn("codex", "the word is plum");
    real.wait_for_words("I heard 1 lines.");
    real.wait_until_kept(".codex/sessions", "I heard 1 lines.");
    real.lose_the_server();
    real.agent("restore", &[]);
    real.agent("send", &["what was the word?"]);
    real.wait_for_words("The word was plum.");
}

#[test]
fn codex_remembers_after_a_crash() {
    let Some(real) = codex() else { return };
    real.spawn("codex", "the word is plum");
    real.wait_for_words("I heard 1 lines.");
    real.wait_until_kept(".codex/sessions", "I heard 1 lines.");
    real.crash();
    real.wait_for_restart();
    real.agent("send", &["what was the word?"]);
    real.wait_for_words("The word was plum.");
}

#[test]
fn codex_spawns_two_children_and_combines_their_results() {
    let Some(real) = codex() else { return };
    real.spawn("codex", DELEGATE);
    real.wait_for_delegation();
    real.wait_for_words("I have apple and pear.");
    for fruit in ["apple", "pear"] {
        let child = real.env.symposium(["agent", "show", fruit, "--json"]).ok().json();
        assert_eq!((&child["parent"], &child["kind"]), (&"a".into(), &"codex".into()), "{child}");
    }
}

#[test]
fn a_failed_turn_of_codex_is_read_from_its_screen() {
    for (prompt, status, waiting_for, reason) in [
        ("fail: 401", "waiting", json!("setup"), "unexpected status 401 Unauthorized"),
        ("fail: 429", "waiting", json!("limit"), "exceeded retry limit, last status: 429"),
        ("fail: limit", "waiting", json!("limit"), "You’ve hit your usage limit."),
        ("fail: 500", "idle", json!(null), "We’re currently experiencing high demand"),
    ] {
        let Some(real) = codex() else { return };
        real.spawn("codex", prompt);
        real.agent("wait", &["--for", "idle,waiting", "--timeout", super::PATIENCE]);
        real.env.wait_until("the turn has failed", || real.shown()["failure"].is_object());
        let shown = real.shown();
        assert_eq!(
            (shown["status"].as_str(), &shown["waiting_for"]),
            (Some(status), &waiting_for),
            "{shown}"
        );
        assert!(shown["reason"].as_str().is_some_and(|why| why.starts_with(reason)), "{shown}");
        assert_eq!(shown["failure"]["resets_at"].is_string(), prompt == "fail: limit", "{shown}");
    }
}
