//! `agent handoff export`

use std::path::PathBuf;

use clap::Args;

use super::bytes;
use crate::cli::{Context, recap, spawn};
use crate::error::Error;
use crate::manager::{Existing, ExportRequest, Secrets};

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// The agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// The file, instead of NAME.handoff.tar.gz here
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace a file of that name
    #[arg(long)]
    force: bool,
    /// Hand over what looks like a secret, too
    #[arg(long)]
    allow_secrets: bool,
}

pub(super) fn run(args: Arguments, context: &Context) -> Result<u8, Error> {
    let exported = context.manager.handoff_export(&ExportRequest {
        name: spawn::name(&args.name)?,
        file: args.output,
        existing: if args.force { Existing::Replaced } else { Existing::Kept },
        secrets: if args.allow_secrets { Secrets::Allowed } else { Secrets::Refused },
        recap_text: &recap::text,
    })?;
    if context.ui.json {
        context.ui.json(&exported);
        return Ok(0);
    }
    for remark in &exported.remarks {
        context.ui.say(remark);
    }
    context.ui.data(&exported.file.to_string_lossy());
    context
        .ui
        .say(&format!("{}; take it over with: symposium agent handoff import FILE", bytes(exported.size)));
    Ok(0)
}
