//! The task that an agent is spawned with. It is kept in the instance directory until the agent has accepted it, so
//! that a program that exits before (for example because it is not logged in) gets it again at the next start. An
//! accepted task is never given again.

use std::path::PathBuf;

use crate::env::HOME;
use crate::error::Error;
use crate::kinds;
use crate::manager::launch::Launcher;
use crate::manager::registry::RegistryWriter;
use crate::manager::registry::queries::INITIAL_PROMPT_FILE;
use crate::manager::specs::LaunchPlanner;
use crate::model::ConversationFiles;
use crate::model::{AgentName, AgentRecord, Kind};

impl Launcher<'_> {
    /// Stores the initial prompt until the agent accepts it.
    pub(in crate::manager) fn keep_initial_prompt(
        &self,
        name: &AgentName,
        task: Option<&str>,
    ) -> Result<(), Error> {
        match task {
            Some(task) => {
                Ok(self.0.store.instance(name).write_state(INITIAL_PROMPT_FILE, task.as_bytes())?)
            }
            None => Ok(()),
        }
    }

    /// Returns the stored initial prompt.
    pub(in crate::manager) fn kept_initial_prompt(&self, name: &AgentName) -> Option<String> {
        let kept = self.0.store.instance(name).read_state(INITIAL_PROMPT_FILE).ok().flatten();
        kept.and_then(|bytes| String::from_utf8(bytes).ok())
    }

    /// Returns the initial prompt if the agent has not accepted it yet. In that case clears `begun` if it was only
    /// assumed that the conversation had started.
    pub(in crate::manager) fn first_left(&self, record: &mut AgentRecord, kind: &Kind) -> Option<String> {
        let task = self.kept_initial_prompt(&record.name)?;
        // The hook that reports the prompt may have been killed together with the agent.
        let is_unreported = !record.conversation.begun && self.on_disk(record, kind) == Some(true);
        // In an agent without prompt hooks, an attached user may have typed anything.
        let unseen = !kind.hooks.report_prompts() && record.last_attached.is_some();
        if is_unreported || unseen {
            record.conversation.begun = true;
            RegistryWriter(self.0).forget_initial_prompt(&record.name);
            return None;
        }
        if !kind.hooks.report_prompts() {
            let born = LaunchPlanner(self.0).spawn_manifest(&record.name);
            record.conversation.begun = born.is_some_and(|note| note.record.conversation.begun);
        }
        Some(task)
    }

    /// Returns whether the agent CLI has stored the conversation, or `None` if that cannot be determined.
    pub(in crate::manager) fn on_disk(&self, record: &AgentRecord, kind: &Kind) -> Option<bool> {
        let (id, files) = (record.conversation.id.as_deref()?, &kind.conversation_files);
        let note = LaunchPlanner(self.0).spawn_manifest(&record.name);
        let of_spec =
            note.as_ref().and_then(|note| Some(note.spec.as_ref()?.env.clone())).unwrap_or_default();
        let given: Vec<_> =
            of_spec.into_iter().chain(note.map(|note| note.env).unwrap_or_default()).collect();
        let root = self.conversation_root(files, &given).filter(|root| root.is_dir())?;
        (!files.file.is_empty()).then(|| kinds::find_conversation(files, &root, id).is_some())
    }

    /// Returns the directory in which an agent CLI stores conversations, if it has the `given` variables in addition to
    /// the caller's.
    pub(in crate::manager) fn conversation_root(
        &self,
        files: &ConversationFiles,
        given: &[(String, String)],
    ) -> Option<PathBuf> {
        if files.variable == HOME {
            return Some(self.0.home.path.clone());
        }
        let given = given.iter().rev().find(|(key, value)| *key == files.variable && !value.is_empty());
        match (given, self.0.env.var(&files.variable)) {
            (Some((_, value)), _) => Some(value.into()),
            (None, Some(value)) => Some(value.into()),
            (None, None) => Some(self.0.env.user_home()?.join(&files.below_home)),
        }
    }
}
