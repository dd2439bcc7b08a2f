//! Determines the outcome of interrupted deliveries: the supervisor was killed, or an agent did not show that it
//! accepted a prompt. Searches for the marker of the task or message. If the outcome cannot be determined, the task is
//! flagged for the user. Nothing is typed twice.

use std::path::Path;

use jiff::Timestamp;

use crate::error::{Code, Error};
use crate::ledger::{MessageQuery, TaskTransition};
use crate::manager::delivery::Delivery;
use crate::manager::dispatch::Dispatcher;
use crate::manager::dispatch::run::QueueItem;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::{AgentEvidence, ScreenObserver};
use crate::manager::tasks::{TaskCompletion, Tasks};
use crate::model::{AgentRecord, MessageState, ScreenState, Status, TaskState};
use crate::process;
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::status::from_screen::StatusSource;
use crate::rules::tasks::confirm::shows_mark;
use crate::rules::tasks::readiness::{
    AGENT_GONE, DeliveryEvidence, DeliveryOutcome, SETTLE_TIME, marked, outcome_of,
};
use crate::store::AgentLock;
use crate::tmux::Capture;
use crate::transcript;

/// Reason of a task whose outcome cannot be determined.
const UNKNOWN: &str = "it is unknown whether the agent accepted it; look at the agent, then use `task done`, `task retry` or `task cancel`";

impl Dispatcher<'_> {
    /// Checks deliveries that were interrupted. Returns the number of deliveries whose outcome is still open. A
    /// delivery that cannot be checked does not block the others.
    pub fn recover_deliveries(&self) -> Result<usize, Error> {
        let (mut open, mut failed) = (0, None);
        for item in self.dispatched()? {
            let agent = match &item {
                QueueItem::Task(task) => task.agent,
                QueueItem::Message(message) => message.to_id,
            };
            let Some(record) = agent.map(|id| RegistryWriter(self.0).record_by_id(id)).transpose()?.flatten()
            else {
                self.mark_unknown(&item, AGENT_GONE)?;
                continue;
            };
            // If another process holds the input lock, the delivery is still in progress.
            let Some(turn) = self.typing_turn(&record.name)? else { continue };
            if self.is_still_dispatched(&item)? {
                match self.recover(&item, &record, &turn) {
                    Ok(fate) => open += usize::from(fate == DeliveryOutcome::Wait),
                    Err(error) => failed = Some(error),
                }
            }
        }
        failed.map_or(Ok(open), Err)
    }

    fn dispatched(&self) -> Result<Vec<QueueItem>, Error> {
        let tasks = RegistryWriter(self.0).tasks(&[TaskState::Dispatched])?;
        let query = MessageQuery { states: &[MessageState::Dispatched], ..MessageQuery::default() };
        let messages = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.messages(&query))?;
        let tasks = tasks.into_iter().map(|task| QueueItem::Task(Box::new(task)));
        Ok(tasks.chain(messages.into_iter().map(QueueItem::Message)).collect())
    }

    pub(in crate::manager) fn is_still_dispatched(&self, item: &QueueItem) -> Result<bool, Error> {
        Ok(match item {
            QueueItem::Task(task) => TaskQueue(self.0)
                .task(task.id)?
                .is_some_and(|now| (now.state, now.attempts) == (task.state, task.attempts)),
            QueueItem::Message(message) => RegistryWriter(self.0)
                .with_existing_ledger(|ledger| ledger.message(message.id))?
                .is_some_and(|now| now.state == message.state && now.changed_at == message.changed_at),
        })
    }

    fn recover(
        &self,
        item: &QueueItem,
        record: &AgentRecord,
        turn: &AgentLock,
    ) -> Result<DeliveryOutcome, Error> {
        let mark = item.mark();
        let began = match item {
            QueueItem::Task(task) => task.dispatched_at.unwrap_or(task.changed_at),
            QueueItem::Message(message) => message.changed_at,
        };
        let fate = outcome_of(self.trace(record, &mark, began)?);
        match fate {
            DeliveryOutcome::Wait => {}
            DeliveryOutcome::Submit => {
                let text = match item {
                    QueueItem::Task(task) => marked(&Tasks(self.0).with_topic(task)?, &mark),
                    QueueItem::Message(message) => message.typed(),
                };
                match Delivery(self.0).submit_in_turn(&record.name, &text, turn) {
                    Ok(by) => drop(self.was_taken(item, record.id, by)?),
                    // The text is still in the input line, or a hook has reported in the meantime; the next check
                    // decides.
                    Err(error)
                        if matches!(
                            error.code(),
                            Code::NotConfirmed | Code::NotRunning | Code::InTerminal | Code::EndedMeanwhile
                        ) => {}
                    Err(error) => return Err(error),
                }
            }
            DeliveryOutcome::Taken => {
                self.was_taken(item, record.id, "its marker is in the transcript")?;
            }
            DeliveryOutcome::Untouched => {
                self.take_back(item, "the delivery was interrupted before anything was typed")?
            }
            DeliveryOutcome::Unknown => self.mark_unknown(item, UNKNOWN)?,
        }
        Ok(fate)
    }

    fn trace(&self, record: &AgentRecord, mark: &str, began: Timestamp) -> Result<DeliveryEvidence, Error> {
        let kind = self.0.kind_of(record)?;
        let dir = self.0.store.instance(&record.name);
        let printed = transcript::printed_since(dir.dir(), began).is_ok_and(|text| shows_mark(&text, mark));
        let hooked = AgentEvidence(self.0).status_source(&record.name, &kind) == StatusSource::Hooks;
        let readable = record.kind != PLAIN_COMMAND && !kind.screen.ready.is_empty();
        let settled = self.0.now().duration_since(began) >= SETTLE_TIME.try_into().unwrap_or_default();
        let pane = record.tmux.as_ref().filter(|_| record.status.status.is_live());
        let Some(pane) = pane.map(|location| location.pane.as_str()) else {
            // The text in the input line is lost with the process.
            return Ok(DeliveryEvidence {
                drafted: false,
                printed,
                hooked,
                readable,
                at_rest: true,
                settled,
            });
        };
        let screen = self.0.tmux()?.capture(pane, Capture::Screen)?;
        let reading = ScreenObserver(self.0).reading(record, &kind)?;
        let is_draft = reading.draft.as_ref().is_some_and(|draft| !draft.trim().is_empty());
        // An input line that only indicates a paste shows no marker. The paste is then attributed to this delivery.
        let pasted =
            kind.screen.pasted.iter().any(|pattern| {
                regex_lite::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(&screen))
            });
        let drafted =
            is_draft && (shows_mark(&screen, mark) || pasted) && reading.state != Some(ScreenState::Busy);
        let facts = self.0.tmux()?.pane_facts(pane)?;
        let unread = facts.and_then(|facts| process::tty_state(Path::new(&facts.tty)).ok());
        let at_rest = record.status.status == Status::Idle
            && unread.is_none_or(|tty| tty.queued == 0)
            && (!readable || reading.state.as_ref().is_some_and(ScreenState::is_at_prompt));
        Ok(DeliveryEvidence {
            drafted,
            printed: printed || shows_mark(&screen, mark),
            hooked,
            readable,
            at_rest,
            settled,
        })
    }

    fn mark_unknown(&self, item: &QueueItem, why: &str) -> Result<(), Error> {
        match item {
            QueueItem::Task(task) => {
                let step = TaskTransition {
                    flagged: true,
                    ..TaskTransition::plain(&[TaskState::Dispatched], TaskState::Failed, why)
                };
                RegistryWriter(self.0)
                    .with_ledger(|ledger| ledger.move_task(task.id, &step, self.0.now()))?;
                TaskCompletion(self.0).note_task_end(task.id);
            }
            QueueItem::Message(message) => {
                let why = "it is unknown whether the agent accepted it; `symposium message read` returns it";
                RegistryWriter(self.0)
                    .with_ledger(|ledger| ledger.park_message(message.id, why, self.0.now()))?;
            }
        }
        Ok(())
    }
}
