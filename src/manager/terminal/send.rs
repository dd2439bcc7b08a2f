//! `agent send`: types a prompt into an agent, once, and makes sure that it arrived.
//!
//! Nothing is typed before the agent is seen to be ready and its input line to be empty. Once the text was
//! pasted it is never pasted again; only the Enter behind it is repeated, once, when it was plainly not taken.

mod delivery;
mod observe;

use std::time::{Duration, Instant};

use crate::error::{Error, Typed};
use crate::failpoint;
use crate::manager::Manager;
use crate::model::{AgentName, AgentRecord, Edge, Kind, Prompt, ScreenState, Status};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::status::from_hook::prompt_line;
use crate::rules::status::from_screen::{Sight, ToldBy};
use crate::rules::tasks::typing::Lines;
use crate::store::AgentLock;
use delivery::Delivery;

/// How long a first prompt that cannot be an argument waits for its agent.
const FIRST: Duration = Duration::from_secs(30);
/// How often one is woken that falls asleep again before its turn comes.
const WAKES: usize = 3;

/// What a user asked for.
#[derive(Debug, Clone)]
pub struct SendRequest {
    /// The agent.
    pub name: AgentName,
    /// The text.
    pub text: String,
    /// What several lines mean.
    pub lines: Lines,
    /// How long to wait until the agent would take it.
    pub timeout: Duration,
}

impl Manager {
    /// Delivers a prompt and confirms it; says by what it was confirmed.
    pub fn send(&self, request: &SendRequest) -> Result<&'static str, Error> {
        // What cannot be sent wakes nobody.
        request.text.parse::<Prompt>().map_err(Error::Unsendable)?;
        self.tmux()?;
        let is = |record: &AgentRecord, status| record.status.status == status;
        for _ in 0..WAKES {
            self.wake(&request.name)?;
            // Starting an agent that sleeps does not count.
            let begun = Instant::now();
            failpoint::reached("send.woken");
            let record = self.record(&request.name, "send")?;
            if !record.status.status.is_live() && !is(&record, Status::Hibernated) {
                self.running(&request.name, "send")?;
            }
            // Whoever puts it to sleep has this turn until it sleeps, and cannot begin while we have it.
            self.ensure_directory(&request.name)?;
            let left = request.timeout.saturating_sub(begun.elapsed());
            let turn = self.store.lock_typing_within(&request.name, left)?;
            if !is(&self.record(&request.name, "send")?, Status::Hibernated) {
                // The wait for others who type and the wait for the agent share one timeout.
                let timeout = request.timeout.saturating_sub(begun.elapsed());
                return self.send_in_turn(&SendRequest { timeout, ..request.clone() }, &turn);
            }
        }
        Err(Error::Busy { name: request.name.clone(), by: "it falls asleep again and again".into() })
    }

    /// Creates the directory of an agent whose removal was interrupted. The caller has found its record.
    pub(in crate::manager) fn ensure_directory(&self, name: &AgentName) -> Result<(), Error> {
        Ok(self.store.instance(name).create()?)
    }

    /// Delivers a prompt while nobody else may type.
    pub(in crate::manager) fn send_in_turn(
        &self,
        request: &SendRequest,
        _turn: &AgentLock,
    ) -> Result<&'static str, Error> {
        let delivery = self.delivery(&request.name, &request.text)?;
        delivery
            .wait_until_it_would_take_it(request.timeout)
            .map_err(|error| delivery.or_its_end(error, Typed::Nothing))?;
        let by =
            delivery.deliver(request.lines).map_err(|error| delivery.or_its_end(error, Typed::Something))?;
        self.note_prompted(&request.name, &request.text)?;
        self.note_taken(&request.name, &delivery.kind)?;
        Ok(by)
    }

    /// Presses Enter behind a text that was typed in before and stands unsent in the input line.
    pub(in crate::manager) fn submit_in_turn(
        &self,
        name: &AgentName,
        text: &str,
        _turn: &AgentLock,
    ) -> Result<&'static str, Error> {
        let delivery = self.delivery(name, text)?;
        let by = delivery
            .press_enter(delivery.heard().as_ref())
            .map_err(|error| delivery.or_its_end(error, Typed::Something))?;
        self.note_prompted(name, text)?;
        self.note_taken(name, &delivery.kind)?;
        Ok(by)
    }

    fn delivery(&self, name: &AgentName, text: &str) -> Result<Delivery<'_>, Error> {
        let prompt: Prompt = text.parse().map_err(Error::Unsendable)?;
        let agent = self.running(name, "send")?;
        let kind = self.kinds()?.get(&agent.kind).cloned().unwrap_or_default();
        let watch = self.store.watch_instance(&agent.name)?;
        let pane = agent.tmux.as_ref().map(|tmux| tmux.pane.clone()).unwrap_or_default();
        Ok(Delivery { manager: self, agent, kind, pane, prompt, watch })
    }

    /// Records the prompt, and that there is a conversation to resume, for a CLI whose hooks do not tell.
    fn note_prompted(&self, name: &AgentName, text: &str) -> Result<(), Error> {
        self.forget_first(name);
        let prompt = prompt_line(text);
        let record = self.record(name, "send")?;
        if record.conversation.begun && record.prompt == prompt {
            return Ok(());
        }
        self.write(|edit| {
            if let Ok(Some(mut record)) = edit.get(name) {
                record.conversation.begun = true;
                record.prompt = prompt;
                edit.put(record);
            }
        })?;
        Ok(())
    }

    /// Notes that it works, for a CLI that does not say so itself; its screen tells when it is done.
    fn note_taken(&self, name: &AgentName, kind: &Kind) -> Result<(), Error> {
        let record = self.record(name, "send")?;
        if record.kind == PLAIN_COMMAND || self.told_by(name, kind) == ToldBy::Hooks {
            return Ok(());
        }
        let sight = Sight { state: Some(&ScreenState::Busy), edge: Edge::Activity, told_by: ToldBy::Screen };
        self.note_sight(&record, sight).map(|_| ())
    }

    /// Types the first prompt of a program that takes none as an argument.
    pub(in crate::manager) fn send_first(&self, name: &AgentName, task: &str) -> Result<(), Error> {
        let request =
            SendRequest { name: name.clone(), text: task.to_owned(), lines: Lines::Together, timeout: FIRST };
        self.send(&request).map(|_| ())
    }
}
