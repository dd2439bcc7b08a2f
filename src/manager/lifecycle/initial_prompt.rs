//! The task an agent is born with: kept beside it until it is known that it was taken, so that a program which leaves
//! before (it is not logged in) is started with it once more. What was taken is never given again.

use crate::env::HOME;
use crate::error::Error;
use crate::kinds;
use crate::manager::delivery::Delivery;
use crate::manager::lifecycle::Lifecycle;
use crate::manager::lifecycle::resume::Resumed;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::registry::queries::INITIAL_PROMPT_FILE;
use crate::manager::specs::SpecCatalog;
use crate::model::ConversationFiles;
use crate::model::{AgentName, AgentRecord, Doer, Kind, NewTask};
use crate::rules::status::decide::PLAIN_COMMAND;
use std::path::PathBuf;

/// Who put it on a queue.
const SOURCE: &str = "restart";

impl Lifecycle<'_> {
    /// Keeps it until it is taken.
    pub(in crate::manager) fn keep_first(&self, name: &AgentName, task: Option<&str>) -> Result<(), Error> {
        match task {
            Some(task) => {
                Ok(self.0.store.instance(name).write_state(INITIAL_PROMPT_FILE, task.as_bytes())?)
            }
            None => Ok(()),
        }
    }

    /// What is kept.
    pub(in crate::manager) fn kept_first(&self, name: &AgentName) -> Option<String> {
        let kept = self.0.store.instance(name).read_state(INITIAL_PROMPT_FILE).ok().flatten();
        kept.and_then(|bytes| String::from_utf8(bytes).ok())
    }

    /// The task that an agent has not taken yet; what only we believed to be begun by then is not.
    pub(in crate::manager) fn first_left(&self, record: &mut AgentRecord, kind: &Kind) -> Option<String> {
        let task = self.kept_first(&record.name)?;
        // Its hook may have been killed with it.
        let unheard = !record.conversation.begun && self.on_disk(record, kind) == Some(true);
        // Who attached to one that tells nothing may have typed anything.
        let unseen = !kind.hooks.tell_of_prompts() && record.last_attached.is_some();
        if unheard || unseen {
            record.conversation.begun = true;
            RegistryWriter(self.0).forget_first(&record.name);
            return None;
        }
        if !kind.hooks.tell_of_prompts() {
            let born = SpecCatalog(self.0).birth_note(&record.name);
            record.conversation.begun = born.is_some_and(|note| note.record.conversation.begun);
        }
        Some(task)
    }

    /// Types it in, after a start of which somebody waits for the outcome.
    pub(in crate::manager) fn type_first(&self, mut resumed: Resumed) -> Result<Resumed, Error> {
        if let Some(task) = resumed.untyped.take() {
            Delivery(self.0).send_first(&resumed.agent.name, &task)?;
        }
        Ok(resumed)
    }

    /// Leaves it to its queue, after a start that nobody waits for. A plain command has none.
    pub(in crate::manager) fn queue_first(&self, mut resumed: Resumed) -> Result<Resumed, Error> {
        let agent = &resumed.agent;
        if let Some(task) = resumed.untyped.take().filter(|_| agent.kind != PLAIN_COMMAND) {
            TaskQueue(self.0).queue(&NewTask::plain(
                Doer::Agent(agent.id, agent.name.clone()),
                task,
                SOURCE,
            ))?;
            RegistryWriter(self.0).forget_first(&agent.name);
        }
        Ok(resumed)
    }

    /// Whether its CLI has written its conversation down; none when that cannot be looked up.
    pub(in crate::manager) fn on_disk(&self, record: &AgentRecord, kind: &Kind) -> Option<bool> {
        let (id, files) = (record.conversation.id.as_deref()?, &kind.conversation_files);
        let note = SpecCatalog(self.0).birth_note(&record.name);
        let of_spec =
            note.as_ref().and_then(|note| Some(note.spec.as_ref()?.env.clone())).unwrap_or_default();
        let given: Vec<_> =
            of_spec.into_iter().chain(note.map(|note| note.env).unwrap_or_default()).collect();
        let root = self.conversation_root(files, &given).filter(|root| root.is_dir())?;
        (!files.file.is_empty()).then(|| kinds::find_conversation(files, &root, id).is_some())
    }
}

impl Lifecycle<'_> {
    /// The directory of an agent CLI that has these variables on top of the caller's.
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
