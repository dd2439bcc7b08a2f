//! The terminal of the page: the screen of an agent for an emulator in the browser, for any number of viewers.
//!
//! One thread for each shown agent follows its screen, without a tmux client. All viewers read the same bounded log of
//! parts. A viewer that falls behind skips to a fresh capture, so nothing piles up for it. Output goes to browsers only
//! as data of events, and only a viewer that has taken over can type.
//!
//! - `hub`: the agents that are shown, and their threads
//! - `feed`: the parts of one screen for all viewers, and which of them drives
//! - `part_log`: the last parts, with a limit on their size
//! - `viewer`: what one page gets: its position, and how much it has not acknowledged

mod feed;
mod hub;
mod part_log;
mod viewer;

pub(super) use hub::TerminalHub;
pub(super) use viewer::TerminalViewer;
