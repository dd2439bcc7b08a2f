//! The transcript edge: what an agent's terminal received, on disk in `transcript.log` of its directory.
//!
//! Words: the **log** is the bytes as they came; a full one is **rotated** to `transcript.log.1` and further
//! up; beside each log an **index** says which byte came when; **modes** are what the program has switched on
//! in its terminal; **plain** is the text as the terminal showed it.
//!
//! Must never hold up the agent whose output it takes, and never lose track of a directory that is renamed.

mod directory;
mod follow;
mod index;
mod modes;
mod plain;
mod printed;
mod queue;
mod read;
mod scan;
mod write;

pub use follow::{Go, follow};
pub use modes::{TerminalModes, modes};
pub use plain::{Size, plain};
pub use printed::printed_since;
pub use read::{Reader, Since, open, tail};
pub use write::{Limits, write};
