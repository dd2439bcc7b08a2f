//! The header: how many agents need the user, and how the list is arranged.

use ratatui::Frame;

use crate::dashboard::state::DashboardState;
use crate::dashboard::view::text::{after, put};
use crate::dashboard::view::theme::Theme;

/// Draws the header.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    let area = state.areas().header;
    let mut rest = area;
    let put_next = |frame: &mut Frame<'_>, rest: &mut ratatui::layout::Rect, text: &str, style| {
        let used = put(frame.buffer_mut(), *rest, text, style);
        *rest = after(*rest, used);
    };
    if area.width >= 60 {
        put_next(frame, &mut rest, " symposium  ", theme.accent());
    } else {
        put_next(frame, &mut rest, " ", theme.dim());
    }
    let counters = state.counters();
    let parts = [
        (counters.needing_you, "need you", theme.attention()),
        (counters.working, "working", theme.good()),
        (counters.crashed, "crashed", theme.bad()),
        (counters.lost, "lost", theme.bad()),
        (counters.idle, "idle", theme.dim()),
    ];
    let mut is_first = true;
    for (count, word, style) in parts.into_iter().filter(|(count, ..)| *count > 0) {
        let word = if count == 1 && word == "need you" { "needs you" } else { word };
        put_next(frame, &mut rest, if is_first { "" } else { " · " }, theme.dim());
        put_next(frame, &mut rest, &format!("{count} {word}"), style);
        is_first = false;
    }
    if is_first {
        let text = if state.is_loaded { "all quiet" } else { "reading agents…" };
        put_next(frame, &mut rest, text, theme.dim());
    }
    let chips = chips(state, rest.width);
    let width = u16::try_from(chips.chars().count()).unwrap_or(0);
    if let Some(gap) = rest.width.checked_sub(width) {
        put(frame.buffer_mut(), after(rest, gap), &chips, theme.accent());
    }
}

/// Returns the chips in the longest form that fits.
fn chips(state: &DashboardState, width: u16) -> String {
    let (group, sort) = (state.arrangement.grouping.word(), state.arrangement.sorting.word());
    let scope = state.scope.word();
    let marks = match state.marks.len() {
        0 => String::new(),
        count => format!("[{count} marked] "),
    };
    let filter = match state.filter.is_empty() {
        true => String::new(),
        false => format!("[/{}] ", state.filter),
    };
    let forms = [
        format!("{marks}{filter}[group: {group}] [sort: {sort}] [show: {scope}] "),
        format!("{marks}{filter}[{group}] [{sort}] [{scope}] "),
        format!("{marks}[{group}] [{sort}] "),
        format!("{marks} "),
    ];
    let fits = |form: &String| form.chars().count() < usize::from(width);
    forms.into_iter().find(fits).unwrap_or_default()
}
