//! What the terminal shows: the state with the frames that are drawn from it. The event loop holds the canvas while it
//! works. While it waits, the thread that interprets the output of the selected agent draws it, so that a printed line
//! does not wait until the loop has been woken.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::dashboard::frames::Staleness;
use crate::dashboard::state::DashboardState;
use crate::dashboard::terminal::FullScreen;
use crate::dashboard::view::theme::Theme;

/// Shortest time between two frames that only the output of an agent causes.
const FRAME_TIME: Duration = Duration::from_millis(16);
/// Longest time between two frames of the event loop while an agent prints, which also updates ages.
const LOOP_FRAME_TIME: Duration = Duration::from_secs(1);

/// The state and the terminal.
pub(crate) struct Canvas {
    pub(crate) state: DashboardState,
    pub(crate) theme: Theme,
    pub(crate) screen: FullScreen,
    drawn: Instant,
    drawn_by_loop: Instant,
}

/// The canvas, while the dashboard has the terminal.
#[derive(Clone, Default)]
pub(crate) struct SharedCanvas(Arc<Mutex<Option<Canvas>>>);

impl Canvas {
    pub(crate) fn new(state: DashboardState, theme: Theme, screen: FullScreen) -> Canvas {
        let now = Instant::now();
        Canvas { state, theme, screen, drawn: now, drawn_by_loop: now }
    }

    /// Draws the parts of the state that the terminal lacks.
    pub(crate) fn draw(&mut self, stale: Staleness) -> io::Result<()> {
        self.screen.draw(&self.state, self.theme, stale)?;
        self.drawn = Instant::now();
        self.drawn_by_loop = self.drawn;
        Ok(())
    }

    /// Returns how long the next frame waits that only output causes.
    pub(crate) fn output_delay(&self) -> Duration {
        FRAME_TIME.saturating_sub(self.drawn.elapsed())
    }

    /// Draws output of the selected agent, unless the event loop has to draw it.
    fn draw_output(&mut self, now: Timestamp) -> bool {
        let is_due = self.output_delay().is_zero() && self.drawn_by_loop.elapsed() < LOOP_FRAME_TIME;
        if !is_due {
            return false;
        }
        self.state.now = now;
        // The loop reports what fails here.
        let is_drawn = self.screen.draw_output(&self.state, self.theme).unwrap_or(false);
        if is_drawn {
            self.drawn = Instant::now();
        }
        is_drawn
    }
}

impl SharedCanvas {
    /// Gives access to the canvas, which is `None` while the dashboard does not have the terminal.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<Canvas>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws output of the selected agent. Returns `false` if the event loop has to draw it: because it works, because
    /// the last frame is too recent, or because output may change more than the screen of the agent.
    pub(crate) fn draw_output(&self, now: Timestamp) -> bool {
        let Ok(mut canvas) = self.0.try_lock() else { return false };
        canvas.as_mut().is_some_and(|canvas| canvas.draw_output(now))
    }
}
