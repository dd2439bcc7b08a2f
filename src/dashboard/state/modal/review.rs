//! The review window: questions that are shown in full and answered one after the other.

use crate::base::key_press::{KeyPress, NamedKey};
use crate::dashboard::bindings::KeyScreen;
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::answer::refusal;
use crate::dashboard::state::event::{AgentTarget, AnswerChoice, DashboardEffect};
use crate::dashboard::state::modal::Modal;
use crate::model::{AskedQuestion, DashboardAction as Do, WaitingFor};

/// Number of options up to which one digit chooses an option.
const MAX_SINGLE_DIGIT: usize = 9;
/// Maximum number of digits of an option's number.
const MAX_DIGITS: usize = 3;
/// Lines of a page of the question.
const PAGE_LINES: isize = 10;

/// Questions that are shown and answered one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReviewWindow {
    pub(crate) questions: Vec<ReviewedQuestion>,
    /// Index of the question that is shown.
    pub(crate) at: usize,
    /// Number of lines of the question that are scrolled out at the top.
    pub(crate) scroll: usize,
    /// Digits of an option's number that were typed, for a question with more than nine options.
    pub(crate) typed: String,
}

/// A question as it was when the review began. An answer is for this question only.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReviewedQuestion {
    pub(crate) target: AgentTarget,
    pub(crate) question: AskedQuestion,
    pub(crate) waiting_for: Option<WaitingFor>,
}

impl ReviewedQuestion {
    /// Returns whether one digit does not suffice to choose an option.
    pub(crate) fn has_long_numbers(&self) -> bool {
        self.question.options.len() > MAX_SINGLE_DIGIT
    }

    /// Returns whether the question is answered with yes or no.
    pub(crate) fn is_approval(&self) -> bool {
        self.waiting_for == Some(WaitingFor::Approval)
    }
}

impl DashboardState {
    /// Applies a key to the question that a review shows, and shows the next one after an answer.
    pub(crate) fn review_key(&mut self, mut window: ReviewWindow, key: KeyPress) -> Vec<DashboardEffect> {
        let Some(asked) = window.questions.get(window.at).cloned() else { return vec![] };
        let choice = match (self.bindings.action(KeyScreen::Review, key), key.typed()) {
            (Some(Do::Approve), _) => AnswerChoice::Approve,
            (Some(Do::Deny), _) => AnswerChoice::Deny,
            (Some(Do::Skip), _) => {
                self.show_next(window);
                return vec![];
            }
            (Some(Do::Close), _) => return vec![],
            (Some(action), _) => {
                self.scroll_review(&mut window, scrolled_lines(action));
                self.modals.push(Modal::Review(window));
                return vec![];
            }
            (None, Some(digit @ '0'..='9')) if asked.has_long_numbers() => {
                if window.typed.len() < MAX_DIGITS {
                    window.typed.push(digit);
                }
                self.modals.push(Modal::Review(window));
                return vec![];
            }
            (None, Some(digit @ '1'..='9')) => AnswerChoice::Text(digit.to_string()),
            (None, _) if key == KeyPress::named(NamedKey::Enter) && !window.typed.is_empty() => {
                AnswerChoice::Text(std::mem::take(&mut window.typed))
            }
            (None, _) => {
                if key == KeyPress::named(NamedKey::Backspace) {
                    window.typed.pop();
                }
                self.modals.push(Modal::Review(window));
                return vec![];
            }
        };
        if let Some(why) = self.reading_refusal(&window, &asked).or_else(|| refusal(&asked, &choice)) {
            self.restart_reading();
            self.show_error(why);
            self.modals.push(Modal::Review(window));
            return vec![];
        }
        self.show_next(window);
        vec![self.give(asked, choice)]
    }

    /// Returns why the question cannot be answered yet, if the user has not seen all of it.
    fn reading_refusal(&self, window: &ReviewWindow, asked: &ReviewedQuestion) -> Option<String> {
        if self.is_reviewed(asked) {
            return None;
        }
        let below = self.review_excerpt(window).map_or(0, |excerpt| excerpt.below);
        Some(match below {
            0 => "the question has just appeared: read it, then press the key again".to_owned(),
            _ => match self.bindings.key_in(KeyScreen::Review, Do::Down) {
                Some(key) => format!("the question is longer: {key} shows the rest of it"),
                None => "the question is longer: the wheel shows the rest of it".to_owned(),
            },
        })
    }

    fn show_next(&mut self, mut window: ReviewWindow) {
        window.at += 1;
        (window.scroll, window.typed) = (0, String::new());
        if window.at < window.questions.len() {
            self.modals.push(Modal::Review(window));
        }
    }
}

/// Returns by how many lines an action scrolls the question; a negative number scrolls back.
fn scrolled_lines(action: Do) -> isize {
    match action {
        Do::Down => 1,
        Do::Up => -1,
        Do::PageDown => PAGE_LINES,
        Do::PageUp => -PAGE_LINES,
        _ => 0,
    }
}
