//! `agent spawn --count` and `--kinds`: starts several agents on one task.

use crate::cli::Invocation;
use crate::cli::spec::ask_trust::{TrustFlag, with_trust};
use crate::error::Error;
use crate::manager::{GroupSize, Groups, SpawnRequest, Spawning};
use crate::model::{AgentName, UntrustedSpec};

/// Starts the agents one after the other. A failure is reported and does not undo the others.
pub(in crate::cli) fn run(
    request: &SpawnRequest,
    size: &GroupSize,
    trust: TrustFlag,
    context: &Invocation,
) -> Result<u8, Error> {
    let (mut worst, mut agents) = (0, Vec::new());
    for request in Groups(&context.manager).group_requests(request, size)? {
        match with_trust(context, trust, || Spawning(&context.manager).spawn(request.clone())) {
            Ok(spawned) => {
                spawned.warnings.iter().for_each(|warning| context.ui.warn(warning));
                spawned.remarks.iter().for_each(|remark| context.ui.say(remark));
                if !context.ui.json {
                    context.ui.data(spawned.agent.name.as_str());
                }
                agents.push(spawned.agent);
            }
            // The others have the same spec, and the user has answered already.
            Err(error) if error.cause::<UntrustedSpec>().is_some() && agents.is_empty() => return Err(error),
            Err(error) => worst = worst.max(context.ui.error(&error)),
        }
    }
    if context.ui.json {
        context.ui.json(&agents);
    } else if agents.len() > 1 {
        let names: Vec<&str> = agents.iter().map(|agent| AgentName::as_str(&agent.name)).collect();
        context.ui.say(&format!("compare them with: symposium agent compare {}", names.join(" ")));
    }
    Ok(worst)
}
