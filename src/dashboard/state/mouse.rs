//! The mouse: a click selects, a double click attaches, the wheel scrolls what is under it, and the divider can be
//! dragged. A click on a chip of the header changes it, and one on a key of the footer presses it. The right button opens
//! the menu of an agent.

use jiff::{SignedDuration, Timestamp};
use ratatui::layout::{Position, Rect};

use crate::dashboard::layout::tab_places;
use crate::dashboard::state::event::DashboardEffect;
use crate::dashboard::state::modal::Modal;
use crate::dashboard::state::rows::ListRow;
use crate::dashboard::state::{DashboardState, DetailTab, InputMode};
use crate::model::DashboardAction;

/// Maximum time between the two clicks of a double click.
const DOUBLE_CLICK: SignedDuration = SignedDuration::from_millis(400);
/// Lines that one step of the wheel scrolls.
const WHEEL_LINES: isize = 3;

/// A mouse event at a position of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MouseInput {
    pub(crate) kind: MouseAction,
    pub(crate) column: u16,
    pub(crate) line: u16,
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MouseAction {
    Press,
    RightPress,
    Drag,
    Release,
    WheelUp,
    WheelDown,
}

/// The last click, to recognise a double click and a drag of the divider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastClick {
    at: Timestamp,
    row: Option<usize>,
    on_divider: bool,
}

impl DashboardState {
    /// Applies a mouse event.
    pub(crate) fn mouse(&mut self, input: MouseInput) -> Vec<DashboardEffect> {
        let at = Position { x: input.column, y: input.line };
        if !matches!(self.modals.last(), None | Some(Modal::Menu(_))) {
            return self.mouse_in_window(input.kind, at);
        }
        match (self.modals.last_mut(), input.kind) {
            (Some(Modal::Menu(_)), MouseAction::Press) => return self.click_menu(at),
            (Some(Modal::Menu(menu)), MouseAction::WheelUp) => {
                menu.select(-1);
                return vec![];
            }
            (Some(Modal::Menu(menu)), MouseAction::WheelDown) => {
                menu.select(1);
                return vec![];
            }
            (Some(Modal::Menu(_)), MouseAction::RightPress) => drop(self.modals.pop()),
            (Some(_), _) => return vec![],
            (None, _) => {}
        }
        let areas = self.areas();
        match input.kind {
            MouseAction::WheelUp | MouseAction::WheelDown => {
                let by = wheel_lines(input.kind);
                if areas.list.contains(at) {
                    self.scroll_list(by);
                } else {
                    self.scroll_lines(by);
                }
            }
            MouseAction::Press => return self.click(at),
            MouseAction::RightPress => {
                self.mode = InputMode::List;
                if let Some(row) = self.row_at(at) {
                    self.open_menu(row, at);
                }
            }
            MouseAction::Drag if self.last_click.is_some_and(|click| click.on_divider) => self.drag(at),
            MouseAction::Drag => {}
            MouseAction::Release => {
                if let Some(click) = &mut self.last_click {
                    click.on_divider = false;
                }
            }
        }
        vec![]
    }

    /// Applies a mouse event while a window is open: a click presses a key of the footer, and the wheel scrolls.
    fn mouse_in_window(&mut self, kind: MouseAction, at: Position) -> Vec<DashboardEffect> {
        if kind == MouseAction::Press
            && let Some(key) = self.footer_key_at(at)
        {
            return self.key(key);
        }
        let (is_wheel, by) =
            (matches!(kind, MouseAction::WheelUp | MouseAction::WheelDown), wheel_lines(kind));
        match self.modals.pop() {
            Some(Modal::Review(mut window)) if is_wheel => {
                self.scroll_review(&mut window, by);
                self.modals.push(Modal::Review(window));
            }
            Some(Modal::Help(mut window)) if is_wheel => {
                window.scroll_lines(by, &self.bindings);
                self.modals.push(Modal::Help(window));
            }
            Some(Modal::Grid) => {
                match kind {
                    _ if is_wheel => self.scroll_tile_at(at, -by),
                    MouseAction::Press => self.focus_tile_at(at),
                    _ => {}
                }
                self.modals.push(Modal::Grid);
            }
            Some(Modal::Diff) => {
                if is_wheel && let Some(diff) = &mut self.diff {
                    diff.move_cursor(by);
                }
                self.modals.push(Modal::Diff);
            }
            other => self.modals.extend(other),
        }
        vec![]
    }

    fn click(&mut self, at: Position) -> Vec<DashboardEffect> {
        let areas = self.areas();
        if let Some(key) = self.footer_key_at(at) {
            return self.key(key);
        }
        self.mode = InputMode::List;
        if let Some(action) = self.chip_at(at) {
            return self.act(action);
        }
        let is_beside = areas.divider.width == 1 && areas.divider.height > 0;
        let on_divider = if is_beside {
            areas.divider.contains(at)
        } else {
            areas.tabs.contains(at) && self.tab_at(at).is_none()
        };
        let row = self.row_at(at);
        let before = self.last_click.replace(LastClick { at: self.now, row, on_divider });
        if let Some(tab) = self.tab_at(at) {
            self.show_tab(tab);
            return vec![];
        }
        let Some(row) = row else { return vec![] };
        self.select(row);
        let is_double = before.is_some_and(|before| {
            before.row == Some(row) && self.now.duration_since(before.at) < DOUBLE_CLICK
        });
        match (&self.rows[row], is_double) {
            (ListRow::Group(_), _) => self.act(DashboardAction::ToggleFold),
            (ListRow::Agent(_), true) => {
                self.last_click = None;
                self.attach()
            }
            (ListRow::Agent(_), false) => vec![],
        }
    }

    fn row_at(&self, at: Position) -> Option<usize> {
        let list = self.areas().list;
        let row = list.contains(at).then(|| self.offset + usize::from(at.y - list.y))?;
        (row < self.rows.len()).then_some(row)
    }

    fn tab_at(&self, at: Position) -> Option<DetailTab> {
        let area = self.areas().tabs;
        tab_places(area, self.detail.tab)
            .into_iter()
            .find(|(_, rect): &(DetailTab, Rect)| rect.contains(at))
            .map(|(tab, _)| tab)
    }

    fn drag(&mut self, at: Position) {
        let areas = self.areas();
        let (part, whole) = match areas.divider.width == 1 && areas.divider.height > 0 {
            true => (at.x, self.size.0),
            false => {
                let list = areas.headings.height + areas.list.height;
                let top = areas.list.y - areas.headings.height;
                (at.y.saturating_sub(top), list + areas.tabs.height + areas.body.height)
            }
        };
        let share = u32::from(part) * 100 / u32::from(whole.max(1));
        self.share = u16::try_from(share).unwrap_or(50).clamp(10, 90);
        self.scroll_to_selection();
    }

    /// Scrolls the list without moving the selection.
    fn scroll_list(&mut self, by: isize) {
        let height = usize::from(self.areas().list.height);
        self.offset = self.offset.saturating_add_signed(by).min(self.rows.len().saturating_sub(height));
    }
}

/// Returns by how many lines a turn of the wheel scrolls; a negative number scrolls back.
fn wheel_lines(kind: MouseAction) -> isize {
    if kind == MouseAction::WheelUp { -WHEEL_LINES } else { WHEEL_LINES }
}
