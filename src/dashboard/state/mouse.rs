//! The mouse: a click selects, a double click attaches, the wheel scrolls what is under it, and the divider can be
//! dragged. The right button opens the menu of an agent.

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
        match (self.modals.last_mut(), input.kind) {
            (None, _) => {}
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
        }
        let areas = self.areas();
        match input.kind {
            MouseAction::WheelUp | MouseAction::WheelDown => {
                let by = if input.kind == MouseAction::WheelUp { -WHEEL_LINES } else { WHEEL_LINES };
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

    fn click(&mut self, at: Position) -> Vec<DashboardEffect> {
        let areas = self.areas();
        self.mode = InputMode::List;
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
