//! The `symposium metrics` command.

use super::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, Opening};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::{Diagnostics, StatusTracker};

pub(super) const COMMAND: CommandDefinition = CommandDefinition::new(
    "metrics",
    "Print metrics for Prometheus",
    Remote::READ_ONLY.without_host_in_json(),
    |_, context| run(context),
)
.opening(Opening::Unclaimed);

fn run(context: &Invocation) -> Result<u8, Error> {
    let text = Diagnostics(&context.manager).metrics()?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "prometheus": text }));
    } else {
        context.ui.data(&text);
    }
    StatusTracker(&context.manager).take_tmux_error().map_or(Ok(0), Err)
}
