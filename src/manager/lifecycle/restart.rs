//! `agent restart`: ends an agent's processes and starts it again in the same pane, in the same conversation or in a
//! new one.

use std::time::Duration;

use crate::env::Env;
use crate::error::Error;
use crate::manager::lifecycle::Lifecycle;
use crate::manager::lifecycle::resume::{How, RestartPlan, Resumed};
use crate::manager::specs::SpecCatalog;
use crate::manager::specs::spawn_manifest::{Asked, SpawnManifest};
use crate::manager::status::StatusTracker;
use crate::model::{AgentName, AgentRecord};
use crate::rules::lifecycle::{conversation, conversation_start};
use crate::rules::status::decide::PLAIN_COMMAND;

/// Whether a restart begins a new conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationChoice {
    /// Resume the current conversation.
    No,
    /// Begin a new conversation, with the current program and arguments of the spec.
    Yes,
}

impl Lifecycle<'_> {
    /// Ends the agent if it is running and starts it again. A new conversation uses the current version of the spec.
    pub fn restart(
        &self,
        name: &AgentName,
        afresh: ConversationChoice,
        grace: Duration,
    ) -> Result<Resumed, Error> {
        let lock = self.0.store.lock_agent(name, "restart")?;
        let mut record = self.0.record(name, "restart")?;
        let before = record.clone();
        // Checked first, so that an invalid spec does not end a running agent.
        let reborn = match afresh {
            ConversationChoice::Yes => self.reborn(&mut record)?,
            ConversationChoice::No => None,
        };
        self.0.config()?;
        self.check_can_start(&record)?;
        self.end_processes(&before, grace, &lock)?;
        let pane = StatusTracker(self.0).pane_left_behind(&record)?;
        if afresh == ConversationChoice::No {
            let resumed = self.resume_into(record, pane, How::ASKED, &lock)?;
            drop(lock);
            return self.type_first(resumed);
        }
        if let Some(reborn) = reborn {
            SpecCatalog(self.0).write_birth_note(&reborn)?;
        }
        let kind = self.0.kind_of(&record)?;
        let first = self.first_left(&mut record, &kind);
        let opening = conversation_start::first(&kind.conversation, uuid::Uuid::new_v4().to_string());
        conversation::keep(&mut record, Env::now());
        record.conversation.begun = false;
        let is_command = record.kind == PLAIN_COMMAND;
        let again = RestartPlan { kind: &kind, opening, pane, how: How::ASKED, first };
        let mut resumed = self.start_again(record, again, &lock)?;
        drop(lock);
        if !is_command {
            resumed.remark = "starts a new conversation, from its spec as it is today".into();
        }
        self.type_first(resumed)
    }

    /// Applies the current version of the spec to a record. Returns the spawn manifest to write, or `None` for a plain
    /// command.
    fn reborn(&self, record: &mut AgentRecord) -> Result<Option<SpawnManifest>, Error> {
        let note = SpecCatalog(self.0).spawn_manifest(&record.name);
        // An agent that was created before specs existed was requested by its kind.
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
        let chosen = SpecCatalog(self.0).chosen_again(asked, record.working_directory.as_ref())?;
        chosen.refuse_untrusted()?;
        chosen.warnings.iter().for_each(|warning| self.0.notice(warning.clone()));
        chosen.write_into(record);
        let env = note.map(|note| note.env).unwrap_or_default();
        let (spec, asked) = (Some(chosen.spec), Some(chosen.asked));
        let variables = self.needed_variables();
        Ok(Some(SpawnManifest { record: record.clone(), env, spec, asked, variables }))
    }
}
