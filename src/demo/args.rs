//! The arguments of `symposium demo-agent`: the flags of Claude Code that Symposium passes to a real agent.

use clap::Args;

/// An interactive stand-in for an agent CLI; type `/help` in it.
#[derive(Debug, Clone, Default, Args)]
pub struct DemoArgs {
    /// Start a new conversation under this id
    #[arg(long, value_name = "ID", conflicts_with = "continue_last")]
    pub session_id: Option<String>,
    /// Continue the conversation with this id
    #[arg(long, value_name = "ID", conflicts_with = "continue_last")]
    pub resume: Option<String>,
    /// Start a copy of the conversation to continue
    #[arg(long, requires = "resume")]
    pub fork_session: bool,
    /// Continue the last conversation in this directory
    #[arg(long = "continue")]
    pub continue_last: bool,
    /// Hooks, as JSON or as a file that holds it
    #[arg(long, value_name = "JSON|FILE")]
    pub settings: Option<String>,
    /// The model to pretend to be
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Accepted and ignored
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub append_system_prompt: Option<String>,
    /// Accepted and ignored
    #[arg(long = "allowedTools", value_name = "TOOLS")]
    pub allowed_tools: Option<String>,
    /// Accepted and ignored
    #[arg(long, value_name = "JSON")]
    pub mcp_config: Vec<String>,
    /// `bypassPermissions` never asks, every other mode does
    #[arg(long, value_name = "MODE")]
    pub permission_mode: Option<String>,
    /// The first prompt
    #[arg(value_name = "PROMPT")]
    pub prompt: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct DemoCli {
        #[command(flatten)]
        demo: DemoArgs,
    }

    #[test]
    fn the_flags_are_those_the_kind_gives() {
        let cli = DemoCli::try_parse_from([
            "demo",
            "--model",
            "m",
            "--append-system-prompt=- a",
            "--allowedTools=Read,Bash(git log:*)",
            "--mcp-config={}",
            "--permission-mode",
            "default",
            "--session-id",
            "x",
            "--settings",
            "{}",
            "--",
            "--help",
        ]);
        let demo = cli.unwrap_or_else(|error| panic!("{error}")).demo;
        assert_eq!(demo.prompt.as_deref(), Some("--help"));
        assert_eq!(demo.session_id.as_deref(), Some("x"));
        assert!(
            DemoCli::try_parse_from(["demo", "--continue", "say hi"])
                .unwrap_or_else(|e| panic!("{e}"))
                .demo
                .continue_last
        );
        assert!(DemoCli::try_parse_from(["demo", "--fork-session"]).is_err());
    }
}
