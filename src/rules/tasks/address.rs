//! Recipients of a message: parses TARGET, resolves it, and decides which recipients are woken.

use std::fmt;

use crate::base::sanitize::shown;
use crate::model::{AgentId, AgentName, Recipient};

/// A parsed TARGET. A reserved name takes precedence over an agent of that name, which is reached as `parent@project`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// One agent, optionally with the project in which it must be.
    Agent {
        /// Name of the agent, as typed.
        name: String,
        /// Project, as typed.
        project: Option<String>,
    },
    /// All agents in a project, as typed.
    Everyone(String),
    /// The agent that spawned the sender.
    Parent,
    /// The agents that the sender spawned.
    Children,
    /// The user, written as `person`.
    Person,
}

impl Address {
    /// Parses a target without checking whether it exists.
    pub fn parse(text: &str) -> Address {
        match text {
            "parent" => Address::Parent,
            "children" => Address::Children,
            "person" => Address::Person,
            // A name cannot contain an `@`, but a directory can.
            _ => match text.split_once('@') {
                Some(("", project)) => Address::Everyone(project.to_owned()),
                Some((name, project)) => {
                    Address::Agent { name: name.to_owned(), project: Some(project.to_owned()) }
                }
                None => Address::Agent { name: text.to_owned(), project: None },
            },
        }
    }
}

/// An agent that can receive messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressee {
    /// Permanent id of the agent.
    pub id: AgentId,
    /// Name of the agent.
    pub name: AgentName,
    /// Agent that spawned it.
    pub parent: Option<AgentName>,
    /// Path of its project.
    pub project: String,
}

impl Addressee {
    fn recipient(&self) -> Recipient {
        Recipient::Agent(self.id, self.name.clone())
    }
}

/// The agents among which a target is resolved.
pub struct AddressBook<'a> {
    /// Sender of the message; `None` is the user.
    pub sender: Option<&'a Addressee>,
    /// All agents of the environment.
    pub members: &'a [Addressee],
    /// Returns the project that a text names as a path, or `None` if the text is not a path but may be the name of a
    /// directory.
    pub path_of: &'a dyn Fn(&str) -> Option<String>,
}

/// Recipients of a message.
#[derive(Debug, PartialEq, Eq)]
pub struct Recipients {
    /// Recipients, each with whether it is woken.
    pub to: Vec<(Recipient, bool)>,
    /// Project, if the message is for all of it.
    pub project: Option<String>,
}

/// Reason why a message has no recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRecipient {
    /// No agent has that name.
    NoAgent {
        /// Name, as typed.
        name: String,
        /// Names of the existing agents.
        known: Vec<AgentName>,
    },
    /// The agent is in another project.
    Elsewhere {
        /// Name of the agent.
        name: AgentName,
        /// Project, as typed.
        project: String,
        /// Project in which the agent is.
        is_in: String,
    },
    /// No agent is in such a project.
    NoProject {
        /// Project, as typed.
        project: String,
        /// Projects in which agents are.
        known: Vec<String>,
    },
    /// Several project directories have that name.
    Several {
        /// Project, as typed.
        project: String,
        /// Paths of the matching projects.
        paths: Vec<String>,
    },
    /// The sender is the only agent in the project.
    Alone {
        /// Path of the project.
        project: String,
    },
    /// The sender is the user, who has no parent.
    NoParent,
    /// The sender has no children.
    NoChildren {
        /// Sender of the message; `None` is the user.
        of: Option<AgentName>,
    },
}

impl fmt::Display for NoRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoRecipient::NoAgent { name, .. } => write!(f, "no agent named `{}`", shown(name)),
            NoRecipient::Elsewhere { name, project, .. } => {
                write!(f, "agent `{name}` is not in project `{}`", shown(project))
            }
            NoRecipient::NoProject { project, .. } => {
                write!(f, "no agent is in project `{}`", shown(project))
            }
            NoRecipient::Several { project, .. } => {
                write!(f, "several projects are called `{}`", shown(project))
            }
            NoRecipient::Alone { project } => write!(f, "no other agent is in project {}", shown(project)),
            NoRecipient::NoParent => {
                f.write_str("`parent` is a target for agents only: a user has no parent")
            }
            NoRecipient::NoChildren { of: None } => f.write_str(
                "`children` is a target for agents only: use `@project` to reach all agents of a project",
            ),
            NoRecipient::NoChildren { of: Some(name) } => write!(f, "agent `{name}` has no children"),
        }
    }
}

impl std::error::Error for NoRecipient {}

/// Determines the recipients of a message.
pub fn reach(address: &Address, text: &str, known: &AddressBook<'_>) -> Result<Recipients, NoRecipient> {
    let single = |to: Recipient, wake: bool| Recipients { to: vec![(to, wake)], project: None };
    match address {
        Address::Person => Ok(single(Recipient::Person, false)),
        Address::Agent { name, project } => {
            let member = agent(name, project.as_deref(), known)?;
            Ok(single(member.recipient(), true))
        }
        Address::Parent => {
            let sender = known.sender.ok_or(NoRecipient::NoParent)?;
            let is_it = |member: &&Addressee| Some(&member.name) == sender.parent.as_ref();
            Ok(match known.members.iter().find(is_it) {
                Some(parent) => single(parent.recipient(), true),
                // If the agent has no parent, or the parent no longer exists, the user takes its place.
                None => single(Recipient::Person, false),
            })
        }
        Address::Children => {
            let of = known.sender.map(|sender| sender.name.clone());
            let is_child = |member: &&Addressee| of.is_some() && member.parent == of;
            let to: Vec<_> =
                known.members.iter().filter(is_child).map(|child| (child.recipient(), true)).collect();
            if to.is_empty() {
                Err(NoRecipient::NoChildren { of })
            } else {
                Ok(Recipients { to, project: None })
            }
        }
        Address::Everyone(project) => {
            let project = the_project(project, known)?;
            let is_sender = |member: &Addressee| known.sender.is_some_and(|sender| sender.id == member.id);
            let others = known.members.iter().filter(|member| member.project == project);
            let to: Vec<_> = others
                .filter(|member| !is_sender(member))
                .map(|member| (member.recipient(), mentions(text, &member.name)))
                .collect();
            if to.is_empty() {
                Err(NoRecipient::Alone { project })
            } else {
                Ok(Recipients { to, project: Some(project) })
            }
        }
    }
}

fn agent<'a>(
    name: &str,
    project: Option<&str>,
    known: &AddressBook<'a>,
) -> Result<&'a Addressee, NoRecipient> {
    let found = known.members.iter().find(|member| member.name.as_str() == name);
    let member = found.ok_or_else(|| NoRecipient::NoAgent {
        name: name.to_owned(),
        known: known.members.iter().map(|member| member.name.clone()).collect(),
    })?;
    match project {
        Some(project) if !is_meant(&member.project, project, known) => Err(NoRecipient::Elsewhere {
            name: member.name.clone(),
            project: project.to_owned(),
            is_in: member.project.clone(),
        }),
        _ => Ok(member),
    }
}

/// Returns the path of the one project that a text names.
fn the_project(typed: &str, known: &AddressBook<'_>) -> Result<String, NoRecipient> {
    let mut paths: Vec<String> = known.members.iter().map(|member| member.project.clone()).collect();
    paths.sort();
    paths.dedup();
    let mut meant: Vec<String> = paths.iter().filter(|path| is_meant(path, typed, known)).cloned().collect();
    match meant.len() {
        0 => Err(NoRecipient::NoProject { project: typed.to_owned(), known: paths }),
        1 => Ok(meant.remove(0)),
        _ => Err(NoRecipient::Several { project: typed.to_owned(), paths: meant }),
    }
}

fn is_meant(path: &str, typed: &str, known: &AddressBook<'_>) -> bool {
    match (known.path_of)(typed) {
        Some(meant) => path == meant,
        None => path.rsplit('/').next() == Some(typed),
    }
}

/// Returns whether a text mentions an agent: `@name`, not as part of a longer word or of an email address.
pub fn mentions(text: &str, name: &AgentName) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices('@').any(|(at, _)| {
        let starts = !text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let behind = &text[at + 1..];
        let word = &behind[..behind.find(|c| !is_word(c)).unwrap_or(behind.len())];
        // `@fix-` and `@fix_` may end a clause or be formatted in bold.
        starts && (word == name.as_str() || word.trim_end_matches(['-', '_']) == name.as_str())
    })
}

#[cfg(test)]
mod tests;
