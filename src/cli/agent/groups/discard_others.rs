//! `agent finish --discard-others`: discards the agents that worked on the same task after the best one is finished.

use serde::Serialize;
use serde_json::Value;

use crate::cli::agent::removal::discard;
use crate::cli::agent::removal::remove::{report, report_json};
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::{AgentRemoval, DiscardPreview, Groups};
use crate::model::AgentName;

/// A plan or report with the agents that are discarded afterwards.
#[derive(Serialize)]
pub(in crate::cli) struct WithOthers<'a, T: Serialize, D: Serialize> {
    /// The plan or report.
    #[serde(flatten)]
    pub main: &'a T,
    /// The agents that will be or were discarded.
    pub discarded: &'a [D],
}

/// Returns what discarding the other agents would remove. Fails if one of them cannot be discarded.
pub(in crate::cli) fn planned(
    winner: &AgentName,
    named: &[String],
    context: &Invocation,
) -> Result<Vec<DiscardPreview>, Error> {
    let named: Vec<AgentName> =
        named.iter().map(|text| attach_shared::own(text)).collect::<Result<_, _>>()?;
    let others = Groups(&context.manager).others(winner, &named)?;
    others.iter().map(|name| AgentRemoval(&context.manager).discard_preview(name)).collect()
}

/// Adds the agents that are discarded to the description of a plan.
pub(in crate::cli) fn described(plan: String, others: &[DiscardPreview]) -> String {
    std::iter::once(plan).chain(others.iter().map(discard::described)).collect::<Vec<_>>().join("\n")
}

/// Discards the agents one after the other. A failure is reported and does not keep the others. Returns the exit code
/// and the results as JSON.
pub(in crate::cli) fn discard_all(others: &[DiscardPreview], context: &Invocation) -> (u8, Vec<Value>) {
    let (mut worst, mut done) = (0, Vec::new());
    for preview in others {
        let name = &preview.removal.name;
        match AgentRemoval(&context.manager).discard(name) {
            Ok(removed) if context.ui.json => {
                done.push(report_json("discarded", name, &removed, context));
            }
            Ok(removed) => report("discarded", name, &removed, context),
            Err(error) => worst = worst.max(context.ui.error(&error)),
        }
    }
    (worst, done)
}
