//! `symposium mcp`: the tools of an agent, over the Model Context Protocol on standard input and output.
//!
//! Like the command line it is a face: it parses, checks the caller's permissions, calls one use case of the manager
//! and renders the result. Agents start this server with every run, so nothing is opened before a tool needs it.
//! Standard output belongs to the protocol; log lines go to standard error.
//!
//! - `server`: finds and runs tools for the SDK
//! - `tool`: name, description, arguments and result of a tool
//! - `context`: the environment and the change watcher that tools share
//! - `input`: standard input that reports its end
//! - `resources`: the board and the transcript as resources
//! - `agents`: tools for agents
//! - `tasks`: tools for tasks
//! - `wait`: the `wait_task` tool
//! - `messages`: tools for messages
//! - `board`: tools for the board
//! - `review`: tools for review comments
//! - `taskspaces`: tools of older versions

mod agents;
mod board;
mod context;
mod input;
mod messages;
mod resources;
mod review;
mod server;
mod tasks;
mod taskspaces;
mod tool;
mod wait;

use std::path::PathBuf;

use rmcp::ServiceExt;
use rmcp::transport::stdio;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;

use crate::error::Error;
use context::ToolContext;
use input::ClosingInput;
use server::McpHandler;

/// Maximum number of tools that run at the same time. A waiting call does not occupy a thread.
const MAX_CALLS: usize = 8;

/// Serves requests until the client closes standard input.
pub fn run(home: Option<PathBuf>) -> Result<(), Error> {
    log();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_CALLS)
        .build()
        .map_err(Error::io("cannot start the MCP server"))?;
    let ended = runtime.block_on(async {
        let (stdin, stdout) = stdio();
        let (input, is_over) = ClosingInput::new(stdin);
        let server = McpHandler::new(ToolContext::new(home), is_over);
        let failed =
            |what: String| Error::io("the MCP client sent an invalid message")(std::io::Error::other(what));
        let running = match server.serve((input, stdout)).await {
            Ok(running) => running,
            // The client closed the connection without a request, for example to test whether the server starts.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(failed(error.to_string())),
        };
        running.waiting().await.map(drop).map_err(|error| failed(error.to_string()))
    });
    // There is no client left for the result of a tool that is still running.
    runtime.shutdown_background();
    ended
}

/// Logs protocol errors to standard error. The SDK reports unreadable input only through its log.
fn log() {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).without_time().with_ansi(false);
    let wanted = Targets::new()
        .with_default(LevelFilter::WARN)
        .with_target("rmcp::transport::async_rw", LevelFilter::DEBUG);
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines).with(wanted));
}
