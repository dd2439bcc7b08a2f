//! Who a message is for: what TARGET says, who that is now, and who of them is woken for it.

use crate::model::{AgentId, AgentName, Recipient};

/// What TARGET says. A word wins over an agent of that name, which is reached as `parent@project`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// One agent, perhaps with the project it should be in.
    Agent {
        /// What it is called, as it was typed.
        name: String,
        /// The project, as it was typed.
        project: Option<String>,
    },
    /// Everybody in a project, as it was typed.
    Everyone(String),
    /// Whoever spawned the sender.
    Parent,
    /// Whomever the sender spawned.
    Children,
    /// Whoever sits at the keyboard.
    Person,
}

impl Address {
    /// Reads a target; whether there is such a one is another question.
    pub fn parse(text: &str) -> Address {
        match text {
            "parent" => Address::Parent,
            "children" => Address::Children,
            "person" => Address::Person,
            // No name has an `@` in it, a directory may.
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

/// Somebody who can get mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// What it is, for ever.
    pub id: AgentId,
    /// What it is called.
    pub name: AgentName,
    /// Who spawned it.
    pub parent: Option<AgentName>,
    /// The path of its project.
    pub project: String,
}

impl Member {
    fn recipient(&self) -> Recipient {
        Recipient::Agent(self.id, self.name.clone())
    }
}

/// What is known of those who send and get mail.
pub struct Known<'a> {
    /// The sender; none is a person.
    pub sender: Option<&'a Member>,
    /// Every agent there is.
    pub members: &'a [Member],
    /// The project that a text means as a path; none when it is no path, but may be a directory's name.
    pub path_of: &'a dyn Fn(&str) -> Option<String>,
}

/// Who gets a message.
#[derive(Debug, PartialEq, Eq)]
pub struct Reached {
    /// They, each with whether it is woken.
    pub to: Vec<(Recipient, bool)>,
    /// The project, when all of it is meant.
    pub project: Option<String>,
}

/// Why nobody is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreached {
    /// There is no agent of that name.
    NoAgent {
        /// What was typed.
        name: String,
        /// Those there are.
        known: Vec<AgentName>,
    },
    /// It is in another project.
    Elsewhere {
        /// The agent.
        name: AgentName,
        /// The project that was typed.
        project: String,
        /// The one it is in.
        is_in: String,
    },
    /// No agent is in such a project.
    NoProject {
        /// What was typed.
        project: String,
        /// Those that agents are in.
        known: Vec<String>,
    },
    /// Several directories have that name.
    Several {
        /// What was typed.
        project: String,
        /// Their paths.
        paths: Vec<String>,
    },
    /// There is nobody in the project but the sender.
    Alone {
        /// The project.
        project: String,
    },
    /// The sender is a person, whom nobody spawned.
    NoParent,
    /// The sender spawned nobody.
    NoChildren {
        /// The sender; none is a person.
        of: Option<AgentName>,
    },
}

/// Decides who gets a message.
pub fn reach(address: &Address, text: &str, known: &Known<'_>) -> Result<Reached, Unreached> {
    let one = |to: Recipient, wake: bool| Reached { to: vec![(to, wake)], project: None };
    match address {
        Address::Person => Ok(one(Recipient::Person, false)),
        Address::Agent { name, project } => {
            let member = agent(name, project.as_deref(), known)?;
            Ok(one(member.recipient(), true))
        }
        Address::Parent => {
            let sender = known.sender.ok_or(Unreached::NoParent)?;
            let is_it = |member: &&Member| Some(&member.name) == sender.parent.as_ref();
            Ok(match known.members.iter().find(is_it) {
                Some(parent) => one(parent.recipient(), true),
                // Whom nobody spawned, or nobody who is still there, a person did.
                None => one(Recipient::Person, false),
            })
        }
        Address::Children => {
            let of = known.sender.map(|sender| sender.name.clone());
            let is_child = |member: &&Member| of.is_some() && member.parent == of;
            let to: Vec<_> =
                known.members.iter().filter(is_child).map(|child| (child.recipient(), true)).collect();
            if to.is_empty() { Err(Unreached::NoChildren { of }) } else { Ok(Reached { to, project: None }) }
        }
        Address::Everyone(project) => {
            let project = the_project(project, known)?;
            let is_sender = |member: &Member| known.sender.is_some_and(|sender| sender.id == member.id);
            let others = known.members.iter().filter(|member| member.project == project);
            let to: Vec<_> = others
                .filter(|member| !is_sender(member))
                .map(|member| (member.recipient(), mentions(text, &member.name)))
                .collect();
            if to.is_empty() {
                Err(Unreached::Alone { project })
            } else {
                Ok(Reached { to, project: Some(project) })
            }
        }
    }
}

fn agent<'a>(name: &str, project: Option<&str>, known: &Known<'a>) -> Result<&'a Member, Unreached> {
    let found = known.members.iter().find(|member| member.name.as_str() == name);
    let member = found.ok_or_else(|| Unreached::NoAgent {
        name: name.to_owned(),
        known: known.members.iter().map(|member| member.name.clone()).collect(),
    })?;
    match project {
        Some(project) if !is_meant(&member.project, project, known) => Err(Unreached::Elsewhere {
            name: member.name.clone(),
            project: project.to_owned(),
            is_in: member.project.clone(),
        }),
        _ => Ok(member),
    }
}

/// The path of the one project that a text means.
fn the_project(typed: &str, known: &Known<'_>) -> Result<String, Unreached> {
    let mut paths: Vec<String> = known.members.iter().map(|member| member.project.clone()).collect();
    paths.sort();
    paths.dedup();
    let mut meant: Vec<String> = paths.iter().filter(|path| is_meant(path, typed, known)).cloned().collect();
    match meant.len() {
        0 => Err(Unreached::NoProject { project: typed.to_owned(), known: paths }),
        1 => Ok(meant.remove(0)),
        _ => Err(Unreached::Several { project: typed.to_owned(), paths: meant }),
    }
}

fn is_meant(path: &str, typed: &str, known: &Known<'_>) -> bool {
    match (known.path_of)(typed) {
        Some(meant) => path == meant,
        None => path.rsplit('/').next() == Some(typed),
    }
}

/// Whether a text speaks to an agent: `@name`, not as part of a longer word or of a mail address.
pub fn mentions(text: &str, name: &AgentName) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices('@').any(|(at, _)| {
        let starts = !text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let behind = &text[at + 1..];
        let word = &behind[..behind.find(|c| !is_word(c)).unwrap_or(behind.len())];
        // `@fix-` and `@fix_` may end a clause or be written in bold.
        starts && (word == name.as_str() || word.trim_end_matches(['-', '_']) == name.as_str())
    })
}

#[cfg(test)]
mod tests;
