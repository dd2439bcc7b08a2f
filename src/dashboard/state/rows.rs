//! The rows of the list: agents in groups, as a tree, in a chosen order. Nothing here depends on earlier rows, so the
//! same agents always give the same rows.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::dashboard::state::agent_key::AgentKey;
use crate::model::{Agent, Status, WaitingFor};
use crate::rules::status::display_order::natural;

/// How the list is grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Grouping {
    Project,
    Status,
    Host,
    Parent,
    None,
}

impl Grouping {
    pub(crate) const ALL: [Grouping; 5] =
        [Grouping::Project, Grouping::Status, Grouping::Host, Grouping::Parent, Grouping::None];

    /// Returns the name that the chip shows.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Grouping::Project => "project",
            Grouping::Status => "status",
            Grouping::Host => "host",
            Grouping::Parent => "parent",
            Grouping::None => "none",
        }
    }
}

/// How the agents of a group are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sorting {
    Name,
    Age,
    Activity,
    Attention,
}

impl Sorting {
    pub(crate) const ALL: [Sorting; 4] = [Sorting::Name, Sorting::Age, Sorting::Activity, Sorting::Attention];

    /// Returns the name that the chip shows.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Sorting::Name => "name",
            Sorting::Age => "age",
            Sorting::Activity => "activity",
            Sorting::Attention => "attention",
        }
    }

    fn compare(self, a: &Agent, b: &Agent) -> Ordering {
        let by_name = || natural(a.name.as_str(), b.name.as_str()).then_with(|| a.host.cmp(&b.host));
        match self {
            Sorting::Name => by_name(),
            Sorting::Age => a.created_at.cmp(&b.created_at).then_with(by_name),
            Sorting::Activity => b.last_activity.cmp(&a.last_activity).then_with(by_name),
            Sorting::Attention => a.status.rank().cmp(&b.status.rank()).then_with(by_name),
        }
    }
}

/// Which agents the list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListScope {
    All,
    Running,
    NeedsYou,
}

impl ListScope {
    pub(crate) const ALL: [ListScope; 3] = [ListScope::All, ListScope::Running, ListScope::NeedsYou];

    /// Returns the name that the chip shows.
    pub(crate) fn word(self) -> &'static str {
        match self {
            ListScope::All => "all",
            ListScope::Running => "running",
            ListScope::NeedsYou => "needs you",
        }
    }

    /// Returns whether an agent is in this scope.
    pub(crate) fn includes(self, agent: &Agent) -> bool {
        match self {
            ListScope::All => true,
            ListScope::Running => agent.status.is_live(),
            ListScope::NeedsYou => needs_you(agent),
        }
    }
}

/// Returns whether an agent waits for the user. A usage limit resets by itself.
pub(crate) fn needs_you(agent: &Agent) -> bool {
    agent.status == Status::Waiting && agent.waiting_for != Some(WaitingFor::Limit)
}

/// Something that can be folded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum FoldKey {
    Group(Grouping, String),
    Agent(AgentKey),
}

/// One row of the list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ListRow {
    /// The head line of a group.
    Group(GroupRow),
    /// One agent, by its index in the list of agents.
    Agent(AgentRow),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GroupRow {
    pub(crate) title: String,
    pub(crate) agents: usize,
    pub(crate) needing_you: usize,
    pub(crate) is_folded: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AgentRow {
    pub(crate) index: usize,
    pub(crate) key: AgentKey,
    pub(crate) depth: usize,
    /// Number of descendants in the list, shown or folded.
    pub(crate) below: usize,
    pub(crate) is_folded: bool,
}

/// What determines the rows, besides the agents.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arrangement {
    pub(crate) grouping: Grouping,
    pub(crate) sorting: Sorting,
    pub(crate) folded: HashSet<FoldKey>,
}

/// Arranges the agents with these indices into rows.
pub(crate) fn arrange(agents: &[Agent], shown: &[usize], arrangement: &Arrangement) -> Vec<ListRow> {
    let mut groups: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
    for index in shown {
        groups.entry(group_of(&agents[*index], arrangement.grouping)).or_default().push(*index);
    }
    let mut rows = Vec::new();
    for ((_, title), mut members) in groups {
        members.sort_by(|a, b| arrangement.sorting.compare(&agents[*a], &agents[*b]));
        let is_folded = arrangement.folded.contains(&FoldKey::Group(arrangement.grouping, title.clone()));
        if arrangement.grouping != Grouping::None {
            let needing_you = members.iter().filter(|index| needs_you(&agents[**index])).count();
            rows.push(ListRow::Group(GroupRow { title, agents: members.len(), needing_you, is_folded }));
        }
        if !is_folded || arrangement.grouping == Grouping::None {
            rows.extend(tree(agents, &members, &arrangement.folded).into_iter().map(ListRow::Agent));
        }
    }
    rows
}

/// Returns the agents of a group.
pub(crate) fn members<'a>(agents: &'a [Agent], grouping: Grouping, title: &str) -> Vec<&'a Agent> {
    let mut members: Vec<&Agent> =
        agents.iter().filter(|agent| group_of(agent, grouping).1 == title).collect();
    members.sort_by(|a, b| Sorting::Name.compare(a, b));
    members
}

/// Returns the position and the title of an agent's group.
fn group_of(agent: &Agent, grouping: Grouping) -> (usize, String) {
    match grouping {
        Grouping::Project => {
            let place = agent.project.as_deref().unwrap_or(&agent.working_directory);
            (0, agent.host.as_ref().map_or_else(|| place.to_owned(), |host| format!("{host}:{place}")))
        }
        Grouping::Status => (agent.status.rank(), agent.status.to_string()),
        Grouping::Host => match &agent.host {
            None => (0, "this machine".to_owned()),
            Some(host) => (1, host.clone()),
        },
        Grouping::Parent => match &agent.parent {
            None => (0, "no parent".to_owned()),
            Some(parent) => (1, parent.to_string()),
        },
        Grouping::None => (0, String::new()),
    }
}

/// Returns the members of one group, each below its parent if the parent is in the same group. Siblings keep their
/// order. Terminates on parents that form a cycle.
fn tree(agents: &[Agent], members: &[usize], folded: &HashSet<FoldKey>) -> Vec<AgentRow> {
    let names: HashMap<(&Option<String>, &str), usize> =
        members.iter().map(|index| ((&agents[*index].host, agents[*index].name.as_str()), *index)).collect();
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut roots = Vec::new();
    for index in members {
        let agent = &agents[*index];
        let parent = agent.parent.as_ref().and_then(|parent| names.get(&(&agent.host, parent.as_str())));
        match parent.filter(|parent| **parent != *index) {
            Some(parent) => children.entry(*parent).or_default().push(*index),
            None => roots.push(*index),
        }
    }
    let mut grown = Grown { agents, children, folded, visited: HashSet::new(), rows: Vec::new() };
    // Members of a cycle are below each other and below no root.
    for index in roots.iter().chain(members) {
        grown.add(*index, 0, Visibility::Shown);
    }
    grown.rows
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visibility {
    Shown,
    Folded,
}

struct Grown<'a> {
    agents: &'a [Agent],
    children: HashMap<usize, Vec<usize>>,
    folded: &'a HashSet<FoldKey>,
    visited: HashSet<usize>,
    rows: Vec<AgentRow>,
}

impl Grown<'_> {
    /// Adds an agent and its descendants, and returns the number of agents.
    fn add(&mut self, index: usize, depth: usize, visibility: Visibility) -> usize {
        if !self.visited.insert(index) {
            return 0;
        }
        let key = AgentKey::of(&self.agents[index]);
        let is_folded = self.folded.contains(&FoldKey::Agent(key.clone()));
        let at = self.rows.len();
        if visibility == Visibility::Shown {
            self.rows.push(AgentRow { index, key, depth, below: 0, is_folded });
        }
        let inner = if is_folded { Visibility::Folded } else { visibility };
        let below = self.children.get(&index).cloned().unwrap_or_default();
        let below = below.into_iter().map(|child| self.add(child, depth + 1, inner)).sum();
        if visibility == Visibility::Shown {
            self.rows[at].below = below;
        }
        below + 1
    }
}
