//! Taskspaces: worktree, agent and task, made and removed as one. A taskspace is an agent whose worktree holds a
//! `taskspace.json`; there is no other list of them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::spawn::{SpawnRequest, Spawned};
use super::{Manager, Removal};
use crate::env::Env;
use crate::error::Error;
use crate::git;
use crate::model::{Agent, AgentName, AgentRecord, LogEntry, Status, Taskspace, Workspace};

/// The file in the worktree.
pub(super) const FILE: &str = "taskspace.json";

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
            let taskspace = self.taskspace_of(&agent.name)?;
            let needs_attention =
                matches!(agent.status, Status::Waiting | Status::Crashed | Status::Lost | Status::Unknown);
            // It may have been renamed since.
            let taskspace = Taskspace { name: agent.name.clone(), ..taskspace };
            Some(TaskspaceView { taskspace, needs_attention, agent })
        });
        Ok(views.collect())
    }

    /// Ends the agent and removes everything, unless work would be lost.
    pub fn taskspace_delete(&self, name: &AgentName, removal: Removal) -> Result<(), Error> {
        let record = self.record(name, "show")?;
        if self.taskspace_of(name).is_none() {
            return Err(Error::Workspace {
                what: format!("agent `{name}` is no taskspace"),
                saw: vec!["nothing was changed".into()],
                hint: format!("`symposium agent rm {name}` forgets an agent"),
            });
        }
        if removal == Removal::Careful {
            // Before its agent is ended: one that must not be removed goes on.
            self.refuse_to_lose_work(&record)?;
            self.kill(name, GRACE)?;
        }
        self.rm(name, removal)
    }

    fn taskspace_of(&self, name: &AgentName) -> Option<Taskspace> {
        let path = self.store.instance(name).workspace().join(FILE);
        let meta = std::fs::symlink_metadata(&path).ok()?;
        if !meta.is_file() || meta.len() > BIGGEST {
            return None;
        }
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }

    /// Writes the file into a new worktree, where git does not see it.
    pub(super) fn begin_taskspace(
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
