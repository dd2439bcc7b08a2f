//! What a frame has to show anew: everything, or only the output of the selected agent.
//!
//! - `shown_cells`: the cells that the terminal shows, and rows that replace some of them

pub(crate) mod shown_cells;

use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::layout::Position;

use crate::dashboard::frames::shown_cells::ShownCells;
use crate::dashboard::state::event::DashboardEvent;
use crate::dashboard::state::{DashboardState, DetailTab, InputMode};
use crate::dashboard::view::theme::Theme;
use crate::dashboard::view::{self, ScreenChanges};

/// What the frame on the screen lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Staleness {
    Current,
    /// Only output of the agent is missing, which may wait for the next frame.
    Output,
    Outdated,
}

/// Returns what the frame will lack after an event, before the event is applied. `ages` are the ages on the screen.
pub(crate) fn staleness_after(event: &DashboardEvent, state: &DashboardState, ages: &[String]) -> Staleness {
    match event {
        DashboardEvent::LiveChanged if !shows_screens(state) => Staleness::Current,
        DashboardEvent::LiveChanged => Staleness::Output,
        DashboardEvent::Listed { agents, silence } => {
            let own = state.agents.iter().filter(|agent| agent.host.is_none());
            let is_same = own.eq(agents.iter()) && state.silence == *silence && state.is_loaded;
            match is_same && view::ages(state) == ages {
                true => Staleness::Current,
                false => Staleness::Outdated,
            }
        }
        _ => Staleness::Outdated,
    }
}

/// Returns whether the screen of an agent is visible.
fn shows_screens(state: &DashboardState) -> bool {
    state.grid.is_some() || state.detail.tab == DetailTab::Screen
}

/// Draws frames and writes the cells that have changed.
///
/// ratatui compares complete frames, which takes most of the time of a frame. After output of the selected agent, only
/// the rows of its screen are drawn and compared, with what the terminal shows.
pub(crate) struct Frames<B: Backend> {
    terminal: Terminal<B>,
    /// The cells that the terminal shows; `None` before the first frame.
    shown: Option<ShownCells>,
    /// Whether `shown` has output that `terminal` does not know.
    is_ahead: bool,
    /// The ages in the last complete frame.
    ages: Vec<String>,
    /// Time of the last comparison of the ages.
    aged: Option<Timestamp>,
}

impl<B: Backend> Frames<B> {
    /// Begins with a blank terminal.
    pub(crate) fn on(backend: B) -> Result<Frames<B>, B::Error> {
        let terminal = Terminal::new(backend)?;
        Ok(Frames { terminal, shown: None, is_ahead: false, ages: Vec::new(), aged: None })
    }

    /// Returns the ages of the visible rows in the last frame.
    pub(crate) fn ages(&self) -> &[String] {
        &self.ages
    }

    /// Draws the parts of the state that the terminal lacks.
    pub(crate) fn draw(
        &mut self,
        state: &DashboardState,
        theme: Theme,
        staleness: Staleness,
    ) -> Result<(), B::Error> {
        match staleness == Staleness::Output && self.draw_output(state, theme)? {
            true => Ok(()),
            false => self.draw_all(state, theme),
        }
    }

    /// Draws output of the selected agent. Returns `false` if the terminal lacks more than that.
    pub(crate) fn draw_output(&mut self, state: &DashboardState, theme: Theme) -> Result<bool, B::Error> {
        let changes = match self.has_current_ages(state) {
            true => self.screen_changes(state, theme),
            false => None,
        };
        changes.map_or(Ok(false), |changes| self.write(&changes, state.mode).map(|()| true))
    }

    /// Clears the terminal, so that the next frame writes every cell.
    pub(crate) fn clear(&mut self) -> Result<(), B::Error> {
        // `Terminal::clear` asks the terminal for the cursor and waits for the answer, which the input thread may take.
        self.terminal.backend_mut().clear()?;
        self.terminal.backend_mut().flush()?;
        // The buffer of the next frame is blank, and becomes that of the last one.
        self.terminal.swap_buffers();
        (self.shown, self.is_ahead) = (None, false);
        Ok(())
    }

    fn draw_all(&mut self, state: &DashboardState, theme: Theme) -> Result<(), B::Error> {
        if let Some(shown) = self.shown.as_ref().filter(|_| self.is_ahead) {
            self.terminal.current_buffer_mut().content.clone_from(&shown.buffer().content);
            self.terminal.swap_buffers();
        }
        let drawn = self.terminal.draw(|frame| view::draw(frame, state, theme))?;
        self.shown.get_or_insert_default().replace_all(drawn.buffer);
        self.is_ahead = false;
        (self.ages, self.aged) = (view::ages(state), Some(state.now));
        Ok(())
    }

    /// Returns what the output of the selected agent has changed, or `None` if it may have changed more than the screen
    /// of the agent.
    fn screen_changes(&mut self, state: &DashboardState, theme: Theme) -> Option<ScreenChanges> {
        let size = |shown: &ShownCells| (shown.buffer().area.width, shown.buffer().area.height);
        let shown = self.shown.as_mut().filter(|shown| size(shown) == state.size)?;
        let changes = view::update_screen(shown, state, theme)?;
        self.is_ahead = true;
        Some(changes)
    }

    fn write(&mut self, changes: &ScreenChanges, mode: InputMode) -> Result<(), B::Error> {
        let Some(shown) = &self.shown else { return Ok(()) };
        if !changes.cells.is_empty() {
            let cell = |at: &Position| Some((at.x, at.y, shown.buffer().cell(*at)?));
            self.terminal.backend_mut().draw(changes.cells.iter().filter_map(cell))?;
        }
        // In the list, the last complete frame has hidden the cursor.
        match (mode, changes.cursor) {
            (InputMode::List, _) => {}
            (InputMode::Agent, Some(cursor)) => {
                self.terminal.set_cursor_position(cursor)?;
                self.terminal.show_cursor()?;
            }
            (InputMode::Agent, None) => self.terminal.hide_cursor()?,
        }
        self.terminal.backend_mut().flush()
    }

    /// Returns whether the last complete frame has the ages of now. They are compared once a second at most.
    fn has_current_ages(&mut self, state: &DashboardState) -> bool {
        let is_recent = |at: Timestamp| at.as_second() == state.now.as_second();
        if self.aged.is_some_and(is_recent) {
            return true;
        }
        let is_current = view::ages(state) == self.ages;
        // Otherwise the loop compares them again, and draws a complete frame.
        if is_current {
            self.aged = Some(state.now);
        }
        is_current
    }
}

#[cfg(test)]
mod tests;
