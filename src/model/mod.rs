//! The words: plain types that every layer speaks. Imports nothing of ours, touches nothing outside.
//!
//! Three words are never mixed: [`AgentRecord`] is what we wrote down, [`LivePane`] is what tmux says now,
//! [`Agent`] is the two joined.

mod agent;
mod config;
mod cron;
mod dialog;
mod digest;
mod environment;
mod event;
mod failure;
mod far;
mod handoff;
mod happening;
mod host;
pub mod json_time;
mod kind;
mod live;
mod message;
mod name;
mod notice;
mod param;
mod pattern;
mod question;
mod recap;
mod record;
mod removal;
mod screen;
mod seats;
mod share;
mod spec;
mod status;
mod tallies;
mod task;
mod task_status;
mod taskspace;
mod text;
mod tier;
mod trust;
mod work;

pub use agent::{Agent, Client, CurrentTask, TaskCounts, TmuxView};
pub use config::{
    AfterDeletion, AttachConfig, AttachPolicy, Cleanup, ClockTime, Config, Desktop, HostsConfig,
    LedgerConfig, Notify, NotifyOn, QuietHours, RestartConfig, SupervisorConfig, WorkspaceConfig,
};
pub use cron::{Cron, InvalidCron};
pub use dialog::{Dialog, DialogOption, OptionPlacement};
pub use digest::{Digest, DigestProject, NeedsYou};
pub use environment::EnvironmentName;
pub use event::{AgentEvent, Edge, HookSignal, TmuxEvent};
pub use failure::{FailedTurn, FailureCause, FailureSource, TurnFailure};
pub use far::{FAR_FORMAT, FarRequest, Frame, HELLO, Hello, RequestId, Times};
pub use handoff::{
    BIGGEST_MANIFEST, HANDOFF_FORMAT, HandedMessage, HandedRecord, HandedTask, HandedWork, MANIFEST,
    Manifest, Part, PartEntry,
};
pub use happening::{Happening, What};
pub use host::{FarBinary, Host, HostAddress, HostName, InvalidHost};
pub use kind::{Approval, ConversationFiles, Conversing, Hooks, Kind, McpVia, PromptVia, ScreenPatterns};
pub use live::{DeadPane, LiveClient, LivePane, LiveServer, Look, ServerIdentity};
pub use message::{
    BoardEntry, Message, MessageId, MessageState, NewMessage, PERSON, Recipient, marked_message,
};
pub use name::{AgentId, AgentName, InvalidName, MAX_NAME};
pub use notice::{Channels, Notice, Urgency};
pub use param::{BadValue, GivenParam, Param, ParamSort, ParamValue};
pub use pattern::{bad_pattern, is_gits_own, is_pattern, matches, steps};
pub use question::{AskedQuestion, Asks, Extent, MOST_QUESTION, Question};
pub use recap::{
    ChangeKind, ChangedFile, Changes, Commit, Recap, RecapChange, RecapMessage, RecapTask, Spent,
};
pub use record::{
    AgentRecord, Conversation, CutOff, Heartbeat, PastConversation, Restart, RestartPolicy, Rhythm,
    TmuxPlace, UnknownPolicy, Workspace,
};
pub use removal::{RecoveredWork, RecoveryRef, RemovalPreview, UnsavedWork};
pub use screen::{ScreenReading, ScreenState};
pub use seats::{Seats, Step, Terminal};
pub use share::{Share, SharedAgent};
pub use spec::{DEFAULT_SPEC, FoundIn, Limits, Mistake, Origin, Spec};
pub use status::{Exit, Status, StatusNote, UnknownStatus, WaitingFor};
pub use tallies::Tallies;
pub use task::{
    Doer, NewTask, Priority, Progress, Task, TaskId, TaskState, TaskStep, UnknownPriority, marked_task,
};
pub use task_status::{AgentWaits, TaskStatus};
pub use taskspace::{LogEntry, Taskspace};
pub use text::{Prompt, Title, Unsendable, is_deceptive, visible, without_deception};
pub use tier::{Tier, UnknownTier};
pub use trust::{ProjectFiles, TrustState, TrustedProject, UntrustedSpec};
pub use work::{Work, WorkCounts};
