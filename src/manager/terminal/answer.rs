//! `agent answer`: chooses an option of the dialog that an agent shows, or types the answer to a question without
//! options. Works for approvals, questions and first-run dialogs alike, because their options are read from the screen.

use std::time::{Duration, Instant};

use crate::error::{Code, Error, TypedText, shown};
use crate::kinds;
use crate::manager::status::{AgentEvidence, AgentLookup, StatusTracker};
use crate::manager::terminal::Approvals;
use crate::manager::terminal::approve::AnswerResult;
use crate::model::{Agent, AgentName, AgentRecord, AskedQuestion, Dialog, DialogOption, Kind, ScreenState};
use crate::rules::status::attention::may_show_dialog;
use crate::rules::tasks::choice::{Attempt, chosen, keys};
use crate::store::{AgentLocks, Watches};
use crate::tmux::Capture;

/// How long a dialog may take to close after an option was chosen.
const DIALOG_EFFECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a key may take to change the dialog before another key is pressed. Claude Code drops keys that arrive while
/// a dialog opens, and a busy machine draws late.
const KEY_EFFECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Interval between two checks of the screen if no event reports a change.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

impl Approvals<'_> {
    /// Returns the agents that may show a dialog, those that wait longest first.
    pub fn waiting_agents(&self) -> Result<Vec<Agent>, Error> {
        let current_agents = StatusTracker(self.0).current_agents()?;
        if let Some(silence) = current_agents.silence {
            return Err(silence);
        }
        let mut agents = current_agents.agents;
        agents.retain(|agent| may_show_dialog(agent.status, agent.failure.as_ref()) && agent.tmux.is_some());
        agents.sort_by_key(|agent| agent.status_since);
        Ok(agents)
    }

    /// Returns the dialog that an agent shows now, or `None` if it shows none.
    pub fn dialog_shown(&self, name: &AgentName) -> Result<Option<Dialog>, Error> {
        AgentLookup(self.0).running(name, "answer")?;
        let record = self.0.record(name, "answer")?;
        self.dialog_of(&record, &self.0.kind_of(&record)?)
    }

    /// Adds the options of their dialogs to the questions of agents, with one capture of all their screens. Adds none
    /// if tmux does not answer, or if one of the agents has just ended.
    pub fn add_options(&self, agents: &mut [Agent]) {
        let pane_of = |agent: &Agent| Some(agent.tmux.as_ref()?.pane.clone());
        let mut waiting: Vec<(&mut Agent, String)> = agents
            .iter_mut()
            .filter(|agent| agent.question.is_some() && agent.host.is_none())
            .filter_map(|agent| pane_of(agent).map(|pane| (agent, pane)))
            .collect();
        if waiting.is_empty() {
            return;
        }
        let panes: Vec<&str> = waiting.iter().map(|(_, pane)| pane.as_str()).collect();
        let screens = self.0.tmux().and_then(|tmux| Ok(tmux.captures(&panes)?));
        let (Ok(screens), Ok(kinds)) = (screens, self.0.kinds()) else { return };
        for ((agent, _), screen) in waiting.iter_mut().zip(screens) {
            let dialog = kinds.get(&agent.kind).and_then(|kind| dialog_on(kind, &screen));
            if let (Some(question), Some(dialog)) = (&mut agent.question, dialog) {
                question.options = dialog.options.iter().map(DialogOption::line).collect();
            }
        }
    }

    /// Does the same as [`Approvals::dialog_shown`], with the question that the agent reported. The question is read
    /// first: if the agent asks something else by the time of the screen, an answer with the id of the question is
    /// refused.
    pub fn dialog_with_question(
        &self,
        name: &AgentName,
    ) -> Result<Option<(Dialog, Option<AskedQuestion>)>, Error> {
        let question = self.0.record(name, "answer")?.status.current_question();
        Ok(self.dialog_shown(name)?.map(|dialog| (dialog, question)))
    }

    /// Chooses an option by its number or label, or types the answer if the dialog has no options. With the id of a
    /// question, answers only that question.
    pub fn answer_with(
        &self,
        name: &AgentName,
        answer: &str,
        read: Option<&str>,
    ) -> Result<AnswerResult, Error> {
        AgentLookup(self.0).running(name, "answer")?;
        self.refuse_unrelated_agent(name, "answer")?;
        let _turn = AgentLocks(&self.0.store).lock_typing(name)?;
        let record = self.0.record(name, "answer")?;
        let question = record.status.current_question();
        if read.is_some_and(|read| question.as_ref().is_none_or(|now| now.id != read)) {
            return Err(match question {
                Some(now) => Error::asks_another(name, "answer", &now),
                None => self.nothing_to_answer(&record),
            });
        }
        let kind = self.0.kind_of(&record)?;
        let dialog = self.dialog_of(&record, &kind)?.ok_or_else(|| self.nothing_to_answer(&record))?;
        if dialog.options.is_empty() {
            refuse_several_lines(name, answer)?;
            self.type_into_dialog(&record, (&kind, &dialog.asks), answer)?;
        } else {
            self.choose(&record, &kind, &dialog, answer)?;
        }
        Ok(AnswerResult {
            question_line: dialog.asks,
            question,
            agent: AgentLookup(self.0).agent(name, "answer")?,
        })
    }

    /// Presses keys until the dialog is gone, and reads it again before each key.
    fn choose(&self, record: &AgentRecord, kind: &Kind, dialog: &Dialog, answer: &str) -> Result<(), Error> {
        let wanted =
            chosen(&dialog.options, answer).ok_or_else(|| no_such_option(&record.name, answer, dialog))?;
        let watch = Watches(&self.0.store).instance(&record.name)?;
        let pane = record.tmux.as_ref().map(|location| location.pane.clone()).unwrap_or_default();
        let begun = Instant::now();
        let label = &dialog.options[wanted].label;
        let (mut shown, mut attempt) = (dialog.clone(), Attempt::First);
        loop {
            // Options without numbers are visible only from the selection marker on; an option that is not among them
            // is above.
            let pressed_keys = match shown.options.iter().position(|option| option.label == *label) {
                Some(at) => keys(&shown.options, at, attempt),
                None => vec!["Up".to_owned()],
            };
            self.0.tmux()?.keys(&pane, &pressed_keys)?;
            attempt = Attempt::Later;
            let pressed = Instant::now();
            loop {
                let now = self.dialog_of(record, kind)?;
                let is_same = |now: &Dialog| now.asks == dialog.asks && has_same_options(now, dialog);
                let Some(now) = now.filter(is_same) else { return Ok(()) };
                if self.0.record(&record.name, "answer")?.status != record.status {
                    return Ok(());
                }
                if begun.elapsed() > DIALOG_EFFECT_TIMEOUT {
                    return Err(Error::not_confirmed(
                        &record.name,
                        "its dialog is still open",
                        TypedText::Something,
                    )
                    .saw_all(AgentEvidence(self.0).last_lines(record)));
                }
                let is_moved = now != shown;
                if is_moved || pressed.elapsed() > KEY_EFFECT_TIMEOUT {
                    shown = now;
                    break;
                }
                watch.changed(LOOK_INTERVAL);
            }
        }
    }

    /// Returns the dialog on the screen of an agent, if it shows one.
    pub(in crate::manager) fn dialog_of(
        &self,
        record: &AgentRecord,
        kind: &Kind,
    ) -> Result<Option<Dialog>, Error> {
        let pane = record.tmux.as_ref().map(|location| location.pane.as_str()).unwrap_or_default();
        Ok(dialog_on(kind, &self.0.tmux()?.capture(pane, Capture::ScreenStyled)?))
    }

    fn nothing_to_answer(&self, record: &AgentRecord) -> Error {
        Error::nothing_asked(
            &record.name,
            record.status.status.to_string(),
            AgentEvidence(self.0).last_lines(record),
        )
    }
}

/// Returns the dialog on a screen, if it shows one.
fn dialog_on(kind: &Kind, screen: &str) -> Option<Dialog> {
    let asks = match kinds::read_screen(kind, screen).state? {
        ScreenState::Approval(asks) | ScreenState::Question(asks) | ScreenState::Setup(asks) => asks,
        ScreenState::Busy | ScreenState::Failed(_) | ScreenState::Ready => return None,
    };
    Some(Dialog { asks, options: kinds::read_options(kind, screen) })
}

/// Returns whether two readings show the same options. Of options without numbers, only those from the marker on are
/// visible.
fn has_same_options(before: &Dialog, other: &Dialog) -> bool {
    let lines = |dialog: &Dialog| dialog.options.iter().map(DialogOption::line).collect::<Vec<_>>();
    let is_numbered = other.options.iter().any(|option| option.number.is_some());
    match is_numbered {
        true => lines(before) == lines(other),
        false => {
            before.options.last().map(|option| &option.label)
                == other.options.last().map(|option| &option.label)
        }
    }
}

/// Refuses an answer whose first line break would submit a part of it.
fn refuse_several_lines(name: &AgentName, answer: &str) -> Result<(), Error> {
    if !answer.is_empty() && !answer.chars().any(char::is_control) {
        return Ok(());
    }
    Err(Error::usage(format!("the answer to the question of agent `{name}` must be one line of text"))
        .saw("nothing was typed"))
}

fn no_such_option(name: &AgentName, given: &str, dialog: &Dialog) -> Error {
    Error::new(
        Code::NoSuchOption,
        format!("`{}` is not an option of the dialog of agent `{name}`", shown(given)),
    )
    .saw_all(dialog.lines())
    .saw("nothing was pressed")
    .hint(format!("name an option by its number: `symposium agent answer {name} 1`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manager::testing::TestContext;
    use crate::model::{FailureCause, FailureSource, Status, TurnFailure};
    use crate::rules::status::turn_failure::note_after;

    #[test]
    fn agents_that_wait_after_a_failed_turn_are_not_offered_for_an_answer() {
        let context = TestContext::new();
        context.agent("asks", Status::Waiting);
        for (name, cause) in [("limited", FailureCause::Limit), ("logged-out", FailureCause::Login)] {
            context.agent(name, Status::Working);
            let failure = TurnFailure { cause, message: "no".into(), resets_at: None };
            let now = context.now();
            context.edit(name, |record| {
                record.status = note_after(&record.status, &failure, FailureSource::Hook, now);
            });
        }
        let waiting = Approvals(&context).waiting_agents().unwrap();
        assert_eq!(waiting.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>(), ["asks"]);
    }
}
