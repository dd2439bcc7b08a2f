//! The `--watch` option: prints a list again whenever it changes.

use std::time::Duration;

use crate::cli::{Invocation, render::ui};
use crate::error::Error;
use crate::manager::AgentWatch;
use crate::manager::{AgentList, WatchCause, WatchControl};

/// Interval at which the ages in a list are updated while nothing else changes.
const AGE_UPDATE_INTERVAL: Duration = Duration::from_secs(10);

/// Prints the result of `render` now and whenever it changes, until the reader is gone or the user presses C-c.
/// `render` receives the agents when something may have changed, and `None` when only time has passed.
pub(in crate::cli) fn redraw(
    context: &Invocation,
    mut render: impl FnMut(Option<AgentList>) -> Result<String, Error>,
) -> Result<u8, Error> {
    let mut shown = String::new();
    let mut failure = None;
    AgentWatch(&context.manager).watch(AGE_UPDATE_INTERVAL, |woken| {
        // Resizing a terminal moves the text, even if the text stays the same.
        if matches!(woken, WatchCause::Resized) && !context.ui.json {
            shown.clear();
        }
        let current_agents = match woken {
            WatchCause::Changed(current_agents) => {
                // Printed immediately, because the command may end only hours later.
                context.print_notices();
                if let Some(silence) = &current_agents.silence {
                    context.ui.warn(&silence.to_string());
                }
                Some(current_agents)
            }
            WatchCause::Waited | WatchCause::Resized if context.ui.json => return until_no_reader(),
            WatchCause::Waited | WatchCause::Resized => None,
        };
        match render(current_agents) {
            Ok(text) if text == shown => return until_no_reader(),
            Ok(text) => shown = text,
            Err(error) => {
                failure = Some(error);
                return WatchControl::Stop;
            }
        }
        match context.ui.print_replacing(&shown) {
            true => WatchControl::Continue,
            false => WatchControl::Stop,
        }
    })?;
    failure.map_or(Ok(0), Err)
}

fn until_no_reader() -> WatchControl {
    if ui::has_reader() { WatchControl::Continue } else { WatchControl::Stop }
}

/// Returns the lines that fit the terminal and the number of further lines. The first lines matter most.
pub(in crate::cli) fn fitting(text: &str, height: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    if all.len() < height {
        return text.to_owned();
    }
    let shown = height.saturating_sub(2).max(1);
    format!("{}\n… and {} more", all[..shown].join("\n"), all.len() - shown)
}
