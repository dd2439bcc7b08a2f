//! Operations on an agent of another machine. Each runs the command that the command line would run there, at most once.

use serde_json::Value;

use crate::error::Error;
use crate::manager::Context;
use crate::manager::hosts::Hosts;
use crate::model::{AgentName, HostName, TaskId};

/// An agent on another machine.
pub struct RemoteAgent<'a> {
    /// The environment that knows the host.
    pub context: &'a Context,
    /// The host of the agent.
    pub host: HostName,
    /// The name of the agent there.
    pub name: AgentName,
}

/// The answer to a question of an agent on another machine.
#[derive(Debug, Clone, Copy)]
pub enum RemoteAnswer<'a> {
    /// The agent may do what it asks for.
    Approve,
    /// The agent must not do what it asks for.
    Deny,
    /// An option of the dialog, or a text.
    Text(&'a str),
}

impl RemoteAgent<'_> {
    /// Answers exactly the question with this id.
    pub fn answer(&self, question: &str, answer: RemoteAnswer<'_>) -> Result<Value, Error> {
        let (verb, text) = match answer {
            RemoteAnswer::Approve => ("approve", None),
            RemoteAnswer::Deny => ("deny", None),
            RemoteAnswer::Text(text) => ("answer", Some(text)),
        };
        let id = format!("--if-asks={question}");
        let argv = ["agent", verb, &id, "--", self.name.as_str()];
        self.change(&argv.into_iter().chain(text).collect::<Vec<_>>(), "")
    }

    /// Delivers a prompt and returns how it was confirmed.
    pub fn send(&self, text: &str) -> Result<Value, Error> {
        self.change(&["agent", "send", "--", self.name.as_str(), "-"], text)
    }

    /// Presses keys, given by their tmux names.
    pub fn press_keys(&self, keys: &[String]) -> Result<Value, Error> {
        let keys = serde_json::to_string(keys).unwrap_or_default();
        self.change(&["agent-keys", "--", self.name.as_str()], &keys)
    }

    /// Presses keys unless a terminal drives the agent.
    pub fn press_keys_if_undriven(&self, keys: &[String]) -> Result<Value, Error> {
        let keys = serde_json::to_string(keys).unwrap_or_default();
        self.change(&["agent-keys", "--if-undriven", "--", self.name.as_str()], &keys)
    }

    /// Ends the current turn.
    pub fn interrupt(&self) -> Result<Value, Error> {
        self.change(&["agent", "interrupt", "--", self.name.as_str()], "")
    }

    /// Ends the processes of the agent.
    pub fn stop(&self) -> Result<Value, Error> {
        self.change(&["agent", "kill", "--", self.name.as_str()], "")
    }

    /// Starts the agent again with its conversation.
    pub fn resume(&self) -> Result<Value, Error> {
        self.change(&["agent", "resume", "--", self.name.as_str()], "")
    }

    /// Returns the recap as text.
    pub fn recap_text(&self) -> Result<String, Error> {
        Hosts(self.context).query_text(&self.host, &["agent", "recap", "--", self.name.as_str()])
    }

    /// Returns the newest tasks of the agent, the oldest of them first.
    pub fn tasks(&self, newest: usize) -> Result<Value, Error> {
        let (of_agent, limit) = (format!("--agent={}", self.name), format!("--limit={newest}"));
        self.query(&["task", "list", &of_agent, "--all", &limit])
    }

    /// Adds a task to the queue of the agent. Without an agent of this name nothing is added: the name could mean a
    /// spec, from which an agent would be started.
    pub fn add_task(&self, text: &str) -> Result<Value, Error> {
        self.query(&["agent", "show", "--", self.name.as_str()])?;
        self.change(&["task", "add", "--", self.name.as_str(), "-"], text)
    }

    /// Cancels a task of the queue on the host.
    pub fn cancel_task(&self, id: TaskId) -> Result<Value, Error> {
        self.change(&["task", "cancel", "--", &id.to_string()], "")
    }

    /// Returns the newest messages of the agent, the oldest of them first.
    pub fn messages(&self, newest: usize) -> Result<Value, Error> {
        let (of_agent, limit) = (format!("--agent={}", self.name), format!("--newest={newest}"));
        self.query(&["message", "list", &of_agent, "--all", &limit])
    }

    /// Sends a message to the agent.
    pub fn send_message(&self, text: &str) -> Result<Value, Error> {
        self.change(&["message", "send", "--", self.name.as_str(), "-"], text)
    }

    fn change(&self, argv: &[&str], stdin: &str) -> Result<Value, Error> {
        Hosts(self.context).change(&self.host, argv, stdin)
    }

    fn query(&self, argv: &[&str]) -> Result<Value, Error> {
        Hosts(self.context).query(&self.host, argv)
    }
}
