//! Sends a prompt to a running agent. `terminal/send.rs` wakes a hibernated agent first.

use std::time::{Duration, Instant};

use crate::error::{Error, TypedText};
use crate::manager::delivery::Delivery;
use crate::manager::delivery::type_and_confirm::PendingPrompt;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::{AgentEvidence, AgentLookup, ScreenObserver};
use crate::manager::workspace::Workspaces;
use crate::model::{AgentName, Kind, OutputChange, Prompt, ScreenState};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::status::from_hook::prompt_line;
use crate::rules::status::from_screen::{ScreenObservation, StatusSource};
use crate::rules::tasks::typing::LineHandling;
use crate::store::{AgentLock, AgentLocks, Watches};

/// How long to wait for a program that takes no prompt as an argument until it is ready for its initial prompt.
const INITIAL_PROMPT_TIMEOUT: Duration = Duration::from_secs(30);

/// A prompt to send.
#[derive(Debug, Clone)]
pub struct SendRequest {
    /// Name of the receiving agent.
    pub name: AgentName,
    /// The text of the prompt.
    pub text: String,
    /// How several lines are typed.
    pub lines: LineHandling,
    /// How long to wait until the agent is ready for the prompt.
    pub timeout: Duration,
}

impl Delivery<'_> {
    /// Delivers a prompt while the caller holds the agent's input lock. Returns the evidence that it was accepted.
    pub(in crate::manager) fn send_in_turn(
        &self,
        request: &SendRequest,
        _turn: &AgentLock,
    ) -> Result<&'static str, Error> {
        let delivery = self.delivery(&request.name, &request.text)?;
        delivery
            .wait_until_ready(request.timeout)
            .map_err(|error| delivery.or_its_end(error, TypedText::Nothing))?;
        let by = delivery
            .deliver(request.lines)
            .map_err(|error| delivery.or_its_end(error, TypedText::Something))?;
        self.note_prompted(&request.name, &request.text)?;
        self.note_taken(&request.name, &delivery.kind)?;
        Ok(by)
    }

    /// Presses Enter to submit text that an earlier delivery has typed into the input line.
    pub(in crate::manager) fn submit_in_turn(
        &self,
        name: &AgentName,
        text: &str,
        _turn: &AgentLock,
    ) -> Result<&'static str, Error> {
        let delivery = self.delivery(name, text)?;
        let by = delivery
            .press_enter(delivery.reported_prompt().as_ref())
            .map_err(|error| delivery.or_its_end(error, TypedText::Something))?;
        self.note_prompted(name, text)?;
        self.note_taken(name, &delivery.kind)?;
        Ok(by)
    }

    pub(in crate::manager) fn delivery(
        &self,
        name: &AgentName,
        text: &str,
    ) -> Result<PendingPrompt<'_>, Error> {
        let prompt: Prompt = text.parse().map_err(Error::unsendable)?;
        let agent = AgentLookup(self.0).running(name, "send")?;
        let kind = self.0.kinds()?.get(&agent.kind).cloned().unwrap_or_default();
        let watch = Watches(&self.0.store).instance(&agent.name)?;
        let pane = agent.tmux.as_ref().map(|tmux| tmux.pane.clone()).unwrap_or_default();
        Ok(PendingPrompt { manager: self.0, agent, kind, pane, prompt, watch })
    }

    /// Records the prompt, and that there is a conversation to resume, for agent CLIs whose hooks do not report
    /// prompts.
    pub(in crate::manager) fn note_prompted(&self, name: &AgentName, text: &str) -> Result<(), Error> {
        RegistryWriter(self.0).forget_initial_prompt(name);
        let prompt = prompt_line(text);
        let record = self.0.record(name, "send")?;
        if record.conversation.begun && record.prompt == prompt {
            return Ok(());
        }
        RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut record)) = edit.get(name) {
                record.conversation.begun = true;
                record.prompt = prompt;
                edit.put(record);
            }
        })?;
        Ok(())
    }

    /// Records that the agent is working, for agent CLIs that do not report it. The screen shows when the turn is over.
    pub(in crate::manager) fn note_taken(&self, name: &AgentName, kind: &Kind) -> Result<(), Error> {
        let record = self.0.record(name, "send")?;
        if record.kind == PLAIN_COMMAND
            || AgentEvidence(self.0).status_source(name, kind) == StatusSource::Hooks
        {
            return Ok(());
        }
        let observation = ScreenObservation {
            state: Some(&ScreenState::Busy),
            edge: OutputChange::Activity,
            status_source: StatusSource::Screen,
        };
        ScreenObserver(self.0).note_reading(&record, observation).map(|_| ())
    }

    /// Types the initial prompt of a program that takes no prompt as an argument.
    pub(in crate::manager) fn send_first(&self, name: &AgentName, task: &str) -> Result<(), Error> {
        let request = SendRequest {
            name: name.clone(),
            text: task.to_owned(),
            lines: LineHandling::Together,
            timeout: INITIAL_PROMPT_TIMEOUT,
        };
        self.send_to_running(&request).map(|_| ())
    }

    /// Delivers a prompt to a running agent, without waking it first.
    pub(in crate::manager) fn send_to_running(&self, request: &SendRequest) -> Result<&'static str, Error> {
        let begun = Instant::now();
        Workspaces(self.0).ensure_directory(&request.name)?;
        let turn = AgentLocks(&self.0.store).lock_typing_within(&request.name, request.timeout)?;
        let timeout = request.timeout.saturating_sub(begun.elapsed());
        self.send_in_turn(&SendRequest { timeout, ..request.clone() }, &turn)
    }
}
