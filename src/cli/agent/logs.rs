//! The `agent logs` command: prints or follows the transcript of an agent.

use std::io::Write;

use clap::Args;

use crate::cli::{Invocation, agent::attach_shared, render::times};
use crate::env::Env;
use crate::error::Error;
use crate::manager::Terminals;
use crate::manager::{LogsRequest, LogsStyle};

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Follow the output
    #[arg(short, long)]
    follow: bool,
    /// Only output after a time (RFC 3339) or in a span (10m)
    #[arg(long, value_name = "T")]
    since: Option<String>,
    /// Print plain text, as the terminal showed it
    #[arg(long, conflicts_with = "follow")]
    plain: bool,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let since = args.since.as_deref().map(|text| times::moment(text, Env::now())).transpose();
    let since = since.map_err(|what| Error::Usage { what, hint: None })?;
    let style = if args.plain || context.ui.json { LogsStyle::Plain } else { LogsStyle::AsPrinted };
    let request = LogsRequest { name: name.clone(), since, style };
    if context.ui.json && args.follow {
        return Err(Error::Usage {
            what: "`--follow` goes on as the terminal shows it, and `--json` is one answer".into(),
            hint: Some(format!(
                "leave one away; `symposium agent list --watch --json` tells programs of every change of `{name}`"
            )),
        });
    }
    if context.ui.json {
        let mut text = Vec::new();
        Terminals(&context.manager).logs(&request, &mut text)?;
        let text = String::from_utf8_lossy(&text);
        context.ui.json(&serde_json::json!({ "agent": name, "lines": text.lines().collect::<Vec<_>>() }));
        return Ok(0);
    }
    let mut out = context.ui.raw();
    let written = match args.follow {
        true => Terminals(&context.manager).follow_logs(&request, &mut out),
        false => Terminals(&context.manager).logs(&request, &mut out),
    };
    let written = written.and_then(|()| out.flush().map_err(Error::io("cannot print")));
    match written {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::BrokenPipe => Ok(0),
        other => other.map(|()| 0),
    }
}
