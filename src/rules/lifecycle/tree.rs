//! Parents and children: the order of a tree, and the descendants of agents.
//!
//! A parent is only a name in a record: it may no longer exist, or may name a descendant. All functions terminate on
//! such cycles.

use std::collections::HashSet;

use crate::model::{Agent, AgentName, AgentRecord};

/// An agent in a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeRow {
    /// Number of ancestors in the tree.
    pub depth: usize,
    /// The agent at this position.
    pub agent: Agent,
}

/// Returns all agents in tree order, each directly below its parent; siblings keep their order.
pub fn tree(agents: Vec<Agent>) -> Vec<TreeRow> {
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

fn grow(agent: Agent, depth: usize, left: &mut Vec<Agent>, branches: &mut Vec<TreeRow>) {
    let name = agent.name.clone();
    branches.push(TreeRow { depth, agent });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LiveServer, ServerIdentity, Status, TmuxSnapshot};
    use crate::rules::status::decide::tests::{at, record};
    use crate::rules::status::reconcile::{TmuxReply, join};

    fn records(pairs: &[(&str, &str)]) -> Vec<AgentRecord> {
        let of = |(name, parent): &(&str, &str)| AgentRecord {
            parent: parent.parse().ok(),
            ..record(name, Status::Stopped)
        };
        pairs.iter().map(of).collect()
    }

    fn family(pairs: &[(&str, &str)]) -> Vec<Agent> {
        let snapshot = TmuxSnapshot::Running(LiveServer {
            identity: ServerIdentity("1:1".into()),
            version: String::new(),
            panes: vec![],
            clients: vec![],
        });
        join(records(pairs), TmuxReply::Snapshot(&snapshot), &|_| true, at(9)).agents
    }

    fn names(names: &[&str]) -> Vec<AgentName> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    #[test]
    fn children_follow_their_parents_in_the_tree() {
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
    fn every_descendant_is_found_once() {
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
}
