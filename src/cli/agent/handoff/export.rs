//! The `agent handoff export` command.

use std::path::PathBuf;

use clap::Args;

use crate::cli::agent::handoff::bytes;
use crate::cli::{Invocation, agent::sharing::attach_shared, render::ui};
use crate::error::Error;
use crate::manager::HandoffExport;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::manager::{Destination, ExportRequest, IfExists, Secrets};
use crate::text::recap::recap_text;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "export",
    "Export an agent into a file: conversation, work and tasks, never secrets",
    Remote::local_only("the hand-off file is on that machine"),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// File or directory [default: NAME.handoff.tar.gz]; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Export text that looks like a secret
    #[arg(long)]
    allow_secrets: bool,
}

pub(super) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let existing = if args.force { IfExists::Replaced } else { IfExists::Kept };
    let to = match args.output {
        Some(file) if file.as_os_str() == "-" => stream(context)?,
        file => Destination::File(file, existing),
    };
    let request = ExportRequest {
        name: attach_shared::own(&args.name)?,
        to,
        secrets: if args.allow_secrets { Secrets::Allowed } else { Secrets::Refused },
        recap_text: &recap_text,
    };
    let exported = HandoffExport(&context.manager).handoff_export(&request, &mut context.ui.raw())?;
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
    context.ui.say(&format!("{}; import it with: symposium agent handoff import FILE", bytes(exported.size)));
    context.ui.say(&format!(
        "`{0}` keeps running here; `symposium agent kill {0}` ends it, so that only one continues the conversation",
        request.name
    ));
    Ok(0)
}

/// Returns standard output as the destination, unless JSON is written there or it is a terminal.
fn stream(context: &Invocation) -> Result<Destination, Error> {
    let refused = |what: &str, hint: &str| Error::usage(what).hint(hint);
    if context.ui.json {
        return Err(refused(
            "`-o -` writes the hand-off to standard output, so it cannot be combined with `--json`",
            "omit `--json`, or choose a file with `-o`",
        ));
    }
    if ui::is_shown() {
        return Err(refused(
            "a hand-off is an archive and cannot be written to a terminal",
            "redirect it, as in `-o - > FILE` or `-o - | ssh HOST …`; `-o ./-` writes to a file named `-`",
        ));
    }
    Ok(Destination::Stream)
}
