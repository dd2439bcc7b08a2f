//! The limits on the number of agents that agents may start: children at the same time, and generations.

use crate::model::{AgentName, AgentRecord, ChildLimits, Status};

/// Maximum number of generations below an agent if its spec sets none.
const DEFAULT_MAX_DEPTH: u32 = 4;
/// Maximum number of children at the same time if the spec sets none.
const DEFAULT_MAX_CHILDREN: u32 = 20;

/// Returns whether an agent counts towards the limits: it runs or will be started again without the user.
pub fn is_there(record: &AgentRecord) -> bool {
    !matches!(record.status.status, Status::Exited | Status::Stopped)
}

/// Returns why these ancestors, the nearest first, may not have another descendant, or `None` if they may. `children`
/// is the number of children of the nearest one.
pub fn refusal(ancestors: &[(AgentName, ChildLimits)], children: usize) -> Option<String> {
    for (above, (name, limits)) in ancestors.iter().enumerate() {
        let generation = above + 1;
        let depth = limits.depth.unwrap_or(DEFAULT_MAX_DEPTH);
        if generation > depth as usize {
            return Some(format!(
                "agent `{name}` may have {depth} generations below it, this would be the next"
            ));
        }
    }
    let (name, limits) = ancestors.first()?;
    let most =
        Some(limits.children.unwrap_or(DEFAULT_MAX_CHILDREN)).filter(|most| children >= *most as usize)?;
    Some(format!("agent `{name}` may have {most} children at once, and has {children}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_count_generations_and_children() {
        let limits_of = |depth: Option<u32>, children: Option<u32>| ChildLimits { depth, children };
        let chain = |limits: &[ChildLimits]| -> Vec<(AgentName, ChildLimits)> {
            limits
                .iter()
                .enumerate()
                .map(|(at, limits_of)| (format!("a{at}").parse().unwrap(), limits_of.clone()))
                .collect()
        };
        for (limits, children, refused) in [
            (vec![], 9, false),
            (vec![limits_of(None, None)], 9, false),
            (vec![limits_of(Some(1), None)], 0, false),
            (vec![limits_of(None, None), limits_of(Some(1), None)], 0, true),
            (vec![limits_of(None, None), limits_of(Some(2), None)], 0, false),
            (vec![limits_of(None, Some(2))], 1, false),
            (vec![limits_of(None, None)], 19, false),
            (vec![limits_of(None, None)], 20, true),
            (vec![limits_of(None, None); 4], 0, false),
            (vec![limits_of(None, None); 5], 0, true),
            (vec![limits_of(Some(9), None); 5], 0, false),
            (vec![limits_of(None, Some(2))], 2, true),
            (vec![limits_of(None, None), limits_of(None, Some(1))], 5, false),
        ] {
            assert_eq!(refusal(&chain(&limits), children).is_some(), refused, "{limits:?} {children}");
        }
    }
}
