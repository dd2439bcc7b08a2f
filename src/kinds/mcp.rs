//! Gives an agent CLI our MCP server for one run, beside the servers that its user has: by arguments or a variable, never
//! by a file of theirs. The server is told whose it is in its own environment, which some CLIs clear.

use serde_json::{Map, Value, json};

use super::HookCommand;
use super::argv::toml_string;
use crate::model::{Kind, McpVia};

/// What our server is called among others.
pub const SERVER: &str = "symposium";

/// Our server for one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// Our binary and the environment.
    pub door: HookCommand,
    /// Variables that say whose it is.
    pub identity: Vec<(String, String)>,
    /// The names of all variables that its agent has.
    pub variables: Vec<String>,
}

/// Whether an agent's CLI asks before it uses our tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// Before each of them, as before everything else.
    First,
    /// Never: what they may do is decided on our side.
    Never,
}

/// What one run is given so that it has our server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpSetup {
    /// Arguments, to stand before the prompt.
    pub args: Vec<String>,
    /// A variable, to be set over all others.
    pub env: Option<(String, String)>,
}

impl McpServer {
    fn words(&self) -> Vec<String> {
        let path = |path: &std::path::Path| path.to_string_lossy().into_owned();
        vec![path(&self.door.binary), "--home".into(), path(&self.door.home), "mcp".into()]
    }

    fn environment(&self) -> Map<String, Value> {
        self.identity.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect()
    }

    /// The server in the form that most CLIs share, with what this one wants beside.
    fn entry(&self, via: &McpVia, asking: Asking) -> Map<String, Value> {
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
        if asking == Asking::Never {
            entry.extend(via.allow_server.clone());
        }
        entry
    }
}

/// What a run of this kind is given; without a server, what is to be taken from it that another agent's was.
/// `before` tells what a variable would be without us.
pub fn mcp(
    kind: &Kind,
    server: Option<&McpServer>,
    asking: Asking,
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
    if asking == Asking::Never {
        args.extend_from_slice(&via.allow_args);
    }
    McpSetup { args, env: None }
}

/// The configuration that OpenCode reads from a variable, with our server in it or without; none when it is to stay as
/// it is, because there is nothing to do or it is not one that we can read.
fn opencode_config(before: Option<&str>, server: Option<&McpServer>) -> Option<String> {
    let mut config: Value = match before {
        Some(text) => serde_json::from_str(text).ok()?,
        None => json!({}),
    };
    let servers = config.as_object_mut()?.entry("mcp").or_insert_with(|| json!({})).as_object_mut()?;
    // An agent that was started by another has inherited the other's.
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

/// A value as TOML on one line.
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
        // Numbers and truths are written alike; a null is never put in.
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
