//! Permissions of an agent towards other agents, derived from how they are related: itself, its descendants, its
//! project and its parent.
//!
//! A user may do everything. These permissions keep agents from interfering with each other by mistake or through an
//! injected prompt; they are no security boundary against a program that runs as the same user. The caller is
//! identified elsewhere.

use std::collections::HashSet;
use std::path::Path;

use crate::model::{AgentId, AgentName, AgentRecord, Task};
use crate::rules::lifecycle::tree;

/// The caller of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum Caller {
    /// The user at a terminal.
    Person,
    /// An agent, with its record.
    Agent(Box<AgentRecord>),
}

/// Relation of an agent to the caller; the closest relation applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Relation {
    /// The agent is the caller itself.
    Itself,
    /// The agent is a child or a further descendant of the caller.
    Below,
    /// The agent works in the same project.
    Project,
    /// The agent spawned the caller and works in another project.
    Parent,
    /// The agent is not related to the caller.
    Stranger,
}

impl Relation {
    /// All relations, the closest first.
    #[cfg(test)]
    pub(super) const ALL: [Relation; 5] =
        [Relation::Itself, Relation::Below, Relation::Project, Relation::Parent, Relation::Stranger];

    /// Returns the name of the relation.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// An action that one agent can take on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// See that the agent exists, its status and the results of its tasks.
    See,
    /// Read the output of the agent.
    Read,
    /// Send the agent a message.
    Message,
    /// Add a task to the agent's queue.
    Task,
    /// Report the progress of the agent's task, and end it.
    Report,
    /// Change or remove the agent's taskspace.
    Change,
}

impl Action {
    /// All actions, in the order of their declaration.
    #[cfg(test)]
    pub(super) const ALL: [Action; 6] =
        [Action::See, Action::Read, Action::Message, Action::Task, Action::Report, Action::Change];

    /// Returns the action as part of the sentence that refuses it.
    pub fn words(self) -> &'static str {
        match self {
            Action::See => "see",
            Action::Read => "read the output of",
            Action::Message => "write to",
            Action::Task => "give a task to",
            Action::Report => "report for",
            Action::Change => "change or remove",
        }
    }

    /// Returns whether the relation allows the action.
    fn is_for(self, relation: Relation) -> bool {
        match relation {
            Relation::Itself | Relation::Below => true,
            Relation::Project => matches!(self, Action::See | Action::Read | Action::Message | Action::Task),
            Relation::Parent => matches!(self, Action::See | Action::Message),
            Relation::Stranger => false,
        }
    }
}

/// Permissions of a caller among all agents.
#[derive(Debug, Clone)]
pub struct PermissionTable {
    caller: Caller,
    records: Vec<AgentRecord>,
    below: HashSet<AgentName>,
    /// Project of the caller, as these records state it.
    project: Option<String>,
}

impl PermissionTable {
    /// Creates the permissions of a caller among these records. In the records, all worktrees of a repository have the
    /// same project. The caller's own record states the directory in which it works.
    pub fn new(caller: Caller, records: Vec<AgentRecord>) -> PermissionTable {
        let (mut below, mut project) = (HashSet::new(), None);
        if let Caller::Agent(me) = &caller {
            below.extend(tree::descendants(&records, std::slice::from_ref(&me.name)));
            let own = records.iter().find(|record| record.id == me.id);
            project = own.map_or_else(|| me.project.clone(), |own| own.project.clone());
        }
        PermissionTable { caller, records, below, project }
    }

    /// Returns the agent with this name.
    pub fn find(&self, name: &AgentName) -> Option<&AgentRecord> {
        self.records.iter().find(|record| record.name == *name)
    }

    /// Returns the calling agent, or `None` if the caller is the user.
    pub fn calling_agent(&self) -> Option<&AgentRecord> {
        match &self.caller {
            Caller::Person => None,
            Caller::Agent(me) => Some(me),
        }
    }

    /// Returns the relation of an agent to the caller, or `None` if the caller is the user, who may do everything.
    pub fn relation(&self, other: &AgentRecord) -> Option<Relation> {
        let me = self.calling_agent()?;
        let same_project = self.project.is_some() && self.project == other.project;
        Some(match other {
            other if other.id == me.id => Relation::Itself,
            other if self.below.contains(&other.name) => Relation::Below,
            _ if same_project => Relation::Project,
            other if Some(&other.name) == me.parent.as_ref() => Relation::Parent,
            _ => Relation::Stranger,
        })
    }

    /// Returns whether the caller may take the action on this agent.
    pub fn allows(&self, act: Action, other: &AgentRecord) -> bool {
        self.relation(other).is_none_or(|relation| act.is_for(relation))
    }

    /// Returns all agents on which the caller may take the action.
    pub fn agents_allowed(&self, act: Action) -> impl Iterator<Item = &AgentRecord> {
        self.records.iter().filter(move |record| self.allows(act, record))
    }

    /// Returns whether the caller may take the action on a task. The assigned agent decides; the agent that added a
    /// task may also see it.
    pub fn allows_about(&self, act: Action, task: &Task) -> bool {
        let Some(me) = self.calling_agent() else { return true };
        let is_given_by_me = act == Action::See && task.source_id == Some(me.id);
        let assignee = |id: AgentId| self.records.iter().find(|record| record.id == id);
        is_given_by_me || task.agent.and_then(assignee).is_some_and(|assignee| self.allows(act, assignee))
    }

    /// Returns whether the caller may give a task to every agent of this spec, any of which could claim it.
    pub fn allows_pool(&self, spec: &str) -> bool {
        let of_spec = |record: &&AgentRecord| record.spec == spec;
        self.records.iter().filter(of_spec).all(|record| self.allows(Action::Task, record))
    }

    /// Returns whether the caller may let an agent work in a directory: one of the caller's project or of its own
    /// workspace. The directory must be canonical, without links and `..`.
    pub fn may_work_in(&self, dir: &Path) -> bool {
        let Some(me) = self.calling_agent() else { return true };
        self.project.iter().chain(&me.project).chain([&me.working_directory]).any(|top| dir.starts_with(top))
    }

    /// Returns whether a project, given by its path or the name of its directory, is the caller's own, so that the
    /// caller may send messages to all of it.
    pub fn is_own_project(&self, named: &str) -> bool {
        if self.calling_agent().is_none() {
            return true;
        }
        let Some(project) = self.project.as_deref() else { return false };
        named == project || Path::new(project).file_name().is_some_and(|name| name == named)
    }
}

#[cfg(test)]
mod tests;
