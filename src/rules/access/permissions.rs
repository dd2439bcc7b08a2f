//! What an agent's place allows it to do with others: with itself, those below it, its project and its parent.
//!
//! A person may do everything. This keeps agents from each other's work by mistake or by a prompt that somebody slipped
//! in; it is no wall against a program that runs as the same user. Who asks is found out elsewhere.

use std::collections::HashSet;
use std::path::Path;

use crate::model::{AgentId, AgentName, AgentRecord, Task};
use crate::rules::lifecycle::tree;

/// Who asks.
#[derive(Debug, Clone, PartialEq)]
pub enum Caller {
    /// Whoever sits at the keyboard.
    Person,
    /// An agent.
    Agent(Box<AgentRecord>),
}

/// How somebody stands to the one who asks; the nearest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bond {
    /// The same.
    Itself,
    /// A child, or further down.
    Below,
    /// One of the same project.
    Project,
    /// The one that spawned it, in another project.
    Parent,
    /// Anybody else.
    Stranger,
}

impl Bond {
    /// Every bond, the nearest first.
    pub const ALL: [Bond; 5] = [Bond::Itself, Bond::Below, Bond::Project, Bond::Parent, Bond::Stranger];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Bond::Itself => "itself",
            Bond::Below => "below",
            Bond::Project => "project",
            Bond::Parent => "parent",
            Bond::Stranger => "stranger",
        }
    }
}

/// What is to be done with somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// See that it is there, what it does, and what came of its tasks.
    See,
    /// Read what it printed.
    Read,
    /// Send it a message.
    Message,
    /// Give it a task.
    Task,
    /// Say how far a task of its is, and end it.
    Report,
    /// Change or remove its taskspace.
    Change,
}

impl Act {
    /// Every act.
    pub const ALL: [Act; 6] = [Act::See, Act::Read, Act::Message, Act::Task, Act::Report, Act::Change];

    /// What is refused, as it stands in a sentence.
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

    /// Whether it is allowed.
    fn is_for(self, bond: Bond) -> bool {
        match bond {
            Bond::Itself | Bond::Below => true,
            Bond::Project => matches!(self, Act::See | Act::Read | Act::Message | Act::Task),
            Bond::Parent => matches!(self, Act::See | Act::Message),
            Bond::Stranger => false,
        }
    }
}

/// Where somebody stands among all agents.
#[derive(Debug, Clone)]
pub struct Place {
    caller: Caller,
    records: Vec<AgentRecord>,
    below: HashSet<AgentName>,
    /// The caller's, as it stands in these records.
    project: Option<String>,
}

impl Place {
    /// The place of a caller among these, whose projects are the same when they are one: all worktrees of a repository
    /// are. The caller's own record tells where it really works.
    pub fn new(caller: Caller, records: Vec<AgentRecord>) -> Place {
        let (mut below, mut project) = (HashSet::new(), None);
        if let Caller::Agent(me) = &caller {
            below.extend(tree::descendants(&records, std::slice::from_ref(&me.name)));
            let own = records.iter().find(|record| record.id == me.id);
            project = own.map_or_else(|| me.project.clone(), |own| own.project.clone());
        }
        Place { caller, records, below, project }
    }

    /// The agent of this name.
    pub fn find(&self, name: &AgentName) -> Option<&AgentRecord> {
        self.records.iter().find(|record| record.name == *name)
    }

    /// The agent that asks; none when it is a person.
    pub fn me(&self) -> Option<&AgentRecord> {
        match &self.caller {
            Caller::Person => None,
            Caller::Agent(me) => Some(me),
        }
    }

    /// How an agent stands to the one who asks; none when a person asks, who stands above all.
    pub fn bond(&self, other: &AgentRecord) -> Option<Bond> {
        let me = self.me()?;
        let same_project = self.project.is_some() && self.project == other.project;
        Some(match other {
            other if other.id == me.id => Bond::Itself,
            other if self.below.contains(&other.name) => Bond::Below,
            _ if same_project => Bond::Project,
            other if Some(&other.name) == me.parent.as_ref() => Bond::Parent,
            _ => Bond::Stranger,
        })
    }

    /// Whether this may be done with that agent.
    pub fn allows(&self, act: Act, other: &AgentRecord) -> bool {
        self.bond(other).is_none_or(|bond| act.is_for(bond))
    }

    /// Everybody with whom this may be done.
    pub fn those(&self, act: Act) -> impl Iterator<Item = &AgentRecord> {
        self.records.iter().filter(move |record| self.allows(act, record))
    }

    /// Whether this may be done about a task: by whose it is, and whoever gave it may see it.
    pub fn allows_about(&self, act: Act, task: &Task) -> bool {
        let Some(me) = self.me() else { return true };
        let is_given_by_me = act == Act::See && task.source_id == Some(me.id);
        let doer = |id: AgentId| self.records.iter().find(|record| record.id == id);
        is_given_by_me || task.agent.and_then(doer).is_some_and(|doer| self.allows(act, doer))
    }

    /// Whether everybody who could take a task for any agent of this spec may be given one.
    pub fn allows_pool(&self, spec: &str) -> bool {
        let of_spec = |record: &&AgentRecord| record.spec == spec;
        self.records.iter().filter(of_spec).all(|record| self.allows(Act::Task, record))
    }

    /// Whether somebody may be put to work in a directory: one of the caller's project, or of its own workspace. The
    /// directory is as the system knows it, without links and `..`.
    pub fn holds(&self, dir: &Path) -> bool {
        let Some(me) = self.me() else { return true };
        self.project.iter().chain(&me.project).chain([&me.working_directory]).any(|top| dir.starts_with(top))
    }

    /// Whether a project may be spoken to as a whole: the caller's own, by its path or by its directory's name.
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
