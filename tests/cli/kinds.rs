//! Every known agent CLI, as a fake that records its arguments: started with a prompt, ended and resumed.

use std::fs;

use serde_json::Value;

use super::{agent, shown, spawned, without_settling};
use crate::support::TestEnv;

/// Records its arguments, one per line, and keeps running.
const STAYS: &str =
    r#"printf '%s\n' "$@" > "$HOME/called.new"; mv "$HOME/called.new" "$HOME/called"; exec sleep 1000"#;

/// Records its arguments, then reads keys like a CLI with a prompt: typed text is shown, Enter submits it.
const READS: &str = r#"printf '%s\n' "$@" > "$HOME/called.new"; mv "$HOME/called.new" "$HOME/called"
stty raw -echo; printf '\033[?2004h> '
while :; do
  key=$(dd bs=1 count=1 2>/dev/null; echo .); printf %s "${key%.}" >> "$HOME/typed"
  printf %s "${key%.}" | sed 's/\r/ (taken)/'
done"#;

/// A kind, its program, and its arguments at the start and at a resume; `ID` is the conversation.
type Case = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const BY_ARGUMENT: [Case; 9] = [
    (
        "claude",
        "claude",
        &[
            "--session-id",
            "ID",
            "--settings",
            "SETTINGS",
            "--mcp-config=MCP",
            "--allowedTools=mcp__symposium",
            "fix it",
        ],
        &["--resume", "ID", "--settings", "SETTINGS", "--mcp-config=MCP", "--allowedTools=mcp__symposium"],
    ),
    (
        "codex",
        "codex",
        &["--no-daemon", "-c", "NOTIFY", "-c", "MCP", "fix it"],
        &["--no-daemon", "resume", "--last", "-c", "NOTIFY", "-c", "MCP"],
    ),
    (
        "gemini",
        "gemini",
        &["--skip-trust", "--session-id", "ID", "-i", "fix it"],
        &["--skip-trust", "-r", "latest"],
    ),
    ("kiro", "kiro-cli", &["chat", "fix it"], &["chat", "--resume"]),
    ("q", "q", &["chat", "fix it"], &["chat", "--resume"]),
    ("opencode", "opencode", &["--prompt", "fix it"], &["-c"]),
    (
        "qwen",
        "qwen",
        &["--session-id", "ID", "--mcp-config", "MCP", "-i", "fix it"],
        &["-r", "ID", "--mcp-config", "MCP"],
    ),
    (
        "copilot",
        "copilot",
        &[
            "--no-auto-update",
            "--session-id",
            "ID",
            "--plugin-dir",
            "STATE",
            "--additional-mcp-config",
            "MCP",
            "--allow-tool=symposium",
            "-i",
            "fix it",
        ],
        &[
            "--no-auto-update",
            "--resume=ID",
            "--plugin-dir",
            "STATE",
            "--additional-mcp-config",
            "MCP",
            "--allow-tool=symposium",
        ],
    ),
    ("cursor", "cursor-agent", &["fix it"], &["--continue"]),
];

const BY_KEYS: [Case; 3] = [
    ("amp", "amp", &[], &["last"]),
    ("goose", "goose", &["session", "-n", "ID"], &["session", "-r", "-n", "ID"]),
    (
        "aider",
        "aider",
        &["--chat-history-file", ".aider.chat.ID.md", "--notifications", "--notifications-command", "DOOR"],
        &[
            "--restore-chat-history",
            "--chat-history-file",
            ".aider.chat.ID.md",
            "--notifications",
            "--notifications-command",
            "DOOR",
        ],
    ),
];

/// Returns the arguments of the last call with placeholders for varying values, and deletes the record.
fn called(env: &TestEnv, kind: &str) -> Vec<String> {
    let file = env.home().join("called");
    env.wait_until("the program was called", || file.exists());
    let text = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let conversation = shown(env, kind)["conversation"]["id"].as_str().unwrap_or("no id").to_owned();
    let words = text.strip_suffix('\n').unwrap().split('\n').filter(|word| !word.is_empty());
    words
        .map(|word| match word {
            word if word.starts_with("{\"hooks\"") => "SETTINGS".into(),
            word if word.starts_with("notify=[") => "NOTIFY".into(),
            word if word.starts_with("{\"mcpServers\"") || word.starts_with("mcp_servers.symposium=") => {
                "MCP".into()
            }
            word if word.starts_with("--mcp-config={") => "--mcp-config=MCP".into(),
            word if word.contains(" event agent ") => "DOOR".into(),
            word if word.ends_with(&format!("instances/{kind}/state")) => "STATE".into(),
            word => word.replace(&conversation, "ID"),
        })
        .collect()
}

/// Reports that the agent took a prompt, as its own hook does.
fn took_its_task(env: &TestEnv, name: &str) {
    let id = shown(env, name)["id"].as_str().expect("it has one").to_owned();
    let output = env.symposium(["event", "agent"]).env("SYMPOSIUM_AGENT", name).env("SYMPOSIUM_AGENT_ID", id);
    output.stdin(r#"{"hook_event_name":"UserPromptSubmit","prompt":"fix it"}"#).ok();
}

fn started_ended_and_resumed(cases: &[Case], fake: &str) {
    let env = TestEnv::new();
    without_settling(&env, &cases.iter().map(|case| case.0).collect::<Vec<_>>());
    for (kind, program, first, again) in cases {
        env.fake_program(program, fake);
        spawned(&env, &[kind, "--name", kind, "--task", "fix it"]);
        assert_eq!(called(&env, kind), *first, "{kind}");
        took_its_task(&env, kind);
        let conversation = shown(&env, kind)["conversation"]["id"].clone();
        agent(&env, &["kill", kind, "--grace", "0"]).ok();
        agent(&env, &["resume", kind]).ok();
        assert_eq!(called(&env, kind), *again, "{kind} resumed");
        assert_eq!(shown(&env, kind)["conversation"]["id"], conversation, "{kind}");
        agent(&env, &["kill", kind, "--grace", "0"]).ok();
    }
}

#[test]
fn clis_with_a_prompt_argument_start_with_it_and_resume() {
    started_ended_and_resumed(&BY_ARGUMENT, STAYS);
}

#[test]
fn clis_without_a_prompt_argument_get_it_typed_and_resume() {
    started_ended_and_resumed(&BY_KEYS, READS);
}

#[test]
fn a_typed_task_arrives_verbatim() {
    let env = TestEnv::new();
    without_settling(&env, &["aider"]);
    env.fake_program("aider", READS);
    let outcome = agent(&env, &["spawn", "aider", "--name", "a", "--task", "fix\nboth"]).ok();
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("a\n", "its task was typed in\n"));
    let typed = fs::read_to_string(env.home().join("typed")).unwrap();
    assert_eq!(typed, "\u{1b}[200~fix\nboth\u{1b}[201~\r");
}

#[test]
fn hooks_and_self_update_are_configured_for_the_run_only() {
    let env = TestEnv::new();
    without_settling(&env, &["claude"]);
    env.fake_program("claude", &format!("env > \"$HOME/env\"\n{STAYS}"));
    spawned(&env, &["claude", "--name", "a"]);
    env.wait_until("the program was called", || env.home().join("called").exists());
    let text = fs::read_to_string(env.home().join("called")).unwrap();
    let settings: Value =
        text.lines().find_map(|line| serde_json::from_str(line).ok()).expect("settings are JSON");
    for event in
        ["SessionStart", "UserPromptSubmit", "PermissionRequest", "Notification", "Stop", "SessionEnd"]
    {
        let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap_or_default();
        assert!(
            command.contains(&env.hook_program()) && command.ends_with("event agent"),
            "{event}: {command}"
        );
    }
    let variables = fs::read_to_string(env.home().join("env")).unwrap();
    assert!(
        variables.contains("DISABLE_AUTOUPDATER=1\n") && variables.contains("SYMPOSIUM_AGENT=a\n"),
        "{variables}"
    );
    assert!(!env.home().join(".claude").exists() && !env.home().join(".claude.json").exists());
}

#[test]
fn hook_files_are_ours_and_the_users_settings_remain() {
    let env = TestEnv::new();
    without_settling(&env, &["qwen", "opencode"]);
    let keep = |variable: &str| format!("printf %s \"${variable}\" > \"$HOME/kept\"; {STAYS}");
    let kept = || fs::read_to_string(env.home().join("kept")).unwrap();

    env.fake_program("qwen", &keep("QWEN_CODE_SYSTEM_DEFAULTS_PATH"));
    spawned(&env, &["qwen", "--name", "q"]);
    called(&env, "q");
    let defaults: Value = serde_json::from_slice(&fs::read(kept()).unwrap()).unwrap();
    assert!(
        defaults["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap().contains(&env.hook_program())
    );

    env.fake_program("opencode", &keep("OPENCODE_CONFIG_CONTENT"));
    spawned(&env, &["opencode", "--name", "o", "--env", "OPENCODE_CONFIG_CONTENT={\"model\":\"a/b\"}"]);
    called(&env, "o");
    let config: Value = serde_json::from_str(&kept()).unwrap();
    let plugin = config["plugin"][0].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    assert!(fs::read_to_string(plugin).unwrap().contains(&env.hook_program()));
    assert_eq!(config["model"], "a/b");
    let server = &config["mcp"]["symposium"];
    assert_eq!(
        (&server["command"][0], &server["environment"]["SYMPOSIUM_AGENT"]),
        (&env.hook_program().into(), &"o".into())
    );
}

#[test]
fn a_prompt_is_never_parsed_as_a_flag_or_subcommand() {
    let env = TestEnv::new();
    without_settling(&env, &["claude", "qwen"]);
    for (kind, task, word) in
        [("claude", "--help", " --help"), ("claude", "update", " update"), ("qwen", "-y", " -y")]
    {
        env.fake_program(kind, STAYS);
        spawned(&env, &[kind, "--name", kind, "--task", task]);
        assert_eq!(called(&env, kind).last().map(String::as_str), Some(word), "{kind}");
        agent(&env, &["rm", "--force", kind]).ok();
    }
}

#[test]
fn an_agent_without_a_prompt_restarts_under_the_same_conversation_id() {
    let env = TestEnv::new();
    without_settling(&env, &["qwen"]);
    env.fake_program("qwen", STAYS);
    spawned(&env, &["qwen", "--name", "qwen"]);
    assert_eq!(called(&env, "qwen"), ["--session-id", "ID", "--mcp-config", "MCP"]);
    agent(&env, &["kill", "qwen", "--grace", "0"]).ok();
    agent(&env, &["resume", "qwen"]).ok();
    assert_eq!(called(&env, "qwen"), ["--session-id", "ID", "--mcp-config", "MCP"]);
}

#[test]
fn an_agent_whose_conversation_was_not_stored_restarts_under_its_id() {
    let env = TestEnv::new();
    env.fake_program("claude", STAYS);
    spawned(&env, &["claude", "--name", "claude", "--task", "fix it"]);
    called(&env, "claude");
    took_its_task(&env, "claude");
    agent(&env, &["kill", "claude", "--grace", "0"]).ok();
    env.fake_program(
        "claude",
        &format!("case $1 in --resume) echo \"No conversation found with session ID: $2\"; sleep 0.2; exit 1;; esac; {STAYS}"),
    );
    // A loaded machine may take long to start the program and to end it.
    let kinds = env.state().join("kinds.toml");
    std::fs::write(&kinds, "[claude]\nsettle_ms = 30000\n").unwrap();
    let refused = agent(&env, &["resume", "claude"]).fails(1);
    assert!(refused.stderr.contains("No conversation found"), "{refused:?}");
    std::fs::remove_file(kinds).unwrap();
    let begun = agent(&env, &["resume", "claude"]).ok();
    assert!(begun.stderr.contains("starts with an empty conversation"), "{begun:?}");
    assert_eq!(called(&env, "claude")[..4], ["--session-id", "ID", "--settings", "SETTINGS"]);
}

#[test]
fn resume_never_takes_the_conversation_of_another_agent() {
    let env = TestEnv::new();
    without_settling(&env, &["codex"]);
    env.fake_program("codex", STAYS);
    for name in ["codex", "other"] {
        spawned(&env, &["codex", "--name", name, "--task", "fix it"]);
        assert_eq!(called(&env, "codex"), ["--no-daemon", "-c", "NOTIFY", "-c", "MCP", "fix it"]);
        took_its_task(&env, name);
    }
    agent(&env, &["kill", "codex", "--grace", "0"]).ok();
    let outcome = agent(&env, &["resume", "codex"]).ok();
    assert_eq!(
        outcome.stderr,
        "`codex` starts a new conversation: its CLI does not report which one it used\n"
    );
    assert_eq!(called(&env, "codex"), ["--no-daemon", "-c", "NOTIFY", "-c", "MCP"]);
}

#[test]
fn spawn_can_continue_a_conversation_of_the_user() {
    let env = TestEnv::new();
    without_settling(&env, &["codex"]);
    env.fake_program("codex", STAYS);
    spawned(&env, &["codex", "--name", "codex", "--conversation", "0199-abc", "--task", "go on"]);
    assert_eq!(called(&env, "codex"), ["--no-daemon", "resume", "ID", "-c", "NOTIFY", "-c", "MCP", "go on"]);
    assert_eq!(shown(&env, "codex")["conversation"]["id"], "0199-abc");
}

#[test]
fn a_users_kinds_file_overrides_built_in_kinds_and_reports_mistakes() {
    let env = TestEnv::new();
    without_settling(&env, &[]);
    let file = env.state().join("kinds.toml");
    fs::write(
        &file,
        "[mine]\nprogram = [\"my-agent\"]\nargs = [\"-x\"]\nprompt = { args = [\"-p\", \"{prompt}\"] }\n",
    )
    .unwrap();
    env.fake_program("my-agent", STAYS);
    spawned(&env, &["mine", "--name", "mine", "--task", "hi"]);
    assert_eq!(called(&env, "mine"), ["-x", "-p", "hi"]);
    fs::write(&file, "[mine]\nprogramm = []\n").unwrap();
    let outcome = agent(&env, &["spawn", "mine"]).fails(5);
    assert!(outcome.stderr.contains("kinds.toml") && outcome.stderr.contains("programm"), "{outcome:?}");
}

#[test]
fn conversation_is_refused_for_commands_and_works_in_the_foreground() {
    let env = TestEnv::new();
    for foreground in [&[][..], &["--foreground"]] {
        let args = [&["spawn", "--conversation", "x"], foreground, &["--", "sleep", "1000"]].concat();
        let refused = agent(&env, &args).fails(2);
        assert!(refused.stderr.contains("has no option to choose a conversation"), "{refused:?}");
    }
    env.fake_program("codex", "echo \"$@\" > \"$HOME/ran\"");
    agent(&env, &["spawn", "codex", "--name", "a", "--conversation", "0199-abc", "--foreground"]).ok();
    let ran = std::fs::read_to_string(env.home().join("ran")).unwrap();
    assert!(ran.contains("resume") && ran.contains("0199-abc"), "{ran}");
    assert_eq!(env.registry()["sessions"]["a"]["conversation"]["id"], "0199-abc");
}
