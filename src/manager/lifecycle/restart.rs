//! `agent restart`: ends an agent's processes and starts it again in the same pane, in the same conversation or in a
//! new one.

use std::time::Duration;

use crate::error::Error;
use crate::manager::launch::Launcher;
use crate::manager::lifecycle::resume::{RestartPlan, ResumeOptions, Resumed};
use crate::manager::lifecycle::{Resumption, Termination};
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::spawn_manifest::{SpawnArgs, SpawnManifest};
use crate::manager::status::TmuxObserver;
use crate::model::{AgentName, AgentRecord};
use crate::rules::lifecycle::{conversation, conversation_start};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::store::AgentLocks;

/// Whether a restart begins a new conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationChoice {
    /// Resume the current conversation.
    Keep,
    /// Begin a new conversation, with the current program and arguments of the spec.
    New,
}

impl Resumption<'_> {
    /// Ends the agent if it is running and starts it again. A new conversation uses the current version of the spec.
    pub fn restart(
        &self,
        name: &AgentName,
        conversation: ConversationChoice,
        grace: Duration,
    ) -> Result<Resumed, Error> {
        let lock = AgentLocks(&self.0.store).lock(name, "restart")?;
        let mut record = self.0.record(name, "restart")?;
        let before = record.clone();
        // Checked first, so that an invalid spec does not end a running agent.
        let reborn = match conversation {
            ConversationChoice::New => self.apply_current_spec(&mut record)?,
            ConversationChoice::Keep => None,
        };
        self.0.config()?;
        self.check_can_start(&record)?;
        Termination(self.0).end_processes(&before, grace, &lock)?;
        let pane = TmuxObserver(self.0).pane_left_behind(&record)?;
        if conversation == ConversationChoice::Keep {
            let resumed = self.resume_into(record, pane, ResumeOptions::ASKED, &lock)?;
            drop(lock);
            return self.type_first(resumed);
        }
        if let Some(reborn) = reborn {
            LaunchPlanner(self.0).write_spawn_manifest(&reborn)?;
        }
        let kind = self.0.kind_of(&record)?;
        let first = Launcher(self.0).first_left(&mut record, &kind);
        let opening = conversation_start::first(&kind.conversation, uuid::Uuid::new_v4().to_string());
        conversation::keep(&mut record, self.0.now());
        record.conversation.begun = false;
        let is_command = record.kind == PLAIN_COMMAND;
        let again = RestartPlan { kind: &kind, opening, pane, how: ResumeOptions::ASKED, first };
        let mut resumed = self.start_stopped(record, again, &lock)?;
        drop(lock);
        if !is_command {
            resumed.remark = "starts a new conversation, from its spec as it is today".into();
        }
        self.type_first(resumed)
    }

    /// Applies the current version of the spec to a record. Returns the spawn manifest to write, or `None` for a plain
    /// command.
    fn apply_current_spec(&self, record: &mut AgentRecord) -> Result<Option<SpawnManifest>, Error> {
        let note = LaunchPlanner(self.0).spawn_manifest(&record.name);
        // An agent that was created before specs existed was requested by its kind.
        let of_kind = || SpawnArgs {
            spec: Some(record.kind.clone()),
            dir: record.working_directory.clone().into(),
            title: record.title.clone(),
            restart: Some(record.restart.policy),
            ..SpawnArgs::default()
        };
        let args = note.as_ref().and_then(|note| note.args.clone()).unwrap_or_else(of_kind);
        if !args.command.is_empty() || args.spec.as_deref() == Some(PLAIN_COMMAND) {
            return Ok(None);
        }
        let chosen = LaunchPlanner(self.0).plan_again(args, record.working_directory.as_ref())?;
        chosen.refuse_untrusted()?;
        chosen.warnings.iter().for_each(|warning| self.0.notice(warning.clone()));
        chosen.write_into(record);
        let env = note.map(|note| note.env).unwrap_or_default();
        let (spec, args) = (Some(chosen.spec), Some(chosen.args));
        let variables = Launcher(self.0).needed_variables();
        Ok(Some(SpawnManifest { record: record.clone(), env, spec, args, variables }))
    }
}
