//! The JSON Schemas in `schema/` against what the binary prints and stores.

use std::fs;
use std::path::Path;

use regex_lite::Regex;
use serde_json::Value;

use super::{agent, shown, spawned, trusted_specs, wait_for, workspace};
use crate::support::TestEnv;

/// Reads a schema of this repository.
fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(name);
    serde_json::from_str(&fs::read_to_string(path).expect(name)).expect("valid JSON")
}

/// Returns the JSON Schema type of a value.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Checks a value against the part of JSON Schema that our schemas use. A field that the schema does not describe is
/// a mistake here, although readers must accept it.
fn check(value: &Value, schema: &Value, at: &str, mistakes: &mut Vec<String>) {
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return,
    };
    if !types.contains(&type_of(value)) {
        mistakes.push(format!("{at}: {value} is none of {types:?}"));
        return;
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        mistakes.push(format!("{at}: {value} is none of {allowed:?}"));
    }
    if let (Some(text), Some(pattern)) = (value.as_str(), schema["pattern"].as_str())
        && !Regex::new(pattern).expect("a pattern").is_match(text)
    {
        mistakes.push(format!("{at}: {text} does not match {pattern}"));
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        check(item, &schema["items"], &format!("{at}[{index}]"), mistakes);
    }
    let Some(fields) = value.as_object() else { return };
    for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(required) {
            mistakes.push(format!("{at}: `{required}` is missing"));
        }
    }
    for (key, inner) in fields {
        let described = match &schema["properties"][key] {
            Value::Null => &schema["additionalProperties"],
            described => described,
        };
        match described {
            Value::Null => mistakes.push(format!("{at}: `{key}` is not described")),
            described => check(inner, described, &format!("{at}.{key}"), mistakes),
        }
    }
}

/// Checks a value against a schema of this repository.
#[track_caller]
pub(super) fn fits(value: &Value, name: &str) {
    let mut mistakes = Vec::new();
    check(value, &schema(name), "$", &mut mistakes);
    assert!(mistakes.is_empty(), "{name}:\n{}\n{value}", mistakes.join("\n"));
}

#[test]
fn output_and_registry_fit_their_schemas() {
    let env = workspace::repository();
    spawned(&env, &["demo", "--name", "asks", "--workspace", "worktree", "--task", "/ask make clean"]);
    spawned(&env, &["demo", "--name", "rests", "--parent", "asks", "--restart", "on-failure"]);
    spawned(&env, &["--name", "fallen", "--", "sleep", "1000"]);
    let pid = shown(&env, "fallen")["pid"].to_string();
    env.program("kill", ["-9", &pid]).ok();
    wait_for(&env, "asks", "waiting");
    wait_for(&env, "rests", "idle");
    wait_for(&env, "fallen", "crashed");
    env.symposium(["task", "add", "rests", "one"]).ok();
    env.symposium(["task", "add", "rests", "two", "--after", "1", "--timeout", "5m"]).ok();
    let terminal = env.terminal([env.binary(), "agent", "attach", "rests", "--observe"]);
    terminal.wait_for_text("rests");
    env.wait_until("the client is attached", || {
        !agent(&env, &["show", "rests", "--json"]).ok().json()["clients"].as_array().unwrap().is_empty()
    });
    fits(&agent(&env, &["list", "--json"]).ok().json(), "agent-list.schema.json");
    fits(&agent(&env, &["list", "--work", "--json"]).ok().json(), "agent-list.schema.json");
    fits(&env.symposium(["task", "list", "--json"]).ok().json(), "task-list.schema.json");
    fits(&env.registry(), "agent-sessions.schema.json");
    let error = agent(&env, &["show", "nobody", "--json"]).fails(3).stderr;
    fits(&serde_json::from_str(&error).unwrap(), "error.schema.json");
}

/// Returns the value of a field of the named agent in a list.
#[track_caller]
fn field<'a>(list: &'a Value, name: &str, field: &str) -> &'a Value {
    let mut agents = list.as_array().expect("a list of agents").iter();
    &agents.find(|agent| agent["name"] == name).unwrap_or_else(|| panic!("no {name}: {list}"))[field]
}

#[test]
fn fields_that_are_mostly_empty_fit_their_schemas() {
    let env = workspace::repository();
    spawned(&env, &["demo", "--name", "cut"]);
    wait_for(&env, "cut", "idle");
    agent(&env, &["send", "cut", "/work 10m"]).ok();
    wait_for(&env, "cut", "working");
    env.tmux(["kill-server"]).ok();
    env.wait_until("all processes have ended", || env.processes().is_empty());
    env.wait_until("the agent is lost", || shown(&env, "cut")["status"] == "lost");
    agent(&env, &["restore", "cut"]).ok();

    let specs = "[agents.web]\nkind = \"demo\"\n[agents.web.params.port]\ntype = \"int\"\n";
    trusted_specs(&env, specs);
    spawned(&env, &["web", "--name", "api", "--param", "port=80"]);
    spawned(&env, &["demo", "--name", "twin", "--count", "2", "--task", "hello"]);
    wait_for(&env, "api", "idle");
    agent(&env, &["send", "api", "/fail rate_limit You've hit your limit · resets in 2 hours"]).ok();
    wait_for(&env, "api", "waiting");
    for text in ["one", "two", "three"] {
        env.symposium(["task", "add", "twin-1", text]).ok();
    }
    let tasks = || env.symposium(["task", "list", "--all", "--json"]).ok().json();
    let id = |text: &str| {
        let tasks = tasks();
        let task = tasks.as_array().unwrap().iter().find(|task| task["text"] == text);
        task.unwrap_or_else(|| panic!("{tasks}"))["id"].to_string()
    };
    env.symposium(["task", "done", &id("one"), "well done"]).ok();
    env.symposium(["task", "fail", &id("two"), "not so well"]).ok();
    env.symposium(["task", "cancel", &id("three")]).ok();

    let (listed, stored) = (agent(&env, &["list", "--json"]).ok().json(), env.registry());
    // The situation contains what it is meant to contain.
    assert!(field(&listed, "api", "failure")["resets_at"].is_string(), "{listed}");
    assert!(field(&listed, "cut", "cut_off")["at"].is_string(), "{listed}");
    assert!(stored["sessions"]["cut"]["cut_off"]["at"].is_string(), "{stored}");
    assert_eq!(field(&listed, "api", "params")[0]["name"], "port");
    assert!(!stored["sessions"]["twin-1"]["group"].is_null(), "{stored}");
    let tasks = tasks();
    for state in ["done", "failed", "cancelled"] {
        assert!(tasks.as_array().unwrap().iter().any(|task| task["state"] == state), "{state}: {tasks}");
    }
    fits(&listed, "agent-list.schema.json");
    fits(&tasks, "task-list.schema.json");
    fits(&stored, "agent-sessions.schema.json");
}

#[test]
fn every_line_of_stderr_is_json_with_json() {
    let env = TestEnv::new();
    let specs = "[agents.web]\nkind = \"demo\"\nenv = { A = \"b\" }\n";
    fs::create_dir(env.project().join(".symposium")).unwrap();
    fs::write(env.project().join(".symposium/agents.toml"), specs).unwrap();
    let outcome = env.symposium(["agent", "spawn", "web", "--name", "a", "--json"]).outcome();
    assert!(!outcome.stderr.is_empty(), "a project's spec is warned of: {outcome:?}");
    for line in outcome.stderr.lines() {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
        assert!(value["warning"].is_string() || value["error"].is_object(), "{line}");
    }
}
