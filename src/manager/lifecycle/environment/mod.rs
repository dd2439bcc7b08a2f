//! What the process of an agent finds in its environment.
//!
//! - `editor_socket`: the way from an agent to the editor it is shown in
//! - `mcp_access`: which agents get our MCP server
//! - `missing_variables`: variables that the agent had and this shell lacks

pub(in crate::manager) mod editor_socket;
pub(in crate::manager) mod mcp_access;
pub(in crate::manager) mod missing_variables;
