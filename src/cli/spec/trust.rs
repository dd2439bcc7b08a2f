//! The `spec trust` command.

use std::path::PathBuf;

use clap::Args;

use crate::cli::render::agent_table::clean;
use crate::cli::{Invocation, spec::ask_trust};
use crate::error::Error;
use crate::manager::SpecCatalog;
use crate::model::TrustState;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// A directory of the project, instead of the current one
    dir: Option<PathBuf>,
    /// Do not ask
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
        return Err(Error::Usage {
            what: "there is no project with specs here".into(),
            hint: Some("name its directory: `symposium spec trust DIR`".into()),
        });
    };
    let project = clean(&review.project);
    if review.specs.is_empty() {
        context.ui.say(&format!("the specs of {project} need no trust"));
    } else if review.state == TrustState::Trusted {
        context.ui.say(&ask_trust::describe(&review));
    } else {
        context.ui.say(&ask_trust::describe(&review));
        if !args.yes && !context.ui.can_ask() {
            return Err(Error::Usage {
                what: "cannot ask for agreement: this is not a terminal".into(),
                hint: Some("if you agree to all of it, repeat the command with `--yes`".into()),
            });
        }
        if !args.yes && !context.ui.confirm("Trust the specs of this project?")? {
            context.ui.say("nothing was changed");
            return Ok(1);
        }
        SpecCatalog(&context.manager).trust(&review)?;
        context.ui.say(&format!("trusted {project}"));
    }
    if context.ui.json {
        let review = ask_trust::review(context, args.dir.as_deref())?;
        context.ui.json(&review);
    }
    Ok(0)
}

fn list(context: &Invocation) -> Result<u8, Error> {
    let trusted = SpecCatalog(&context.manager).trusted_projects()?;
    if context.ui.json {
        context.ui.json(&trusted);
    } else if trusted.is_empty() {
        context.ui.say("no project is trusted; `symposium spec trust DIR` trusts one");
    } else {
        context.ui.data(&trusted.iter().map(|one| clean(&one.project) + "\n").collect::<String>());
    }
    Ok(0)
}
