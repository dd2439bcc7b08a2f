//! The `agent recap` command, and the recap that is shown when a user attaches after a longer absence.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::recaps::digest, agent::sharing::attach_shared, render::times};
use crate::error::Error;
use crate::manager::CoverPage;
use crate::manager::{Recaps, StatusTracker};
use crate::model::AgentName;
use crate::text::fit::{Keep, cut};
use crate::text::recap::recap_text;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "recap",
    "Summarize what happened to one agent or to all while you were away",
    Remote::READ_ONLY.host_before_agent(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["recap"]);

/// The last line of a recap that covers an agent's screen.
const HOW_TO_CLOSE: &str = "Esc or Enter closes this, any other key goes to the agent";

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent [default: a digest of all agents and tasks]
    #[arg(allow_hyphen_values = true)]
    name: Option<String>,
    /// Start of the period: a time or a duration (`2h`) [default: your last visit]
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Print one page of this size, with a hint how to close it
    #[arg(long, hide = true, requires = "name", value_name = "COLUMNSxLINES", value_parser = page_size)]
    page: Option<(usize, usize)>,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let since = args.since.as_deref().map(|text| times::parse_time(text, context.manager.now())).transpose();
    let since = since.map_err(Error::usage)?;
    let Some(name) = &args.name else { return digest::run(since, context) };
    let name = attach_shared::own(name)?;
    let recap = Recaps(&context.manager).recap(&name, since)?;
    if let Some((columns, lines)) = args.page {
        context.ui.data(&page(&recap_text(&recap), columns, lines));
    } else if context.ui.json {
        context.ui.json(&recap);
    } else {
        context.ui.data(&recap_text(&recap));
    }
    StatusTracker(&context.manager).take_tmux_error().map_or(Ok(0), Err)
}

/// Returns the page that covers the agent's screen after the user was away for a while.
pub(in crate::cli) fn after_absence(name: &AgentName, context: &Invocation) -> Option<CoverPage> {
    let since = Recaps(&context.manager).absent_since(name)?;
    Some(CoverPage { argv: Recaps(&context.manager).recap_command(name, since) })
}

fn page_size(text: &str) -> Result<(usize, usize), String> {
    let size =
        text.split_once('x').and_then(|(columns, lines)| Some((columns.parse().ok()?, lines.parse().ok()?)));
    size.ok_or_else(|| "expected a size such as 80x24".to_owned())
}

/// Returns the part of a recap that fits on a page of this size, headline first, with the keys that close it below.
fn page(text: &str, width: usize, height: usize) -> String {
    let lines = text.lines().take(height.saturating_sub(1));
    let lines = lines.chain([HOW_TO_CLOSE]).map(|line| cut(line, width, Keep::Beginning));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_screen_keeps_headline_and_close_key() {
        let text = "a: idle now; the last 29m:\n  time      idle 29m\n  reply     yes";
        assert_eq!(page(text, 80, 24), format!("{text}\n{HOW_TO_CLOSE}"));
        assert_eq!(page(text, 12, 3), "a: idle now…\n  time     …\nEsc or Ente…");
        assert_eq!(page(text, 80, 1), HOW_TO_CLOSE);
        assert_eq!(page(text, 80, usize::MAX), format!("{text}\n{HOW_TO_CLOSE}"));
    }
}
