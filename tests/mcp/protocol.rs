//! The protocol: the tools, invalid messages, and that nothing is created before it is needed.

use serde_json::{Value, json};

use super::{Client, server};
use crate::support::TestEnv;

const GOLDEN: &str = include_str!("../golden/mcp-tools.json");

#[test]
fn the_tools_match_the_golden_file() {
    let env = TestEnv::new();
    let mut client = Client::person(&env);
    let tools = client.ask("tools/list", json!({})).expect("a list");
    let text = serde_json::to_string_pretty(&tools["tools"]).expect("it is JSON") + "\n";
    if text != GOLDEN {
        let file = env.root().join("mcp-tools.json");
        std::fs::write(&file, &text).expect("writing the findings");
        panic!("tests/golden/mcp-tools.json says something else than {}", file.display());
    }
    let promised = [
        "list_agents",
        "show_agent",
        "spawn_agent",
        "recap",
        "add_task",
        "task_status",
        "wait_task",
        "report_progress",
        "complete_task",
        "send_message",
        "read_messages",
        "signal_user",
        "board_get",
        "board_set",
        "spawn_taskspace",
        "update_taskspace",
        "delete_taskspace",
        "log_progress",
        "list_review_comments",
        "resolve_review_comment",
    ];
    let names: Vec<&str> =
        tools["tools"].as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, promised);
}

#[test]
fn listing_tools_and_resources_creates_nothing() {
    let env = TestEnv::new();
    let mut client = Client::person(&env);
    client.ask("tools/list", json!({})).expect("a list");
    let resources = client.ask("resources/list", json!({})).expect("a list");
    assert_eq!(resources["resources"][0]["uri"], "symposium://board");
    let templates = client.ask("resources/templates/list", json!({})).expect("a list");
    assert_eq!(templates["resourceTemplates"].as_array().map(Vec::len), Some(2));
    assert!(!env.state().exists(), "neither a state directory nor a ledger");
    assert!(!env.socket().exists(), "nor a tmux server");
    assert_eq!(client.talk.finish(), Some(0));
}

#[test]
fn invalid_messages_are_answered_and_do_not_end_the_server() {
    let env = TestEnv::new();
    let mut client = Client::person(&env);
    client.talk.say("this is no JSON");
    client.talk.say("{\"jsonrpc\": \"2.0\", ");
    client.talk.say("");
    client.talk.say("{\"neither\": \"request nor answer\"}");
    client.talk.say("{\"jsonrpc\": \"2.0\", \"id\": 99, \"method\": \"tools/call\", \"params\": []}");
    client.hear(|message| message["id"].is_null() && message["error"].is_object());
    let invalid = client.hear(|message| message["id"].is_null() && message["error"].is_object());
    assert_eq!(invalid["error"]["code"], -32600);
    env.wait_until("the mistake is reported on standard error", || {
        client.talk.stderr_so_far().contains("this is no JSON")
    });
    for (method, params, code) in [
        ("tools/call", json!({"name": "kill_agent", "arguments": {}}), -32602),
        ("tools/call", json!({"name": "show_agent", "arguments": "text"}), -32602),
        ("tools/call", json!({"arguments": {}}), -32602),
        ("resources/read", json!({}), -32602),
        ("resources/read", json!({"uri": "file:///etc/passwd"}), -32002),
        ("resources/read", json!({"uri": "symposium://board/none"}), -32002),
        ("no/such/method", json!({}), -32601),
    ] {
        let error = client.ask(method, params.clone()).expect_err(method);
        assert_eq!(error["code"], code, "{method} {params}: {error}");
    }
    for (tool, arguments, says) in [
        ("list_agents", json!({"al": true}), "unknown field `al`, expected `all`"),
        ("list_agents", json!({"all": "yes"}), "invalid type"),
        ("show_agent", json!({}), "`name` is required"),
        ("show_agent", json!({"name": "../x"}), "cannot be a name"),
        ("spawn_agent", json!({"task": "a\u{1b}[2Jb"}), "U+001B"),
        ("spawn_agent", json!({"workspace": "elsewhere"}), "`in-place`, `worktree`, `scratch`"),
        ("add_task", json!({"agent": "a"}), "missing field `text`"),
        ("add_task", json!({"agent": "a", "text": "x", "priority": "now"}), "`critical`"),
        ("wait_task", json!({"id": "one"}), "invalid type"),
        ("wait_task", json!({}), "missing field `id`"),
        ("report_progress", json!({"percent": 101}), "at most 100"),
        ("report_progress", json!({"percent": -1}), "invalid value"),
        ("complete_task", json!({"result": "x"}), "`id` is required"),
        ("send_message", json!({"to": "person", "text": ""}), "the text is empty"),
        ("board_set", json!({"key": "", "value": "x"}), "it is empty"),
        ("update_taskspace", json!({"name": "a"}), "`title` or `description` is required"),
        ("log_progress", json!({"message": "x", "category": "shout"}), "`info`, `warn`"),
        ("log_progress", json!({"message": "x"}), "only an agent"),
        ("recap", json!({"minutes": -3}), "invalid value"),
    ] {
        let message = client.refuses(tool, arguments.clone());
        assert!(message.contains(says), "{tool} {arguments}: {message}");
    }
    let failed = client.fails("wait_task", json!({"id": 77}));
    assert_eq!(
        (&failed["code"], &failed["message"]),
        (&"no-such-task".into(), &"there is no task 77".into())
    );
    assert_eq!(client.call("list_agents", json!({})), json!({"agents": []}), "the agent keeps running");
    assert_eq!(client.talk.finish(), Some(0));
}

#[test]
fn a_client_that_closes_early_still_gets_its_answers() {
    let env = TestEnv::new();
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
        }}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_agents"}}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let outcome = server(&env).stdin(text).ok();
    let answers: Vec<Value> =
        outcome.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), 2, "{outcome:?}");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(answers[1]["result"]["structuredContent"], json!({"agents": []}));
    // The client sends nothing.
    server(&env).ok();
    // The client sends something else than `initialize`.
    let outcome =
        server(&env).stdin("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").fails(1);
    assert!(outcome.stderr.contains("the MCP client sent an invalid message"), "{outcome:?}");
}

#[test]
fn an_unusable_state_directory_fails_a_tool_call_only() {
    let env = TestEnv::new();
    std::fs::write(env.state(), "a file").expect("a file in place of the directory");
    let mut client = Client::person(&env);
    let failed = client.fails("list_agents", json!({}));
    assert_eq!(failed["code"], "state", "{failed}");
    std::fs::remove_file(env.state()).expect("it exists");
    assert_eq!(client.call("list_agents", json!({})), json!({"agents": []}));
}
