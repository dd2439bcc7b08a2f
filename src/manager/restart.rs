//! `agent restart`: ends an agent's processes and starts it again in the same pane, with the same conversation
//! or afresh.

use std::time::Duration;

use super::Manager;
use super::birth::{Asked, BirthNote};
use super::resume::{Again, How, Resumed};
use crate::env::Env;
use crate::error::Error;
use crate::model::{AgentName, AgentRecord};
use crate::rules::status::PLAIN_COMMAND;
use crate::rules::{conversation, opening};

/// Whether the conversation is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Afresh {
    /// Go on with it.
    No,
    /// Begin a new one, with the program and arguments as they are today.
    Yes,
}

impl Manager {
    /// Ends it if need be, and starts it again; afresh, from its spec as that is today.
    pub fn restart(&self, name: &AgentName, afresh: Afresh, grace: Duration) -> Result<Resumed, Error> {
        let lock = self.store.lock_agent(name, "restart")?;
        let mut record = self.record(name, "restart")?;
        let before = record.clone();
        // First of all: a spec that is wrong by now ends nothing.
        let reborn = match afresh {
            Afresh::Yes => self.reborn(&mut record)?,
            Afresh::No => None,
        };
        self.config()?;
        self.check_can_start(&record)?;
        self.end_processes(&before, grace, &lock)?;
        let pane = self.pane_left_behind(&record)?;
        if afresh == Afresh::No {
            let resumed = self.resume_into(record, pane, How::ASKED, &lock)?;
            drop(lock);
            return self.type_first(resumed);
        }
        if let Some(reborn) = reborn {
            self.write_birth_note(&reborn)?;
        }
        let kind = self.kind_of(&record)?;
        let first = self.first_left(&mut record, &kind);
        let opening = opening::first(&kind.conversation, uuid::Uuid::new_v4().to_string());
        conversation::keep(&mut record, Env::now());
        record.conversation.begun = false;
        let is_command = record.kind == PLAIN_COMMAND;
        let again = Again { kind: &kind, opening, pane, how: How::ASKED, first };
        let mut resumed = self.start_again(record, again, &lock)?;
        drop(lock);
        if !is_command {
            resumed.remark = "starts a new conversation, from its spec as it is today".into();
        }
        self.type_first(resumed)
    }

    /// Puts into a record what its spec says today; gives what is to be written down, unless it is a plain command.
    fn reborn(&self, record: &mut AgentRecord) -> Result<Option<BirthNote>, Error> {
        let note = self.birth_note(&record.name);
        // One from before there were specs was asked for by its kind.
        let of_kind = || Asked {
            spec: Some(record.kind.clone()),
            dir: record.working_directory.clone().into(),
            title: record.title.clone(),
            restart: Some(record.restart.policy),
            ..Asked::default()
        };
        let asked = note.as_ref().and_then(|note| note.asked.clone()).unwrap_or_else(of_kind);
        if !asked.command.is_empty() || asked.spec.as_deref() == Some(PLAIN_COMMAND) {
            return Ok(None);
        }
        let chosen = self.chosen_again(asked, record.working_directory.as_ref())?;
        chosen.refuse_untrusted()?;
        chosen.warnings.iter().for_each(|warning| self.notice(warning.clone()));
        chosen.write_into(record);
        let env = note.map(|note| note.env).unwrap_or_default();
        let (spec, asked) = (Some(chosen.spec), Some(chosen.asked));
        let variables = self.needed_variables();
        Ok(Some(BirthNote { record: record.clone(), env, spec, asked, variables }))
    }
}
