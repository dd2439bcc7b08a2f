//! Taskspaces: worktree, agent and task, created and deleted together. A taskspace is an agent whose worktree contains
//! a `taskspace.json`; there is no other list of them.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::{Code, Error};
use crate::manager::lifecycle::spawn::Spawned;
use crate::manager::lifecycle::{Spawning, Termination};
use crate::manager::removal::AgentRemoval;
use crate::manager::removal::remove::{Removal, Removed};
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::status::StatusTracker;
use crate::manager::taskspaces::Taskspaces;
use crate::manager::workspace::WorkInspection;
use crate::manager::workspace::worktree::TASKSPACE_FILE;
use crate::model::{Agent, AgentId, AgentName, LogEntry, Status, Taskspace, Workspace};
use crate::store::AgentLocks;

/// The maximum size of the file: more than any description and log. A larger file is not read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Time that an agent gets to exit when its taskspace is deleted.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(5);

/// A taskspace as shown to users. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct TaskspaceView {
    /// The content of `taskspace.json`.
    #[serde(flatten)]
    pub taskspace: Taskspace,
    /// Whether the taskspace needs the user's attention.
    pub needs_attention: bool,
    /// The agent of the taskspace.
    pub agent: Agent,
}

impl Taskspaces<'_> {
    /// Creates worktree and agent, and gives the agent its task.
    pub fn taskspace_new(&self, request: SpawnRequest) -> Result<Spawned, Error> {
        let taskspace = Some(request.task.clone().unwrap_or_default());
        Spawning(self.0).spawn(SpawnRequest { workspace: Some(Workspace::Worktree), taskspace, ..request })
    }

    /// Returns all taskspaces.
    pub fn taskspaces(&self) -> Result<Vec<TaskspaceView>, Error> {
        let current_agents = StatusTracker(self.0).current_agents()?;
        let views = current_agents.agents.into_iter().filter_map(|agent| {
            let taskspace = self.taskspace_of(&agent.name, agent.id)?;
            let needs_attention =
                matches!(agent.status, Status::Waiting | Status::Crashed | Status::Lost | Status::Unknown);
            // The agent may have been renamed since.
            let taskspace = Taskspace { name: agent.name.clone(), ..taskspace };
            Some(TaskspaceView { taskspace, needs_attention, agent })
        });
        Ok(views.collect())
    }

    /// Ends the agent and deletes everything, unless work would be lost.
    pub fn taskspace_delete(&self, name: &AgentName, removal: Removal) -> Result<Removed, Error> {
        let record = self.0.record(name, "show")?;
        if self.taskspace_of(name, record.id).is_none() {
            return Err(no_taskspace(name));
        }
        if removal == Removal::Careful {
            // Checked before the agent is ended: if the taskspace must not be deleted, the agent continues.
            WorkInspection(self.0).refuse_to_lose_work(&record)?;
            Termination(self.0).kill(name, TERMINATION_TIMEOUT)?;
        }
        AgentRemoval(self.0).rm(name, removal)
    }

    /// Returns the taskspace of an agent.
    pub fn taskspace(&self, name: &AgentName) -> Result<Taskspace, Error> {
        let record = self.0.record(name, "show")?;
        let taskspace = self.taskspace_of(name, record.id).ok_or_else(|| no_taskspace(name))?;
        Ok(Taskspace { name: record.name, ..taskspace })
    }

    /// Adds an entry to the log of a taskspace. Fields of other programs in the file are kept.
    pub fn taskspace_log(&self, name: &AgentName, text: &str) -> Result<LogEntry, Error> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::usage("the text of the log entry is empty")
                .hint(format!("`symposium taskspace log {name} 'the tests pass'`")));
        }
        let _lock = AgentLocks(&self.0.store).lock(name, "taskspace log")?;
        self.taskspace(name)?;
        let entry = LogEntry { at: self.0.now(), text: text.to_owned() };
        self.rewrite_taskspace(name, |file| {
            let log = file.entry("log").or_insert_with(|| json!([]));
            log.as_array_mut().map(|log| log.push(json!(entry)))
        })?;
        Ok(entry)
    }

    /// Changes the current content of the file. `change` returns `None` if the change is not possible. The caller holds
    /// the agent's lock.
    pub(in crate::manager) fn rewrite_taskspace(
        &self,
        name: &AgentName,
        change: impl FnOnce(&mut Map<String, Value>) -> Option<()>,
    ) -> Result<(), Error> {
        let instance = self.0.store.instance(name);
        let path = instance.workspace().join(TASKSPACE_FILE);
        let bytes = std::fs::read(&path).map_err(Error::io(format!("cannot read {}", path.display())))?;
        let mut file: Map<String, Value> = serde_json::from_slice(&bytes).map_err(|_| no_taskspace(name))?;
        change(&mut file).ok_or_else(|| no_taskspace(name))?;
        let text = serde_json::to_string_pretty(&file).unwrap_or_default() + "\n";
        if text.len() as u64 > MAX_FILE_BYTES {
            return Err(Error::new(Code::Workspace, format!("the log of taskspace `{name}` is full"))
                .saw(format!("{} would have {} bytes, allowed: {MAX_FILE_BYTES}", path.display(), text.len()))
                .hint("write a shorter entry, or remove old entries from the file"));
        }
        Ok(instance.replace_in_workspace(TASKSPACE_FILE, text.as_bytes())?)
    }

    /// Returns the taskspace of an agent. A file with another id belongs to the repository or to another agent.
    fn taskspace_of(&self, name: &AgentName, id: AgentId) -> Option<Taskspace> {
        let path = self.0.store.instance(name).workspace().join(TASKSPACE_FILE);
        let meta = std::fs::symlink_metadata(&path).ok()?;
        if !meta.is_file() || meta.len() > MAX_FILE_BYTES {
            return None;
        }
        let taskspace: Taskspace = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        (taskspace.id == id).then_some(taskspace)
    }
}

fn no_taskspace(name: &AgentName) -> Error {
    Error::new(Code::Workspace, format!("agent `{name}` is not a taskspace"))
        .saw(format!("it has no worktree with a {TASKSPACE_FILE} that can be read"))
        .saw("nothing was changed")
        .hint(format!("`symposium agent show {name}` shows it, `symposium agent rm {name}` removes it"))
}
