//! `symposium mcp`: the tools of an agent, over the Model Context Protocol on standard input and output.
//!
//! A face like the command line: it parses, asks what the caller's place allows, calls one verb of the manager and
//! renders. An agent starts this with itself, so nothing is opened before a tool needs it. Standard output belongs to
//! the protocol: what is to be logged goes to standard error.

mod agents;
mod board;
mod context;
mod input;
mod messages;
mod resources;
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
use context::Desk;
use input::Input;
use server::Server;

/// As many tools as are at work at once; a wait holds none of these threads.
const HANDS: usize = 8;

/// Serves until the client closes our input.
pub fn run(home: Option<PathBuf>) -> Result<(), Error> {
    log();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(HANDS)
        .build()
        .map_err(Error::io("cannot start the MCP server"))?;
    let ended = runtime.block_on(async {
        let (stdin, stdout) = stdio();
        let (input, is_over) = Input::new(stdin);
        let server = Server::new(Desk::new(home), is_over);
        let failed =
            |what: String| Error::io("the MCP client was not understood")(std::io::Error::other(what));
        let running = match server.serve((input, stdout)).await {
            Ok(running) => running,
            // Nobody ever spoke: a client that only looked whether we start.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(failed(error.to_string())),
        };
        running.waiting().await.map(drop).map_err(|error| failed(error.to_string()))
    });
    // A tool that is still at work has nobody left to tell.
    runtime.shutdown_background();
    ended
}

/// What goes wrong between the client and us, on standard error; what cannot be read at all the SDK tells only so.
fn log() {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).without_time().with_ansi(false);
    let wanted = Targets::new()
        .with_default(LevelFilter::WARN)
        .with_target("rmcp::transport::async_rw", LevelFilter::DEBUG);
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines).with(wanted));
}
