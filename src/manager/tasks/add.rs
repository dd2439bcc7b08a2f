//! `task add`: adds a task to the queue of an agent, of a new agent of a spec, or of any agent of a spec.

use std::path::PathBuf;
use std::time::Duration;

use crate::env::Env;
use crate::error::Error;
use crate::manager::lifecycle::Lifecycle;
use crate::manager::queue::TaskQueue;
use crate::manager::specs::SpecCatalog;
use crate::manager::specs::launch_plan::Body;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::status::StatusTracker;
use crate::manager::supervisor::SupervisorControl;
use crate::manager::tasks::Tasks;
use crate::model::{AgentName, Assignee, NewTask, PERSON, Priority, Prompt, Task, TaskId};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::tasks::queue::{Ready, ready, why_not};

/// Prefix before the name of a spec, any of whose agents may take the task.
const ANY: &str = "any:";

/// The options of `task add`.
#[derive(Debug, Clone, Default)]
pub struct TaskRequest {
    /// The assignee: an agent's name, a spec, or `any:SPEC`.
    pub to: String,
    /// The text of the task.
    pub text: String,
    /// Priority in the queue.
    pub priority: Priority,
    /// Tasks that must be done before this one starts.
    pub after: Vec<TaskId>,
    /// The topic file that is handed over with the task.
    pub topic: Option<PathBuf>,
    /// Time limit for the task.
    pub timeout: Option<Duration>,
    /// How often the task may be retried after a failure.
    pub retries: u32,
    /// Working directory of an agent that is spawned for the task. The default is the caller's directory.
    pub dir: Option<PathBuf>,
    /// The agent on whose behalf the task is added. The default is the agent in whose process tree this command runs,
    /// or the user.
    pub by: Option<AgentName>,
}

/// The result of `task add`.
#[derive(Debug)]
pub struct TaskAdded {
    /// The task in its current state.
    pub task: Task,
    /// The agent that was spawned for the task.
    pub spawned: Option<AgentName>,
    /// Additional observations for the user.
    pub remarks: Vec<String>,
}

impl Tasks<'_> {
    /// Adds a task and starts the supervisor if necessary.
    pub fn task_add(&self, request: TaskRequest) -> Result<TaskAdded, Error> {
        // Text that cannot be typed is refused now instead of at a later, unattended dispatch.
        request.text.parse::<Prompt>().map_err(Error::Unsendable)?;
        for id in &request.after {
            TaskQueue(self.0).task(*id)?.ok_or(Error::NoSuchTask { id: *id })?;
        }
        let mut remarks = Vec::new();
        let giver = match &request.by {
            Some(name) => Some(self.0.record(name, "show")?),
            None => self.0.calling_agent()?,
        };
        let topic = request.topic.as_ref().map(|topic| {
            let path = self.0.env.cwd().map_or_else(|| topic.clone(), |cwd| cwd.join(topic));
            if !path.is_file() {
                remarks.push(format!("topic {} is not there; the task goes on without it", path.display()));
            }
            path.to_string_lossy().into_owned()
        });
        let (doer, spawned) = self.doer(&request, &mut remarks)?;
        let mut after = request.after;
        after.sort();
        after.dedup();
        let id = TaskQueue(self.0).queue(&NewTask {
            doer,
            text: request.text,
            priority: request.priority,
            source: giver.as_ref().map_or_else(|| PERSON.to_owned(), |giver| giver.name.to_string()),
            source_id: giver.map(|giver| giver.id),
            after,
            topic,
            timeout_s: request.timeout.map(|most| u32::try_from(most.as_secs().max(1)).unwrap_or(u32::MAX)),
            retries: request.retries,
        })?;
        SupervisorControl(self.0).ensure_supervisor();
        remarks.extend(self.remark_on_queue());
        let task = TaskQueue(self.0).task(id)?.ok_or(Error::NoSuchTask { id })?;
        Ok(TaskAdded { task, spawned, remarks })
    }

    fn doer(
        &self,
        request: &TaskRequest,
        remarks: &mut Vec<String>,
    ) -> Result<(Assignee, Option<AgentName>), Error> {
        if let Some(spec) = request.to.strip_prefix(ANY) {
            let dir = self.0.working_directory(request.dir.as_deref())?;
            let wanted = SpawnRequest { body: Body::Spec(Some(spec.to_owned())), ..SpawnRequest::default() };
            let spec = SpecCatalog(self.0).chosen(&wanted, None, &dir)?.spec.name;
            let records = self.0.store.read(Env::now())?;
            if !records.iter().any(|record| record.spec == spec) {
                remarks.push(format!(
                    "no agent of `{spec}` is there to take it; `symposium agent spawn {spec}` starts one"
                ));
            }
            return Ok((Assignee::Any(spec), None));
        }
        let named = request.to.parse::<AgentName>().ok();
        if let Some(record) = named.map(|name| self.0.store.find(&name, Env::now())).transpose()?.flatten() {
            if record.kind == PLAIN_COMMAND {
                remarks.push(format!(
                    "`{}` is a plain command: it does not tell when it is idle, so its tasks wait; \
                     `symposium agent send` types at once",
                    record.name
                ));
            } else if let Ok(agent) = StatusTracker(self.0).show(&record.name)
                && ready(&agent, Env::now()) == Ready::No
            {
                remarks.push(why_not(&agent));
            }
            return Ok((Assignee::Agent(record.id, record.name), None));
        }
        let spawned = Lifecycle(self.0)
            .spawn(SpawnRequest {
                body: Body::Spec(Some(request.to.clone())),
                dir: request.dir.clone(),
                called_for: Some(request.text.clone()),
                parent: request.by.clone(),
                ..SpawnRequest::default()
            })
            .map_err(|error| self.no_assignee(&request.to, error))?;
        remarks.extend(spawned.remarks);
        remarks.extend(spawned.warnings);
        let agent = spawned.agent;
        Ok((Assignee::Agent(agent.id, agent.name.clone()), Some(agent.name)))
    }

    /// Converts the error about an unknown spec into one that also lists the agents, because the user may have mistyped
    /// an agent's name.
    fn no_assignee(&self, to: &str, error: Error) -> Error {
        match error {
            Error::NoSuchSpec { known, .. } => Error::NoAssignee {
                to: to.to_owned(),
                agents: self
                    .0
                    .store
                    .read(Env::now())
                    .unwrap_or_default()
                    .into_iter()
                    .map(|r| r.name)
                    .collect(),
                specs: known,
            },
            other => other,
        }
    }

    pub(in crate::manager) fn remark_on_queue(&self) -> Option<String> {
        if SupervisorControl(self.0).supervisor().is_none() {
            return Some(
                "it waits for the supervisor, which does not run; `symposium supervisor start`".into(),
            );
        }
        let stall = SupervisorControl(self.0).supervisor_stall()?;
        let (seen, remedy) = (stall.description(), stall.remedy());
        Some(format!("it waits for the supervisor, which does not respond: {seen}; `{remedy}`"))
    }
}
