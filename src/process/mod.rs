//! The process edge: finding, ending and running processes.
//!
//! An agent's processes are known by their **mark**, a variable in the environment they were born with. It
//! is inherited by everything an agent starts, also by what has left its session, its process group and its
//! parent. Processes are signalled through a handle (pidfd) that cannot come to mean another process.
//!
//! Must never signal by a bare number, nor count the caller or its ancestors among an agent's processes.

mod end;
mod inspect;
mod sigwinch;
mod start;
pub mod terminfo;
mod users;

#[cfg(test)]
mod testing;

pub use end::exit_watcher::Exits;
pub use end::on_termination::on_end;
pub use end::pidfd::{ask_to_continue, ask_to_end, end_at_once, wait_exit};
pub use end::reminder::remind_parent_of;
pub use end::terminate::{EndPlan, Ending, end};
pub use inspect::cgroup::is_kept_by_user_manager;
pub use inspect::clients::{is_tmux_client, tmux_clients};
pub use inspect::environment::environment;
pub use inspect::limits::survive_file_size_limit;
pub use inspect::procfs::is_stopped;
pub use inspect::ssh_origin::{address_of, came_from};
pub use inspect::stalled::{Stall, StalledChild, stalled_children};
pub use inspect::tree::{Target, is_alive, is_held, tree};
pub use inspect::tty::{TtyState, takes_no_output, tty_state};
pub use sigwinch::on_resize;
pub use start::detached::{Heard, Listening, leave_session, listen_to, run_into, start_apart};
pub use start::die_with_parent::{TIE, become_tied};
pub use start::job::{is_session_leader, run_in_job};
pub use start::run::{Output, Run, run_bounded, run_foreground, run_watched};
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
