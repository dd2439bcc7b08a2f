//! The live screen of an agent: one capture of the pane, then the output that the transcript records, interpreted by a
//! terminal emulator at the agent's true size. It needs no tmux client and no polling.
//!
//! Only cells leave this module. No escape sequence of an agent reaches the user's terminal, and terminal queries of
//! an agent are never answered.
//!
//! - `screen`: the emulated screen with its history
//! - `damage`: the lines of the screen that output may have changed
//! - `row_cache`: the rows of the screen as they were drawn last
//! - `feed`: the thread that captures screens, and compares them with captures
//! - `output_taker`: interprets output in the thread that is notified of it
//! - `remote_feed`: the thread that receives the screen of an agent on another host
//!
//! The slot is shared between the thread and the view. The thread holds its lock only while it interprets one piece of
//! output, so drawing never waits for tmux or the disk.

mod damage;
pub(crate) mod feed;
mod output_taker;
mod remote_feed;
mod row_cache;
pub(crate) mod screen;

use std::sync::{Arc, Mutex, PoisonError};

use unicode_width::UnicodeWidthStr;

use crate::dashboard::state::agent_key::AgentKey;
use screen::LiveScreen;

/// The content that is shown for one agent, shared with the thread that follows it.
#[derive(Clone, Default)]
pub(crate) struct LiveSlot(Arc<Mutex<LiveContent>>);

/// What is known about the screen of an agent.
#[derive(Default)]
pub(crate) enum LiveContent {
    /// Nothing is shown, or the capture has not arrived yet.
    #[default]
    Empty,
    /// The agent runs.
    Screen(AgentKey, Box<LiveScreen>),
    /// The agent has no screen: a remark and the end of its transcript.
    Text(AgentKey, String, Vec<String>),
}

impl LiveSlot {
    /// Replaces the content.
    pub(crate) fn set(&self, content: LiveContent) {
        self.with(|slot| *slot = content);
    }

    /// Gives access to the content.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut LiveContent) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns by how many lines a viewport of this height can be scrolled back.
    pub(crate) fn max_scroll(&self, height: u16) -> usize {
        self.with(|content| match content {
            LiveContent::Empty => 0,
            LiveContent::Screen(_, screen) => screen.max_scroll(height),
            LiveContent::Text(_, _, lines) => lines.len().saturating_sub(height.into()),
        })
    }

    /// Returns the position of a viewport of this height that is not scrolled, which grows with the output.
    pub(crate) fn end_position(&self, height: u16) -> usize {
        self.with(|content| match content {
            LiveContent::Screen(_, screen) => screen.end_position(height),
            LiveContent::Empty | LiveContent::Text(..) => 0,
        })
    }

    /// Returns the width in columns.
    pub(crate) fn width(&self) -> u16 {
        self.with(|content| match content {
            LiveContent::Empty => 0,
            LiveContent::Screen(_, screen) => screen.size().0,
            LiveContent::Text(_, _, lines) => {
                lines.iter().map(|line| line.width()).max().unwrap_or(0).try_into().unwrap_or(u16::MAX)
            }
        })
    }
}
