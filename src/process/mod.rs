//! The process edge: finding, ending and running processes.
//!
//! An agent's processes are known by their **mark**, a variable in the environment they were born with. It
//! is inherited by everything an agent starts, also by what has left its session, its process group and its
//! parent. Processes are signalled through a handle (pidfd) that cannot come to mean another process.
//!
//! Must never signal by a bare number, nor count the caller or its ancestors among an agent's processes.

mod apart;
mod clients;
mod end;
mod ending;
mod environment;
mod exits;
mod group;
mod handle;
mod limits;
mod origin;
mod procfs;
mod reminder;
mod resize;
mod run;
mod stalled;
pub mod terminfo;
mod tied;
mod tree;
mod tty;
mod users;

#[cfg(test)]
mod testing;

pub use apart::{Heard, Listening, leave_session, listen_to, run_into, start_apart};
pub use clients::{is_tmux_client, tmux_clients};
pub use end::{EndPlan, Ending, end};
pub use ending::on_end;
pub use environment::environment;
pub use exits::Exits;
pub use group::is_kept_by_user_manager;
pub use handle::{ask_to_continue, ask_to_end, end_at_once, wait_exit};
pub use limits::survive_file_size_limit;
pub use origin::{address_of, came_from};
pub use procfs::is_stopped;
pub use reminder::remind_parent_of;
pub use resize::on_resize;
pub use run::{Output, Run, run_bounded, run_foreground, run_watched};
pub use stalled::{Stall, StalledChild, stalled_children};
pub use tied::{TIE, become_tied};
pub use tree::{Target, is_alive, is_held, tree};
pub use tty::{TtyState, takes_no_output, tty_state};
pub use users::{user_id, user_name, user_names};

/// The variable that an agent's processes carry in their environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Its name, `SYMPOSIUM_AGENT_ID`.
    pub variable: String,
    /// Its value, the agent's id.
    pub value: String,
}

/// One process at the moment of a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proc {
    /// Its number, which may be given to another process once this one is gone.
    pub pid: i32,
    /// Its parent.
    pub ppid: i32,
    /// When it started, in clock ticks since boot: with the number it names the process for ever.
    pub start: u64,
    /// Its short name, at most 15 bytes.
    pub command: String,
}
