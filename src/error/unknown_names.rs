//! Errors about names and numbers that do not exist, with the nearest name that does.

use std::fmt;

use super::{Code, Error, listed, shown};
use crate::base::suggest::nearest;
use crate::model::{AgentName, TaskId};

/// A name that does not exist, with the names that were searched. Callers with less permissions show fewer of them.
#[derive(Debug, Clone)]
pub(crate) struct UnknownName {
    /// The name, as typed.
    pub(crate) name: String,
    /// The agents that exist.
    pub(crate) agents: Vec<AgentName>,
    /// The specs and kinds that exist.
    pub(crate) specs: Vec<String>,
    /// The command for the suggestion.
    pub(crate) verb: &'static str,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` does not exist", shown(&self.name))
    }
}

impl std::error::Error for UnknownName {}

impl Error {
    /// No agent has this name.
    pub(crate) fn no_such_agent(name: String, agents: Vec<AgentName>, verb: &'static str) -> Error {
        let error = Error::new(Code::NoSuchAgent, format!("no agent named `{}`", shown(&name)));
        let error = match (nearest(&name, agents.iter().map(AgentName::as_str)), agents.is_empty()) {
            (_, true) => error.saw(NO_AGENTS).hint("`symposium agent spawn` starts one"),
            (Some(near), false) => error
                .saw(format!("known agents: {}", listed(&agents)))
                .hint(format!("did you mean `symposium agent {verb} {near}`?")),
            (None, false) => error
                .saw(format!("known agents: {}", listed(&agents)))
                .hint("`symposium agent list --all` shows them"),
        };
        error.caused_by(UnknownName { name, agents, specs: vec![], verb })
    }

    /// No kind or spec has this name.
    pub(crate) fn no_such_spec(name: String, specs: Vec<String>, verb: &'static str) -> Error {
        let hint = match nearest(&name, specs.iter().map(String::as_str)) {
            Some(near) if verb == "task add" => format!("did you mean `symposium {verb} any:{near} …`?"),
            Some(near) => format!("did you mean `symposium {verb} {near}`?"),
            None if verb != "agent spawn" => "`symposium spec list` lists the specs".into(),
            None => format!("to run any command: `symposium agent spawn -- {}`", shown(&name)),
        };
        Error::new(Code::NoSuchSpec, format!("no spec or kind named `{}`", shown(&name)))
            .saw(format!("known: {}", specs.join(", ")))
            .hint(hint)
            .caused_by(UnknownName { name, agents: vec![], specs, verb })
    }

    /// Neither an agent nor a spec has this name.
    pub(crate) fn no_assignee(name: String, agents: Vec<AgentName>, specs: Vec<String>) -> Error {
        let verb = "task add";
        let known = agents.iter().map(AgentName::as_str).chain(specs.iter().map(String::as_str));
        let hint = match nearest(&name, known) {
            Some(near) => format!("did you mean `symposium {verb} {near} …`?"),
            None => "`symposium agent list --all` and `symposium spec list` show them".into(),
        };
        let agents_line = match agents.is_empty() {
            true => NO_AGENTS.to_owned(),
            false => format!("agents: {}", listed(&agents)),
        };
        Error::new(Code::NoAssignee, format!("no agent or spec named `{}`", shown(&name)))
            .saw(agents_line)
            .saw(format!("specs: {}", specs.join(", ")))
            .saw("nothing was queued")
            .hint(hint)
            .caused_by(UnknownName { name, agents, specs, verb })
    }

    /// No task has this number.
    pub(crate) fn no_such_task(id: TaskId) -> Error {
        Error::new(Code::NoSuchTask, format!("there is no task {id}"))
            .hint("`symposium task list --all` shows them")
    }
}

/// The observation that replaces an empty list of agents.
pub(crate) const NO_AGENTS: &str = "there are no agents yet";
