//! Lists the conversations of an agent and resumes a chosen one. Only ids and names are used: the content stays in the
//! storage of the agent CLI, which is never read.

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde::Serialize;

use super::lifecycle::resume::{RestartPlan, ResumeOptions, Resumed};
use crate::error::{Code, Error};
use crate::manager::Context;
use crate::manager::lifecycle::Resumption;
use crate::manager::supervisor::SupervisorControl;
use crate::model::{AgentName, AgentRecord, Kind, Title};
use crate::rules::lifecycle::conversation::{SwitchResult, switch};
use crate::rules::lifecycle::conversation_start::{self, ConversationOpening};
use crate::store::AgentLocks;

/// Lists and selects conversations of an agent.
#[derive(Clone, Copy)]
pub struct Conversations<'a>(pub &'a Context);

/// One conversation of an agent. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct ConversationView {
    /// The agent CLI's id of the conversation, if it is known.
    pub id: Option<String>,
    /// The name that the user gave it.
    pub name: Option<String>,
    /// Whether the conversation has had a first prompt.
    pub begun: bool,
    /// Whether this is the agent's current conversation.
    pub current: bool,
    /// Time at which the agent left the conversation.
    #[serde(with = "crate::base::json_time::option")]
    pub left_at: Option<Timestamp>,
}

impl Conversations<'_> {
    /// Returns the current conversation of an agent and its earlier ones, latest first.
    pub fn conversations(&self, name: &AgentName) -> Result<Vec<ConversationView>, Error> {
        let record = self.0.record(name, "show")?;
        let now = record.conversation;
        let current =
            ConversationView { id: now.id, name: now.name, begun: now.begun, current: true, left_at: None };
        let past = record.conversations.into_iter().rev().map(|past| ConversationView {
            id: Some(past.id),
            name: past.name,
            begun: true,
            current: false,
            left_at: Some(past.left_at),
        });
        Ok([current].into_iter().chain(past).collect())
    }

    /// Resumes an agent in the conversation with the given name or id. An unknown name starts a new conversation.
    pub fn resume_with(&self, name: &AgentName, wanted: &str) -> Result<Resumed, Error> {
        let wanted = Title::clean(wanted).map(String::from).ok_or_else(|| {
            Error::usage("the name of a conversation cannot be empty")
                .hint(format!("`symposium conversation list {name}` shows them"))
        })?;
        let lock = AgentLocks(&self.0.store).lock(name, "resume")?;
        let mut record = self.0.record(name, "resume")?;
        let kind = self.0.kind_of(&record)?;
        require_choosable_conversation(&record, &kind)?;
        let pane = Resumption(self.0).free_pane(&record).map_err(|error| match error.code() {
            Code::StillRunning => Error::still_running(name).hint(format!(
                "end it first with `symposium agent kill {name}`: an agent has one conversation at a time"
            )),
            _ => error,
        })?;
        let switched = switch(&mut record, &wanted, self.0.now());
        self.refuse_conversation_in_use(&record)?;
        let opening = match (switched, &record.conversation.id) {
            (SwitchResult::Same, _) => {
                let resumed = Resumption(self.0).resume_into(record, pane, ResumeOptions::ASKED, &lock)?;
                SupervisorControl(self.0).ensure_supervisor();
                return Ok(resumed);
            }
            (SwitchResult::Back, Some(id)) => ConversationOpening::Resume(id.clone()),
            _ => conversation_start::first(&kind.conversation, uuid::Uuid::new_v4().to_string()),
        };
        let again = RestartPlan { kind: &kind, opening, pane, how: ResumeOptions::ASKED, first: None };
        let mut resumed = Resumption(self.0).start_stopped(record, again, &lock)?;
        if switched == SwitchResult::New {
            resumed.remark = format!("starts a new conversation, `{wanted}`");
        }
        SupervisorControl(self.0).ensure_supervisor();
        Ok(resumed)
    }

    /// Returns an error if another agent has the same conversation: the two would overwrite each other's messages.
    fn refuse_conversation_in_use(&self, record: &AgentRecord) -> Result<(), Error> {
        let Some(id) = &record.conversation.id else { return Ok(()) };
        let all = self.0.store.read(self.0.now())?;
        let has_it = |other: &&AgentRecord| {
            other.id != record.id && other.kind == record.kind && other.conversation.id.as_ref() == Some(id)
        };
        match all.iter().find(has_it) {
            None => Ok(()),
            Some(other) => {
                Err(Error::not_safe(format!("conversation {id} belongs to agent `{}`", other.name))
                    .hint(format!("attach to it with `symposium agent attach {}`", other.name)))
            }
        }
    }
}

fn require_choosable_conversation(record: &AgentRecord, kind: &Kind) -> Result<(), Error> {
    if !kind.conversation.resume.is_empty() {
        return Ok(());
    }
    Err(Error::usage(format!("`{}` has no option to choose a conversation", record.kind))
        .hint(format!("omit `--conversation`: `symposium agent resume {}`", record.name)))
}
