//! Identifies the caller of a tool and checks its permissions. The rules are in `rules/access/permissions.rs`.

use std::path::{Path, PathBuf};

use crate::env::{AGENT, AGENT_ID, Env};
use crate::error::Error;
use crate::manager::Context;
use crate::manager::messages::Messages;
use crate::manager::registry::RegistryWriter;
use crate::manager::tasks::Tasks;
use crate::model::{AgentName, AgentRecord, Task, TaskId, TaskState};
use crate::rules::access::permissions::{Act, Caller, Place};
use crate::rules::tasks::address::Unreached;

/// Decides what the caller of a tool may do.
#[derive(Clone, Copy)]
pub struct Permissions<'a>(pub &'a Context);

impl Permissions<'_> {
    /// Returns the permissions of the agent or user in whose process tree this command runs. Returns an error if the
    /// environment names an agent that does not exist: such a process must never be treated as a user.
    pub fn place(&self) -> Result<Place, Error> {
        let claims_agent = [AGENT, AGENT_ID].into_iter().any(|key| self.0.env.is_set(key));
        let caller = match (self.0.calling_agent()?, claims_agent) {
            (Some(record), _) => Caller::Agent(Box::new(record)),
            (None, false) => Caller::Person,
            // An empty id counts too: it was set for an agent.
            (None, true) => {
                let claim = [AGENT, AGENT_ID].into_iter().find_map(|key| self.0.env.var(key));
                return Err(Error::UnknownCaller {
                    name: claim.unwrap_or_default().to_string_lossy().into_owned(),
                });
            }
        };
        let mut records = self.0.store.read(Env::now())?;
        for record in &mut records {
            record.project = Some(Messages(self.0).project_of(record));
        }
        Ok(Place::new(caller, records))
    }

    /// Returns the agent with this name if the caller may perform the action on it.
    pub fn within_reach(&self, place: &Place, act: Act, name: &AgentName) -> Result<AgentRecord, Error> {
        let Some(record) = place.find(name) else { return Err(self.0.no_such_agent(name, "show")) };
        match (place.allows(act, record), place.me()) {
            (true, _) | (false, None) => Ok(record.clone()),
            (false, Some(me)) => Err(Error::NotPermitted {
                what: format!("agent `{}` may not {} `{name}`", me.name, act.words()),
                hint: reachable(place, act),
            }),
        }
    }

    /// Removes agents and projects that the caller may not see from an error.
    pub fn confine(&self, place: &Place, error: Error) -> Error {
        if place.me().is_none() {
            return error;
        }
        let visible: Vec<&AgentRecord> = place.those(Act::See).collect();
        let agents = |mut names: Vec<AgentName>| {
            names.retain(|name| visible.iter().any(|record| record.name == *name));
            names
        };
        let projects = |mut paths: Vec<String>| {
            paths.retain(|path| visible.iter().any(|record| record.project.as_ref() == Some(path)));
            paths
        };
        match error {
            Error::NoSuchAgent { name, known, verb } => {
                Error::NoSuchAgent { name, known: agents(known), verb }
            }
            Error::NoAssignee { to, agents: known, specs } => {
                Error::NoAssignee { to, agents: agents(known), specs }
            }
            Error::Unreached(Unreached::NoAgent { name, known }) => {
                Error::Unreached(Unreached::NoAgent { name, known: agents(known) })
            }
            Error::Unreached(Unreached::Elsewhere { name, .. })
                if !visible.iter().any(|record| record.name == name) =>
            {
                let known = visible.iter().map(|record| record.name.clone()).collect();
                Error::Unreached(Unreached::NoAgent { name: name.to_string(), known })
            }
            Error::Unreached(Unreached::NoProject { project, known }) => {
                Error::Unreached(Unreached::NoProject { project, known: projects(known) })
            }
            Error::Unreached(Unreached::Several { project, paths }) => {
                Error::Unreached(Unreached::Several { project, paths: projects(paths) })
            }
            other => other,
        }
    }

    /// Returns the task with this number if the caller may perform the action on it.
    pub fn task_within_reach(&self, place: &Place, act: Act, id: TaskId) -> Result<Task, Error> {
        let task = Tasks(self.0).known_task(id)?;
        match (place.allows_about(act, &task), place.me()) {
            (true, _) | (false, None) => Ok(task),
            (false, Some(me)) => Err(Error::NotPermitted {
                what: match act {
                    Act::Report => format!("agent `{}` may not report for task {id} of `{}`", me.name, task.whose()),
                    _ => format!("agent `{}` may not see task {id} of `{}`", me.name, task.whose()),
                },
                hint: "it may see the tasks of its place and those that it gave, and report for its own and those \
                       of its children"
                    .into(),
            }),
        }
    }

    /// Returns an error if an agent, from its shell, reports on a task of another agent or ends it.
    pub fn refuse_foreign_report(&self, id: TaskId) -> Result<(), Error> {
        match self.0.calling_agent()? {
            None => Ok(()),
            Some(_) => self.task_within_reach(&self.place()?, Act::Report, id).map(|_| ()),
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
    pub fn path_within_reach(&self, place: &Place, named: Option<PathBuf>) -> Result<Option<PathBuf>, Error> {
        let (Some(named), Some(me)) = (&named, place.me()) else {
            return Ok(named.filter(|named| !named.as_os_str().is_empty()));
        };
        let path: PathBuf = Path::new(&me.working_directory).join(named).components().collect();
        match real(&path).filter(|real| place.holds(real)) {
            Some(real) => Ok(Some(real)),
            None => Err(Error::NotPermitted {
                what: format!("`{}` is outside the project of agent `{}`", path.display(), me.name),
                hint: format!("name a path below {}", me.project.as_ref().unwrap_or(&me.working_directory)),
            }),
        }
    }

    /// Returns the task that an agent works on.
    pub fn task_at_hand(&self, agent: &AgentRecord) -> Result<Task, Error> {
        let mut tasks = RegistryWriter(self.0).tasks(&[TaskState::Dispatched, TaskState::Running])?;
        tasks.retain(|task| task.agent == Some(agent.id));
        // A running task comes first; a task that is still being typed has been accepted if its agent asks about it.
        tasks.sort_by_key(|task| task.state != TaskState::Running);
        tasks.into_iter().next().ok_or_else(|| Error::NoTaskAtHand { name: agent.name.clone() })
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

fn reachable(place: &Place, act: Act) -> String {
    let names: Vec<&str> = place.those(act).map(|record| record.name.as_str()).take(12).collect();
    format!("it may {} {}", act.words(), names.join(", "))
}
