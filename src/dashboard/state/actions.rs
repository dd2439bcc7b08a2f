//! What the actions of the key table do.

use unicode_width::UnicodeWidthStr;

use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{AnswerChoice, DashboardEffect, ForegroundProgram, PromptUse};
use crate::dashboard::state::modal::{HelpWindow, Modal, PaletteWindow};
use crate::dashboard::state::rows::{FoldKey, Grouping, ListRow, ListScope, Sorting};
use crate::dashboard::state::selection::{Direction, target};
use crate::dashboard::state::text_input::TextInput;
use crate::dashboard::state::{DashboardState, DetailTab, InputMode};
use crate::model::DashboardAction as Do;

/// Answer to a key that needs an agent.
pub(crate) const NO_AGENT: &str = "no agent is selected";

/// Columns by which a tab is scrolled sideways.
const SHIFT_COLUMNS: u16 = 8;

impl DashboardState {
    /// Performs an action.
    pub(crate) fn act(&mut self, action: Do) -> Vec<DashboardEffect> {
        match action {
            // A sidebar has no tabs.
            Do::NextTab
            | Do::PreviousTab
            | Do::ScrollUp
            | Do::ScrollDown
            | Do::ScrollLeft
            | Do::ScrollRight
                if self.surroundings.is_sidebar => {}
            Do::Down | Do::Up | Do::PageDown | Do::PageUp | Do::First | Do::Last => self.navigate(action),
            Do::NextWaiting | Do::PreviousWaiting => self.next_waiting(action),
            Do::Fold | Do::Unfold | Do::ToggleFold | Do::FoldAll => self.fold(action),
            Do::Grouping | Do::Sorting | Do::Scope => self.arrange_by(action),
            Do::NextTab | Do::PreviousTab => self.change_tab(action),
            Do::ScrollUp | Do::ScrollDown | Do::ScrollLeft | Do::ScrollRight => self.scroll_detail(action),
            Do::Filter => self.modals.push(Modal::Filter(TextInput::with(&self.filter))),
            Do::Palette => self.modals.push(Modal::Palette(PaletteWindow::default())),
            Do::Help => self.modals.push(Modal::Help(HelpWindow::of(self.key_screen()))),
            Do::Grid => self.open_grid(),
            Do::Review => self.open_review(),
            Do::Mark => self.toggle_mark(),
            Do::MarkAll => self.toggle_all_marks(),
            Do::Prompt => self.open_prompt(PromptUse::Send),
            Do::AddTask => self.open_prompt(PromptUse::Task),
            Do::SendMessage => self.open_prompt(PromptUse::Message),
            Do::Rename | Do::Share | Do::HandOff => self.ask(action),
            Do::RestoreAll => self.confirm_restore(),
            Do::Unfocus => self.mode = InputMode::List,
            Do::Approve => return self.decide(AnswerChoice::Approve),
            Do::Deny => return self.decide(AnswerChoice::Deny),
            Do::Spawn => return self.open_spawn_form(),
            Do::Focus => return self.focus(),
            Do::Attach => return self.attach(),
            Do::CopyAttach => return self.copy_attach(),
            Do::Interrupt
            | Do::Stop
            | Do::Restart
            | Do::Resume
            | Do::Hibernate
            | Do::Remove
            | Do::OpenEditor => {
                return self.manage(action);
            }
            Do::Redraw => return vec![DashboardEffect::Redraw],
            Do::Suspend => return vec![DashboardEffect::Suspend],
            Do::Quit => return vec![DashboardEffect::Quit],
            // These belong to the grid and to the reviews, which have keys of their own.
            Do::NextTile
            | Do::PreviousTile
            | Do::ShowInList
            | Do::Skip
            | Do::NextHunk
            | Do::PreviousHunk
            | Do::NextFile
            | Do::PreviousFile
            | Do::SelectLines
            | Do::Comment
            | Do::SendComments
            | Do::MarkReviewed
            | Do::SideBySide
            | Do::WholeFile
            | Do::CompareAgain
            | Do::Close => {}
        }
        vec![]
    }

    fn navigate(&mut self, action: Do) {
        let page = isize::try_from(self.areas().list.height.max(2) - 1).unwrap_or(1);
        match action {
            Do::Down => self.move_selection(1),
            Do::Up => self.move_selection(-1),
            Do::PageDown => self.move_selection(page),
            Do::PageUp => self.move_selection(-page),
            Do::First => self.select(0),
            _ => self.select(usize::MAX),
        }
    }

    fn next_waiting(&mut self, action: Do) {
        let direction = if action == Do::NextWaiting { Direction::Forward } else { Direction::Backward };
        if !self.jump_to_waiting(direction) {
            self.show_message("no agent needs you");
        }
    }

    fn fold(&mut self, action: Do) {
        if action == Do::FoldAll {
            self.fold_all_groups();
        } else if let Some(key) = self.selected_fold() {
            let is_folded = self.arrangement.folded.contains(&key);
            match action {
                Do::Unfold => drop(self.arrangement.folded.remove(&key)),
                Do::ToggleFold if is_folded => drop(self.arrangement.folded.remove(&key)),
                Do::Fold if is_folded => self.select_above(),
                _ => drop(self.arrangement.folded.insert(key)),
            }
        } else if action == Do::Fold {
            self.select_above();
        }
        self.rebuild();
    }

    /// Selects the parent of the selected agent, or the head line of its group.
    fn select_above(&mut self) {
        let depth = |row: &ListRow| match row {
            ListRow::Group(_) => 0,
            ListRow::Agent(row) => row.depth + 1,
        };
        let Some(own) = self.rows.get(self.selected).map(depth) else { return };
        if let Some(at) = self.rows[..self.selected].iter().rposition(|row| depth(row) < own) {
            self.select(at);
        }
    }

    fn fold_all_groups(&mut self) {
        let groups = self.rows.iter().filter_map(|row| match row {
            ListRow::Group(row) => Some(FoldKey::Group(self.arrangement.grouping, row.title.clone())),
            ListRow::Agent(_) => None,
        });
        let groups: Vec<FoldKey> = groups.collect();
        match groups.iter().any(|group| !self.arrangement.folded.contains(group)) {
            true => self.arrangement.folded.extend(groups),
            false => self.arrangement.folded.retain(|fold| !groups.contains(fold)),
        }
    }

    fn arrange_by(&mut self, action: Do) {
        match action {
            Do::Grouping => self.arrangement.grouping = after(&Grouping::ALL, self.arrangement.grouping),
            Do::Sorting => self.arrangement.sorting = after(&Sorting::ALL, self.arrangement.sorting),
            _ => self.scope = after(&ListScope::ALL, self.scope),
        }
        self.rebuild();
    }

    fn change_tab(&mut self, action: Do) {
        let tabs = DetailTab::ALL;
        let tab = match action {
            Do::NextTab => after(&tabs, self.detail.tab),
            _ => {
                let at = tabs.iter().position(|tab| *tab == self.detail.tab).unwrap_or(0);
                tabs[(at + tabs.len() - 1) % tabs.len()]
            }
        };
        self.show_tab(tab);
    }

    /// Shows a tab from its usual place.
    pub(crate) fn show_tab(&mut self, tab: DetailTab) {
        self.detail.tab = tab;
        self.detail.scroll = 0;
        self.detail.shift = 0;
    }

    fn scroll_detail(&mut self, action: Do) {
        let page = isize::try_from(self.areas().body.height / 2).unwrap_or(1).max(1);
        match action {
            Do::ScrollUp => self.scroll_lines(-page),
            Do::ScrollDown => self.scroll_lines(page),
            Do::ScrollLeft => self.detail.shift = self.detail.shift.saturating_sub(SHIFT_COLUMNS),
            _ => self.detail.shift = (self.detail.shift + SHIFT_COLUMNS).min(self.max_shift()),
        }
    }

    /// Scrolls the tab by lines; a negative number scrolls back.
    pub(crate) fn scroll_lines(&mut self, by: isize) {
        if let Some(diff) = self.diff.as_mut().filter(|_| self.detail.tab == DetailTab::Diff) {
            return diff.move_cursor(by);
        }
        let by = if self.is_anchored_at_end() { -by } else { by };
        self.detail.scroll = self.detail.scroll.saturating_add_signed(by).min(self.max_scroll());
        self.detail.anchor = self.live.end_position(self.areas().body.height);
    }

    /// Keeps the lines that the user reads in their place after the agent has printed something.
    pub(crate) fn hold_scroll(&mut self) {
        if self.detail.scroll == 0 || self.detail.tab != DetailTab::Screen {
            return;
        }
        let end = self.live.end_position(self.areas().body.height);
        let added = end.saturating_sub(self.detail.anchor);
        self.detail.scroll = (self.detail.scroll + added).min(self.max_scroll());
        self.detail.anchor = end;
    }

    /// Returns whether the tab shows the end of its content unless it is scrolled.
    pub(crate) fn is_anchored_at_end(&self) -> bool {
        matches!(self.detail.tab, DetailTab::Screen | DetailTab::Log)
    }

    fn max_scroll(&self) -> usize {
        let height = self.areas().body.height;
        match self.detail.tab {
            DetailTab::Screen => self.live.max_scroll(height),
            _ => {
                let lines = self.detail.loaded.as_ref().map_or(0, |loaded| loaded.lines.len());
                lines.saturating_sub(height.into())
            }
        }
    }

    fn max_shift(&self) -> u16 {
        let width = match self.detail.tab {
            DetailTab::Screen => self.live.width(),
            _ => {
                let lines = self.detail.loaded.iter().flat_map(|loaded| &loaded.lines);
                lines.map(|line| line.width()).max().unwrap_or(0).try_into().unwrap_or(u16::MAX)
            }
        };
        width.saturating_sub(self.areas().body.width)
    }

    fn toggle_mark(&mut self) {
        if let Some(key) = self.selected_agent().map(AgentKey::of) {
            if !self.marks.remove(&key) {
                self.marks.insert(key);
            }
            self.move_selection(1);
        }
    }

    fn toggle_all_marks(&mut self) {
        let shown = self.rows.iter().filter_map(|row| match row {
            ListRow::Agent(row) => Some(row.key.clone()),
            ListRow::Group(_) => None,
        });
        match self.marks.is_empty() {
            true => self.marks = shown.collect(),
            false => self.marks.clear(),
        }
    }

    fn focus(&mut self) -> Vec<DashboardEffect> {
        let Some(agent) = self.selected_agent().cloned() else {
            // Enter on the head line of a group folds it.
            self.fold(Do::ToggleFold);
            return vec![];
        };
        if self.surroundings.is_sidebar || self.surroundings.switched_client.is_some() {
            return self.attach();
        }
        if self.detail.tab == DetailTab::Diff {
            self.open_review();
            return vec![];
        }
        if agent.tmux.is_none() || !agent.status.is_live() {
            self.show_error(format!(
                "`{}` is not running; `{}` resumes it",
                agent.name,
                self.key_text(Do::Resume)
            ));
            return vec![];
        }
        self.show_tab(DetailTab::Screen);
        self.mode = InputMode::Agent;
        vec![]
    }

    pub(crate) fn attach(&mut self) -> Vec<DashboardEffect> {
        let Some(agent) = self.selected_agent().cloned() else {
            self.show_error(NO_AGENT);
            return vec![];
        };
        match self.surroundings.switched_client.clone() {
            Some(_) if self.refuse_host(&agent, "a terminal of this tmux server cannot show it") => vec![],
            Some(client) => {
                self.show_message(format!("switching to `{}`…", agent.name));
                vec![DashboardEffect::SwitchClient { client, name: agent.name }]
            }
            None => vec![DashboardEffect::Foreground(ForegroundProgram::Attach(target(&agent)))],
        }
    }

    fn copy_attach(&mut self) -> Vec<DashboardEffect> {
        let Some(target) = self.selected_target() else {
            self.show_error(NO_AGENT);
            return vec![];
        };
        let command = format!("symposium attach {}", target.address());
        self.show_message(format!("copied: {command}"));
        vec![DashboardEffect::Copy(command)]
    }

    /// Returns the key of an action as text.
    pub(crate) fn key_text(&self, action: Do) -> String {
        self.bindings.key_of(action).map_or_else(|| format!(":{}", action.name()), |key| key.to_string())
    }
}

/// Returns the value after this one, and the first one after the last.
fn after<T: Copy + PartialEq>(all: &[T], current: T) -> T {
    let at = all.iter().position(|other| *other == current).unwrap_or(0);
    all[(at + 1) % all.len()]
}
