//! The screen of a running agent and everything that the agent prints afterwards, without a tmux client for the
//! viewer: one capture, then the end of the transcript as it grows.
//!
//! A capture and the transcript are not synchronised: bytes that the capture already shows may still be on their way
//! to the transcript. A viewer therefore captures again when the output has paused.

pub(in crate::manager) mod parts;

use std::io;

use crate::error::Error;
use crate::manager::Context;
use crate::manager::terminal::AgentScreens;
use crate::model::AgentName;
use crate::tmux::PaneScreen;
use crate::transcript::{LiveOutput, LiveTail};

/// Follows the screen of one agent.
pub struct ScreenFollower<'a> {
    context: &'a Context,
    pane: String,
    tail: LiveTail,
}

impl<'a> AgentScreens<'a> {
    /// Follows the screen of a running agent. Calls `wake` whenever the agent has printed something.
    pub fn follow_screen(
        &self,
        name: &AgentName,
        wake: impl Fn() + Send + 'static,
    ) -> Result<ScreenFollower<'a>, Error> {
        let record = self.0.record(name, "peek")?;
        let Some(location) = record.tmux.as_ref().filter(|_| record.status.status.is_live()) else {
            return Err(Error::not_running(&record.name, record.status.status.word()));
        };
        let dir = self.0.store.instance(&record.name).dir().to_owned();
        let tail = LiveTail::open(&dir, wake)
            .map_err(Error::io(format!("cannot follow the transcript of `{}`", record.name)))?;
        Ok(ScreenFollower { context: self.0, pane: location.pane.clone(), tail })
    }
}

impl ScreenFollower<'_> {
    /// Returns the current screen with at most `history` lines above it, or `None` if the agent has no screen any more.
    pub fn capture(&self, history: usize) -> Result<Option<PaneScreen>, Error> {
        Ok(self.context.tmux()?.pane_screen(&self.pane, history)?)
    }

    /// Returns the reader of the output, for the thread that calls `wake`.
    pub fn output(&self) -> LiveOutput {
        self.tail.output()
    }

    /// Discards output that was not read yet, because a capture already shows it.
    pub fn skip_output(&mut self) -> io::Result<()> {
        self.tail.skip_to_end()
    }

    /// Reads the next output of the agent. Returns 0 if there is none yet.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.tail.read(buffer)
    }
}
