//! `agent approve`, `agent deny`: answers the dialog that an agent shows with the kind's keys, and verifies that the
//! answer was accepted.
//!
//! No key is pressed before the dialog is seen on the screen: a key that answers a dialog is ordinary input elsewhere.

use std::time::{Duration, Instant};

use crate::error::{Code, Error, TypedText};
use crate::manager::specs::LaunchPlanner;
use crate::manager::status::{AgentEvidence, AgentLookup, ScreenObserver};
use crate::manager::terminal::Approvals;
use crate::model::{
    Agent, AgentName, AgentRecord, AskedQuestion, Dialog, Kind, OutputChange, ScreenState, Status, WaitingFor,
};
use crate::rules::lifecycle::inherit::may_answer;
use crate::rules::lifecycle::tree::descendants;
use crate::rules::status::from_screen::ScreenObservation;
use crate::rules::tasks::same_question::{is_drawn, is_read};
use crate::store::{AgentLock, AgentLocks, Watches};

/// How long a dialog may take to close after its key was pressed.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a dialog that a hook has reported may take to appear on the screen.
const DIALOG_DRAW_TIMEOUT: Duration = Duration::from_secs(3);
/// How long to wait before a key without effect is pressed again. A busy machine may handle a key late, and a second
/// key would then go to the input behind the dialog.
const HOOK_TIMEOUT: Duration = Duration::from_secs(3);
/// Interval between two checks if no event reports a change.
const SCREEN_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The answer to an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// Approve this one action.
    Approve,
    /// Deny the action.
    Deny,
}

impl ApprovalAnswer {
    /// Returns the name of the command that gives this answer.
    pub fn verb(self) -> &'static str {
        match self {
            ApprovalAnswer::Approve => "approve",
            ApprovalAnswer::Deny => "deny",
        }
    }
}

/// An approval dialog that may be answered now. It holds the input lock, so that no other process types into the agent.
pub(in crate::manager) struct OpenDialog {
    /// The agent as it was before the answer.
    pub(in crate::manager) record: AgentRecord,
    pub(in crate::manager) kind: Kind,
    /// The line on the screen that asks.
    pub(in crate::manager) line: String,
    pub(in crate::manager) turn: AgentLock,
}

/// The result of an answer.
#[derive(Debug)]
pub struct AnswerResult {
    /// The question that was answered, on one line.
    pub question_line: String,
    /// The question as the agent reported it, if it did.
    pub question: Option<AskedQuestion>,
    /// The agent after the answer.
    pub agent: Agent,
}

impl Approvals<'_> {
    /// Answers the agent's dialog. With the id of a question, answers only that question.
    pub fn answer(
        &self,
        name: &AgentName,
        answer: ApprovalAnswer,
        read: Option<&str>,
    ) -> Result<AnswerResult, Error> {
        let open = self.open_dialog(name, answer, read)?;
        self.press_answer(&open, answer)?;
        self.answered(&open, answer)
    }

    /// Checks that the agent shows the approval dialog that is to be answered, and that its kind has keys for the
    /// answer.
    pub(in crate::manager) fn open_dialog(
        &self,
        name: &AgentName,
        answer: ApprovalAnswer,
        read: Option<&str>,
    ) -> Result<OpenDialog, Error> {
        AgentLookup(self.0).running(name, answer.verb())?;
        self.refuse_unrelated_agent(name, answer.verb())?;
        let before = self.0.record(name, answer.verb())?;
        let turn = AgentLocks(&self.0.store).lock_typing(name)?;
        let record = self.0.record(name, answer.verb())?;
        // The dialog was answered elsewhere in the meantime: the next question is not the one that the caller has seen.
        if before.status.waiting_for == Some(WaitingFor::Approval) && record.status != before.status {
            return Err(self.asks_another(&record, answer));
        }
        if !is_read(&record.status, read) {
            return Err(self.asks_another(&record, answer));
        }
        let kind = self.0.kind_of(&record)?;
        if keys_for(&kind, answer).is_empty() {
            return Err(cannot_answer(name, &record.kind, answer.verb()));
        }
        let Some(line) = self.dialog(&record, &kind)? else {
            return Err(match self.dialog_shown(name)? {
                Some(dialog) => needs_choice(name, answer.verb(), &dialog),
                None => Error::nothing_asked(
                    name,
                    record.status.status.to_string(),
                    AgentEvidence(self.0).last_lines(&record),
                ),
            });
        };
        // While this function waited for the dialog, a user may have answered it and the agent may have asked the next
        // question.
        let now = self.0.record(name, answer.verb())?;
        if !is_read(&now.status, read) {
            return Err(self.asks_another(&now, answer));
        }
        if read.is_some() && !is_drawn(&now.status, &line) {
            let state = ScreenState::Approval(line);
            let observation = ScreenObservation {
                state: Some(&state),
                edge: OutputChange::Activity,
                status_source: AgentEvidence(self.0).status_source(&record.name, &kind),
            };
            return Err(self.asks_another(&ScreenObserver(self.0).note_reading(&now, observation)?, answer));
        }
        Ok(OpenDialog { record, kind, line, turn })
    }

    /// Presses the keys of an answer and waits until it was accepted.
    pub(in crate::manager) fn press_answer(
        &self,
        open: &OpenDialog,
        answer: ApprovalAnswer,
    ) -> Result<(), Error> {
        let OpenDialog { record, kind, line, .. } = open;
        let mut press = || Ok(self.0.tmux()?.keys(&open.pane(), keys_for(kind, answer))?);
        press()?;
        self.until_taken(record, (kind, line), &mut press)
    }

    /// Returns the question of a dialog that was answered, and the current state of the agent.
    pub(in crate::manager) fn answered(
        &self,
        open: &OpenDialog,
        answer: ApprovalAnswer,
    ) -> Result<AnswerResult, Error> {
        let OpenDialog { record, line, .. } = open;
        let is_reported = record.status.waiting_for == Some(WaitingFor::Approval);
        let question_line = if is_reported { record.status.reason.clone() } else { line.clone() };
        let question = record.status.current_question().filter(|_| is_reported);
        Ok(AnswerResult {
            question_line,
            question,
            agent: AgentLookup(self.0).agent(&record.name, answer.verb())?,
        })
    }

    /// Returns the error for a dialog that was answered elsewhere in the meantime.
    fn asks_another(&self, record: &AgentRecord, answer: ApprovalAnswer) -> Error {
        match record
            .status
            .current_question()
            .filter(|_| record.status.waiting_for == Some(WaitingFor::Approval))
        {
            Some(now) => Error::asks_another(&record.name, answer.verb(), &now),
            None => Error::nothing_asked(
                &record.name,
                format!("{} now: {}", record.status.status, record.status.reason),
                AgentEvidence(self.0).last_lines(record),
            ),
        }
    }

    /// Returns an error unless the caller may answer: a user may answer every agent, an agent only its descendants
    /// whose tier permits it.
    pub(in crate::manager) fn refuse_unrelated_agent(
        &self,
        name: &AgentName,
        verb: &'static str,
    ) -> Result<(), Error> {
        let Some(calling_agent) = self.0.calling_agent()? else { return Ok(()) };
        let records = self.0.store.read(self.0.now())?;
        let not_yours = |why: String| {
            Err(Error::new(
                Code::NotYours,
                format!("agent `{}` may not {verb} `{name}`: {why}", calling_agent.name),
            )
            .saw("nothing was pressed")
            .hint(format!("run `symposium agent {verb} {name}` in a terminal outside of the agent")))
        };
        if !descendants(&records, std::slice::from_ref(&calling_agent.name)).contains(name) {
            return not_yours(format!("`{name}` is not its descendant"));
        }
        let tier = LaunchPlanner(self.0)
            .spawn_manifest(name)
            .and_then(|note| note.spec)
            .and_then(|spec| spec.shell_tier);
        match may_answer(tier) {
            true => Ok(()),
            false => not_yours("its tier is `approve`, which leaves every answer to a person".into()),
        }
    }

    /// Returns the line of the approval dialog on the screen. Waits briefly for a dialog that a hook has reported.
    fn dialog(&self, record: &AgentRecord, kind: &Kind) -> Result<Option<String>, Error> {
        let watch = Watches(&self.0.store).instance(&record.name)?;
        let begun = Instant::now();
        let is_reported = record.status.waiting_for == Some(WaitingFor::Approval);
        loop {
            if let Some(ScreenState::Approval(line)) = ScreenObserver(self.0).reading(record, kind)?.state {
                return Ok(Some(line));
            }
            if !is_reported || begun.elapsed() > DIALOG_DRAW_TIMEOUT {
                return Ok(None);
            }
            watch.changed(SCREEN_CHECK_INTERVAL);
        }
    }

    /// Waits until the dialog is gone or another one is shown, and records the state of the screen.
    pub(in crate::manager) fn until_taken(
        &self,
        question_line: &AgentRecord,
        (kind, line): (&Kind, &str),
        press: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut pressed = Instant::now();
        let watch = Watches(&self.0.store).instance(&question_line.name)?;
        let begun = Instant::now();
        loop {
            let record = self.0.record(&question_line.name, "approve")?;
            let state = ScreenObserver(self.0).reading(&record, kind)?.state;
            let is_open = matches!(&state, Some(ScreenState::Approval(now) | ScreenState::Question(now)) if now == line);
            // The next dialog may look the same; then a hook has reported another question in the meantime.
            let another = record.status.status == Status::Waiting && record.status != question_line.status;
            if !is_open || another || record.status.status == Status::Working {
                // No hook reports that a tool was permitted to run.
                if record.status == question_line.status && record.status.status == Status::Waiting {
                    let state = state.filter(|state| !state.is_at_prompt());
                    let observation = ScreenObservation {
                        state: Some(state.as_ref().unwrap_or(&ScreenState::Busy)),
                        edge: OutputChange::Activity,
                        status_source: AgentEvidence(self.0).status_source(&record.name, kind),
                    };
                    ScreenObserver(self.0).note_reading(&record, observation)?;
                }
                return Ok(());
            }
            // claude drops a key that arrives while its dialog opens; the dialog is still the same one.
            if pressed.elapsed() > HOOK_TIMEOUT && begun.elapsed() < ANSWER_TIMEOUT {
                press()?;
                pressed = Instant::now();
            }
            if begun.elapsed() > ANSWER_TIMEOUT {
                return Err(Error::not_confirmed(
                    &question_line.name,
                    "its dialog is still open",
                    TypedText::Something,
                )
                .saw_all(AgentEvidence(self.0).last_lines(&record)));
            }
            watch.changed(SCREEN_CHECK_INTERVAL);
        }
    }
}

impl OpenDialog {
    /// Returns the pane of the agent.
    pub(in crate::manager) fn pane(&self) -> String {
        self.record.tmux.as_ref().map(|location| location.pane.clone()).unwrap_or_default()
    }
}

fn keys_for(kind: &Kind, answer: ApprovalAnswer) -> &[String] {
    match answer {
        ApprovalAnswer::Approve => &kind.approve_keys,
        ApprovalAnswer::Deny => &kind.deny_keys,
    }
}

fn cannot_answer(name: &AgentName, kind: &str, verb: &str) -> Error {
    Error::new(Code::CannotAnswer, format!("symposium does not know how to {verb} in `{kind}`"))
        .saw(format!("agent `{name}` is of that kind"))
        .hint(format!("answer it yourself: `symposium agent attach {name}`"))
}

/// Returns the error for a dialog that cannot be answered with yes or no.
fn needs_choice(name: &AgentName, verb: &str, dialog: &Dialog) -> Error {
    let example = if dialog.options.is_empty() { "TEXT" } else { "1" };
    Error::new(Code::NeedsChoice, format!("agent `{name}` asks a question that `{verb}` does not answer"))
        .saw_all(dialog.lines())
        .saw("nothing was pressed")
        .hint(format!("answer it: `symposium agent answer {name} {example}`"))
}
