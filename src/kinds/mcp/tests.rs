//! Tests of the MCP settings of each CLI, of keeping the user's own servers, and of the quoting of arbitrary paths.

use proptest::prelude::*;

use super::*;
use crate::kinds::Kinds;

fn server(path: &str) -> McpServer {
    McpServer {
        command: HookCommand { binary: path.into(), home: path.into() },
        identity: vec![("SYMPOSIUM_AGENT".into(), "a".into()), ("SYMPOSIUM_AGENT_ID".into(), "1".into())],
        variables: vec!["PATH".into(), "KEY".into()],
    }
}

fn given(name: &str, asking: ToolApproval) -> McpSetup {
    mcp(Kinds::builtin().get(name).unwrap(), Some(&server("/b")), asking, &|_| None)
}

#[test]
fn each_cli_gets_only_the_settings_it_supports() {
    for (name, flags, variable) in [
        ("claude", &["--mcp-config", "--allowedTools=mcp__symposium"][..], None),
        ("codex", &["-c"], None),
        ("qwen", &["--mcp-config"], None),
        ("copilot", &["--additional-mcp-config", "--allow-tool=symposium"], None),
        ("opencode", &[], Some("OPENCODE_CONFIG_CONTENT")),
        ("gemini", &[], None),
        ("aider", &[], None),
        ("demo", &[], None),
        ("command", &[], None),
    ] {
        let setup = given(name, ToolApproval::Never);
        let is_flag = |arg: &&str| arg.starts_with('-');
        let cut = |arg: &'static str| arg;
        let found: Vec<&str> = setup
            .args
            .iter()
            .map(|arg| arg.split_once("={").map_or(arg.as_str(), |(flag, _)| flag))
            .filter(is_flag)
            .collect();
        assert_eq!(found, flags.iter().copied().map(cut).collect::<Vec<_>>(), "{name}");
        assert_eq!(setup.env.map(|(key, _)| key).as_deref(), variable, "{name}");
    }
}

#[test]
fn an_agent_that_asks_before_everything_asks_before_our_tools() {
    for (name, given_away) in [
        ("claude", "allowedTools"),
        ("codex", "default_tools_approval_mode"),
        ("qwen", "trust"),
        ("copilot", "--allow-tool"),
    ] {
        let says = |asking| given(name, asking).args.iter().any(|arg| arg.contains(given_away));
        assert!(says(ToolApproval::Never) && !says(ToolApproval::First), "{name}");
    }
}

#[test]
fn mcp_server_knows_its_agent_even_with_a_cleared_environment() {
    let claude = given("claude", ToolApproval::First).args.remove(0);
    let config: Value = serde_json::from_str(claude.strip_prefix("--mcp-config=").unwrap()).unwrap();
    let expected = json!({"mcpServers": {"symposium": {
        "type": "stdio", "command": "/b", "args": ["--home", "/b", "mcp"], "timeout": 3_660_000, "alwaysLoad": true,
        "env": {"SYMPOSIUM_AGENT": "a", "SYMPOSIUM_AGENT_ID": "1"},
    }}});
    assert_eq!(config, expected);
    let codex: toml::Table = toml::from_str(&given("codex", ToolApproval::Never).args[1]).unwrap();
    let expected: toml::Table = toml::from_str(
        r#"[mcp_servers.symposium]
        command = "/b"
        args = ["--home", "/b", "mcp"]
        env = { SYMPOSIUM_AGENT = "a", SYMPOSIUM_AGENT_ID = "1" }
        env_vars = ["PATH", "KEY"]
        tool_timeout_sec = 3660
        default_tools_approval_mode = "approve""#,
    )
    .unwrap();
    assert_eq!(codex, expected);
}

#[test]
fn opencode_keeps_servers_of_the_user_and_drops_those_of_other_agents() {
    let kind = Kinds::builtin().get("opencode").unwrap();
    let setup = |before: Option<&str>, server: Option<&McpServer>| {
        let before = before.map(str::to_owned);
        let env = mcp(kind, server, ToolApproval::Never, &|_| before.clone()).env;
        env.map(|(_, config)| serde_json::from_str::<Value>(&config).unwrap())
    };
    let ours = server("/b");
    let entry = json!({
        "type": "local", "command": ["/b", "--home", "/b", "mcp"], "enabled": true,
        "environment": {"SYMPOSIUM_AGENT": "a", "SYMPOSIUM_AGENT_ID": "1"},
    });
    assert_eq!(setup(None, Some(&ours)), Some(json!({"mcp": {"symposium": entry}})));
    let before = r#"{"plugin":["p"],"mcp":{"theirs":{"x":1},"symposium":{"of":"another"}}}"#;
    assert_eq!(
        setup(Some(before), Some(&ours)),
        Some(json!({"plugin": ["p"], "mcp": {"theirs": {"x": 1}, "symposium": entry}}))
    );
    assert_eq!(setup(Some(before), None), Some(json!({"plugin": ["p"], "mcp": {"theirs": {"x": 1}}})));
    assert_eq!(setup(Some(r#"{"plugin":["p"]}"#), None), None, "it contains nothing of ours");
    for theirs in ["{ // a comment\n}", "[]", "{\"mcp\":7}"] {
        assert_eq!(setup(Some(theirs), Some(&ours)), None, "{theirs}");
    }
}

#[test]
fn no_mcp_settings_without_a_server() {
    for name in Kinds::builtin().names() {
        let kind = Kinds::builtin().get(name).unwrap();
        assert_eq!(mcp(kind, None, ToolApproval::Never, &|_| None), McpSetup::default(), "{name}");
    }
}

proptest! {
    #[test]
    fn any_path_survives_json_and_toml(path in "[^\0]{1,40}") {
        let kinds = Kinds::builtin();
        let args = |name: &str| mcp(kinds.get(name).unwrap(), Some(&server(&path)), ToolApproval::First, &|_| None).args;
        let codex: toml::Table = toml::from_str(&args("codex")[1]).unwrap();
        let command = codex["mcp_servers"]["symposium"]["command"].as_str();
        prop_assert_eq!(command, Some(path.as_str()));
        let qwen: Value = serde_json::from_str(&args("qwen")[1]).unwrap();
        prop_assert_eq!(&qwen["mcpServers"]["symposium"]["args"][1], &Value::from(path.as_str()));
    }
}
