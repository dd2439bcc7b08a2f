//! The `agent logs` command: prints or follows the transcript of an agent.

use std::io::Write;

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::{Remote, RemoteMode};
use crate::cli::{Invocation, agent::sharing::attach_shared, render::times};
use crate::error::Error;
use crate::manager::AgentLogs;
use crate::manager::{LogsRequest, LogsStyle};

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "logs",
    "Show an agent's transcript",
    Remote::READ_ONLY.flags(&[("follow", RemoteMode::Follow)]).unchanged_without("plain"),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["logs"]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Follow the output
    #[arg(short, long)]
    follow: bool,
    /// Only output after this time (RFC 3339) or within this duration (10m)
    #[arg(long, value_name = "T")]
    since: Option<String>,
    /// Print plain text, as the terminal showed it
    #[arg(long, conflicts_with = "follow")]
    plain: bool,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let since = args.since.as_deref().map(|text| times::parse_time(text, context.manager.now())).transpose();
    let since = since.map_err(Error::usage)?;
    let style = if args.plain || context.ui.json { LogsStyle::Plain } else { LogsStyle::AsPrinted };
    let request = LogsRequest { name: name.clone(), since, style };
    if context.ui.json && args.follow {
        return Err(Error::usage("`--follow` cannot be combined with `--json`").hint(format!(
            "omit one of them; `symposium agent list --watch --json` reports every change of `{name}`"
        )));
    }
    if context.ui.json {
        let mut text = Vec::new();
        AgentLogs(&context.manager).logs(&request, &mut text)?;
        let text = String::from_utf8_lossy(&text);
        context.ui.json(&serde_json::json!({ "agent": name, "lines": text.lines().collect::<Vec<_>>() }));
        return Ok(0);
    }
    let mut out = context.ui.raw();
    let written = match args.follow {
        true => AgentLogs(&context.manager).follow_logs(&request, &mut out),
        false => AgentLogs(&context.manager).logs(&request, &mut out),
    };
    let written = written.and_then(|()| out.flush().map_err(Error::io("cannot print")));
    match written {
        Err(error) if error.io_kind() == Some(std::io::ErrorKind::BrokenPipe) => Ok(0),
        other => other.map(|()| 0),
    }
}
