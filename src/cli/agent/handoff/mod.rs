//! The `agent handoff` commands.
//!
//! - `export`: `agent handoff export`
//! - `import`: `agent handoff import`
//! - `summary`: the content of a hand-off as text and as JSON

mod export;
mod import;
mod summary;

use crate::cli::grammar::definition::CommandDefinition;

pub(in crate::cli) const GROUP: CommandDefinition = CommandDefinition::group(
    "handoff",
    "Hand an agent over to another account or machine, as a file",
    &[export::COMMAND, import::COMMAND],
);

/// Formats a size in B, KiB or MiB.
fn bytes(size: u64) -> String {
    match size {
        0..1024 => format!("{size} B"),
        1024..1_048_576 => format!("{:.1} KiB", size as f64 / 1024.0),
        _ => format!("{:.1} MiB", size as f64 / 1_048_576.0),
    }
}
