//! The `symposium mcp` command: runs the MCP server.

use std::path::Path;

use crate::error::Error;
use crate::mcp;

pub(super) fn run(home: Option<&Path>) -> Result<u8, Error> {
    mcp::run(home.map(Path::to_path_buf)).map(|()| 0)
}
