//! Adds our MCP server to an agent CLI for one run, in addition to the user's servers, with arguments or a variable
//! and never with a file of the user. The agent's identity is set in the environment of the server, because some CLIs
//! clear the inherited one.

use serde_json::{Map, Value, json};

use super::HookCommand;
use super::argv::toml_string;
use crate::model::{Kind, McpVia};

/// The name of our server.
pub const SERVER: &str = "symposium";

/// Our server for one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// The path of our binary and the state directory.
    pub command: HookCommand,
    /// Variables that identify the agent.
    pub identity: Vec<(String, String)>,
    /// The names of all variables that the agent has.
    pub variables: Vec<String>,
}

/// Whether an agent CLI asks before it uses our tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolApproval {
    /// It asks before each of them, as before all other tools.
    First,
    /// It never asks, because the server checks the permissions.
    Never,
}

/// The settings that add our server to one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpSetup {
    /// Arguments, which belong before the prompt.
    pub args: Vec<String>,
    /// A variable, which overrides all others.
    pub env: Option<(String, String)>,
}

impl McpServer {
    fn words(&self) -> Vec<String> {
        let path = |path: &std::path::Path| path.to_string_lossy().into_owned();
        vec![path(&self.command.binary), "--home".into(), path(&self.command.home), "mcp".into()]
    }

    fn environment(&self) -> Map<String, Value> {
        self.identity.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect()
    }

    /// Returns the server in the format that most CLIs share, with the additional fields of this one.
    fn entry(&self, via: &McpVia, asking: ToolApproval) -> Map<String, Value> {
        let mut words = self.words();
        let command = words.remove(0);
        let mut entry = Map::new();
        entry.insert("command".into(), command.into());
        entry.insert("args".into(), words.into());
        entry.insert("env".into(), Value::Object(self.environment()));
        entry.extend(via.server.clone());
        if !via.inherits.is_empty() {
            entry.insert(via.inherits.clone(), self.variables.clone().into());
        }
        if asking == ToolApproval::Never {
            entry.extend(via.allow_server.clone());
        }
        entry
    }
}

/// Returns the settings for a run of this kind. Without a server, it removes the inherited server of another agent.
/// `before` returns the value that a variable would have otherwise.
pub fn mcp(
    kind: &Kind,
    server: Option<&McpServer>,
    asking: ToolApproval,
    before: &dyn Fn(&str) -> Option<String>,
) -> McpSetup {
    let via = &kind.mcp;
    if !via.variable.is_empty() {
        let config = opencode_config(before(&via.variable).as_deref(), server);
        return McpSetup { args: vec![], env: config.map(|config| (via.variable.clone(), config)) };
    }
    let Some(server) = server.filter(|_| !via.args.is_empty()) else { return McpSetup::default() };
    let entry = Value::Object(server.entry(via, asking));
    let json = json!({ "mcpServers": { SERVER: entry } }).to_string();
    let fill = |arg: &String| match arg.contains("{mcp_toml}") {
        true => arg.replacen("{mcp_toml}", &toml_inline(&entry), 1),
        false => arg.replacen("{mcp}", &json, 1),
    };
    let mut args: Vec<String> = via.args.iter().map(fill).collect();
    if asking == ToolApproval::Never {
        args.extend_from_slice(&via.allow_args);
    }
    McpSetup { args, env: None }
}

/// Adds our server to the configuration that OpenCode reads from a variable, or removes it. Returns `None` if the
/// configuration stays unchanged, because there is nothing to do or it cannot be parsed.
fn opencode_config(before: Option<&str>, server: Option<&McpServer>) -> Option<String> {
    let mut config: Value = match before {
        Some(text) => serde_json::from_str(text).ok()?,
        None => json!({}),
    };
    let servers = config.as_object_mut()?.entry("mcp").or_insert_with(|| json!({})).as_object_mut()?;
    // An agent that was started by another agent has inherited the server of that agent.
    let inherited = servers.remove(SERVER);
    match server {
        Some(server) => {
            let entry = json!({
                "type": "local",
                "command": server.words(),
                "environment": server.environment(),
                "enabled": true,
            });
            servers.insert(SERVER.into(), entry);
        }
        None => drop(inherited?),
    }
    Some(config.to_string())
}

/// Formats a value as TOML on one line.
fn toml_inline(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(",");
    match value {
        Value::String(text) => toml_string(text),
        Value::Array(all) => format!("[{}]", joined(all.iter().map(toml_inline).collect())),
        Value::Object(all) => {
            let entry =
                |(key, value): (&String, &Value)| format!("{}={}", toml_string(key), toml_inline(value));
            format!("{{{}}}", joined(all.iter().map(entry).collect()))
        }
        // Numbers and booleans have the same syntax in TOML; null does not occur.
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
