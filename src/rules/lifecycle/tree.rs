//! Parents and children: the order of a tree, the descendants of agents, and the limits on their number.
//!
//! A parent is only a name in a record: it may no longer exist, or may name a descendant. All functions terminate on
//! such cycles.

use std::collections::HashSet;

use crate::model::{Agent, AgentName, AgentRecord, Limits, Status};

/// Maximum number of generations below an agent if its spec sets none.
const MOST_DEPTH: u32 = 4;
/// Maximum number of children at the same time if the spec sets none.
const MOST_CHILDREN: u32 = 20;

/// An agent in a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// Number of ancestors in the tree.
    pub depth: usize,
    /// The agent at this position.
    pub agent: Agent,
}

/// Returns all agents in tree order, each directly below its parent; siblings keep their order.
pub fn tree(agents: Vec<Agent>) -> Vec<Branch> {
    let mut left = agents;
    let mut branches = Vec::new();
    while !left.is_empty() {
        let is_top = |agent: &Agent| !left.iter().any(|other| Some(&other.name) == agent.parent.as_ref());
        // If every agent has a parent, they form a cycle: the first one becomes the root.
        let at = left.iter().position(is_top).unwrap_or(0);
        let top = left.remove(at);
        grow(top, 0, &mut left, &mut branches);
    }
    branches
}

fn grow(agent: Agent, depth: usize, left: &mut Vec<Agent>, branches: &mut Vec<Branch>) {
    let name = agent.name.clone();
    branches.push(Branch { depth, agent });
    while let Some(at) = left.iter().position(|child| child.parent.as_ref() == Some(&name)) {
        let child = left.remove(at);
        grow(child, depth + 1, left, branches);
    }
}

/// Returns the descendants of these agents, without the agents themselves.
pub fn descendants(records: &[AgentRecord], of: &[AgentName]) -> Vec<AgentName> {
    let mut seen: HashSet<&AgentName> = of.iter().collect();
    let mut above: Vec<&AgentName> = of.iter().collect();
    let mut below = Vec::new();
    while let Some(parent) = above.pop() {
        for child in records.iter().filter(|record| record.parent.as_ref() == Some(parent)) {
            if seen.insert(&child.name) {
                above.push(&child.name);
                below.push(child.name.clone());
            }
        }
    }
    below
}

/// Returns whether an agent counts towards the limits: it runs or will be started again without the user.
pub fn is_there(record: &AgentRecord) -> bool {
    !matches!(record.status.status, Status::Exited | Status::Stopped)
}

/// Returns why these ancestors, the nearest first, may not have another descendant, or `None` if they may. `children`
/// is the number of children of the nearest one.
pub fn refusal(ancestors: &[(AgentName, Limits)], children: usize) -> Option<String> {
    for (above, (name, limits)) in ancestors.iter().enumerate() {
        let generation = above + 1;
        let depth = limits.depth.unwrap_or(MOST_DEPTH);
        if generation > depth as usize {
            return Some(format!(
                "agent `{name}` may have {depth} generations below it, this would be the next"
            ));
        }
    }
    let (name, limits) = ancestors.first()?;
    let most = Some(limits.children.unwrap_or(MOST_CHILDREN)).filter(|most| children >= *most as usize)?;
    Some(format!("agent `{name}` may have {most} children at once, and has {children}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LiveServer, ServerIdentity, TmuxSnapshot};
    use crate::rules::status::decide::tests::{at, record};
    use crate::rules::status::reconcile::{Seen, join};

    fn records(pairs: &[(&str, &str)]) -> Vec<AgentRecord> {
        let of = |(name, parent): &(&str, &str)| AgentRecord {
            parent: parent.parse().ok(),
            ..record(name, Status::Stopped)
        };
        pairs.iter().map(of).collect()
    }

    fn family(pairs: &[(&str, &str)]) -> Vec<Agent> {
        let look = TmuxSnapshot::Running(LiveServer {
            identity: ServerIdentity("1:1".into()),
            version: String::new(),
            panes: vec![],
            clients: vec![],
        });
        join(records(pairs), Seen::TmuxSnapshot(&look), &|_| true, at(9)).agents
    }

    fn names(names: &[&str]) -> Vec<AgentName> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    #[test]
    fn children_stand_below_their_parents_whatever_the_parents_are() {
        for (pairs, expected) in [
            (vec![("a", ""), ("b", "")], "a b"),
            (vec![("c", "a"), ("a", ""), ("d", "c"), ("b", "a")], "a -c --d -b"),
            (vec![("a", "gone"), ("b", "a")], "a -b"),
            (vec![("a", "b"), ("b", "a"), ("c", "c")], "a -b c"),
        ] {
            let drawn = tree(family(&pairs))
                .iter()
                .map(|branch| format!("{}{}", "-".repeat(branch.depth), branch.agent.name))
                .collect::<Vec<_>>();
            assert_eq!(drawn.join(" "), expected, "{pairs:?}");
        }
    }

    #[test]
    fn everybody_below_is_found_once() {
        let all = records(&[("a", ""), ("b", "a"), ("c", "b"), ("d", ""), ("e", "f"), ("f", "e")]);
        let below = |of: &[&str]| {
            let mut below = descendants(&all, &names(of));
            below.sort();
            below
        };
        assert_eq!(below(&["a"]), names(&["b", "c"]));
        assert_eq!(below(&["a", "b"]), names(&["c"]));
        assert_eq!(below(&["e"]), names(&["f"]));
        assert_eq!(below(&["d"]), names(&[]));
    }

    #[test]
    fn limits_count_generations_and_children() {
        let one = |depth: Option<u32>, children: Option<u32>| Limits { depth, children };
        let chain = |limits: &[Limits]| -> Vec<(AgentName, Limits)> {
            limits
                .iter()
                .enumerate()
                .map(|(at, one)| (format!("a{at}").parse().unwrap(), one.clone()))
                .collect()
        };
        for (limits, children, refused) in [
            (vec![], 9, false),
            (vec![one(None, None)], 9, false),
            (vec![one(Some(1), None)], 0, false),
            (vec![one(None, None), one(Some(1), None)], 0, true),
            (vec![one(None, None), one(Some(2), None)], 0, false),
            (vec![one(None, Some(2))], 1, false),
            (vec![one(None, None)], 19, false),
            (vec![one(None, None)], 20, true),
            (vec![one(None, None); 4], 0, false),
            (vec![one(None, None); 5], 0, true),
            (vec![one(Some(9), None); 5], 0, false),
            (vec![one(None, Some(2))], 2, true),
            (vec![one(None, None), one(None, Some(1))], 5, false),
        ] {
            assert_eq!(refusal(&chain(&limits), children).is_some(), refused, "{limits:?} {children}");
        }
    }
}
