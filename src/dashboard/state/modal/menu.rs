//! The menu of an agent: the actions of the palette that are about it, at the place of a right click.

use ratatui::layout::{Position, Rect};

use crate::dashboard::layout::menu_area;
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::DashboardEffect;
use crate::dashboard::state::manage::listed;
use crate::dashboard::state::modal::{MenuWindow, Modal};
use crate::dashboard::state::rows::ListRow;
use crate::dashboard::state::selection::target;
use crate::model::{DashboardAction, WaitingFor};

impl MenuWindow {
    /// Moves the selection by a number of rows.
    pub(crate) fn select(&mut self, by: isize) {
        let last = self.actions.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// Returns the area of the menu with its frame in a terminal of this size.
    pub(crate) fn area(&self, size: (u16, u16)) -> Rect {
        menu_area(self.at, size, self.actions.len())
    }

    /// Returns the index of the first visible action in a menu that does not fit.
    pub(crate) fn first(&self, height: usize) -> usize {
        (self.selected + 1).saturating_sub(height)
    }
}

impl DashboardState {
    /// Selects the row at a position and opens the menu of its agent. An agent that is not marked takes the marks off
    /// the others, because the menu is about the agent under the mouse.
    pub(crate) fn open_menu(&mut self, row: usize, at: Position) {
        self.select(row);
        let Some(ListRow::Agent(_)) = self.rows.get(row) else { return };
        let Some(agent) = self.selected_agent().cloned() else { return };
        if !self.marks.contains(&AgentKey::of(&agent)) {
            self.marks.clear();
        }
        let asks_for_approval =
            agent.waiting_for == Some(WaitingFor::Approval) && self.open_question(&agent).is_some();
        let is_offered = |action: &DashboardAction| match action {
            DashboardAction::Approve | DashboardAction::Deny => asks_for_approval,
            DashboardAction::Resume => !agent.status.is_live(),
            DashboardAction::Focus | DashboardAction::Interrupt | DashboardAction::Hibernate => {
                agent.status.is_live()
            }
            other => other.is_about_agent(),
        };
        let actions = self.bindings.palette().into_iter().filter(is_offered).collect();
        let targets: Vec<_> = self.targets().into_iter().map(target).collect();
        self.modals.push(Modal::Menu(MenuWindow {
            title: listed(&targets).replace('`', ""),
            actions,
            selected: 0,
            at: (at.x, at.y),
        }));
    }

    /// Performs the selected action of a menu that was closed.
    pub(crate) fn perform_in_menu(&mut self, menu: &MenuWindow) -> Vec<DashboardEffect> {
        let action = menu.actions.get(menu.selected).copied();
        action.map(|action| self.act(action)).unwrap_or_default()
    }

    /// Applies a click while a menu is open: on an action, performs it; elsewhere, closes the menu.
    pub(crate) fn click_menu(&mut self, at: Position) -> Vec<DashboardEffect> {
        let Some(Modal::Menu(mut menu)) = self.modals.pop() else { return vec![] };
        let area = menu.area(self.size);
        let inner = Rect {
            x: area.x + 1,
            y: area.y + 1,
            width: area.width.saturating_sub(2),
            height: area.height.saturating_sub(2),
        };
        if !inner.contains(at) {
            return vec![];
        }
        menu.selected = menu.first(inner.height.into()) + usize::from(at.y - inner.y);
        self.perform_in_menu(&menu)
    }
}
