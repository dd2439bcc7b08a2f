//! The window that shows questions in full, one after the other.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::plural::counted;
use crate::dashboard::bindings::KeyScreen;
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::modal::review::{ReviewWindow, ReviewedQuestion};
use crate::dashboard::state::question::QuestionExcerpt;
use crate::dashboard::view::modals::window;
use crate::dashboard::view::question::choosing_keys;
use crate::dashboard::view::text::{line_of, put};
use crate::dashboard::view::theme::Theme;
use crate::model::DashboardAction as Do;

/// Draws the question that the review shows, with the keys that answer it.
pub(in crate::dashboard::view) fn draw(
    frame: &mut Frame<'_>,
    state: &DashboardState,
    review: &ReviewWindow,
    theme: Theme,
) {
    let Some(asked) = review.questions.get(review.at) else { return };
    let Some(excerpt) = state.review_excerpt(review) else { return };
    let title = match review.questions.len() {
        1 => "Question".to_owned(),
        count => format!("Question {} of {count}", review.at + 1),
    };
    let whole = excerpt.above + excerpt.lines.len() + excerpt.below;
    let inner = window(frame, &title, whole + 3, theme);
    let mut put_line = |line: usize, text: &str, style: Style| {
        let place: Rect = line_of(inner, u16::try_from(line).unwrap_or(u16::MAX));
        put(frame.buffer_mut(), place, &format!(" {text}"), style);
    };
    put_line(0, &format!("`{}` asks:", asked.target.address()), theme.attention());
    for (at, line) in excerpt.lines.iter().enumerate() {
        put_line(at + 1, line, Style::new());
    }
    put_line(excerpt.lines.len() + 1, &hidden(&excerpt), theme.attention());
    put_line(excerpt.lines.len() + 2, &keys(state, review, (asked, &excerpt)), theme.accent());
}

/// Returns how many lines are hidden, and an empty text if all are visible.
fn hidden(excerpt: &QuestionExcerpt) -> String {
    match (excerpt.above, excerpt.below) {
        (0, 0) => String::new(),
        (above, 0) => format!("… {} above", counted(above, "line", "lines")),
        (_, below) => format!("… {}", counted(below, "more line", "more lines")),
    }
}

/// Returns the keys of the window. Those that answer are named when the end of the question was shown.
fn keys(
    state: &DashboardState,
    review: &ReviewWindow,
    (asked, excerpt): (&ReviewedQuestion, &QuestionExcerpt),
) -> String {
    let key = |action, what: &str| {
        let key = state.bindings.key_in(KeyScreen::Review, action)?;
        Some(format!("{key} {what}"))
    };
    let stop = Some("Escape stop".to_owned());
    let keys = if excerpt.below > 0 && !state.has_drawn_end(asked) {
        let scroll = [Do::Down, Do::PageDown].map(|action| state.bindings.key_in(KeyScreen::Review, action));
        let scroll = scroll.iter().flatten().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let rest = (!scroll.is_empty()).then(|| format!("{scroll} show the rest"));
        vec![rest, key(Do::Skip, "skip"), stop]
    } else if !review.typed.is_empty() {
        vec![Some(format!("option {} · Enter choose · BSpace change", review.typed)), stop]
    } else {
        let is_approval = asked.is_approval();
        let decide = |action, what| key(action, what).filter(|_| is_approval);
        let options = choosing_keys(asked.question.options.len());
        vec![decide(Do::Approve, "approve"), decide(Do::Deny, "deny"), options, key(Do::Skip, "skip"), stop]
    };
    keys.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
