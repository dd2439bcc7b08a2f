//! Asks for trust in the specs of a project before a command spawns an agent from one of them.

use std::path::Path;

use clap::Args;

use crate::cli::Invocation;
use crate::error::Error;
use crate::manager::{ProjectTrust, SpecLocation};
use crate::model::{TrustReview, UntrustedSpec};
use crate::text::trust::trust_text;

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
    let refused = match run() {
        Err(error) if flag.trust || context.ui.can_ask() => error,
        other => return other,
    };
    let Some(untrusted) = refused.cause::<UntrustedSpec>() else { return Err(refused) };
    let Some(review) = review(context, Some(&untrusted.dir))? else { return Err(refused) };
    if !flag.trust {
        context.ui.say(&trust_text(&review));
        if !context.ui.confirm("Trust the specs of this project?")? {
            return Err(refused);
        }
    }
    ProjectTrust(&context.manager).trust(&review)?;
    run()
}

/// Returns the specs of the project around a directory that need trust.
pub(in crate::cli) fn review(context: &Invocation, dir: Option<&Path>) -> Result<Option<TrustReview>, Error> {
    ProjectTrust(&context.manager)
        .trust_review(&SpecLocation { config: None, dir: dir.map(Path::to_path_buf) })
}
