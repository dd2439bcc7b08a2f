//! Operations on a running agent: attach, type, answer, read.
//!
//! - `attach`: `agent attach`
//! - `clients`: `agent detach`, and moving an attached terminal to another agent
//! - `driver_after_change`: which of several clients may type
//! - `send`: `agent send`, with verified delivery
//! - `approve`: `agent approve` and `deny`
//! - `answer`: `agent answer`
//! - `deny_because`: `agent deny --because`
//! - `interrupt`: `agent interrupt`
//! - `peek`: `agent peek`
//! - `keys`: keys and pasted text that a user types in another face
//! - `live`: the screen of an agent and its changes, for another face to draw; `live/parts` has them as a sequence
//!   of parts for emulators elsewhere
//! - `logs`: `agent logs`
//! - `wait`: `agent wait`
//! - `watch`: `agent list --watch`
//! - `shell`: `agent shell` and `agent edit`

pub(in crate::manager) mod answer;
pub(in crate::manager) mod approve;
pub(in crate::manager) mod attach;
pub(in crate::manager) mod clients;
pub(in crate::manager) mod deny_because;
pub(in crate::manager) mod driver_after_change;
pub(in crate::manager) mod interrupt;
pub(in crate::manager) mod keys;
pub(in crate::manager) mod live;
pub(in crate::manager) mod logs;
pub(in crate::manager) mod peek;
pub(in crate::manager) mod send;
pub(in crate::manager) mod shell;
#[cfg(test)]
mod tests;
pub(in crate::manager) mod wait;
pub(in crate::manager) mod watch;

pub use approve::{AnswerResult, ApprovalAnswer};
pub use attach::{AttachRequest, Attaching, ClientProcess};
pub use keys::DriverInput;
pub use live::ScreenFollower;
pub use live::parts::{CaptureHistory, ScreenPart, ScreenSignals, ScreenWaker};
pub use logs::{LogsRequest, LogsStyle};
pub use peek::{Peeked, PeekedFrom};
pub use shell::WorkspaceProgram;
pub use wait::WaitRequest;
pub use watch::{WatchCause, WatchControl, WatchNudge};

use crate::manager::Context;

/// Attaches terminals to agents.
#[derive(Clone, Copy)]
pub struct Attachments<'a>(pub &'a Context);

/// Decides which attached client may type, and moves or detaches clients.
#[derive(Clone, Copy)]
pub struct TerminalClients<'a>(pub &'a Context);

/// Answers the questions and approval dialogs of agents.
#[derive(Clone, Copy)]
pub struct Approvals<'a>(pub &'a Context);

/// Types prompts and keys into agents, and interrupts their work.
#[derive(Clone, Copy)]
pub struct AgentInput<'a>(pub &'a Context);

/// Reads the screens of agents.
#[derive(Clone, Copy)]
pub struct AgentScreens<'a>(pub &'a Context);

/// Reads the recorded output of agents.
#[derive(Clone, Copy)]
pub struct AgentLogs<'a>(pub &'a Context);

/// Waits for and reports changes of status.
#[derive(Clone, Copy)]
pub struct AgentWatch<'a>(pub &'a Context);

/// Runs a shell or an editor in the workspace of an agent.
#[derive(Clone, Copy)]
pub struct WorkspaceShell<'a>(pub &'a Context);
