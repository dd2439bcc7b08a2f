//! Answers to the question of the selected agent. An answer is bound to the id of the question that is on the screen,
//! so it can never reach a newer question.

use jiff::{SignedDuration, Timestamp};

use crate::dashboard::state::DashboardState;
use crate::dashboard::state::actions::NO_AGENT;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{AnswerChoice, DashboardEffect};
use crate::dashboard::state::modal::Modal;
use crate::dashboard::state::modal::review::{ReviewWindow, ReviewedQuestion};
use crate::dashboard::state::selection::target;
use crate::model::{Agent, AskedQuestion, WaitingFor};

/// An answer that was given to a question, until the agent asks another one or goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TakenAnswer {
    /// Id of the question.
    pub(crate) question: String,
    /// What the row shows, such as `approving…`.
    pub(crate) label: String,
}

/// How long a question that has replaced another one, and each question of the review window, must be on the screen
/// before a key answers it. The user may have pressed the key for the question before.
const READING_TIME: SignedDuration = SignedDuration::from_millis(500);

/// Where a question is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuestionPlace {
    /// Above the tab of the selected agent.
    Pane,
    /// In the review window.
    Window,
}

/// The question that is on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DrawnQuestion {
    pub(crate) key: AgentKey,
    pub(crate) id: String,
    pub(crate) place: QuestionPlace,
    /// Time since which a part of it is on the screen.
    pub(crate) since: Timestamp,
    /// Time of the first frame that showed its last line.
    pub(crate) end_since: Option<Timestamp>,
    /// Whether another question of the same agent or another place was on the screen before.
    pub(crate) has_replaced: bool,
}

impl DashboardState {
    /// Remembers the question that was just drawn. Keys answer only this one.
    pub(crate) fn note_drawn(&mut self) {
        let Some(current) = self.visible_question() else {
            if self.modals.is_empty() {
                self.drawn_question = None;
            }
            return;
        };
        let before = self.drawn_question.take();
        let is_same = |before: &DrawnQuestion| {
            before.key == current.key && before.id == current.id && before.place == current.place
        };
        self.drawn_question = Some(match before {
            Some(before) if is_same(&before) => {
                DrawnQuestion { end_since: before.end_since.or(current.end_since), ..before }
            }
            before => {
                let has_replaced =
                    before.is_some_and(|before| before.key == current.key || before.place != current.place);
                DrawnQuestion { has_replaced, ..current }
            }
        });
    }

    /// Returns whether the user has seen this question above the tab.
    fn is_seen(&self, agent: &Agent, question: &AskedQuestion) -> bool {
        self.drawn_question.as_ref().is_some_and(|drawn| {
            let is_read = !drawn.has_replaced || self.now.duration_since(drawn.since) >= READING_TIME;
            drawn.key == AgentKey::of(agent) && drawn.id == question.id && is_read
        })
    }

    /// Returns whether the last line of a question of the review was on the screen.
    pub(crate) fn has_drawn_end(&self, reviewed: &ReviewedQuestion) -> bool {
        self.drawn_question.as_ref().is_some_and(|drawn| {
            let is_same = drawn.key == reviewed.target.key && drawn.id == reviewed.question.id;
            is_same && drawn.place == QuestionPlace::Window && drawn.end_since.is_some()
        })
    }

    /// Returns whether the question of a review was shown to its end, and long enough to be read.
    pub(crate) fn is_reviewed(&self, reviewed: &ReviewedQuestion) -> bool {
        self.drawn_question.as_ref().is_some_and(|drawn| {
            drawn.end_since.is_some_and(|end| self.now.duration_since(end) >= READING_TIME)
        }) && self.has_drawn_end(reviewed)
    }

    /// Returns the question of an agent that was not answered here yet.
    pub(crate) fn open_question<'a>(&self, agent: &'a Agent) -> Option<&'a AskedQuestion> {
        agent.question.as_ref().filter(|question| self.taken_label(agent, question).is_none())
    }

    /// Returns what was answered to the question that the agent still shows.
    pub(crate) fn taken_label(&self, agent: &Agent, question: &AskedQuestion) -> Option<&str> {
        let taken = self.taken.get(&AgentKey::of(agent))?;
        (taken.question == question.id).then_some(taken.label.as_str())
    }

    /// Answers the question of the selected agent if all of it is visible. A question that has no room is shown in a
    /// window of its own first, and so is one whose options have numbers of several digits.
    pub(crate) fn answer_visible(&mut self, choice: AnswerChoice) -> Vec<DashboardEffect> {
        let asked = self.selected_agent().and_then(|agent| self.asked(agent));
        let hidden = self.question_excerpt().map_or(0, |excerpt| excerpt.below);
        match (asked, &choice) {
            (Some(asked), AnswerChoice::Text(digit)) if asked.has_long_numbers() => {
                self.open_questions(vec![asked], digit);
                vec![]
            }
            (Some(asked), _) if hidden > 0 && refusal(&asked, &choice).is_none() => {
                self.open_questions(vec![asked], "");
                vec![]
            }
            _ => self.answer(choice),
        }
    }

    /// Answers the question of the selected agent.
    pub(crate) fn answer(&mut self, choice: AnswerChoice) -> Vec<DashboardEffect> {
        let Some(agent) = self.selected_agent().cloned() else {
            self.show_message(NO_AGENT);
            return vec![];
        };
        let Some(asked) = self.asked(&agent) else {
            self.show_message(match agent.question.is_some() {
                true => "the question was answered already".to_owned(),
                false => format!("`{}` has no open question", agent.name),
            });
            return vec![];
        };
        if !self.is_seen(&agent, &asked.question) {
            self.restart_reading();
            self.show_error("the question has just changed: read it, then press the key again");
            return vec![];
        }
        if let Some(why) = refusal(&asked, &choice) {
            self.show_error(why);
            return vec![];
        }
        vec![self.give(asked, choice)]
    }

    /// Returns the question of an agent that was not answered here yet, as it is now.
    fn asked(&self, agent: &Agent) -> Option<ReviewedQuestion> {
        let question = self.open_question(agent)?.clone();
        Some(ReviewedQuestion { target: target(agent), question, waiting_for: agent.waiting_for })
    }

    /// Makes the next answer wait for the whole reading time, so that a key that is held down answers nothing.
    pub(crate) fn restart_reading(&mut self) {
        if let Some(drawn) = &mut self.drawn_question {
            drawn.since = self.now;
            drawn.end_since = drawn.end_since.map(|_| self.now);
        }
    }

    /// Marks a question as answered and returns the effect that answers it.
    pub(crate) fn give(&mut self, asked: ReviewedQuestion, choice: AnswerChoice) -> DashboardEffect {
        let label = match &choice {
            AnswerChoice::Approve => "approving…".to_owned(),
            AnswerChoice::Deny => "denying…".to_owned(),
            AnswerChoice::Text(text) => format!("answering {text}…"),
        };
        let ReviewedQuestion { target, question, .. } = asked;
        self.taken.insert(target.key.clone(), TakenAnswer { question: question.id.clone(), label });
        DashboardEffect::Answer { target, question: question.id, choice }
    }

    /// Answers with yes or no: the question of the selected agent, or those of the marked agents one after the other.
    pub(crate) fn decide(&mut self, choice: AnswerChoice) -> Vec<DashboardEffect> {
        let reviewed: Vec<ReviewedQuestion> = self
            .agents
            .iter()
            .filter(|agent| self.marks.contains(&AgentKey::of(agent)))
            .filter(|agent| agent.waiting_for == Some(WaitingFor::Approval))
            .filter_map(|agent| self.asked(agent))
            .collect();
        if reviewed.is_empty() {
            return self.answer_visible(choice);
        }
        self.open_questions(reviewed, "");
        vec![]
    }

    fn open_questions(&mut self, questions: Vec<ReviewedQuestion>, typed: &str) {
        let window = ReviewWindow { questions, at: 0, scroll: 0, typed: typed.to_owned() };
        self.modals.push(Modal::Review(window));
    }

    /// Applies the outcome of an answer.
    pub(crate) fn answer_finished(&mut self, key: &AgentKey, outcome: Result<String, String>) {
        match &outcome {
            Ok(_) => {
                if let Some(taken) = self.taken.get_mut(key) {
                    taken.label = "answered".to_owned();
                }
            }
            Err(_) => drop(self.taken.remove(key)),
        }
        self.report(outcome);
    }

    /// Reports that an action needs the machine of the agent. Returns `false` for an agent of this machine.
    pub(crate) fn refuse_host(&mut self, agent: &Agent, why: &str) -> bool {
        let Some(host) = &agent.host else { return false };
        self.show_error(format!("`{}` is on {host}: {why}", agent.name));
        true
    }
}

/// Returns why a choice does not answer a question.
pub(crate) fn refusal(asked: &ReviewedQuestion, choice: &AnswerChoice) -> Option<String> {
    let options = &asked.question.options;
    match choice {
        AnswerChoice::Approve | AnswerChoice::Deny if !asked.is_approval() => {
            let name = &asked.target.name;
            Some(format!("`{name}` does not ask for approval: choose an option, or write an answer"))
        }
        // A question without options is answered with a text.
        AnswerChoice::Text(_) if options.is_empty() => None,
        AnswerChoice::Text(text) => {
            let number = text.parse::<usize>().ok()?;
            let is_known = (1..=options.len()).contains(&number);
            (!is_known).then(|| format!("the question has no option {number}"))
        }
        _ => None,
    }
}
