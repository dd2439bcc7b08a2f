//! The header: how many agents need the user, and how the list is arranged.

use ratatui::Frame;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use crate::dashboard::state::DashboardState;
use crate::dashboard::view::text::{after, put};
use crate::dashboard::view::theme::{Theme, shape};
use crate::model::Status;

/// Draws the header.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    let area = state.areas().header;
    let title = if area.width >= 60 { " symposium  " } else { " " };
    let used = put(frame.buffer_mut(), area, title, theme.accent());
    let mut rest = after(area, used);
    for (text, style) in counters(state, theme, rest.width) {
        let used = put(frame.buffer_mut(), rest, &text, style);
        rest = after(rest, used);
    }
    let chips = chips(state, rest.width);
    let width = u16::try_from(chips.width()).unwrap_or(0);
    if let Some(gap) = rest.width.checked_sub(width) {
        put(frame.buffer_mut(), after(rest, gap), &chips, theme.accent());
    }
}

/// Returns how many agents are in which status: in words, or with the shapes of the list if the words would leave no room
/// for the chips.
fn counters(state: &DashboardState, theme: Theme, width: u16) -> Vec<(String, Style)> {
    let counters = state.counters();
    let parts = [
        (counters.needing_you, "need you", Status::Waiting, theme.attention()),
        (counters.working, "working", Status::Working, theme.good()),
        (counters.crashed, "crashed", Status::Crashed, theme.bad()),
        (counters.lost, "lost", Status::Lost, theme.bad()),
        (counters.idle, "idle", Status::Idle, theme.dim()),
    ];
    let shown = || parts.iter().filter(|(count, ..)| *count > 0).enumerate();
    let words: Vec<(String, Style)> = shown()
        .flat_map(|(at, (count, word, _, style))| {
            let word = if *count == 1 && *word == "need you" { "needs you" } else { word };
            let gap = if at == 0 { "" } else { " · " };
            [(gap.to_owned(), theme.dim()), (format!("{count} {word}"), *style)]
        })
        .collect();
    let needed = words.iter().map(|(text, _)| text.width()).sum::<usize>() + chip_forms(state)[1].width();
    match words.is_empty() {
        true if state.is_loaded => vec![("all quiet".to_owned(), theme.dim())],
        true => vec![("reading agents…".to_owned(), theme.dim())],
        false if needed < usize::from(width) => words,
        false => shown()
            .map(|(_, (count, _, status, style))| (format!("{}{count} ", shape(*status)), *style))
            .collect(),
    }
}

/// Returns the chips in the longest form that fits.
fn chips(state: &DashboardState, width: u16) -> String {
    let fits = |form: &String| form.width() < usize::from(width);
    chip_forms(state).into_iter().find(fits).unwrap_or_default()
}

/// Returns the chips in several forms, the longest first.
fn chip_forms(state: &DashboardState) -> [String; 4] {
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
    [
        format!("{marks}{filter}[group: {group}] [sort: {sort}] [show: {scope}] "),
        format!("{marks}{filter}[{group}] [{sort}] [{scope}] "),
        format!("{marks}[{group}] [{sort}] "),
        format!("{marks} "),
    ]
}
