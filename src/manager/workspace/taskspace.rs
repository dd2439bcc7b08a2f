//! Taskspaces: worktree, agent and task, made and removed as one. A taskspace is an agent whose worktree holds a
//! `taskspace.json`; there is no other list of them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::env::Env;
use crate::error::Error;
use crate::git;
use crate::manager::lifecycle::spawn::{SpawnRequest, Spawned};
use crate::manager::{Manager, Removal, Removed};
use crate::model::{Agent, AgentId, AgentName, AgentRecord, LogEntry, Status, Taskspace, Workspace};

/// The file in the worktree.
pub(in crate::manager) const FILE: &str = "taskspace.json";

/// More than any description and log; a bigger file is not read.
const BIGGEST: u64 = 1 << 20;

/// How long an agent has to leave when its taskspace is deleted.
const GRACE: Duration = Duration::from_secs(5);

/// One taskspace as everybody sees it. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct TaskspaceView {
    /// What it is for.
    #[serde(flatten)]
    pub taskspace: Taskspace,
    /// Whether somebody has to look at it.
    pub needs_attention: bool,
    /// Its agent.
    pub agent: Agent,
}

impl Manager {
    /// Makes worktree and agent, and gives the agent its task.
    pub fn taskspace_new(&self, request: SpawnRequest) -> Result<Spawned, Error> {
        let taskspace = Some(request.task.clone().unwrap_or_default());
        self.spawn(SpawnRequest { workspace: Some(Workspace::Worktree), taskspace, ..request })
    }

    /// All taskspaces.
    pub fn taskspaces(&self) -> Result<Vec<TaskspaceView>, Error> {
        let survey = self.survey()?;
        let views = survey.agents.into_iter().filter_map(|agent| {
            let taskspace = self.taskspace_of(&agent.name, agent.id)?;
            let needs_attention =
                matches!(agent.status, Status::Waiting | Status::Crashed | Status::Lost | Status::Unknown);
            // It may have been renamed since.
            let taskspace = Taskspace { name: agent.name.clone(), ..taskspace };
            Some(TaskspaceView { taskspace, needs_attention, agent })
        });
        Ok(views.collect())
    }

    /// Ends the agent and removes everything, unless work would be lost.
    pub fn taskspace_delete(&self, name: &AgentName, removal: Removal) -> Result<Removed, Error> {
        let record = self.record(name, "show")?;
        if self.taskspace_of(name, record.id).is_none() {
            return Err(no_taskspace(name));
        }
        if removal == Removal::Careful {
            // Before its agent is ended: one that must not be removed goes on.
            self.refuse_to_lose_work(&record)?;
            self.kill(name, GRACE)?;
        }
        self.rm(name, removal)
    }

    /// One taskspace.
    pub fn taskspace(&self, name: &AgentName) -> Result<Taskspace, Error> {
        let record = self.record(name, "show")?;
        let taskspace = self.taskspace_of(name, record.id).ok_or_else(|| no_taskspace(name))?;
        Ok(Taskspace { name: record.name, ..taskspace })
    }

    /// Notes something in its log; what others wrote into the file stays.
    pub fn taskspace_log(&self, name: &AgentName, text: &str) -> Result<LogEntry, Error> {
        let text = text.trim();
        if text.is_empty() {
            let hint = Some(format!("`symposium taskspace log {name} 'the tests pass'`"));
            return Err(Error::Usage { what: "there is nothing to note".into(), hint });
        }
        let _lock = self.store.lock_agent(name, "taskspace log")?;
        self.taskspace(name)?;
        let entry = LogEntry { at: Env::now(), text: text.to_owned() };
        self.rewrite_taskspace(name, |file| {
            let log = file.entry("log").or_insert_with(|| json!([]));
            log.as_array_mut().map(|log| log.push(json!(entry)))
        })?;
        Ok(entry)
    }

    /// Changes the file as it is now; none means that it cannot be changed so. The caller holds the agent's lock.
    pub(in crate::manager) fn rewrite_taskspace(
        &self,
        name: &AgentName,
        change: impl FnOnce(&mut Map<String, Value>) -> Option<()>,
    ) -> Result<(), Error> {
        let instance = self.store.instance(name);
        let path = instance.workspace().join(FILE);
        let bytes = std::fs::read(&path).map_err(Error::io(format!("cannot read {}", path.display())))?;
        let mut file: Map<String, Value> = serde_json::from_slice(&bytes).map_err(|_| no_taskspace(name))?;
        change(&mut file).ok_or_else(|| no_taskspace(name))?;
        let text = serde_json::to_string_pretty(&file).unwrap_or_default() + "\n";
        if text.len() as u64 > BIGGEST {
            return Err(Error::Workspace {
                what: format!("the log of taskspace `{name}` is full"),
                saw: vec![format!("{} would have {} bytes, allowed: {BIGGEST}", path.display(), text.len())],
                hint: "note less, or take old entries out of the file".into(),
            });
        }
        Ok(instance.replace_in_workspace(FILE, text.as_bytes())?)
    }

    /// What an agent's taskspace is for; a file with another id is the repository's own, or another agent's.
    fn taskspace_of(&self, name: &AgentName, id: AgentId) -> Option<Taskspace> {
        let path = self.store.instance(name).workspace().join(FILE);
        let meta = std::fs::symlink_metadata(&path).ok()?;
        if !meta.is_file() || meta.len() > BIGGEST {
            return None;
        }
        let taskspace: Taskspace = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        (taskspace.id == id).then_some(taskspace)
    }

    /// Writes the file into a new worktree, where git does not see it.
    pub(in crate::manager) fn begin_taskspace(
        &self,
        record: &AgentRecord,
        request: &SpawnRequest,
        top: &Path,
    ) -> Result<(), Error> {
        let Some(description) = &request.taskspace else { return Ok(()) };
        let path: PathBuf = top.join(FILE);
        let log = vec![LogEntry { at: Env::now(), text: "it was made".into() }];
        let taskspace =
            Taskspace { id: record.id, name: record.name.clone(), description: description.clone(), log };
        let text = serde_json::to_string_pretty(&taskspace).unwrap_or_default() + "\n";
        let cannot = || Error::io(format!("cannot write {}", path.display()));
        git::exclude(top, &format!("/{FILE}")).map_err(cannot())?;
        let mut options = std::fs::OpenOptions::new();
        // A file of that name that the repository itself has is not ours.
        let mut file = options.write(true).create_new(true).open(&path).map_err(cannot())?;
        std::io::Write::write_all(&mut file, text.as_bytes()).map_err(cannot())
    }
}

fn no_taskspace(name: &AgentName) -> Error {
    Error::Workspace {
        what: format!("agent `{name}` is no taskspace"),
        saw: vec![format!("it has no worktree with a {FILE} that can be read"), "nothing was changed".into()],
        hint: format!(
            "`symposium agent show {name}` tells what it is, `symposium agent rm {name}` forgets it"
        ),
    }
}
