//! Determines the outcome of interrupted deliveries: the supervisor was killed, or an agent did not show that it
//! accepted a prompt. Searches for the marker of the task or message. If the outcome cannot be determined, the task is
//! flagged for the user. Nothing is typed twice.

use crate::manager::delivery::Delivery;
use crate::manager::dispatch::Dispatcher;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::StatusTracker;
use crate::manager::tasks::Tasks;
use std::path::Path;

use jiff::Timestamp;

use crate::env::Env;
use crate::error::Error;
use crate::ledger::{MessageQuery, TaskMove};
use crate::manager::dispatch::run::Errand;
use crate::model::{AgentRecord, MessageState, ScreenState, Status, TaskState};
use crate::process;
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::status::from_screen::ToldBy;
use crate::rules::tasks::confirm::shows_mark;
use crate::rules::tasks::queue::{Fate, GONE, SETTLED, Trace, fate, marked};
use crate::store::AgentLock;
use crate::tmux::Capture;
use crate::transcript;

/// Reason of a task whose outcome cannot be determined.
const UNKNOWN: &str = "it is not known whether the agent took it; look at it, then `task done`, `task retry` or \
                       `task cancel`";

impl Dispatcher<'_> {
    /// Checks deliveries that were interrupted. Returns the number of deliveries whose outcome is still open. A
    /// delivery that cannot be checked does not block the others.
    pub fn recover_deliveries(&self) -> Result<usize, Error> {
        let (mut open, mut failed) = (0, None);
        for errand in self.dispatched()? {
            let agent = match &errand {
                Errand::Task(task) => task.agent,
                Errand::Message(message) => message.to_id,
            };
            let Some(record) = agent.map(|id| RegistryWriter(self.0).record_by_id(id)).transpose()?.flatten()
            else {
                self.leave_to_a_person(&errand, GONE)?;
                continue;
            };
            // If another process holds the input lock, the delivery is still in progress.
            let Some(turn) = self.typing_turn(&record.name)? else { continue };
            if self.is_still_dispatched(&errand)? {
                match self.recover(&errand, &record, &turn) {
                    Ok(fate) => open += usize::from(fate == Fate::Wait),
                    Err(error) => failed = Some(error),
                }
            }
        }
        failed.map_or(Ok(open), Err)
    }

    fn dispatched(&self) -> Result<Vec<Errand>, Error> {
        let tasks = RegistryWriter(self.0).tasks(&[TaskState::Dispatched])?;
        let query = MessageQuery { states: &[MessageState::Dispatched], ..MessageQuery::default() };
        let messages = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.messages(&query))?;
        let tasks = tasks.into_iter().map(|task| Errand::Task(Box::new(task)));
        Ok(tasks.chain(messages.into_iter().map(Errand::Message)).collect())
    }

    pub(in crate::manager) fn is_still_dispatched(&self, errand: &Errand) -> Result<bool, Error> {
        Ok(match errand {
            Errand::Task(task) => TaskQueue(self.0)
                .task(task.id)?
                .is_some_and(|now| (now.state, now.attempts) == (task.state, task.attempts)),
            Errand::Message(message) => RegistryWriter(self.0)
                .with_existing_ledger(|ledger| ledger.message(message.id))?
                .is_some_and(|now| now.state == message.state && now.changed_at == message.changed_at),
        })
    }

    fn recover(&self, errand: &Errand, record: &AgentRecord, turn: &AgentLock) -> Result<Fate, Error> {
        let mark = errand.mark();
        let began = match errand {
            Errand::Task(task) => task.dispatched_at.unwrap_or(task.changed_at),
            Errand::Message(message) => message.changed_at,
        };
        let fate = fate(self.trace(record, &mark, began)?);
        match fate {
            Fate::Wait => {}
            Fate::Submit => {
                let text = match errand {
                    Errand::Task(task) => marked(&Tasks(self.0).with_topic(task)?, &mark),
                    Errand::Message(message) => message.typed(),
                };
                match Delivery(self.0).submit_in_turn(&record.name, &text, turn) {
                    Ok(by) => drop(self.was_taken(errand, record.id, by)?),
                    // The text is still in the input line, or a hook has reported in the meantime; the next check
                    // decides.
                    Err(
                        Error::NotConfirmed { .. }
                        | Error::NotRunning { .. }
                        | Error::InTerminal { .. }
                        | Error::EndedMeanwhile { .. },
                    ) => {}
                    Err(error) => return Err(error),
                }
            }
            Fate::Taken => drop(self.was_taken(errand, record.id, "its mark is in the transcript")?),
            Fate::Untouched => self.take_back(errand, "nothing of it was typed before it was cut short")?,
            Fate::Unknown => self.leave_to_a_person(errand, UNKNOWN)?,
        }
        Ok(fate)
    }

    fn trace(&self, record: &AgentRecord, mark: &str, began: Timestamp) -> Result<Trace, Error> {
        let kind = self.0.kind_of(record)?;
        let dir = self.0.store.instance(&record.name);
        let printed = transcript::printed_since(dir.dir(), began).is_ok_and(|text| shows_mark(&text, mark));
        let hooked = StatusTracker(self.0).told_by(&record.name, &kind) == ToldBy::Hooks;
        let readable = record.kind != PLAIN_COMMAND && !kind.screen.ready.is_empty();
        let settled = Env::now().duration_since(began) >= SETTLED.try_into().unwrap_or_default();
        let pane = record.tmux.as_ref().filter(|_| record.status.status.is_live());
        let Some(pane) = pane.map(|place| place.pane.as_str()) else {
            // The text in the input line is lost with the process.
            return Ok(Trace { drafted: false, printed, hooked, readable, at_rest: true, settled });
        };
        let screen = self.0.tmux()?.capture(pane, Capture::Screen)?;
        let reading = StatusTracker(self.0).reading(record, &kind)?;
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
        Ok(Trace {
            drafted,
            printed: printed || shows_mark(&screen, mark),
            hooked,
            readable,
            at_rest,
            settled,
        })
    }

    fn leave_to_a_person(&self, errand: &Errand, why: &str) -> Result<(), Error> {
        match errand {
            Errand::Task(task) => {
                let step = TaskMove {
                    flagged: true,
                    ..TaskMove::plain(&[TaskState::Dispatched], TaskState::Failed, why)
                };
                RegistryWriter(self.0).with_ledger(|ledger| ledger.move_task(task.id, &step, Env::now()))?;
                Tasks(self.0).note_over(task.id);
            }
            Errand::Message(message) => {
                let why = "it is not known whether the agent took it; it waits to be asked for";
                RegistryWriter(self.0)
                    .with_ledger(|ledger| ledger.park_message(message.id, why, Env::now()))?;
            }
        }
        Ok(())
    }
}
