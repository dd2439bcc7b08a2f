//! The `agent handoff` commands.

mod export;
mod import;
mod summary;

use clap::Subcommand;

use crate::cli::Invocation;
use crate::error::Error;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Verb {
    /// Export an agent into a file: conversation, work and tasks, never secrets
    Export(export::Arguments),
    /// Import an agent from a file, after showing what is in it
    Import(import::Arguments),
}

pub(in crate::cli) fn run(verb: Verb, context: &Invocation) -> Result<u8, Error> {
    match verb {
        Verb::Export(args) => export::run(args, context),
        Verb::Import(args) => import::run(args, context),
    }
}

/// Formats a size in B, KiB or MiB.
fn bytes(size: u64) -> String {
    match size {
        0..1024 => format!("{size} B"),
        1024..1_048_576 => format!("{:.1} KiB", size as f64 / 1024.0),
        _ => format!("{:.1} MiB", size as f64 / 1_048_576.0),
    }
}
