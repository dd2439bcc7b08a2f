//! The `symposium supervisor log` command.

use std::ops::ControlFlow;

use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use crate::cli::grammar::definition::{CommandDefinition, Opening, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{
    Invocation,
    render::{times, ui},
};
use crate::error::Error;
use crate::manager::LogEnd;
use crate::manager::SupervisorControl;
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "log",
    "Print the log of the supervisor; --json prints the stored lines",
    Remote::LOCAL,
    |args, context| run(&parsed(args)?, context),
)
.arguments::<Arguments>()
.opening(Opening::Unclaimed);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Print new lines as they are written
    #[arg(short, long)]
    follow: bool,
    /// Only lines after this time (RFC 3339) or within this duration (10m)
    #[arg(long, value_name = "T")]
    since: Option<String>,
}

pub(in crate::cli) fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    context.manager.claim_hook_link();
    let since = args.since.as_deref().map(|text| times::parse_time(text, context.manager.now())).transpose();
    let since = since.map_err(Error::usage)?;
    let end = if args.follow { LogEnd::Follow } else { LogEnd::Stop };
    let zone = TimeZone::system();
    SupervisorControl(&context.manager).read_supervisor_log(end, |lines| {
        let wanted: Vec<String> = lines
            .iter()
            .filter(|line| is_after(line, since))
            .map(|line| if context.ui.json { line.clone() } else { readable(line, &zone) })
            .collect();
        if !wanted.is_empty() {
            context.ui.data(&wanted.join("\n"));
        }
        if ui::has_reader() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(0)
}

/// Checks whether a line is at or after the given time. A line without a time always passes.
fn is_after(line: &str, since: Option<Timestamp>) -> bool {
    let Some(since) = since else { return true };
    let Ok(Value::Object(fields)) = serde_json::from_str(line) else { return true };
    time_of(&fields).is_none_or(|at| at >= since)
}

fn time_of(fields: &Map<String, Value>) -> Option<Timestamp> {
    fields.get("timestamp")?.as_str()?.parse().ok()
}

/// Formats a line for reading: local time, level, message, then the other fields as `name=value`.
fn readable(line: &str, zone: &TimeZone) -> String {
    let Ok(Value::Object(fields)) = serde_json::from_str(line) else { return clean(line) };
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let time = time_of(&fields)
        .map_or_else(String::new, |at| at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string());
    let rest = fields.iter().filter(|(name, _)| !["timestamp", "level", "message"].contains(&name.as_str()));
    let rest: String = rest.map(|(name, value)| format!("  {name}={}", plain(value))).collect();
    clean(&format!("{time}  {:<5}  {}{rest}", text("level").to_lowercase(), text("message")))
}

/// Formats a value, without quotes if it is a text without spaces, quotes and `=`.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() && !text.contains([' ', '"', '=']) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_shown_with_its_time_level_message_and_fields() {
        let line = r#"{"timestamp":"2026-11-17T15:04:22.612345Z","level":"WARN","message":"could not be restarted","agent":"fix","error":"tmux\u001b did not answer","task":7}"#;
        assert_eq!(
            readable(line, &TimeZone::UTC),
            "2026-11-17 15:04:22  warn   could not be restarted  agent=fix  error=\"tmux\\u001b did not answer\"  task=7"
        );
        assert_eq!(readable("half a li\u{1b}ne", &TimeZone::UTC), "half a li ne");
    }

    #[test]
    fn since_omits_older_lines_and_keeps_lines_without_a_time() {
        let since = Some("2026-11-17T15:00:00Z".parse().unwrap());
        assert!(is_after(r#"{"timestamp":"2026-11-17T15:04:22Z"}"#, since));
        assert!(!is_after(r#"{"timestamp":"2026-11-17T14:04:22Z"}"#, since));
        assert!(is_after("no json", since) && is_after("no json", None));
    }
}
