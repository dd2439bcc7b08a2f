//! How much of a question is visible. An answer is accepted only for a question whose last line was on the screen.

use crate::dashboard::layout::{window_area, window_text_width};
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::answer::{DrawnQuestion, QuestionPlace};
use crate::dashboard::state::modal::Modal;
use crate::dashboard::state::modal::review::ReviewWindow;
use crate::model::{AskedQuestion, Extent, visible};
use crate::text::fit::wrapped;

/// Lines of the review window beside those of the question: the agent, a line about what is hidden, and the keys.
const REVIEW_EXTRA_LINES: usize = 3;

/// The visible part of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuestionExcerpt {
    pub(crate) lines: Vec<String>,
    /// Number of hidden lines above the visible ones.
    pub(crate) above: usize,
    /// Number of hidden lines below the visible ones.
    pub(crate) below: usize,
}

/// Returns all lines of a question: its text, a mark if the text is incomplete, and the options.
fn question_lines(question: &AskedQuestion, width: usize) -> Vec<String> {
    let mut lines: Vec<String> =
        visible(&question.text).iter().flat_map(|line| wrapped(line, width)).collect();
    if question.extent == Extent::Cut {
        lines.extend(wrapped("… (longer than what is kept)", width));
    }
    for (at, option) in question.options.iter().enumerate() {
        let option = visible(option).join(" ");
        let numbered = match option.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("  {option}"),
            false => format!("  {}. {option}", at + 1),
        };
        lines.extend(wrapped(&numbered, width));
    }
    lines
}

impl DashboardState {
    /// Returns the part of the selected agent's question that is visible above its tab.
    pub(crate) fn question_excerpt(&self) -> Option<QuestionExcerpt> {
        let question = self.selected_agent()?.question.as_ref()?;
        let area = self.areas().body;
        let mut lines = question_lines(question, area.width.saturating_sub(2).into());
        // The screen below shows the dialog itself, so it keeps at least a third. A sidebar has no screen.
        let kept = if self.surroundings.is_sidebar { 0 } else { area.height / 3 };
        // One line names the keys.
        let room = usize::from((area.height - kept).saturating_sub(1));
        let below = lines.len().saturating_sub(room);
        lines.truncate(room);
        Some(QuestionExcerpt { lines, above: 0, below })
    }

    /// Returns the part of a question that its review window shows.
    pub(crate) fn review_excerpt(&self, window: &ReviewWindow) -> Option<QuestionExcerpt> {
        let reviewed = window.questions.get(window.at)?;
        let lines = question_lines(&reviewed.question, window_text_width(self.size));
        let height = window_area(self.size, lines.len() + REVIEW_EXTRA_LINES).height.saturating_sub(2);
        let room = usize::from(height).saturating_sub(REVIEW_EXTRA_LINES);
        let above = window.scroll.min(lines.len().saturating_sub(room));
        let below = lines.len().saturating_sub(above + room);
        let lines = lines.into_iter().skip(above).take(room).collect();
        Some(QuestionExcerpt { lines, above, below })
    }

    /// Scrolls the question of the review window by lines.
    pub(crate) fn scroll_review(&self, window: &mut ReviewWindow, by: isize) {
        let Some(excerpt) = self.review_excerpt(window) else { return };
        window.scroll = excerpt.above.saturating_add_signed(by).min(excerpt.above + excerpt.below);
    }

    /// Returns the question that the present state shows, or `None` if a window hides it.
    pub(crate) fn visible_question(&self) -> Option<DrawnQuestion> {
        let (key, id, place, excerpt) = match self.modals.last() {
            None | Some(Modal::Filter(_)) => {
                let agent = self.selected_agent()?;
                let id = agent.question.as_ref()?.id.clone();
                (AgentKey::of(agent), id, QuestionPlace::Pane, self.question_excerpt()?)
            }
            Some(Modal::Review(window)) => {
                let shown = window.questions.get(window.at)?;
                let (key, id) = (shown.target.key.clone(), shown.question.id.clone());
                (key, id, QuestionPlace::Window, self.review_excerpt(window)?)
            }
            Some(_) => return None,
        };
        let end_since = (excerpt.below == 0).then_some(self.now);
        Some(DrawnQuestion { key, id, place, since: self.now, end_since, has_replaced: false })
    }
}
