//! The `symposium mcp` command: runs the MCP server.

use std::path::Path;

use crate::cli::grammar::definition::CommandDefinition;
use crate::error::Error;
use crate::mcp;

pub(super) const COMMAND: CommandDefinition = CommandDefinition::standalone(
    "mcp",
    "Serve the Model Context Protocol on stdin and stdout",
    |_, alone| run(alone.home),
);

fn run(home: Option<&Path>) -> Result<u8, Error> {
    mcp::run(home.map(Path::to_path_buf)).map(|()| 0)
}
