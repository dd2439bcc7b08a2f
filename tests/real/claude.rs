//! Tests with the real Claude Code.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::Real;
use super::delegation::DELEGATE;
use crate::cli::workspace::git;
use crate::support::TestEnv;

const PROGRAM: &str = "@anthropic-ai/claude-code-linux-x64/claude";
const KEY: &str = "not-a-key-but-long-enough-to-be-one";

/// Prepares Claude Code: the first-run dialogs are answered, and it asks before it runs a command.
pub(super) fn claude() -> Option<Real> {
    let mut real = Real::new("claude", PROGRAM)?;
    let gates = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [&KEY[KEY.len() - 20..]], "rejected": []},
        "projects": {
            real.env.project().to_str()?: {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true},
        },
    });
    fs::write(real.env.home().join(".claude.json"), gates.to_string()).expect("writing .claude.json");
    let kinds = "[claude]\nargs = [\"--permission-mode\", \"default\"]\nsettle_ms = 0\n";
    fs::write(real.env.state().join("kinds.toml"), kinds).expect("writing kinds.toml");
    real.variables.extend([
        format!("ANTHROPIC_BASE_URL={}", real.model.url()),
        format!("ANTHROPIC_API_KEY={KEY}"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1".into(),
        "DISABLE_TELEMETRY=1".into(),
    ]);
    Some(real)
}

#[test]
fn claude_is_idle_after_work_with_its_last_reply() {
    let Some(real) = claude() else { return };
    real.spawn("claude", "take your time");
    assert_eq!(real.reason_when("working"), "it accepted a prompt");
    real.model.let_go();
    assert_eq!(real.reason_when("idle"), "I heard 1 lines.");
}

#[test]
fn an_interrupted_claude_takes_the_next_prompt() {
    let Some(real) = claude() else { return };
    real.spawn("claude", "take your time");
    real.reason_when("working");
    let output = real.env.symposium(["agent", "interrupt", "a"]).ok();
    // Claude Code restores the prompt if it has received nothing yet; it is removed from the input line then.
    assert!(output.stderr.contains("pressed Escape in `a`: it is back at its prompt"), "{output:?}");
    real.reason_when("idle");
    real.agent("send", &["hello"]);
    real.wait_for_words("I heard 1 lines.");
    assert_eq!(real.model.last_prompt().as_deref(), Some("hello"));
}

#[test]
fn claude_is_recovered_from_its_directory_alone() {
    let Some(real) = claude() else { return };
    real.spawn("claude", "the word is plum");
    real.wait_for_words("I heard 1 lines.");
    real.wait_until_kept(".claude/projects", "I heard 1 lines.");
    real.env.symposium(["supervisor", "stop"]).ok();
    for file in ["agent-sessions.json", "agent-sessions.json.bak"] {
        std::fs::write(real.env.state().join(file), "x").unwrap();
    }
    let outcome = real.env.symposium(["agent", "list"]).ok();
    assert!(outcome.stderr.contains("rebuilt from their directories: 1"), "{outcome:?}");
    real.lose_the_server();
    real.agent("restore", &[]);
    real.agent("send", &["what was the word?"]);
    real.wait_for_words("The word was plum.");
}

#[test]
fn claude_asks_before_a_command_and_continues_after_an_answer() {
    let Some(real) = claude() else { return };
    let file = real.env.project().join("made-by-claude");
    real.spawn("claude", "run: touch made-by-claude");
    assert_eq!(real.reason_when("waiting"), "Bash: touch made-by-claude");
    assert_eq!(real.shown()["waiting_for"], "approval");
    assert!(!file.exists());
    real.agent("approve", &[]);
    real.wait_for_words("The command was run.");
    assert!(file.exists());

    real.agent("send", &["run: rm made-by-claude"]);
    assert_eq!(real.reason_when("waiting"), "Bash: rm made-by-claude");
    real.agent("deny", &[]);
    real.wait_for_screen("Interrupted");
    // No hook reports this; it is read from the screen.
    real.reason_when("idle");
    assert!(file.exists());
}

#[test]
fn claude_continues_with_the_reason_of_a_denial() {
    let Some(real) = claude() else { return };
    real.spawn("claude", "run: touch made-by-claude");
    real.reason_when("waiting");
    real.agent("deny", &["--because", "use a.txt instead"]);
    // The model gets the reason in the same turn with the result of the tool, not by another prompt.
    real.wait_for_words("I was not let.");
    let request = real.model.last_request()["messages"].to_string();
    assert!(request.contains("use a.txt instead"), "{request}");
    assert_eq!(real.model.last_prompt().as_deref(), Some("run: touch made-by-claude"));
    assert!(!real.env.project().join("made-by-claude").exists());
}

#[test]
fn a_question_of_claude_is_answered_by_one_of_its_options() {
    let Some(real) = claude() else { return };
    let question = json!({"questions": [{
        "question": "Which colour do you like?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}],
    }]});
    real.spawn("claude", &format!("use: AskUserQuestion {question}"));
    real.reason_when("waiting");
    real.env.wait_until("the options are shown", || real.shown()["question"]["options"][1] == "2. Blue");
    let refused = real.env.symposium(["agent", "answer", "a", "green"]).fails(2).stderr;
    assert!(refused.contains("1. Red"), "{refused}");
    real.agent("answer", &["blue"]);
    real.wait_for_words("The command was run.");
    assert!(real.model.last_request()["messages"].to_string().contains("Blue"));
}

#[test]
fn the_trust_dialog_of_claude_is_answered_by_one_of_its_options() {
    let Some(real) = claude() else { return };
    let file = real.env.home().join(".claude.json");
    let mut gates: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    gates["projects"] = json!({});
    fs::write(&file, gates.to_string()).unwrap();
    real.spawn("claude", "hello");
    real.reason_when("waiting");
    assert_eq!(real.shown()["waiting_for"], "setup");
    let refused = real.env.symposium(["agent", "approve", "a"]).fails(6).stderr;
    assert!(refused.contains("I trust this folder"), "{refused}");
    real.agent("answer", &["yes"]);
    real.wait_for_words("I heard 1 lines.");
}

#[test]
fn a_multiline_prompt_reaches_claudes_model_verbatim() {
    let Some(real) = claude() else { return };
    real.spawn("claude", "hello");
    real.wait_for_words("I heard 1 lines.");
    let prompt = "first: a \"quoted\" word;\n    second, indented\n\nfourth with ünïcödé \\ and $HOME";
    let output = real.env.symposium(["agent", "send", "a", prompt]).ok();
    assert!(output.stderr.contains("exactly this text"), "{output:?}");
    real.wait_for_words("I heard 4 lines.");
    assert_eq!(real.model.last_prompt().as_deref(), Some(prompt));
    let output = real.env.symposium(["agent", "send", "a", "one\n\ttwo\nthree"]).ok();
    assert!(output.stderr.contains("with spaces in place of tabs"), "{output:?}");
    real.wait_for_words("I heard 3 lines.");
}

#[test]
fn claude_remembers_after_the_tmux_server_was_killed() {
    let Some(real) = claude() else { return };
    real.spawn("claude", "the word is plum");
    real.wait_for_words("I heard 1 lines.");
    real.wait_until_kept(".claude/projects", "I heard 1 lines.");
    real.lose_the_server();
    real.agent("restore", &[]);
    real.agent("send", &["what was the word?"]);
    real.wait_for_words("The word was plum.");
}

#[test]
fn claude_remembers_after_a_crash() {
    let Some(real) = claude() else { return };
    real.spawn("claude", "the word is plum");
    real.wait_for_words("I heard 1 lines.");
    real.wait_until_kept(".claude/projects", "I heard 1 lines.");
    real.crash();
    real.wait_for_restart();
    real.agent("send", &["what was the word?"]);
    real.wait_for_words("The word was plum.");
}

#[test]
fn claude_switches_conversations_without_mixing_them() {
    let Some(real) = claude() else { return };
    real.spawn("claude", "the word is plum");
    real.wait_for_words("I heard 1 lines.");
    real.wait_until_kept(".claude/projects", "I heard 1 lines.");
    real.agent("kill", &[]);
    real.agent("resume", &["--conversation", "other"]);
    real.agent("send", &["what was the word?"]);
    real.wait_for_words("I know no word.");
    real.wait_until_kept(".claude/projects", "I know no word.");
    real.agent("kill", &[]);
    real.agent("resume", &["--conversation", "main"]);
    real.agent("send", &["what was the word?"]);
    real.wait_for_words("The word was plum.");
}

#[test]
fn claude_follows_its_spec() {
    let Some(real) = claude() else { return };
    let text = r#"
[agents.toucher]
kind = "claude"
model = "claude-sonnet-4-5"
shell_tier = "approve"
tools = ["Bash(touch:*)"]
system_prompt = "- You look after {{place}}: \"quotes\", $HOME and\na second line."
params.place.default = "the garden"
"#;
    crate::cli::trusted_specs(&real.env, text);
    real.spawn("toucher", "run: touch made-by-claude");
    real.wait_for_words("The command was run.");
    assert!(real.env.project().join("made-by-claude").exists(), "a tool of its spec needs no approval");
    let request = real.model.last_request();
    assert_eq!(request["model"], "claude-sonnet-4-5");
    let prompt = "- You look after the garden: \"quotes\", $HOME and\na second line.";
    let system = request["system"].as_array().expect("a list of blocks");
    assert!(
        system.iter().any(|block| block["text"].as_str().is_some_and(|text| text.contains(prompt))),
        "{system:?}"
    );
    real.agent("send", &["run: rm made-by-claude"]);
    assert_eq!(real.reason_when("waiting"), "Bash: rm made-by-claude", "any other does");
    assert!(real.env.project().join("made-by-claude").exists());
}

#[test]
fn two_claudes_in_one_directory_keep_their_own_conversations() {
    let Some(real) = claude() else { return };
    let verb = |verb: &str, name: &str, more: &[&str]| {
        real.env.symposium(["agent", verb, name].iter().chain(more)).ok();
    };
    for (name, word) in [("a", "plum"), ("b", "pear")] {
        real.spawn_as(name, "claude", &format!("the word is {word}"));
        real.wait_for_words_of(name, "I heard 1 lines.");
    }
    let kept = real.env.home().join(".claude/projects");
    for word in ["plum", "pear"] {
        let is_kept = |file: &std::path::PathBuf| {
            fs::read_to_string(file)
                .is_ok_and(|text| text.contains(word) && text.contains("I heard 1 lines."))
        };
        real.env.wait_until("the conversation is on disk", || super::files_below(&kept).iter().any(is_kept));
    }
    for name in ["a", "b"] {
        verb("kill", name, &[]);
    }
    // The other way round: the agent that resumes first is not the one with the last conversation of this directory.
    for name in ["a", "b"] {
        verb("resume", name, &[]);
    }
    for (name, word) in [("b", "pear"), ("a", "plum")] {
        verb("send", name, &["what was the word?"]);
        real.wait_for_words_of(name, &format!("The word was {word}."));
    }
}

#[test]
fn a_nested_claude_does_not_replace_the_agent() {
    let Some(real) = claude() else { return };
    real.spawn("claude", "run: claude -p 'the word is nested' > said-by-the-other");
    real.reason_when("waiting");
    let own = real.shown()["conversation"].clone();
    real.agent("approve", &[]);
    real.wait_for_words("The command was run.");
    let output = fs::read_to_string(real.env.project().join("said-by-the-other")).expect("it ran");
    assert_eq!(output.trim(), "I heard 1 lines.");
    assert_eq!(real.shown()["conversation"], own);
    real.agent("send", &["what was the word?"]);
    real.wait_for_words("I know no word.");
}

#[test]
fn claude_spawns_two_children_and_combines_their_results() {
    let Some(real) = claude() else { return };
    real.spawn("claude", DELEGATE);
    real.wait_for_delegation();
    real.wait_for_words("I have apple and pear.");
    let request = real.model.last_request();
    let offered = request["tools"].as_array().expect("a list of tools");
    assert!(
        offered.iter().any(|tool| tool["name"] == "mcp__symposium__spawn_agent"),
        "they need not be looked for"
    );
    for fruit in ["apple", "pear"] {
        let child = real.env.symposium(["agent", "show", fruit, "--json"]).ok().json();
        assert_eq!((&child["parent"], &child["kind"]), (&"a".into(), &"claude".into()), "{child}");
        assert_eq!(child["tasks"]["done"], 1, "{child}");
    }
    let tasks = real.env.symposium(["task", "list", "--all", "--json"]).ok().json();
    let why: Vec<_> =
        tasks.as_array().expect("a list").iter().map(|task| (&task["source"], &task["why"])).collect();
    assert_eq!(
        why,
        [(&"a".into(), &"it was reported done".into()); 2],
        "they reported it themselves: {tasks}"
    );
}

#[test]
fn claude_asks_before_our_tools_only_in_the_approve_tier() {
    let Some(real) = claude() else { return };
    let text = r#"
[agents.toucher]
kind = "claude"
shell_tier = "review"
tools = ["Bash(touch:*)"]

[agents.careful]
kind = "claude"
shell_tier = "approve"
"#;
    fs::write(real.env.state().join("agents.toml"), text).expect("writing agents.toml");
    real.spawn("toucher", r#"call: board_set {"key": "plan", "value": "look"}"#);
    real.wait_for_words("The command was run.");
    let note = real.env.symposium(["board", "get", "plan", "--json"]).ok().json();
    assert_eq!((&note["value"], &note["author"]), (&"look".into(), &"a".into()));
    real.agent("send", &["run: touch made-by-claude"]);
    real.env.wait_until("the agent's own tools stay allowed", || {
        real.env.project().join("made-by-claude").exists()
    });

    real.spawn_as("b", "careful", r#"call: board_set {"key": "plan", "value": "leap"}"#);
    real.env.symposium(["agent", "wait", "b", "--for", "waiting", "--timeout", super::PATIENCE]).ok();
    let shown = real.env.symposium(["agent", "show", "b", "--json"]).ok().json();
    assert_eq!(shown["waiting_for"], "approval", "{shown}");
    assert!(
        shown["reason"].as_str().is_some_and(|reason| reason.contains("mcp__symposium__board_set")),
        "{shown}"
    );
    assert_eq!(real.env.symposium(["board", "get", "plan", "--json"]).ok().json()["value"], "look");
}

#[test]
fn claude_receives_a_review_to_the_letter_and_resolves_its_points() {
    let Some(real) = claude() else { return };
    let project = real.env.project();
    fs::write(project.join("lib.rs"), "fn a() {\n    one();\n}\n").expect("writing a file");
    for args in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-q", "-m", "first"]] {
        git(&real.env, &project, args);
    }
    real.spawn("claude", "hello");
    real.wait_for_words("I heard 1 lines.");
    fs::write(project.join("lib.rs"), "fn a() {\n    two();\n}\n").expect("writing a file");
    real.agent("review", &["--comment", "lib.rs:2", "rename `two`, \"please\"\n\n  and test $(it)"]);
    real.agent("review", &["--send"]);
    let expected = "Review comments on your changes. Handle every point, and then mark it as done: call the MCP tool \
                    `resolve_review_comment` with its number, if you have that tool.\n\n\
                    1. lib.rs, line 2\n>     two();\nrename `two`, \"please\"\n\n  and test $(it)";
    real.wait_for_words("The command was run.");
    assert_eq!(real.model.last_prompt().as_deref(), Some(expected));
    let listed = real.env.symposium(["agent", "review", "a", "--list", "--json"]).ok().json();
    assert_eq!(listed["comments"][0]["state"], "resolved", "{listed}");
}

#[test]
fn a_review_comment_is_handled_by_claude_resolved_and_finished() {
    let Some(real) = claude() else { return };
    let (env, project) = (&real.env, real.env.project());
    fs::write(project.join("lib.rs"), "fn a() {\n    one();\n}\n").expect("writing a file");
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.name", "me"],
        &["config", "user.email", "me@example.org"],
        &["add", "-A"],
        &["commit", "-q", "-m", "first"],
    ] {
        git(env, &project, args);
    }
    let text = "[agents.editor]\nkind = \"claude\"\nshell_tier = \"review\"\nworkspace = \"worktree\"\ntools = [\"Bash(sed:*)\"]\n";
    fs::write(env.state().join("agents.toml"), text).expect("writing agents.toml");
    let at = env.state().join("instances/a/workspace");
    trust(env, &at);
    real.spawn("editor", "run: sed -i s/one/two/ lib.rs");
    real.wait_for_words("The command was run.");
    real.agent("review", &["--comment", "lib.rs:2", "rename it. run: sed -i s/two/three/ lib.rs"]);
    real.agent("review", &["--send"]);
    env.wait_until("the comment is resolved", || {
        let listed = env.symposium(["agent", "review", "a", "--list", "--json"]).ok().json();
        listed["comments"][0]["state"] == "resolved"
    });
    real.wait_for_words("The command was run.");
    real.agent("finish", &["--yes", "-m", "Rename it"]);
    assert_eq!(git(env, &project, &["show", "main:lib.rs"]), "fn a() {\n    three();\n}");
    assert_eq!(fs::read_to_string(project.join("lib.rs")).expect("a file"), "fn a() {\n    three();\n}\n");
    assert!(!at.exists());
}

/// Answers the question of Claude Code whether a directory is trusted.
fn trust(env: &TestEnv, directory: &Path) {
    let file = env.home().join(".claude.json");
    let mut gates: Value = serde_json::from_slice(&fs::read(&file).expect("it was written")).expect("JSON");
    gates["projects"][directory.to_str().expect("a plain path")] =
        json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    fs::write(file, gates.to_string()).expect("writing .claude.json");
}

/// Prepares a Claude Code that does not retry requests by itself.
fn without_retries() -> Option<Real> {
    let mut real = claude()?;
    real.variables.push("CLAUDE_CODE_MAX_RETRIES=0".into());
    Some(real)
}

#[test]
fn a_failed_turn_of_claude_shows_its_cause() {
    for (prompt, status, waiting_for, reason) in [
        ("fail: 401", "waiting", json!("setup"), "Invalid API key · Fix external API key"),
        ("fail: credit", "waiting", json!("setup"), "Credit balance is too low"),
        ("fail: 429", "waiting", json!("limit"), "API Error: Request rejected (429) · "),
        ("fail: 500", "idle", json!(null), "API Error: 500 "),
    ] {
        let Some(real) = without_retries() else { return };
        real.spawn("claude", prompt);
        real.agent("wait", &["--for", "idle,waiting", "--timeout", super::PATIENCE]);
        real.env.wait_until("the turn has failed", || real.shown()["failure"].is_object());
        let shown = real.shown();
        assert_eq!(
            (shown["status"].as_str(), &shown["waiting_for"]),
            (Some(status), &waiting_for),
            "{shown}"
        );
        assert!(shown["reason"].as_str().is_some_and(|why| why.starts_with(reason)), "{shown}");
    }
}

#[test]
fn a_usage_limit_of_claude_fails_the_task_and_holds_the_queue_until_its_reset() {
    let Some(mut real) = without_retries() else { return };
    // Only an account with a plan has a usage limit.
    real.variables.retain(|variable| !variable.starts_with("ANTHROPIC_API_KEY="));
    real.variables.push("CLAUDE_CODE_OAUTH_TOKEN=not-a-token".into());
    real.spawn("claude", "hello");
    real.wait_for_words("I heard 1 lines.");
    real.env.symposium(["supervisor", "start"]).ok();
    real.env.symposium(["task", "add", "a", "fail: limit", "--retries", "3"]).ok();
    real.env.symposium(["task", "add", "a", "next"]).ok();
    real.env.wait_until("the turn has failed", || real.shown()["failure"].is_object());
    let task = |id: &str| real.env.symposium(["task", "show", id, "--json"]).ok().json();
    real.env.wait_until("the first attempt has failed", || {
        task("1")["why"] != "it is being typed in" && task("1")["state"] == "queued"
    });
    let (shown, first, next) = (real.shown(), task("1"), task("2"));
    assert_eq!((&shown["status"], &shown["waiting_for"]), (&json!("waiting"), &json!("limit")), "{shown}");
    assert!(shown["failure"]["resets_at"].is_string(), "{shown}");
    assert!(
        first["why"].as_str().is_some_and(|why| why.starts_with("attempt 1 failed: You've hit your")),
        "{first}"
    );
    assert!(next["waits_for"].as_str().is_some_and(|why| why.starts_with("held until")), "{next}");
}

#[test]
fn claude_without_a_login_waits_for_setup() {
    let Some(mut real) = without_retries() else { return };
    real.variables.retain(|variable| !variable.starts_with("ANTHROPIC_API_KEY="));
    real.spawn("claude", "hello");
    assert_eq!(real.reason_when("waiting"), "Not logged in · Please run /login");
    let shown = real.shown();
    assert_eq!(
        (&shown["waiting_for"], &shown["failure"]["cause"]),
        (&json!("setup"), &json!("login")),
        "{shown}"
    );
}
