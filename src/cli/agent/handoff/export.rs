//! The `agent handoff export` command.

use std::path::PathBuf;

use clap::Args;

use crate::cli::agent::handoff::bytes;
use crate::cli::{
    Invocation,
    agent::{attach_shared, recap},
    render::ui,
};
use crate::error::Error;
use crate::manager::Handoff;
use crate::manager::{Destination, Existing, ExportRequest, Secrets};

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// File or directory [default: NAME.handoff.tar.gz]; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace a file of that name
    #[arg(long)]
    force: bool,
    /// Export even what looks like a secret
    #[arg(long)]
    allow_secrets: bool,
}

pub(super) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let existing = if args.force { Existing::Replaced } else { Existing::Kept };
    let to = match args.output {
        Some(file) if file.as_os_str() == "-" => stream(context)?,
        file => Destination::File(file, existing),
    };
    let request = ExportRequest {
        name: attach_shared::own(&args.name)?,
        to,
        secrets: if args.allow_secrets { Secrets::Allowed } else { Secrets::Refused },
        recap_text: &recap::text,
    };
    let exported = Handoff(&context.manager).handoff_export(&request, &mut context.ui.raw())?;
    if context.ui.json {
        context.ui.json(&exported);
        return Ok(0);
    }
    for remark in &exported.remarks {
        context.ui.say(remark);
    }
    if let Some(file) = &exported.file {
        context.ui.data(&file.to_string_lossy());
    }
    context
        .ui
        .say(&format!("{}; take it over with: symposium agent handoff import FILE", bytes(exported.size)));
    context.ui.say(&format!(
        "`{0}` goes on here; `symposium agent kill {0}` ends it, so that only one continues the conversation",
        request.name
    ));
    Ok(0)
}

/// Returns standard output as the destination, unless JSON is written there or it is a terminal.
fn stream(context: &Invocation) -> Result<Destination, Error> {
    let refused = |what: &str, hint: &str| Error::Usage { what: what.into(), hint: Some(hint.into()) };
    if context.ui.json {
        return Err(refused(
            "with `-o -` standard output is the handoff itself, and `--json` would stand in it",
            "leave `--json` away, or name a file with `-o`",
        ));
    }
    if ui::is_shown() {
        return Err(refused(
            "a handoff is an archive, and standard output is a terminal",
            "send it on, as in `-o - > FILE` or `-o - | ssh HOST …`; a file that is called so is `-o ./-`",
        ));
    }
    Ok(Destination::Stream)
}
