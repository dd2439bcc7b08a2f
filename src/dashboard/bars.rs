//! The texts of the header and of the footer, and what a click on them does. Pure.

use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use crate::base::key_press::KeyPress;
use crate::dashboard::bindings::{Bindings, KeyScreen};
use crate::dashboard::state::DashboardState;
use crate::dashboard::view::theme::shape;
use crate::model::{DashboardAction as Do, Status, WaitingFor};

/// A part of the header or of the footer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BarItem<T> {
    pub(crate) text: String,
    /// What a click does, or what the text is about.
    pub(crate) meaning: T,
}

/// Returns the title at the beginning of the header.
pub(crate) fn title(state: &DashboardState) -> &'static str {
    if state.areas().header.width >= 60 { " symposium  " } else { " " }
}

/// Returns how many agents are in which status: in words, or with the shapes of the list if the words would leave no room
/// for the chips. Separators have no status.
pub(crate) fn counters(state: &DashboardState) -> Vec<BarItem<Option<Status>>> {
    let counters = state.counters();
    let parts = [
        (counters.needing_you, "need you", Status::Waiting),
        (counters.working, "working", Status::Working),
        (counters.crashed, "crashed", Status::Crashed),
        (counters.lost, "lost", Status::Lost),
        (counters.idle, "idle", Status::Idle),
    ];
    let item = |text: String, meaning| BarItem { text, meaning };
    let shown = || parts.iter().filter(|(count, ..)| *count > 0).enumerate();
    let words: Vec<_> = shown()
        .flat_map(|(at, (count, word, status))| {
            let word = if *count == 1 && *word == "need you" { "needs you" } else { word };
            let gap = if at == 0 { "" } else { " · " };
            [item(gap.to_owned(), None), item(format!("{count} {word}"), Some(*status))]
        })
        .collect();
    let width = usize::from(state.areas().header.width).saturating_sub(title(state).width());
    let needed = width_of(&words) + width_of(&chip_forms(state)[1]);
    match words.is_empty() {
        true if state.is_loaded => vec![item("all quiet".to_owned(), None)],
        true => vec![item("reading agents…".to_owned(), None)],
        false if needed < width => words,
        false => shown()
            .map(|(_, (count, _, status))| item(format!("{}{count} ", shape(*status)), Some(*status)))
            .collect(),
    }
}

/// Returns the chips at the end of the header in the longest form that fits.
pub(crate) fn chips(state: &DashboardState) -> Vec<BarItem<Option<Do>>> {
    let used = title(state).width() + width_of(&counters(state));
    let width = usize::from(state.areas().header.width).saturating_sub(used);
    chip_forms(state).into_iter().find(|form| width_of(form) < width).unwrap_or_default()
}

/// Returns the chips in several forms, the longest first.
fn chip_forms(state: &DashboardState) -> [Vec<BarItem<Option<Do>>>; 5] {
    let (group, sort) = (state.arrangement.grouping.word(), state.arrangement.sorting.word());
    let scope = state.scope.word();
    let chip = |text: String, action| BarItem { text: format!("[{text}] "), meaning: Some(action) };
    let marks = (!state.marks.is_empty()).then(|| chip(format!("{} marked", state.marks.len()), Do::MarkAll));
    let filter = (!state.filter.is_empty()).then(|| chip(format!("/{}", state.filter), Do::Filter));
    let form = |texts: &[(String, Do)]| {
        let chips = texts.iter().map(|(text, action)| chip(text.clone(), *action));
        chips.collect::<Vec<_>>()
    };
    let long = form(&[
        (format!("group: {group}"), Do::Grouping),
        (format!("sort: {sort}"), Do::Sorting),
        (format!("show: {scope}"), Do::Scope),
    ]);
    let short = form(&[
        (group.to_owned(), Do::Grouping),
        (sort.to_owned(), Do::Sorting),
        (scope.to_owned(), Do::Scope),
    ]);
    // What hides agents, or makes keys act on several, stays longest.
    let marks_and_filter: Vec<_> = marks.iter().chain(&filter).cloned().collect();
    [
        [marks_and_filter.clone(), long].concat(),
        [marks_and_filter.clone(), short.clone()].concat(),
        [marks_and_filter.clone(), short[..2].to_vec()].concat(),
        marks_and_filter,
        marks.into_iter().collect(),
    ]
}

/// A key of the footer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FooterKey {
    /// The key that a click presses; `None` if the text names several keys.
    pub(crate) press: Option<KeyPress>,
    pub(crate) key: String,
    pub(crate) label: String,
}

impl FooterKey {
    /// Returns the columns of the key with its label and the gap after it.
    fn width(&self) -> usize {
        self.key.width() + self.label.width() + 3
    }
}

/// Returns the keys of the footer that fit, most important first. A message in the footer leaves no room for them.
pub(crate) fn footer_keys(state: &DashboardState) -> Vec<FooterKey> {
    let is_taken = state.flash.is_some() || state.silence.is_some();
    if is_taken || state.key_screen() == KeyScreen::Filter {
        return vec![];
    }
    let mut rest = usize::from(state.areas().footer.width).saturating_sub(1);
    let fits = |item: &FooterKey| {
        let is_fitting = item.width() <= rest;
        rest = rest.saturating_sub(item.width());
        is_fitting
    };
    useful_keys(state).into_iter().take_while(fits).collect()
}

fn useful_keys(state: &DashboardState) -> Vec<FooterKey> {
    let screen = state.key_screen();
    let own = state.bindings.footer(screen);
    let bound = |key: KeyPress, label: &str| FooterKey {
        press: Some(key),
        key: key.to_string(),
        label: label.to_owned(),
    };
    if screen != KeyScreen::List {
        let own = own.into_iter().map(|(_, key, label)| bound(key, label));
        let fixed = Bindings::fixed(screen).map(|(keys, what)| FooterKey {
            press: keys.parse().ok(),
            key: keys.to_owned(),
            label: what.to_owned(),
        });
        let help = state.bindings.help_key(screen).map(|key| bound(key, "help"));
        return own.chain(fixed).chain(help).collect();
    }
    let offer = RowOffer::of(state);
    let (first, others): (Vec<_>, Vec<_>) =
        own.into_iter().partition(|(action, ..)| Some(*action) == offer.most_useful());
    let offered = first.into_iter().chain(others);
    offered.filter_map(|(action, key, label)| Some(bound(key, offer.label(action, label)?))).collect()
}

/// What the keys of the list can do for the selected row.
struct RowOffer {
    has_rows: bool,
    /// Whether there are agents, shown or hidden by the filter.
    has_agents: bool,
    /// Whether an agent is selected or marked.
    has_target: bool,
    is_live: bool,
    asks_for_approval: bool,
    /// What Enter does with a running agent.
    choosing: &'static str,
}

impl RowOffer {
    fn of(state: &DashboardState) -> RowOffer {
        let asks = state.selected_agent().filter(|agent| state.open_question(agent).is_some());
        let targets = state.targets();
        RowOffer {
            has_rows: !state.rows.is_empty(),
            has_agents: !state.agents.is_empty(),
            has_target: !targets.is_empty(),
            is_live: targets.iter().any(|agent| agent.status.is_live()),
            asks_for_approval: asks.is_some_and(|agent| agent.waiting_for == Some(WaitingFor::Approval)),
            choosing: choosing(state),
        }
    }

    /// Returns the action that comes first, if it is not the usual one.
    fn most_useful(&self) -> Option<Do> {
        match self {
            _ if !self.has_agents => Some(Do::Spawn),
            _ if self.has_target && !self.is_live => Some(Do::Resume),
            _ => None,
        }
    }

    /// Returns the label of an action, or `None` if it is useless here.
    fn label(&self, action: Do, usual: &'static str) -> Option<&'static str> {
        let is_offered = match action {
            Do::Approve | Do::Deny => self.asks_for_approval,
            Do::Focus if !self.has_target => return self.has_rows.then_some("fold"),
            Do::Focus => return self.is_live.then_some(self.choosing),
            // Enter does the same.
            Do::Attach if self.choosing != TYPING => false,
            Do::Attach | Do::Prompt | Do::Interrupt | Do::Hibernate => self.is_live,
            Do::Resume => self.has_target && !self.is_live,
            Do::Filter | Do::NextWaiting | Do::Grid => self.has_agents,
            other => self.has_target || !other.is_about_agent(),
        };
        is_offered.then_some(usual)
    }
}

/// Name of what Enter does with an agent beside the list.
const TYPING: &str = "type";

/// Returns what Enter does with a running agent.
pub(crate) fn choosing(state: &DashboardState) -> &'static str {
    match (&state.surroundings.switched_client, state.surroundings.is_sidebar) {
        (Some(_), _) => "switch",
        (None, true) => "attach",
        (None, false) => TYPING,
    }
}

impl DashboardState {
    /// Returns the action of the chip at a position.
    pub(crate) fn chip_at(&self, at: Position) -> Option<Do> {
        let area = self.areas().header;
        let chips = chips(self);
        let width = u16::try_from(width_of(&chips)).unwrap_or(u16::MAX);
        let x = area.right().saturating_sub(width);
        let widths = chips.iter().map(|chip| chip.text.width());
        chips.get(item_at(Rect { x, width, ..area }, widths, at)?).and_then(|chip| chip.meaning)
    }

    /// Returns the key of the footer at a position.
    pub(crate) fn footer_key_at(&self, at: Position) -> Option<KeyPress> {
        let area = self.areas().footer;
        let keys = footer_keys(self);
        let below = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
        keys.get(item_at(below, keys.iter().map(FooterKey::width), at)?).and_then(|key| key.press)
    }
}

/// Returns the index of the item at a position, if items of these widths are beside each other in an area.
fn item_at(area: Rect, widths: impl Iterator<Item = usize>, at: Position) -> Option<usize> {
    if !area.contains(at) {
        return None;
    }
    let mut end = usize::from(area.x);
    let mut ends = widths.map(|width| {
        end += width;
        end
    });
    ends.position(|end| usize::from(at.x) < end)
}

/// Returns the columns of items beside each other.
pub(crate) fn width_of<T>(items: &[BarItem<T>]) -> usize {
    items.iter().map(|item| item.text.width()).sum()
}
