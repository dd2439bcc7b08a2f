//! The words: plain types that every layer speaks. Imports nothing of ours, touches nothing outside.
//!
//! Three words are never mixed: [`AgentRecord`] is what we wrote down, [`LivePane`] is what tmux says now,
//! [`Agent`] is the two joined.

mod agent;
mod event;
mod kind;
mod live;
mod name;
mod record;
mod status;
mod text;

pub use agent::{Agent, Client, TaskCounts, TmuxView};
pub use event::{AgentEvent, HookSignal, TmuxEvent};
pub use kind::{Approval, Conversing, Hooks, Kind, PromptVia, ScreenPatterns};
pub use live::{DeadPane, LiveClient, LivePane, LiveServer, Look, ServerIdentity};
pub use name::{AgentId, AgentName, InvalidName, MAX_NAME};
pub use record::{AgentRecord, Conversation, Restart, RestartPolicy, TmuxPlace, Workspace};
pub use status::{Exit, Status, StatusNote, UnknownStatus, WaitingFor};
pub use text::{Prompt, Title, Unsendable, is_deceptive};
