//! `task add`: adds a task to the queue of an agent, of a new agent of a spec, or of any agent of a spec.

use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Code, Error, UnknownName};
use crate::manager::lifecycle::Spawning;
use crate::manager::queue::TaskQueue;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::launch_plan::SpawnTarget;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::status::AgentLookup;
use crate::manager::supervisor::{SupervisorControl, SupervisorWatchdog};
use crate::manager::tasks::Tasks;
use crate::model::{AgentName, Assignee, NewTask, PERSON, Priority, Prompt, Task, TaskId};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::tasks::readiness::{Readiness, ready, why_not};

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
        request.text.parse::<Prompt>().map_err(Error::unsendable)?;
        for id in &request.after {
            TaskQueue(self.0).task(*id)?.ok_or(Error::no_such_task(*id))?;
        }
        let mut remarks = Vec::new();
        let giver = match &request.by {
            Some(name) => Some(self.0.record(name, "show")?),
            None => self.0.verified_caller()?,
        };
        let topic = request.topic.as_ref().map(|topic| {
            let path = self.0.env.cwd().map_or_else(|| topic.clone(), |cwd| cwd.join(topic));
            if !path.is_file() {
                remarks.push(format!("topic {} does not exist; the task is sent without it", path.display()));
            }
            path.to_string_lossy().into_owned()
        });
        let (assignee, spawned) = self.assignee(&request, &mut remarks)?;
        let mut after = request.after;
        after.sort();
        after.dedup();
        let id = TaskQueue(self.0).queue(&NewTask {
            assignee,
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
        let task = TaskQueue(self.0).task(id)?.ok_or(Error::no_such_task(id))?;
        Ok(TaskAdded { task, spawned, remarks })
    }

    fn assignee(
        &self,
        request: &TaskRequest,
        remarks: &mut Vec<String>,
    ) -> Result<(Assignee, Option<AgentName>), Error> {
        if let Some(spec) = request.to.strip_prefix(ANY) {
            let dir = self.0.working_directory(request.dir.as_deref())?;
            let wanted =
                SpawnRequest { body: SpawnTarget::Spec(Some(spec.to_owned())), ..SpawnRequest::default() };
            let chosen = LaunchPlanner(self.0).chosen(&wanted, None, &dir).map_err(no_spec_for_task)?;
            let spec = chosen.spec.name;
            let records = self.0.store.read(self.0.now())?;
            if !records.iter().any(|record| record.spec == spec) {
                remarks.push(format!(
                    "no agent of `{spec}` exists to work on it; `symposium agent spawn {spec}` starts one"
                ));
            }
            return Ok((Assignee::Any(spec), None));
        }
        let named = request.to.parse::<AgentName>().ok();
        if let Some(record) = named.map(|name| self.0.store.find(&name, self.0.now())).transpose()?.flatten()
        {
            if record.kind == PLAIN_COMMAND {
                remarks.push(format!(
                    "`{}` is a plain command, which does not report when it is idle, so its tasks wait; `symposium agent send` types immediately",
                    record.name
                ));
            } else if let Ok(agent) = AgentLookup(self.0).show(&record.name)
                && ready(&agent, self.0.now()) == Readiness::NotReady
            {
                remarks.push(why_not(&agent));
            }
            return Ok((Assignee::Agent(record.id, record.name), None));
        }
        let spawned = Spawning(self.0)
            .spawn(SpawnRequest {
                body: SpawnTarget::Spec(Some(request.to.clone())),
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
        match error.cause::<UnknownName>() {
            Some(unknown) if error.code() == Code::NoSuchSpec => {
                let records = self.0.store.read(self.0.now()).unwrap_or_default();
                let agents = records.into_iter().map(|record| record.name).collect();
                Error::no_assignee(to.to_owned(), agents, unknown.specs.clone())
            }
            _ => error,
        }
    }

    pub(in crate::manager) fn remark_on_queue(&self) -> Option<String> {
        if SupervisorControl(self.0).supervisor().is_none() {
            return Some(
                "it waits for the supervisor, which is not running; `symposium supervisor start`".into(),
            );
        }
        let stall = SupervisorWatchdog(self.0).supervisor_stall()?;
        let (seen, remedy) = (stall.description(), stall.remedy());
        Some(format!("it waits for the supervisor, which does not respond: {seen}; `{remedy}`"))
    }
}

/// Replaces the hints about an unknown spec by those for `any:SPEC`, which starts nothing.
fn no_spec_for_task(error: Error) -> Error {
    match error.cause::<UnknownName>() {
        Some(unknown) if error.code() == Code::NoSuchSpec => {
            Error::no_such_spec(unknown.name.clone(), unknown.specs.clone(), "task add")
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_spec_after_any_gets_hints_for_tasks() {
        let hint = |name: &str| {
            let specs = vec!["claude".to_owned(), "demo".to_owned()];
            no_spec_for_task(Error::no_such_spec(name.to_owned(), specs, "agent spawn")).hints()[0].clone()
        };
        assert_eq!(hint("nokind"), "`symposium spec list` lists the specs");
        assert_eq!(hint("cluade"), "did you mean `symposium task add any:claude …`?");
    }
}
