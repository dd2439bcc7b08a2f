//! The `recap` command without a name: prints a digest of all agents, with those that need the user first.

use crate::cli::{Invocation, render::ui};
use crate::error::Error;
use crate::manager::{Recaps, StatusTracker};
use crate::text::digest::digest_lines;
use crate::text::fit::{Keep, cut};

/// Prints the digest and records that it was shown.
pub(in crate::cli) fn run(since: Option<jiff::Timestamp>, context: &Invocation) -> Result<u8, Error> {
    let digest = Recaps(&context.manager).digest(since)?;
    if context.ui.json {
        context.ui.json(&digest);
    } else {
        let width = ui::width();
        let home = context.manager.user_home();
        let lines =
            digest_lines(&digest, home.as_deref()).into_iter().map(|line| cut(&line, width, Keep::Beginning));
        context.ui.data(&lines.collect::<Vec<_>>().join("\n"));
        // If this cannot be recorded, the next digest covers the same period again.
        let _ = Recaps(&context.manager).note_digest_seen(&digest);
    }
    StatusTracker(&context.manager).take_tmux_error().map_or(Ok(0), Err)
}
