//! Identifies the caller of a tool and checks its permissions. The rules are in `rules/access/permissions.rs`.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::error::{Code, Error, UnknownName};
use crate::manager::Context;
use crate::manager::messages::Messages;
use crate::manager::registry::RegistryWriter;
use crate::manager::tasks::Tasks;
use crate::model::{AgentName, AgentRecord, Task, TaskId, TaskState};
use crate::rules::access::permissions::{Action, Caller, PermissionTable};
use crate::rules::tasks::address::NoRecipient;

/// Decides what the caller of a tool may do.
#[derive(Clone, Copy)]
pub struct Permissions<'a>(pub &'a Context);

impl Permissions<'_> {
    /// Returns the permissions of the agent or user in whose process tree this command runs. Returns an error if the
    /// environment names an agent that does not exist: such a process must never be treated as a user.
    pub fn permissions(&self) -> Result<PermissionTable, Error> {
        let caller = match self.0.verified_caller()? {
            Some(record) => Caller::Agent(Box::new(record)),
            None => Caller::Person,
        };
        let mut records = self.0.store.read(self.0.now())?;
        for record in &mut records {
            record.project = Some(Messages(self.0).project_of(record));
        }
        Ok(PermissionTable::new(caller, records))
    }

    /// Returns the agent with this name if the caller may perform the action on it.
    pub fn within_reach(
        &self,
        permissions: &PermissionTable,
        act: Action,
        name: &AgentName,
    ) -> Result<AgentRecord, Error> {
        let Some(record) = permissions.find(name) else { return Err(self.0.no_such_agent(name, "show")) };
        match (permissions.allows(act, record), permissions.calling_agent()) {
            (true, _) | (false, None) => Ok(record.clone()),
            (false, Some(me)) => {
                Err(Error::not_permitted(format!("agent `{}` may not {} `{name}`", me.name, act.words()))
                    .hint(reachable(permissions, act)))
            }
        }
    }

    /// Removes agents and projects that the caller may not see from an error.
    pub fn redact_error(&self, permissions: &PermissionTable, error: Error) -> Error {
        if permissions.calling_agent().is_none() {
            return error;
        }
        let visible: Vec<&AgentRecord> = permissions.agents_allowed(Action::See).collect();
        let agents = |mut names: Vec<AgentName>| {
            names.retain(|name| visible.iter().any(|record| record.name == *name));
            names
        };
        let projects = |mut paths: Vec<String>| {
            paths.retain(|path| visible.iter().any(|record| record.project.as_ref() == Some(path)));
            paths
        };
        if let Some(unreached) = error.cause::<NoRecipient>() {
            return match unreached.clone() {
                NoRecipient::NoAgent { name, known } => NoRecipient::NoAgent { name, known: agents(known) },
                NoRecipient::Elsewhere { name, .. } if !visible.iter().any(|record| record.name == name) => {
                    let known = visible.iter().map(|record| record.name.clone()).collect();
                    NoRecipient::NoAgent { name: name.to_string(), known }
                }
                NoRecipient::NoProject { project, known } => {
                    NoRecipient::NoProject { project, known: projects(known) }
                }
                NoRecipient::Several { project, paths } => {
                    NoRecipient::Several { project, paths: projects(paths) }
                }
                other => other,
            }
            .into();
        }
        match (error.code(), error.cause::<UnknownName>().cloned()) {
            (Code::NoSuchAgent, Some(unknown)) => {
                Error::no_such_agent(unknown.name, agents(unknown.agents), unknown.verb)
            }
            (Code::NoAssignee, Some(unknown)) => {
                Error::no_assignee(unknown.name, agents(unknown.agents), unknown.specs)
            }
            _ => error,
        }
    }

    /// Returns the task with this number if the caller may perform the action on it.
    pub fn task_within_reach(
        &self,
        permissions: &PermissionTable,
        act: Action,
        id: TaskId,
    ) -> Result<Task, Error> {
        let task = Tasks(self.0).known_task(id)?;
        match (permissions.allows_about(act, &task), permissions.calling_agent()) {
            (true, _) | (false, None) => Ok(task),
            (false, Some(me)) => Err(Error::not_permitted(match act {
                Action::Report => {
                    format!("agent `{}` may not report on task {id} of `{}`", me.name, task.assignee_name())
                }
                _ => format!("agent `{}` may not see task {id} of `{}`", me.name, task.assignee_name()),
            })
            .hint(
                "it may see the tasks within its permissions and those that it added, and report on its own and those \
                       of its children",
            )),
        }
    }

    /// Returns an error if an agent, from its shell, reports on a task of another agent or ends it.
    pub fn refuse_foreign_report(&self, id: TaskId) -> Result<(), Error> {
        match self.0.calling_agent()? {
            None => Ok(()),
            Some(_) => self.task_within_reach(&self.permissions()?, Action::Report, id).map(|_| ()),
        }
    }

    /// Returns an error if an agent cancels or retries a task of another agent, unless it added the task.
    pub fn refuse_foreign_withdrawal(&self, id: TaskId) -> Result<(), Error> {
        match self.0.calling_agent()? {
            Some(me) if Tasks(self.0).known_task(id)?.source_id == Some(me.id) => Ok(()),
            _ => self.refuse_foreign_report(id),
        }
    }

    /// Returns the absolute form of a path that the caller names. A path from an agent is relative to its working
    /// directory and must not lead out of its project. A path from a user is returned as it is, and an empty one as
    /// `None`.
    pub fn path_within_reach(
        &self,
        permissions: &PermissionTable,
        named: Option<PathBuf>,
    ) -> Result<Option<PathBuf>, Error> {
        let (Some(named), Some(me)) = (&named, permissions.calling_agent()) else {
            return Ok(named.filter(|named| !named.as_os_str().is_empty()));
        };
        let path: PathBuf = Path::new(&me.working_directory).join(named).components().collect();
        match real(&path).filter(|real| permissions.may_work_in(real)) {
            Some(real) => Ok(Some(real)),
            None => Err(Error::not_permitted(format!(
                "`{}` is outside the project of agent `{}`",
                path.display(),
                me.name
            ))
            .hint(format!("use a path below {}", me.project.as_ref().unwrap_or(&me.working_directory)))),
        }
    }

    /// Returns the task that an agent works on.
    pub fn task_at_hand(&self, agent: &AgentRecord) -> Result<Task, Error> {
        let mut tasks = RegistryWriter(self.0).tasks(&[TaskState::Dispatched, TaskState::Running])?;
        tasks.retain(|task| task.agent == Some(agent.id));
        // A running task comes first; a task that is still being typed has been accepted if its agent asks about it.
        tasks.sort_by_key(|task| task.state != TaskState::Running);
        tasks.into_iter().next().ok_or_else(|| no_current_task(&agent.name))
    }
}

/// Resolves symbolic links and `..`, which could lead out of a project. The last components need not exist yet.
fn real(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let name = path.file_name()?;
    Some(real(path.parent()?)?.join(name))
}

fn reachable(permissions: &PermissionTable, act: Action) -> String {
    let names: Vec<&str> =
        permissions.agents_allowed(act).map(|record| record.name.as_str()).take(12).collect();
    format!("it may {} {}", act.words(), names.join(", "))
}

fn no_current_task(name: &AgentName) -> Error {
    Error::new(Code::NoCurrentTask, format!("agent `{name}` has no current task"))
        .saw("a prompt that a user types is not a task, and a finished task needs no report")
        .hint(format!("give the number of a task; `symposium task list --agent {name} --all` shows them"))
}
