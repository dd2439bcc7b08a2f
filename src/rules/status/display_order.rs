//! The order of lists: by how much agents need the user, or by project and name.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::model::{Agent, AgentName};

/// Maximum depth of a family. A longer chain of parents has a loop.
const MAX_DEPTH: usize = 32;

/// Sorts agents by how much they need the user, then by name.
pub fn sort_for_display(agents: &mut [Agent]) {
    agents.sort_by(|a, b| {
        let by_name = || natural(a.name.as_str(), b.name.as_str());
        a.status.rank().cmp(&b.status.rank()).then_with(by_name)
    });
}

/// Sorts agents by project, then by name, each after its parent if the parent is in the same project: the order that the
/// dashboard begins with. A row keeps its place when the status of an agent changes.
pub fn by_project(agents: &mut [Agent]) {
    let position = |agent: &Agent| {
        let place = agent.project.as_deref().unwrap_or(&agent.working_directory).to_owned();
        (agent.host.clone(), place)
    };
    let parents: HashMap<_, _> =
        agents.iter().map(|agent| ((position(agent), agent.name.clone()), agent.parent.clone())).collect();
    let line_of = |agent: &Agent| {
        let place = position(agent);
        let above = |child: &((Option<String>, String), AgentName)| {
            let parent = (child.0.clone(), parents.get(child)?.clone()?);
            parents.contains_key(&parent).then_some(parent)
        };
        let line = std::iter::successors(Some((place.clone(), agent.name.clone())), above);
        let mut names: Vec<String> = line.take(MAX_DEPTH).map(|(_, name)| name.to_string()).collect();
        names.reverse();
        (place, names)
    };
    agents.sort_by_cached_key(|agent| SortKey(line_of(agent)));
}

/// The place of an agent and the names of its ancestors and itself, compared name by name.
#[derive(PartialEq, Eq)]
struct SortKey(((Option<String>, String), Vec<String>));

impl Ord for SortKey {
    fn cmp(&self, other: &SortKey) -> Ordering {
        let (SortKey((place, line)), SortKey((other_place, other_line))) = (self, other);
        let differing = line.iter().zip(other_line).map(|(a, b)| natural(a, b)).find(|order| order.is_ne());
        let by_line = || differing.unwrap_or(line.len().cmp(&other_line.len()));
        place.cmp(other_place).then_with(by_line)
    }
}

impl PartialOrd for SortKey {
    fn partial_cmp(&self, other: &SortKey) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares two names so that numbers in them are ordered by value: `r2` comes before `r10`.
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (pieces(a), pieces(b));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(left), Some(right)) => match (digits(left), digits(right)) {
                (Some(left), Some(right)) => (left.len(), left).cmp(&(right.len(), right)),
                _ => left.cmp(right),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Splits a text into runs of digits and runs of other characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()).scan(0, move |start, piece| {
        let at = *start;
        *start += piece.len();
        text.get(at..*start)
    })
}

/// Returns the digits of a number without leading zeros, or `None` for a piece that is not a number.
fn digits(piece: &str) -> Option<&str> {
    piece.starts_with(|c: char| c.is_ascii_digit()).then(|| piece.trim_start_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;
    use crate::rules::lifecycle::capacity::tests::agent as any_agent;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names =
            ["r10", "r2", "r", "r02", "a10b", "a9b", "r1000000000000000000000", "10", "9", "r10-x"];
        names.sort_by(|a, b| natural(a, b));
        let expected =
            ["9", "10", "a9b", "a10b", "r", "r02", "r2", "r10", "r10-x", "r1000000000000000000000"];
        assert_eq!(names, expected);
    }

    #[test]
    fn agents_are_below_their_parents_in_their_projects_whatever_they_need() {
        let agent = |name: &str, project: &str, parent: Option<&str>, status: Status| Agent {
            project: Some(project.to_owned()),
            parent: parent.map(|parent| parent.parse().unwrap()),
            ..any_agent(name, status)
        };
        let mut agents = vec![
            agent("b10", "/shop", None, Status::Waiting),
            agent("z", "/api", None, Status::Crashed),
            agent("b9", "/shop", None, Status::Idle),
            agent("a", "/shop", Some("b9"), Status::Idle),
            agent("x", "/shop", Some("z"), Status::Idle),
            agent("loop", "/shop", Some("loop"), Status::Idle),
        ];
        by_project(&mut agents);
        let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, ["z", "b9", "a", "b10", "loop", "x"]);
    }

    proptest::proptest! {
        #[test]
        fn the_order_is_total(a in "[a-c0-2é-]{0,6}", b in "[a-c0-2é-]{0,6}", c in "[a-c0-2é-]{0,6}") {
            proptest::prop_assert_eq!(natural(&a, &b), natural(&b, &a).reverse());
            proptest::prop_assert_eq!(natural(&a, &b) == Ordering::Equal, a == b);
            if natural(&a, &b).is_le() && natural(&b, &c).is_le() {
                proptest::prop_assert!(natural(&a, &c).is_le());
            }
        }
    }
}
