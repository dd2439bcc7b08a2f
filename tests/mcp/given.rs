//! Which agent CLIs are configured to use our MCP server, and how.

use std::fs;
use std::os::unix::fs::DirBuilderExt;

use serde_json::{Value, json};

use super::{shown, symposium};
use crate::support::TestEnv;

/// Records its arguments, one per line, and keeps running.
const STAYS: &str =
    r#"printf '%s\n' "$@" > "$HOME/called.new"; mv "$HOME/called.new" "$HOME/called"; exec sleep 1000"#;

/// Returns the arguments that a fake program of this name received.
fn called(env: &TestEnv, program: &str, spawn: &[&str]) -> Vec<String> {
    env.fake_program(program, STAYS);
    let file = env.home().join("called");
    let _ = fs::remove_file(&file);
    symposium(env, &[&["agent", "spawn"], spawn].concat()).ok();
    env.wait_until("the program was called", || file.exists());
    fs::read_to_string(file).expect("it exists").lines().map(str::to_owned).collect()
}

fn configured(files: &[(&str, &str)]) -> TestEnv {
    let env = TestEnv::new();
    fs::DirBuilder::new().mode(0o700).create(env.state()).expect("a state directory");
    for (name, text) in files {
        fs::write(env.state().join(name), text).expect("writing a file of the user's");
    }
    env
}

const HASTE: (&str, &str) = ("kinds.toml", "[claude]\nsettle_ms = 0\n");

#[test]
fn claude_gets_our_server_beside_the_users_servers() {
    let env = configured(&[HASTE]);
    let called = called(&env, "claude", &["claude", "--name", "a"]);
    let given = called.iter().find_map(|arg| arg.strip_prefix("--mcp-config=")).expect("a server");
    let given: Value = serde_json::from_str(given).expect("it is JSON");
    let server = &given["mcpServers"]["symposium"];
    assert_eq!(server["command"], env.hook_program());
    assert_eq!(server["args"], json!(["--home", env.state(), "mcp"]));
    assert_eq!(server["env"], json!({"SYMPOSIUM_AGENT": "a", "SYMPOSIUM_AGENT_ID": shown(&env, "a")["id"]}));
    assert!(called.contains(&"--allowedTools=mcp__symposium".to_owned()), "{called:?}");
    assert!(!called.contains(&"--strict-mcp-config".to_owned()), "the user's servers stay");
}

#[test]
fn the_approve_tier_does_not_allow_our_tools() {
    let spec = "[agents.careful]\nkind = \"claude\"\nshell_tier = \"approve\"\ntools = [\"Read\"]\n";
    let env = configured(&[HASTE, ("agents.toml", spec)]);
    let called = called(&env, "claude", &["careful", "--name", "a"]);
    assert!(called.iter().any(|arg| arg.starts_with("--mcp-config=")), "{called:?}");
    let allowed: Vec<&String> = called.iter().filter(|arg| arg.contains("allowedTools")).collect();
    assert_eq!(allowed, ["--allowedTools=Read"]);
}

#[test]
fn no_server_is_configured_when_it_is_disabled() {
    let off = "[mcp]\nenabled = false\n";
    let env = configured(&[HASTE, ("config.toml", off)]);
    let called = called(&env, "claude", &["claude", "--name", "a"]);
    let is_about_it = |arg: &String| arg.contains("--mcp-config") || arg.contains("mcp__");
    assert!(!called.iter().any(is_about_it), "{called:?}");
    let env = configured(&[("kinds.toml", "[claude]\nsettle_ms = 0\nmcp.args = []\n")]);
    let called = self::called(&env, "claude", &["claude", "--name", "a"]);
    assert!(!called.iter().any(|arg| arg.contains("--mcp-config")), "{called:?}");
}
