//! The `agent recover` command: lists copies of removed work and brings one back.

use clap::Args;

use crate::cli::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::{AgentRemoval, Recovery};
use crate::model::RecoveredWork;
use crate::text::ages::age;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "recover",
    "List copies of removed work, or bring one back",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>();

#[derive(Debug, Args)]
#[command(after_long_help = JSON)]
pub(in crate::cli) struct Arguments {
    /// Name of a copy, or of an agent for its newest copy [default: list all copies]
    #[arg(allow_hyphen_values = true)]
    copy: Option<String>,
}

const JSON: &str = "\
A copy is kept for 30 days. Its commits come back as branch recovered/COPY of the repository, files that git could not \
store as directory COPY in the current directory. Nothing that exists is overwritten.

JSON of the list, the newest copy first:
  name    name of the copy
  agent   agent that the work belonged to
  at      time at which the copy was made
  until   time at which it is deleted
  refs    commits that hold the work: [{repository, reference}]
  folder  directory with files that git could not store, or null

JSON of a recovery:
  recovered     name of the copy
  branch        branch that was created in each repository
  repositories  repositories that have the branch
  folder        directory that was created, or null";

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let removal = AgentRemoval(&context.manager);
    let Some(copy) = args.copy else {
        list(&removal.recoverable(), context);
        return Ok(0);
    };
    let Recovery { copy, repositories, branch, folder } = removal.recover(&copy)?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({
            "recovered": copy.name,
            "branch": branch,
            "repositories": repositories,
            "folder": folder,
        }));
        return Ok(0);
    }
    for repository in &repositories {
        context.ui.say(&format!(
            "branch `{branch}` in {} has the work of `{}`",
            repository.display(),
            copy.agent
        ));
    }
    if let Some(folder) = &folder {
        context.ui.say(&format!("{} has the files of `{}`", folder.display(), copy.agent));
    }
    Ok(0)
}

fn list(copies: &[RecoveredWork], context: &Invocation) {
    if context.ui.json {
        return context.ui.json(&copies);
    }
    if copies.is_empty() {
        return context.ui.say("no copies of removed work");
    }
    let now = context.manager.now();
    let width = copies.iter().map(|copy| copy.name.len()).max().unwrap_or_default();
    let line = |copy: &RecoveredWork| {
        let places = copy.refs.iter().map(|saved| saved.repository.display().to_string());
        let places = places.chain(copy.folder.iter().map(|folder| folder.display().to_string()));
        // A copy that was made a moment ago has 30 days left, not 29.
        let left = (copy.until.duration_since(now).as_hours() + 23) / 24;
        let places = places.collect::<Vec<_>>().join(", ");
        format!("{:width$}  {:>4}  {left:>2} days left  {places}", copy.name, age(copy.at, now))
    };
    context.ui.data(&copies.iter().map(line).collect::<Vec<_>>().join("\n"));
    context.ui.say("`symposium agent recover COPY` brings one back");
}
