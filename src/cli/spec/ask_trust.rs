//! Asks for trust in the specs of a project before a command spawns an agent from one of them.

use std::path::Path;

use clap::Args;

use crate::cli::Invocation;
use crate::cli::render::agent_table::clean;
use crate::error::Error;
use crate::manager::SpecCatalog;
use crate::manager::{Place, TrustReview};
use crate::model::TrustState;

/// The flag of commands that may spawn an agent from a spec of a project.
#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct TrustFlag {
    /// Trust the specs of the project as they are now, without asking
    #[arg(long)]
    trust: bool,
}

/// Runs a command. If it is refused because of an untrusted spec, trusts the project's specs when the flag says so or
/// the user agrees at the terminal, and runs the command again. A refused command has changed nothing.
pub(in crate::cli) fn with_trust<T>(
    context: &Invocation,
    flag: TrustFlag,
    run: impl Fn() -> Result<T, Error>,
) -> Result<T, Error> {
    let untrusted = match run() {
        Err(Error::UntrustedSpec(untrusted)) if flag.trust || context.ui.can_ask() => untrusted,
        other => return other,
    };
    let refused = || Error::UntrustedSpec(untrusted.clone());
    let review = review(context, Some(&untrusted.dir))?.ok_or_else(refused)?;
    if !flag.trust {
        context.ui.say(&describe(&review));
        if !context.ui.confirm("Trust the specs of this project?")? {
            return Err(refused());
        }
    }
    SpecCatalog(&context.manager).trust(&review)?;
    run()
}

/// Returns the specs of the project around a directory that need trust.
pub(in crate::cli) fn review(context: &Invocation, dir: Option<&Path>) -> Result<Option<TrustReview>, Error> {
    SpecCatalog(&context.manager).trust_review(&Place { config: None, dir: dir.map(Path::to_path_buf) })
}

/// Describes what the specs of a project make this machine do.
pub(in crate::cli) fn describe(review: &TrustReview) -> String {
    let state = match review.state {
        TrustState::Trusted => "are trusted",
        TrustState::Changed => "changed since you trusted them",
        TrustState::Untrusted => "are not trusted",
    };
    let mut text = format!("the specs of {} {state}\n", clean(&review.project));
    for spec in &review.specs {
        let name = match &spec.name {
            Some(name) => format!("spec `{}`", clean(name)),
            None => "every kind, by `[defaults]`,".to_owned(),
        };
        text.push_str(&format!("{name}\n"));
        for effect in &spec.effects {
            text.push_str(&format!("  {}\n", clean(effect)));
        }
    }
    text.trim_end().to_owned()
}
