//! The transcript adapter: the raw output of an agent's terminal, stored as `transcript.log` in the agent's instance
//! directory.
//!
//! Terms: a **log** contains the bytes as they arrived. A full log is **rotated** to `transcript.log.1` and higher
//! numbers. The **index** next to each log records when bytes arrived. **Modes** are the terminal modes that the
//! program has enabled. **Plain** text is the text as the terminal showed it.
//!
//! Two rules: recording must never block the agent, and must keep working when the directory is renamed.
//!
//! - `write`: records the output of an agent
//! - `queue`: the queue between the reader and the writer of output
//! - `directory`: the agent's directory as an open descriptor
//! - `index`: the index next to a log
//! - `read`: reads a transcript as one stream
//! - `follow`: follows a transcript as it grows
//! - `live_tail`: the output from now on
//! - `output_watcher`: which of several agents print something
//! - `modes`: the terminal modes that a program has enabled
//! - `scan`: finds escape sequences in a byte stream
//! - `plain`: converts output to the text that the terminal showed
//! - `printed`: the printed characters, regardless of their position

mod directory;
mod follow;
mod index;
mod live_tail;
mod modes;
mod output_watcher;
mod plain;
mod printed;
mod queue;
mod read;
mod scan;
mod write;

pub use follow::{FollowFlow, follow};
pub use live_tail::{LiveOutput, LiveTail};
pub use modes::modes;
pub use output_watcher::OutputWatcher;
pub use plain::{TerminalSize, plain};
pub use printed::printed_since;
pub use read::{ReadFrom, open, tail};
pub use write::{TranscriptLimits, write};
