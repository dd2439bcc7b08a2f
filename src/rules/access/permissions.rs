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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    pub const ALL: [Relation; 5] =
        [Relation::Itself, Relation::Below, Relation::Project, Relation::Parent, Relation::Stranger];

    /// Returns the name of the relation.
    pub fn word(self) -> &'static str {
        match self {
            Relation::Itself => "itself",
            Relation::Below => "below",
            Relation::Project => "project",
            Relation::Parent => "parent",
            Relation::Stranger => "stranger",
        }
    }
}

/// An action that one agent can take on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
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

impl Act {
    /// All actions, in the order of their declaration.
    pub const ALL: [Act; 6] = [Act::See, Act::Read, Act::Message, Act::Task, Act::Report, Act::Change];

    /// Returns the action as part of the sentence that refuses it.
    pub fn words(self) -> &'static str {
        match self {
            Act::See => "see",
            Act::Read => "read what is printed by",
            Act::Message => "write to",
            Act::Task => "give a task to",
            Act::Report => "report for",
            Act::Change => "change or remove",
        }
    }

    /// Returns whether the relation allows the action.
    fn is_for(self, bond: Relation) -> bool {
        match bond {
            Relation::Itself | Relation::Below => true,
            Relation::Project => matches!(self, Act::See | Act::Read | Act::Message | Act::Task),
            Relation::Parent => matches!(self, Act::See | Act::Message),
            Relation::Stranger => false,
        }
    }
}

/// Permissions of a caller among all agents.
#[derive(Debug, Clone)]
pub struct Place {
    caller: Caller,
    records: Vec<AgentRecord>,
    below: HashSet<AgentName>,
    /// Project of the caller, as these records state it.
    project: Option<String>,
}

impl Place {
    /// Creates the permissions of a caller among these records. In the records, all worktrees of a repository have the
    /// same project. The caller's own record states the directory in which it works.
    pub fn new(caller: Caller, records: Vec<AgentRecord>) -> Place {
        let (mut below, mut project) = (HashSet::new(), None);
        if let Caller::Agent(me) = &caller {
            below.extend(tree::descendants(&records, std::slice::from_ref(&me.name)));
            let own = records.iter().find(|record| record.id == me.id);
            project = own.map_or_else(|| me.project.clone(), |own| own.project.clone());
        }
        Place { caller, records, below, project }
    }

    /// Returns the agent with this name.
    pub fn find(&self, name: &AgentName) -> Option<&AgentRecord> {
        self.records.iter().find(|record| record.name == *name)
    }

    /// Returns the calling agent, or `None` if the caller is the user.
    pub fn me(&self) -> Option<&AgentRecord> {
        match &self.caller {
            Caller::Person => None,
            Caller::Agent(me) => Some(me),
        }
    }

    /// Returns the relation of an agent to the caller, or `None` if the caller is the user, who may do everything.
    pub fn bond(&self, other: &AgentRecord) -> Option<Relation> {
        let me = self.me()?;
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
    pub fn allows(&self, act: Act, other: &AgentRecord) -> bool {
        self.bond(other).is_none_or(|bond| act.is_for(bond))
    }

    /// Returns all agents on which the caller may take the action.
    pub fn those(&self, act: Act) -> impl Iterator<Item = &AgentRecord> {
        self.records.iter().filter(move |record| self.allows(act, record))
    }

    /// Returns whether the caller may take the action on a task. The assigned agent decides; the agent that added a
    /// task may also see it.
    pub fn allows_about(&self, act: Act, task: &Task) -> bool {
        let Some(me) = self.me() else { return true };
        let is_given_by_me = act == Act::See && task.source_id == Some(me.id);
        let doer = |id: AgentId| self.records.iter().find(|record| record.id == id);
        is_given_by_me || task.agent.and_then(doer).is_some_and(|doer| self.allows(act, doer))
    }

    /// Returns whether the caller may give a task to every agent of this spec, any of which could claim it.
    pub fn allows_pool(&self, spec: &str) -> bool {
        let of_spec = |record: &&AgentRecord| record.spec == spec;
        self.records.iter().filter(of_spec).all(|record| self.allows(Act::Task, record))
    }

    /// Returns whether the caller may let an agent work in a directory: one of the caller's project or of its own
    /// workspace. The directory must be canonical, without links and `..`.
    pub fn holds(&self, dir: &Path) -> bool {
        let Some(me) = self.me() else { return true };
        self.project.iter().chain(&me.project).chain([&me.working_directory]).any(|top| dir.starts_with(top))
    }

    /// Returns whether a project, given by its path or the name of its directory, is the caller's own, so that the
    /// caller may send messages to all of it.
    pub fn is_own_project(&self, named: &str) -> bool {
        if self.me().is_none() {
            return true;
        }
        let Some(project) = self.project.as_deref() else { return false };
        named == project || Path::new(project).file_name().is_some_and(|name| name == named)
    }
}

#[cfg(test)]
mod tests;
