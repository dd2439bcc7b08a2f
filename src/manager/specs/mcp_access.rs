//! Decides which agents get our MCP server at their start, and whether they ask before they use it.

use crate::env::{AGENT, AGENT_ID};
use crate::kinds::{self, HookCommand, McpServer, McpSetup, ToolApproval};
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::spawn_request::Variables;
use crate::model::{AgentRecord, Kind, Tier};

/// The agent that an MCP server is started for.
pub(in crate::manager) struct Owner {
    pub name: String,
    pub id: String,
    /// The tier of the agent.
    pub tier: Option<Tier>,
}

impl LaunchPlanner<'_> {
    /// Returns an agent as the owner of its MCP server.
    pub(in crate::manager) fn owner(&self, record: &AgentRecord) -> Owner {
        let spec = self.spawn_manifest(&record.name).and_then(|note| note.spec);
        let tier = spec.and_then(|spec| spec.shell_tier);
        Owner { name: record.name.to_string(), id: record.id.to_string(), tier }
    }

    /// Returns the arguments and variables that give the agent our tools at a start; `env` are its other variables.
    pub(in crate::manager) fn tools_for(&self, owner: Owner, kind: &Kind, env: &Variables) -> McpSetup {
        let text = |key: &str| {
            env.iter().find(|(k, _)| k == key).and_then(|(_, value)| value.to_str().map(str::to_owned))
        };
        // An agent that asks before every action asks before these tools, too.
        let asking =
            if owner.tier == Some(Tier::Approve) { ToolApproval::First } else { ToolApproval::Never };
        let server = McpServer {
            command: HookCommand { binary: self.0.hook_program(), home: self.0.home.path.clone() },
            identity: vec![(AGENT.into(), owner.name), (AGENT_ID.into(), owner.id)],
            variables: env.iter().filter_map(|(key, _)| key.to_str().map(str::to_owned)).collect(),
        };
        let wanted = self.0.settings().mcp.enabled;
        kinds::mcp(kind, Some(&server).filter(|_| wanted), asking, &text)
    }
}
