//! The `spec trust` command.

use std::path::PathBuf;

use clap::Args;

use crate::cli::grammar::definition::{CommandDefinition, Opening, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, spec::ask_trust};
use crate::error::Error;
use crate::manager::ProjectTrust;
use crate::model::TrustState;
use crate::text::fit::clean;
use crate::text::trust::trust_text;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "trust",
    "Trust the specs of a project, after showing what they run",
    Remote::ONCE.without_host_in_json(),
    |args, context| run(&parsed(args)?, context),
)
.arguments::<Arguments>()
.opening(Opening::WithoutNotices);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Directory of the project [default: the current one]
    dir: Option<PathBuf>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// List the trusted projects
    #[arg(long, conflicts_with_all = ["dir", "yes"])]
    list: bool,
}

pub(super) fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    if args.list {
        return list(context);
    }
    let Some(review) = ask_trust::review(context, args.dir.as_deref())? else {
        return Err(Error::usage("this directory is not in a project with specs")
            .hint("give its directory: `symposium spec trust DIR`"));
    };
    let project = clean(&review.project);
    if review.specs.is_empty() {
        context.ui.say(&format!("the specs of {project} need no trust"));
    } else if review.state == TrustState::Trusted {
        context.ui.say(&trust_text(&review));
    } else {
        context.ui.say(&trust_text(&review));
        if !args.yes && !context.ui.can_ask() {
            return Err(Error::usage("cannot ask for agreement: this is not a terminal")
                .hint("if you agree to all of it, repeat the command with `--yes`"));
        }
        if !args.yes && !context.ui.confirm("Trust the specs of this project?")? {
            context.ui.say("nothing was changed");
            return Ok(1);
        }
        ProjectTrust(&context.manager).trust(&review)?;
        context.ui.say(&format!("trusted {project}"));
    }
    if context.ui.json {
        let review = ask_trust::review(context, args.dir.as_deref())?;
        context.ui.json(&review);
    }
    Ok(0)
}

fn list(context: &Invocation) -> Result<u8, Error> {
    let trusted = ProjectTrust(&context.manager).trusted_projects()?;
    if context.ui.json {
        context.ui.json(&trusted);
    } else if trusted.is_empty() {
        context.ui.say("no project is trusted; `symposium spec trust DIR` trusts one");
    } else {
        context.ui.data(&trusted.iter().map(|entry| clean(&entry.project) + "\n").collect::<String>());
    }
    Ok(0)
}
