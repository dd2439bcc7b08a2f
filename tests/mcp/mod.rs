//! `symposium mcp` from the view of its clients: JSON-RPC on standard input and output, with demo agents on real tmux.

mod agents;
mod given;
mod mail;
mod permissions;
mod protocol;
mod review;
mod tasks;
mod taskspaces;

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::support::TestEnv;
use crate::support::run::{Run, Talk};

/// A client that has completed the handshake.
struct Client {
    talk: Talk,
    next: i64,
    /// Messages that arrived while the client waited for another one.
    kept: VecDeque<Value>,
}

impl Client {
    /// Starts a client without an agent's identity, as a user does.
    #[track_caller]
    fn person(env: &TestEnv) -> Client {
        Client::hello(server(env))
    }

    /// Starts a client as an agent CLI does.
    #[track_caller]
    fn of(env: &TestEnv, agent: &str) -> Client {
        let id = shown(env, agent)["id"].as_str().expect("an id is a text").to_owned();
        Client::hello(server(env).env("SYMPOSIUM_AGENT", agent).env("SYMPOSIUM_AGENT_ID", id))
    }

    #[track_caller]
    fn hello(run: Run) -> Client {
        let mut client = Client { talk: run.talk(), next: 0, kept: VecDeque::new() };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        });
        let output = client.ask("initialize", hello).expect("it says hello");
        assert_eq!(output["serverInfo"]["name"], "symposium");
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    #[track_caller]
    fn say(&mut self, message: &Value) {
        self.talk.say(&message.to_string());
    }

    /// Sends a request and returns its id.
    #[track_caller]
    fn send(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.say(&message);
        self.next
    }

    /// Returns the first message that fulfils the condition, and keeps the others.
    #[track_caller]
    fn hear(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&is_it) {
            return self.kept.remove(at).expect("it exists");
        }
        loop {
            let line = self.talk.hear().expect("the server is there");
            let message: Value =
                serde_json::from_str(&line).expect("nothing but the protocol on standard output");
            if is_it(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    /// Returns the result of a request, or its error.
    #[track_caller]
    fn answer(&mut self, id: i64) -> Result<Value, Value> {
        let mut message = self.hear(|message| message["id"] == id);
        match message["error"].take() {
            Value::Null => Ok(message["result"].take()),
            error => Err(error),
        }
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool that must succeed, and returns its structured content.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let output = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let mut output = output.unwrap_or_else(|error| panic!("{tool}: {error}"));
        assert_eq!(output["isError"], false, "{tool}: {output}");
        assert!(
            output["content"][0]["text"].as_str().is_some_and(|text| !text.is_empty()),
            "{tool}: {output}"
        );
        output["structuredContent"].take()
    }

    /// Calls a tool that must fail, and returns the error.
    #[track_caller]
    fn fails(&mut self, tool: &str, arguments: Value) -> Value {
        let output = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let mut output = output.unwrap_or_else(|error| panic!("{tool}: {error}"));
        assert_eq!(output["isError"], true, "{tool}: {output}");
        output["structuredContent"]["error"].take()
    }

    /// Calls a tool with invalid arguments, and returns the protocol error.
    #[track_caller]
    fn refuses(&mut self, tool: &str, arguments: Value) -> String {
        let output = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let error = output.expect_err("it is refused");
        assert_eq!(error["code"], -32602, "{error}");
        error["message"].as_str().expect("a message is a text").to_owned()
    }
}

/// Runs the server, which starts a supervisor when it needs one.
fn server(env: &TestEnv) -> Run {
    env.symposium(["mcp"]).env("SYMPOSIUM_SUPERVISOR", "on")
}

/// Runs `symposium …` with a supervisor.
fn symposium(env: &TestEnv, args: &[&str]) -> Run {
    env.symposium(args).env("SYMPOSIUM_SUPERVISOR", "on")
}

/// Starts a demo agent in a directory below the project.
#[track_caller]
fn demo(env: &TestEnv, name: &str, below: &str, parent: Option<&str>) {
    let dir = env.root().join(below);
    std::fs::create_dir_all(&dir).expect("a directory to work in");
    let dir = dir.to_str().expect("a plain path");
    let mut args = vec!["agent", "spawn", "demo", "--name", name, "--dir", dir];
    args.extend(parent.iter().flat_map(|parent| ["--parent", parent]));
    symposium(env, &args).ok();
}

/// Returns the output of `agent show --json`.
#[track_caller]
fn shown(env: &TestEnv, name: &str) -> Value {
    symposium(env, &["agent", "show", name, "--json"]).ok().json()
}

/// Returns the names in a list of agents, sorted.
fn names(list: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = list["agents"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|agent| agent["name"].as_str())
        .collect();
    names.sort_unstable();
    names
}
