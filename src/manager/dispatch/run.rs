//! Works through the queues: types tasks and messages into idle agents. `tasks/finish.rs` records how tasks end.
//!
//! A task is marked as dispatched before a key is pressed, and its marker is typed with it. The agent's hook records
//! that the task was accepted, even if the process that typed it was killed. `recover` determines the outcome of the
//! remaining deliveries.

use std::collections::HashSet;
use std::error::Error as _;
use std::time::Duration;

use crate::error::{Code, Error, TypedText};
use crate::ledger::{TaskQuery, TaskTransition};
use crate::manager::delivery::Delivery;
use crate::manager::delivery::send::SendRequest;
use crate::manager::dispatch::Dispatcher;
use crate::manager::lifecycle::{Hibernation, Resumption};
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::StatusTracker;
use crate::manager::tasks::{TaskCompletion, Tasks};
use crate::model::{
    Agent, AgentId, AgentName, AgentRecord, Message, MessageState, Status, Task, TaskId, TaskState,
    marked_message, marked_task,
};
use crate::rules::tasks::readiness::{AGENT_GONE, Readiness, held_specs, is_message, is_task, marked, ready};
use crate::rules::tasks::typing::LineHandling;
use crate::store::{AgentLock, AgentLocks};
use crate::tmux::{Audience, Bell};

/// How long a delivery waits for an agent that was idle a moment ago.
const READY_TIMEOUT: Duration = Duration::from_secs(10);

/// An entry of a queue that is typed into an agent.
#[derive(Debug, Clone, PartialEq)]
pub enum QueueItem {
    /// A task of the agent or of its spec.
    Task(Box<Task>),
    /// A message to the agent.
    Message(Message),
}

impl QueueItem {
    pub(in crate::manager) fn mark(&self) -> String {
        match self {
            QueueItem::Task(task) => task.mark(),
            QueueItem::Message(message) => message.mark(),
        }
    }
}

/// An entry that can be typed now, with its agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Dispatchable {
    /// Id and name of the agent.
    pub agent: (AgentId, AgentName),
    /// The task or message to type.
    pub item: QueueItem,
    /// Whether a user is typing into the agent, so that the entry must wait.
    pub driven: bool,
}

/// The outcome of a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DispatchOutcome {
    /// The entry was typed, or possibly typed: the next recovery determines which.
    Typed,
    /// Nothing was typed, and the entry must wait.
    Later,
    /// The entry was cancelled or taken by another process. The queue may contain more entries.
    Elsewhere,
}

impl Dispatcher<'_> {
    /// Returns the entries that can be typed now: the first of each queue whose agent is ready and not in `left_alone`.
    /// Messages precede tasks.
    pub fn dispatchable(&self, left_alone: &HashSet<AgentId>) -> Result<Vec<Dispatchable>, Error> {
        if !RegistryWriter(self.0).has_queues() {
            return Ok(vec![]);
        }
        let (queues, mail) =
            RegistryWriter(self.0).with_existing_ledger(|ledger| Ok((ledger.queues()?, ledger.mail()?)))?;
        let counts = |id: &AgentId| queues.of.get(id).copied().unwrap_or_default();
        if mail.is_empty() && queues.pool.queued == 0 && queues.of.values().all(|queue| queue.queued == 0) {
            return Ok(vec![]);
        }
        let now = self.0.now();
        let (mut due, mut taken) = (Vec::new(), Vec::new());
        let agents = StatusTracker(self.0).current_agents()?.agents;
        for id in queues.of.iter().filter(|(_, queue)| queue.queued > 0).map(|(id, _)| *id) {
            if !agents.iter().any(|agent| agent.id == id) {
                self.fail_queue(id)?;
            }
        }
        let held = held_specs(&agents, now);
        let mut agents: Vec<(Readiness, Agent)> =
            agents.into_iter().map(|agent| (ready(&agent, now), agent)).collect();
        // A task for any agent of a spec must not wait for an agent with an active driver while another one is free.
        agents.sort_by_key(|(readiness, _)| *readiness == Readiness::Driven);
        for (readiness, agent) in agents {
            let queue = counts(&agent.id);
            let may_have = queue.queued + queues.pool.queued > 0 || mail.contains(&agent.id);
            let is_free = queue.running == 0 && !left_alone.contains(&agent.id);
            if !may_have || !is_free || readiness == Readiness::NotReady {
                continue;
            }
            let message = match mail.contains(&agent.id) {
                true => {
                    RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.next_message(agent.id))?
                }
                false => None,
            };
            let item = match message {
                Some(message) => Some(QueueItem::Message(message)),
                None => {
                    self.next_task(&agent, &mut taken, &held)?.map(|task| QueueItem::Task(Box::new(task)))
                }
            };
            // A task for any agent of a spec is offered to one agent only.
            if let Some(QueueItem::Task(task)) = &item {
                taken.extend(task.pool.is_some().then_some(task.id));
            }
            let driven = readiness == Readiness::Driven;
            let to = (agent.id, agent.name);
            due.extend(item.map(|item| Dispatchable { agent: to, item, driven }));
        }
        Ok(due)
    }

    /// Returns the next task of an agent. A retry of a task for any agent of a spec is skipped, and added to `taken`,
    /// while the spec is held.
    fn next_task(
        &self,
        agent: &Agent,
        taken: &mut Vec<TaskId>,
        held: &HashSet<String>,
    ) -> Result<Option<Task>, Error> {
        loop {
            let next = RegistryWriter(self.0)
                .with_existing_ledger(|ledger| ledger.next_task(agent.id, &agent.spec, taken))?;
            match next {
                Some(task) if task.pool.is_some() && task.attempts > 0 && held.contains(&agent.spec) => {
                    taken.push(task.id);
                }
                next => return Ok(next),
            }
        }
    }

    /// Fails the tasks of an agent that was removed, so that processes that wait for these tasks see the end.
    fn fail_queue(&self, gone: AgentId) -> Result<(), Error> {
        let query = TaskQuery { agent: Some(gone), states: &[TaskState::Queued], newest: None };
        for task in RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.tasks(&query))? {
            if !TaskQueue(self.0).is_spawning(&task)? {
                let step = TaskTransition::plain(&[TaskState::Queued], TaskState::Failed, AGENT_GONE);
                RegistryWriter(self.0)
                    .with_ledger(|ledger| ledger.move_task(task.id, &step, self.0.now()))?;
            }
        }
        Ok(())
    }

    /// Claims an entry and types it into its agent.
    pub fn dispatch(&self, due: &Dispatchable) -> Result<DispatchOutcome, Error> {
        let (id, name) = &due.agent;
        // Locked before the entry is claimed: a claimed entry without a lock holder means that the typing process was
        // killed.
        let Some(turn) = AgentLocks(&self.0.store).try_lock_typing(name)? else {
            return Ok(DispatchOutcome::Later);
        };
        let record = RegistryWriter(self.0).record_by_id(*id)?;
        match record.filter(|record| record.name == *name) {
            // Another agent has this name now.
            None => return Ok(DispatchOutcome::Elsewhere),
            // Text that is typed into an agent that is being ended would be lost.
            Some(record) if StatusTracker(self.0).is_being_ended(&record) => {
                return Ok(DispatchOutcome::Later);
            }
            Some(_) => {}
        }
        if self.still_has_to_wait(due)? {
            return Ok(DispatchOutcome::Later);
        }
        let Some(claimed) = self.claim(due)? else { return Ok(DispatchOutcome::Elsewhere) };
        crate::failpoint::reached("dispatch.noted");
        if let Err(error) = self.bring_back(name) {
            self.take_back(&claimed, &format!("`{name}` could not be woken: {error}"))?;
            return Ok(DispatchOutcome::Later);
        }
        // Waking the agent may have taken long. An entry that was cancelled in the meantime is not typed.
        if !self.is_still_dispatched(&claimed)? {
            return Ok(DispatchOutcome::Elsewhere);
        }
        let text = match &claimed {
            QueueItem::Task(task) => marked(&Tasks(self.0).with_topic(task)?, &task.mark()),
            QueueItem::Message(message) => message.typed(),
        };
        let request =
            SendRequest { name: name.clone(), text, lines: LineHandling::Together, timeout: READY_TIMEOUT };
        let sent = Delivery(self.0).send_in_turn(&request, &turn);
        crate::failpoint::reached("dispatch.sent");
        match sent {
            Ok(by) => {
                // Has no effect if the agent's hook has already recorded it.
                self.was_taken(&claimed, *id, by)?;
                Ok(DispatchOutcome::Typed)
            }
            Err(error) => self.not_sent(&claimed, &error),
        }
    }

    /// Returns whether an entry that was put back would be put back again for the same reason. Such a retry writes
    /// nothing: each change of the ledger wakes everything that watches it, every few seconds.
    fn still_has_to_wait(&self, due: &Dispatchable) -> Result<bool, Error> {
        let (_, name) = &due.agent;
        let (text, why, is_retry) = match &due.item {
            QueueItem::Task(task) => (&task.text, &task.why, task.changed_at != task.created_at),
            QueueItem::Message(message) => (&message.text, &message.why, message.changed_at != message.at),
        };
        if !is_retry || !self.0.record(name, "task")?.status.status.is_live() {
            return Ok(false);
        }
        let deliveries = Delivery(self.0);
        // The delivery itself reports why there is none.
        let Ok(delivery) = deliveries.delivery(name, text) else { return Ok(false) };
        let refusal = delivery.wait_until_ready(Duration::ZERO);
        let refusal = refusal.map_err(|error| delivery.or_its_end(error, TypedText::Nothing));
        Ok(refusal.is_err_and(|error| error.is_before_typing() && refusal_reason(&error) == *why))
    }

    /// Decides what happens to an entry whose delivery failed.
    fn not_sent(&self, claimed: &QueueItem, error: &Error) -> Result<DispatchOutcome, Error> {
        match error.code() {
            Code::NotConfirmed if error.is_before_typing() => {
                self.take_back(claimed, &refusal_reason(error))?;
                Ok(DispatchOutcome::Later)
            }
            // The agent ended before a key was pressed.
            Code::NotRunning | Code::InTerminal => {
                self.take_back(claimed, &error.to_string())?;
                Ok(DispatchOutcome::Later)
            }
            Code::EndedMeanwhile if error.is_before_typing() => {
                self.take_back(claimed, &error.to_string())?;
                Ok(DispatchOutcome::Later)
            }
            // The entry may have been typed; the next recovery determines whether it was.
            Code::NotConfirmed | Code::EndedMeanwhile | Code::TmuxTimedOut | Code::TmuxFailed => {
                Ok(DispatchOutcome::Typed)
            }
            _ => self.cannot_be_typed(claimed, &error.to_string()).map(|()| DispatchOutcome::Elsewhere),
        }
    }

    /// Shows the driver of an agent which entry waits until they pause.
    pub fn announce_dispatch(&self, due: &Dispatchable) -> Result<(), Error> {
        let text = match &due.item {
            QueueItem::Task(task) => format!("task {} waits until you pause: {}", task.id, task.title()),
            QueueItem::Message(message) => format!("a message from {} waits until you pause", message.from),
        };
        self.0.tmux()?.message_clients(Audience::Only(due.agent.1.as_str()), &text, Bell::Silent)?;
        Ok(())
    }

    fn claim(&self, due: &Dispatchable) -> Result<Option<QueueItem>, Error> {
        let (id, name) = &due.agent;
        let why = "it is being typed in";
        let now = self.0.now();
        match &due.item {
            QueueItem::Task(task) => {
                if !RegistryWriter(self.0)
                    .with_ledger(|ledger| ledger.claim_task(task.id, (*id, name), why, now))?
                {
                    return Ok(None);
                }
                Ok(TaskQueue(self.0).task(task.id)?.map(|task| QueueItem::Task(Box::new(task))))
            }
            QueueItem::Message(message) => {
                let step = (MessageState::Waiting, MessageState::Dispatched);
                let is_mine = RegistryWriter(self.0)
                    .with_ledger(|ledger| ledger.move_message(message.id, step, why, now))?;
                Ok(is_mine.then(|| {
                    QueueItem::Message(Message {
                        state: MessageState::Dispatched,
                        changed_at: now,
                        ..message.clone()
                    })
                }))
            }
        }
    }

    /// Resumes or wakes the agent if it is not running.
    fn bring_back(&self, name: &AgentName) -> Result<(), Error> {
        match self.0.record(name, "task")?.status.status {
            Status::Lost | Status::Stopped => Resumption(self.0).resume(name).map(|_| ()),
            _ => Hibernation(self.0).wake(name).map(|_| ()),
        }
    }

    /// Records that the agent accepted the entry. Returns whether the state changed.
    pub(in crate::manager) fn was_taken(
        &self,
        item: &QueueItem,
        agent: AgentId,
        by: &str,
    ) -> Result<bool, Error> {
        match item {
            QueueItem::Task(task) if task.agent == Some(agent) => {
                let step = TaskTransition::plain(&[TaskState::Dispatched], TaskState::Running, by);
                RegistryWriter(self.0).with_ledger(|ledger| ledger.move_task(task.id, &step, self.0.now()))
            }
            QueueItem::Message(message) if message.to_id == Some(agent) => {
                let step = (MessageState::Dispatched, MessageState::Read);
                RegistryWriter(self.0)
                    .with_ledger(|ledger| ledger.move_message(message.id, step, by, self.0.now()))
            }
            _ => Ok(false),
        }
    }

    /// Handles the report of an agent's hook that it accepted a prompt. A marker in the text shows which entry was
    /// delivered, regardless of which process typed it.
    pub(in crate::manager) fn prompt_accepted(&self, record: &AgentRecord, text: &str) {
        let by = "the agent reported that it accepted it";
        let task = marked_task(text).and_then(|id| TaskQueue(self.0).task(id).ok()?);
        // The marker of an earlier attempt says nothing about this attempt.
        if let Some(task) = task.filter(|task| is_task(text, task)) {
            let _ = self.was_taken(&QueueItem::Task(Box::new(task)), record.id, by);
        }
        let message = marked_message(text)
            .and_then(|id| RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.message(id)).ok()?)
            .filter(|message| is_message(text, message));
        if let Some(message) = message {
            let _ = self.was_taken(&QueueItem::Message(message), record.id, by);
        }
    }

    /// Returns an entry to its queue because nothing was typed.
    pub(in crate::manager) fn take_back(&self, item: &QueueItem, why: &str) -> Result<(), Error> {
        match item {
            QueueItem::Task(task) => {
                RegistryWriter(self.0)
                    .with_ledger(|ledger| ledger.put_back_task(task.id, why, self.0.now()))?;
            }
            QueueItem::Message(message) => {
                let step = (MessageState::Dispatched, MessageState::Waiting);
                RegistryWriter(self.0)
                    .with_ledger(|ledger| ledger.move_message(message.id, step, why, self.0.now()))?;
            }
        }
        Ok(())
    }

    /// Records that an entry cannot be typed. A task fails; a message is kept until it is read.
    fn cannot_be_typed(&self, item: &QueueItem, why: &str) -> Result<(), Error> {
        match item {
            QueueItem::Task(task) => TaskCompletion(self.0).fail_task(task, why).map(|_| ()),
            QueueItem::Message(message) => Ok(RegistryWriter(self.0)
                .with_ledger(|ledger| ledger.park_message(message.id, why, self.0.now()))?),
        }
    }

    /// Returns the input lock of an agent, or `None` if another process holds it.
    pub(in crate::manager) fn typing_turn(&self, name: &AgentName) -> Result<Option<AgentLock>, Error> {
        Ok(AgentLocks(&self.0.store).try_lock_typing(name)?)
    }
}

/// Returns why nothing was typed.
fn refusal_reason(error: &Error) -> String {
    let source = error.source().filter(|_| error.code() == Code::NotConfirmed);
    source.map_or_else(|| error.to_string(), ToString::to_string)
}
