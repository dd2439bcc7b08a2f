//! The process adapter: finds, ends and runs processes.
//!
//! An agent's processes are identified by their **mark**, a variable in their initial environment. Everything that an
//! agent starts inherits it, also processes that have left its session, its process group and its parent. Processes are
//! signalled through a pidfd, which cannot refer to another process later.
//!
//! This module must never signal a process by its bare process id, nor count the caller or its ancestors among an
//! agent's processes.
//!
//! - `start`: starts programs
//! - `end`: ends processes and reports their end
//! - `inspect`: inspects processes and terminals from outside
//! - `users`: looks up users of this machine
//! - `terminfo`: whether the system describes a terminal type
//! - `sigwinch`: changes of the size of this terminal

mod end;
mod inspect;
mod sigwinch;
mod start;
pub mod terminfo;
mod users;

#[cfg(test)]
mod testing;

use std::path::PathBuf;

pub use end::exit_watcher::ExitWatcher;
pub use end::on_termination::on_end;
pub use end::pidfd::{ask_to_continue, ask_to_end, end_at_once, wait_exit};
pub use end::reminder::remind_parent_of;
pub use end::terminate::{TerminationPlan, end};
pub use inspect::ancestors::{ancestors, ancestors_of};
pub use inspect::cgroup::is_kept_by_user_manager;
pub use inspect::clients::{is_tmux_client, tmux_clients};
pub use inspect::environment::environment;
pub use inspect::limits::survive_file_size_limit;
pub use inspect::ports::is_port_free;
pub use inspect::procfs::{is_stopped, leader_at_terminal};
pub use inspect::ssh_origin::{address_of, came_from};
pub use inspect::stalled::{Stall, stalled_children};
pub use inspect::tree::{AgentProcesses, is_alive, is_held, tree};
pub use inspect::tty::{TtyState, takes_no_output, tty_state};
pub use sigwinch::on_resize;
pub use start::detached::{StreamEvent, leave_session, listen_to, run_into, start_detached};
pub use start::die_with_parent::{WITH_PARENT, die_with_parent};
pub use start::job::{is_session_leader, run_in_job};
pub use start::run::{Output, Run, run_bounded, run_foreground, run_watched};
pub use users::{user_id, user_name, user_names};

/// Environment variable that identifies an agent's processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessMark {
    /// Name of the variable, `SYMPOSIUM_AGENT_ID`.
    pub variable: String,
    /// Value of the variable, the agent's id.
    pub value: String,
    /// State directory of the agent. A copy of a state directory has agents with the same ids, whose processes are not
    /// the agent's. `None` accepts processes of every state directory.
    pub home: Option<StateDirectory>,
}

/// Environment variable that names the state directory of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDirectory {
    /// Name of the variable, `SYMPOSIUM_HOME`.
    pub variable: String,
    /// Path of the directory.
    pub path: PathBuf,
}

/// A process at the time it was inspected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proc {
    /// Process id. The system may reuse it after this process has ended.
    pub pid: i32,
    /// Process id of the parent.
    pub ppid: i32,
    /// Start time in clock ticks since boot. Together with the process id it identifies the process uniquely.
    pub start: u64,
    /// Short name of the program, at most 15 bytes.
    pub command: String,
}
