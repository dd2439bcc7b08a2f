//! Answers to the question of the selected agent. An answer is bound to the id of the question that is on the screen,
//! so it can never reach a newer question.

use jiff::{SignedDuration, Timestamp};

use crate::base::key_press::KeyPress;
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{AgentTarget, AnswerChoice, DashboardEffect};
use crate::dashboard::state::modal::{Modal, ReviewWindow, ReviewedQuestion};
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

/// How long a question that has replaced another one must be on the screen before a key answers it. The user may have
/// pressed the key for the question before.
const READING_TIME: SignedDuration = SignedDuration::from_millis(500);

/// The question that is on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DrawnQuestion {
    key: AgentKey,
    id: String,
    since: Timestamp,
    /// Whether another question of the same agent was on the screen before.
    has_replaced: bool,
}

impl DashboardState {
    /// Remembers the question that was just drawn. Keys answer only this one.
    pub(crate) fn note_drawn(&mut self) {
        let agent = self.selected_agent();
        let current =
            agent.and_then(|agent| Some((AgentKey::of(agent), agent.question.as_ref()?.id.clone())));
        let Some((key, id)) = current else {
            self.drawn_question = None;
            return;
        };
        let before = self.drawn_question.take();
        self.drawn_question = match before {
            Some(before) if before.key == key && before.id == id => Some(before),
            before => {
                let has_replaced = before.is_some_and(|before| before.key == key);
                Some(DrawnQuestion { key, id, since: self.now, has_replaced })
            }
        };
    }

    /// Returns whether the user has seen this question.
    fn is_seen(&self, agent: &Agent, question: &AskedQuestion) -> bool {
        self.drawn_question.as_ref().is_some_and(|drawn| {
            let is_read = !drawn.has_replaced || self.now.duration_since(drawn.since) >= READING_TIME;
            drawn.key == AgentKey::of(agent) && drawn.id == question.id && is_read
        })
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

    /// Answers the question of the selected agent.
    pub(crate) fn answer(&mut self, choice: AnswerChoice) -> Vec<DashboardEffect> {
        let Some(agent) = self.selected_agent().cloned() else {
            self.show_message("no agent is selected");
            return vec![];
        };
        let Some(question) = self.open_question(&agent).cloned() else {
            self.show_message(match agent.question.is_some() {
                true => "the question was answered already".to_owned(),
                false => format!("`{}` has no open question", agent.name),
            });
            return vec![];
        };
        if !self.is_seen(&agent, &question) {
            self.show_error("the question has just changed: read it, then press the key again");
            return vec![];
        }
        if let Some(why) = refusal(&agent, &question, &choice) {
            self.show_error(why);
            return vec![];
        }
        vec![self.give(target(&agent), question.id, choice)]
    }

    /// Marks a question as answered and returns the effect that answers it.
    fn give(&mut self, target: AgentTarget, question: String, choice: AnswerChoice) -> DashboardEffect {
        let label = match &choice {
            AnswerChoice::Approve => "approving…".to_owned(),
            AnswerChoice::Deny => "denying…".to_owned(),
            AnswerChoice::Text(text) => format!("answering {text}…"),
        };
        self.taken.insert(target.key.clone(), TakenAnswer { question: question.clone(), label });
        DashboardEffect::Answer { target, question, choice }
    }

    /// Answers with yes or no: the question of the selected agent, or those of the marked agents one after the other.
    pub(crate) fn decide(&mut self, choice: AnswerChoice) -> Vec<DashboardEffect> {
        let reviewed: Vec<ReviewedQuestion> = self
            .agents
            .iter()
            .filter(|agent| self.marks.contains(&AgentKey::of(agent)))
            .filter(|agent| agent.waiting_for == Some(WaitingFor::Approval))
            .filter_map(|agent| {
                let question = self.open_question(agent)?.clone();
                Some(ReviewedQuestion { target: target(agent), question })
            })
            .collect();
        if reviewed.is_empty() {
            return self.answer(choice);
        }
        self.modals.push(Modal::Review(ReviewWindow { questions: reviewed, at: 0 }));
        vec![]
    }

    /// Applies a key to the question that a review shows, and shows the next one.
    pub(crate) fn review_key(&mut self, mut window: ReviewWindow, key: KeyPress) -> Vec<DashboardEffect> {
        let choice = match key.typed() {
            Some('y') => Some(AnswerChoice::Approve),
            Some('n') => Some(AnswerChoice::Deny),
            Some('s') => None,
            _ => {
                self.modals.push(Modal::Review(window));
                return vec![];
            }
        };
        let Some(shown) = window.questions.get(window.at).cloned() else { return vec![] };
        window.at += 1;
        if window.at < window.questions.len() {
            self.modals.push(Modal::Review(window));
        }
        choice.map(|choice| self.give(shown.target, shown.question.id, choice)).into_iter().collect()
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
fn refusal(agent: &Agent, question: &AskedQuestion, choice: &AnswerChoice) -> Option<String> {
    match choice {
        AnswerChoice::Approve | AnswerChoice::Deny if agent.waiting_for != Some(WaitingFor::Approval) => {
            Some(format!("`{}` does not ask for approval: choose an option, or write an answer", agent.name))
        }
        // A question without options is answered with a text.
        AnswerChoice::Text(_) if question.options.is_empty() => None,
        AnswerChoice::Text(text) => {
            let number = text.parse::<usize>().ok()?;
            let is_known = (1..=question.options.len()).contains(&number);
            (!is_known).then(|| format!("the question has no option {number}"))
        }
        _ => None,
    }
}
