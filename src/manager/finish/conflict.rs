//! Conflicts with the base branch: a conflict can be sent to the agent as a task. The options of the command are stored,
//! so that `--continue` finishes the work afterwards.

use serde::{Deserialize, Serialize};

use crate::base::sanitize::shell_word;
use crate::error::{Code, Error};
use crate::manager::finish::Finishing;
use crate::manager::finish::journal::FinishProgress;
use crate::manager::finish::move_base::already_merged;
use crate::manager::finish::request::FinishRequest;
use crate::manager::tasks::Tasks;
use crate::manager::tasks::add::{TaskAdded, TaskRequest};
use crate::manager::workspace::Workspaces;
use crate::model::{AgentName, FinishPlan, TaskId, is_deceptive};
use crate::rules::workspace::finish::message::conflict_task;
use crate::rules::workspace::finish::refusal::listed;
use crate::store::AgentLocks;

/// The state file with the options of a run that waits for the agent.
const CONFLICT_FILE: &str = "finish-conflict.json";

/// Version of the format. A file with a higher version is refused.
const CONFLICT_VERSION: u32 = 2;

/// Version of a file without a pull request, which earlier versions of this program can read. They would merge the work
/// instead of opening a pull request.
const VERSION_WITHOUT_PULL_REQUEST: u32 = 1;

/// A run that waits until the agent has resolved a conflict.
#[derive(Debug, Serialize, Deserialize)]
struct StoredConflict {
    /// Version of the format.
    version: u32,
    /// The options of the run.
    request: FinishRequest,
    /// The task that the agent got.
    task: TaskId,
}

/// The result of `--abort`.
#[derive(Debug)]
pub struct AbortedFinish {
    /// The base branch of an interrupted run, which is as it was.
    pub reverted: Option<String>,
    /// The task that the agent got.
    pub task: Option<TaskId>,
}

impl Finishing<'_> {
    /// Returns the error for a plan with conflicts.
    pub fn conflict_error(&self, plan: &FinishPlan, request: &FinishRequest) -> Error {
        conflict(plan, request)
    }

    /// Sends the conflicts of a plan to the agent as a task, and stores the options for `--continue`.
    pub fn send_conflict(&self, request: &FinishRequest, plan: &FinishPlan) -> Result<TaskAdded, Error> {
        let _lock = AgentLocks(&self.0.store).lock(&request.name, "finish")?;
        let record = self.0.record(&request.name, "finish")?;
        let text = conflict_task(&plan.base, self.method(request)?, &plan.conflicts);
        let added = Tasks(self.0).task_add(TaskRequest {
            to: record.name.to_string(),
            text,
            ..TaskRequest::default()
        })?;
        let version = match request.opens_pull_request {
            true => CONFLICT_VERSION,
            false => VERSION_WITHOUT_PULL_REQUEST,
        };
        let stored = StoredConflict { version, request: request.clone(), task: added.task.id };
        let text = serde_json::to_vec_pretty(&stored)
            .map_err(|error| Error::io(format!("cannot write {CONFLICT_FILE}"))(error.into()))?;
        self.0.store.instance(&record.name).write_state(CONFLICT_FILE, &text)?;
        Ok(added)
    }

    /// Returns the options of a run that waits for the agent.
    pub fn stored_request(&self, name: &AgentName) -> Result<FinishRequest, Error> {
        let Some(stored) = self.stored_conflict(name)? else {
            return Err(Error::usage(format!("there is nothing to continue for agent `{name}`"))
                .hint(format!("`symposium agent finish {name}` starts")));
        };
        // The agent may have been renamed in the meantime.
        Ok(FinishRequest { name: name.clone(), ..stored.request })
    }

    /// Reverts a run that was interrupted before the base branch had the work, and forgets the options of a run that
    /// waits for the agent.
    pub fn abort_finish(&self, name: &AgentName) -> Result<AbortedFinish, Error> {
        let _lock = AgentLocks(&self.0.store).lock(name, "finish")?;
        let record = self.0.record(name, "finish")?;
        let task = self.stored_conflict(name)?.map(|stored| stored.task);
        let journal = self.journal(&record)?;
        if let Some(journal) = &journal {
            let repository = Workspaces(self.0).worktree_note(&record).repository;
            match journal.progress {
                FinishProgress::Prepared => {}
                FinishProgress::BringingIn => self.revert_bring_in(&record, journal)?,
                FinishProgress::Moving => self.revert_move(&record, journal, &repository)?,
                FinishProgress::Moved => return Err(already_merged(&record, journal)),
            }
        }
        self.remove_journal(&record)?;
        self.forget_conflict(name)?;
        Ok(AbortedFinish { reverted: journal.map(|journal| journal.base), task })
    }

    /// Removes the stored options, if there are any.
    pub(in crate::manager) fn forget_conflict(&self, name: &AgentName) -> Result<(), Error> {
        Ok(self.0.store.instance(name).remove_state(CONFLICT_FILE)?)
    }

    fn stored_conflict(&self, name: &AgentName) -> Result<Option<StoredConflict>, Error> {
        self.0.record(name, "finish")?;
        let cannot = || format!("cannot read {CONFLICT_FILE} of agent `{name}`");
        let read = self.0.store.instance(name).read_state(CONFLICT_FILE).map_err(Error::io(cannot()))?;
        let Some(text) = read else { return Ok(None) };
        let stored: StoredConflict = serde_json::from_slice(&text)
            .map_err(|error| Error::new(Code::State, cannot()).saw(error.to_string()))?;
        if stored.version > CONFLICT_VERSION {
            return Err(Error::new(Code::State, cannot()).saw(format!(
                "it has version {}, this version of symposium supports {CONFLICT_VERSION}",
                stored.version
            )));
        }
        Ok(Some(stored))
    }
}

/// Reports conflicts with the base branch.
pub(in crate::manager) fn conflict(plan: &FinishPlan, request: &FinishRequest) -> Error {
    let (name, base) = (&plan.agent, plan.base.replace(is_deceptive, " "));
    let paths = listed(&plan.conflicts).into_iter().map(|path| path.replace(is_deceptive, " "));
    Error::new(Code::Conflict, format!("the work of agent `{name}` conflicts with `{base}`"))
        .saw_all(paths)
        .saw("nothing was changed")
        .hint(format!("let the agent resolve it: `{}`", request.command(&["--resolve"])))
        .hint(format!("or do it yourself: `symposium agent shell {name} -- git merge {}`", shell_word(&base)))
}
