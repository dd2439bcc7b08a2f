//! `agent spawn SPEC`: the values of a spec reach its agent, and unsupported ones are reported.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{agent, in_project, shown, spawned, trusted_specs, wait_for, without_settling};
use crate::support::TestEnv;

/// Keeps running, and records its variables and arguments in files. The file with the arguments appears last and complete,
/// so that a test that waits for it can read both.
const STAYS: &str = r#"env > "$HOME/env"; printf '%s\n' "$@" > "$HOME/called.new"; mv "$HOME/called.new" "$HOME/called"
exec sleep 1000"#;

fn called(env: &TestEnv) -> Vec<String> {
    let file = env.home().join("called");
    env.wait_until("the program was called", || file.exists());
    let text = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn frozen(env: &TestEnv, name: &str) -> Value {
    let text = fs::read_to_string(env.state().join("instances").join(name).join("spec.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_value_of_a_spec_reaches_its_agent() {
    let env = TestEnv::new();
    without_settling(&env, &["claude"]);
    env.fake_program("claude", STAYS);
    let text = r#"
[defaults]
restart = "always"
env = { GREETING = "it's $(id) \"fine\"" }
[agents.reviewer]
description = "Reads what others wrote"
kind = "claude"
model = "opus"
tools = ["Read", "Bash(git log:*)"]
shell_tier = "approve"
system_prompt = "-be kind $(touch x)"
ephemeral = true
heartbeat = { every = "1h", prompt = "look" }
"#;
    trusted_specs(&env, text);
    in_project(&env, "deep/below/file", "");
    let run = agent(&env, &["spawn", "reviewer"]).current_dir(env.project().join("deep/below")).ok();
    assert_eq!(run.stdout, "reviewer-1\n");
    assert_eq!(run.stderr, "");
    let expected = [
        "--model",
        "opus",
        "--append-system-prompt",
        " -be kind $(touch x)",
        "--allowedTools=Read,Bash(git log:*)",
        "--permission-mode",
        "default",
        "--session-id",
    ];
    assert_eq!(called(&env)[..8], expected);
    let variables = fs::read_to_string(env.home().join("env")).unwrap();
    assert!(variables.contains("GREETING=it's $(id) \"fine\"\n"), "{variables}");
    let agent = shown(&env, "reviewer-1");
    assert_eq!((&agent["spec"], &agent["kind"]), (&json!("reviewer"), &json!("claude")));
    assert_eq!((&agent["restart"]["policy"], &agent["ephemeral"]), (&json!("always"), &json!(true)));
    assert_eq!(agent["title"], "Reads what others wrote");
    assert_eq!(frozen(&env, "reviewer-1")["spec"]["model"], "opus");
}

#[test]
fn command_line_options_override_the_spec() {
    let env = TestEnv::new();
    let text = "[agents.a]\nkind = 'demo'\nrestart = 'always'\nworkspace = 'scratch'\nenv.A = 'spec'\ndescription = 'x'\n";
    trusted_specs(&env, text);
    spawned(
        &env,
        &[
            "a",
            "--name",
            "b",
            "--restart",
            "no",
            "--workspace",
            "in-place",
            "--env",
            "A=mine",
            "--title",
            "t",
        ],
    );
    let agent = shown(&env, "b");
    assert_eq!((&agent["restart"]["policy"], &agent["workspace"]), (&json!("no"), &json!("in-place")));
    assert_eq!(agent["title"], "t");
    let pid = agent["pid"].to_string();
    let variables = fs::read(format!("/proc/{pid}/environ")).unwrap();
    assert!(variables.split(|byte| *byte == 0).any(|variable| variable == b"A=mine"));
}

#[test]
fn a_spec_is_found_by_folder_file_and_configuration() {
    let env = TestEnv::new();
    in_project(&env, "WeatherAssistant/agent.mdx", "---\nkind: demo\n---\nYou tell the weather.\n");
    in_project(&env, "other.toml", "[agents.only]\nkind = 'demo'\n");
    in_project(&env, ".claude/agents/reviewer.md", "---\nname: code-reviewer\ntools: Bash\n---\nReview.\n");
    for path in ["./WeatherAssistant", "WeatherAssistant", "WeatherAssistant/agent.mdx"] {
        let name = spawned(&env, &[path]);
        assert!(name.starts_with("weather-assistant-"), "{path}: {name}");
        let command = shown(&env, &name)["command"].clone();
        assert_eq!(command[2], "--append-system-prompt=You tell the weather.", "{path}");
    }
    spawned(&env, &["only", "--config", "other.toml", "--name", "by-flag"]);
    agent(&env, &["spawn", "only", "--name", "by-variable"])
        .env("SYMPOSIUM_AGENTS_CONFIG", "other.toml")
        .ok();
    agent(&env, &["spawn", "only"]).fails(3);

    without_settling(&env, &["claude"]);
    env.fake_program("claude", STAYS);
    let run = agent(&env, &["spawn", "code-reviewer", "--name", "foreign"]).ok();
    assert!(run.stderr.starts_with("warning: its file also sets tools, which is ignored\n"), "{run:?}");
    assert_eq!(called(&env)[..2], ["--append-system-prompt", "Review."]);
}

#[test]
fn unsupported_options_are_reported_and_a_looser_tier_is_refused() {
    let env = TestEnv::new();
    without_settling(&env, &["codex", "aider"]);
    env.fake_program("codex", STAYS);
    env.fake_program("aider", STAYS);
    let text = "[agents.c]\nkind = 'codex'\nshell_tier = 'review'\ntools = ['Read']\n\
                [agents.a]\nkind = 'aider'\nshell_tier = 'approve'\n\
                [agents.plain]\ncommand = ['sleep', '1000']\nmodel = 'opus'\n";
    fs::write(env.state().join("agents.toml"), text).unwrap();
    assert_snapshot!(agent(&env, &["spawn", "c"]).ok().stderr, @"
    warning: Codex has no option to allow tools without approval
    warning: Codex does not support the approval tier `review`; `approve` is used instead
    ");
    assert_eq!(called(&env)[..5], ["--no-daemon", "-a", "on-request", "-s", "read-only"]);
    assert_eq!(
        agent(&env, &["spawn", "plain"]).ok().stderr,
        "warning: a plain command has no option to choose a model\n"
    );
    assert_snapshot!(env.redacted(&agent(&env, &["spawn", "a"]).fails(1).stderr), @"
    error: Aider cannot enforce the approval tier `approve`
      spec `a` asks for it ([ROOT]/home/.symposium/agents.toml:7); the agent would have more permissions than that
      nothing was started
    hint: choose another `kind`, or remove `shell_tier` from the spec
    ");
    assert!(!env.home().join("called").exists() && !env.state().join("instances/a-1").exists());
}

#[test]
fn an_invalid_spec_is_reported_with_its_position_and_starts_nothing() {
    let env = TestEnv::new();
    let text = "[agents.a]\nmodle = 'x'\nshell_tier = 'lose'\n[agents.b]\nkind = 'cluade'\n[agents.ok]\nkind = 'demo'\n\
                [agents.evil]\ncommand = ['my program $(touch /tmp/x); rm']\n";
    in_project(&env, ".symposium/agents.toml", text);
    assert_snapshot!(env.redacted(&agent(&env, &["spawn", "a"]).fails(1).stderr), @"
    error: [ROOT]/project/.symposium/agents.toml:2:1: unknown key `modle`; did you mean `model`? allowed: description, extends, kind, command, role, model, tools, shell_tier, system_prompt, env, restart, heartbeat, workspace, ephemeral, max_instances, params, notify, limits
      [ROOT]/project/.symposium/agents.toml:3:14: `shell_tier` `lose` is not a valid value; allowed: free, review, approve
      nothing was started
    hint: correct the file; `symposium spec check` lists every mistake in it
    ");
    let unknown = agent(&env, &["spawn", "b"]).fails(1);
    assert!(
        unknown.stderr.contains("agents.toml:5: `kind` `cluade` is not known; known: claude"),
        "{unknown:?}"
    );
    let evil = agent(&env, &["spawn", "evil"]).fails(1);
    assert!(evil.stderr.contains("error: `my program $(touch /tmp/x); rm` is not installed"), "{evil:?}");
    assert_snapshot!(agent(&env, &["spawn", "evli"]).fails(3).stderr, @"
    error: no spec or kind named `evli`
      known: a, b, evil, ok, claude, codex, gemini, kiro, q, opencode, qwen, copilot, cursor, amp, goose, aider, demo
    hint: did you mean `symposium agent spawn evil`?
    ");
    assert_snapshot!(agent(&env, &["spawn", "./nowhere"]).fails(3).stderr, @"
    error: no spec or kind named `./nowhere`
      known: a, b, evil, ok, claude, codex, gemini, kiro, q, opencode, qwen, copilot, cursor, amp, goose, aider, demo
    hint: to run any command: `symposium agent spawn -- ./nowhere`
    ");
    assert_eq!(agent(&env, &["list", "--json"]).ok().json(), json!([]));
    assert_eq!(spawned(&env, &["ok"]), "ok-1", "mistakes of other specs do not affect it");
}

#[test]
fn an_agent_keeps_its_spec_until_a_fresh_restart() {
    let env = TestEnv::new();
    let file = ".symposium/agents.toml";
    trusted_specs(&env, "[agents.a]\nkind = 'demo'\nmodel = 'one'\nenv.WHICH = 'one'\nrestart = 'always'\n");
    spawned(&env, &["a", "--name", "x"]);
    wait_for(&env, "x", "idle");
    trusted_specs(
        &env,
        "[agents.a]\nkind = 'demo'\nmodel = 'two'\nenv.WHICH = 'two'\nshell_tier = 'review'\n",
    );
    let which = || {
        let agent = shown(&env, "x");
        let variables = fs::read(format!("/proc/{}/environ", agent["pid"])).unwrap();
        let own = variables.split(|byte| *byte == 0).find(|variable| variable.starts_with(b"WHICH="));
        let own = String::from_utf8(own.unwrap().to_vec()).unwrap();
        (agent["command"][3].as_str().unwrap().to_owned(), own, agent["restart"]["policy"].clone())
    };
    let one = ("one".to_owned(), "WHICH=one".to_owned(), json!("always"));
    agent(&env, &["restart", "x"]).ok();
    assert_eq!(which(), one);
    agent(&env, &["kill", "x"]).ok();
    agent(&env, &["resume", "x"]).ok();
    assert_eq!(which(), one);
    let mended = fs::read_to_string(env.project().join(file)).unwrap();
    in_project(&env, file, "[agents.a]\nmodel = 3\n");
    agent(&env, &["restart", "--fresh", "x"]).fails(1);
    assert_eq!(which(), one, "an invalid spec ends no agent");
    trusted_specs(&env, &mended);
    // From another directory: the spec is searched in the directory of the first spawn.
    agent(&env, &["restart", "--fresh", "x"]).current_dir(env.home()).ok();
    assert_eq!(which(), ("two".to_owned(), "WHICH=two".to_owned(), json!("no")));
    assert_eq!(frozen(&env, "x")["spec"]["model"], "two");
    assert_eq!(frozen(&env, "x")["record"]["name"], "x");
}

#[test]
fn an_agent_without_a_stored_spec_restarts_fresh_from_its_kind() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--env", "A=b", "--title", "mine"]);
    let file = env.state().join("instances/a/spec.json");
    let mut note = frozen(&env, "a");
    note.as_object_mut().unwrap().retain(|key, _| key == "record" || key == "env");
    fs::write(&file, note.to_string()).unwrap();
    agent(&env, &["restart", "a"]).ok();
    agent(&env, &["restart", "a", "--fresh"]).ok();
    assert_eq!((&shown(&env, "a")["kind"], &shown(&env, "a")["title"]), (&json!("demo"), &json!("mine")));
    assert_eq!(frozen(&env, "a")["env"], json!([["A", "b"]]));
}
