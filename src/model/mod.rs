//! Plain types that all layers use. The module imports only `base` and has no side effects.
//!
//! Three types are kept apart: [`AgentRecord`] is the stored description, [`LivePane`] is the current answer of tmux,
//! and [`Agent`] joins the two.

mod agent;
mod clients;
mod config;
mod handoff;
mod host;
mod remote;
mod share;
mod tmux_snapshot;
mod trust;
mod work;

pub use crate::base::cron::{Cron, InvalidCron};
pub use crate::base::glob::{bad_pattern, is_git_dir, is_pattern, matches, steps};
pub use crate::base::sanitize::{is_deceptive, visible, without_deception};
pub use agent::dialog::{Dialog, DialogOption, OptionPlacement};
pub use agent::environment::EnvironmentName;
pub use agent::failure::{FailedTurn, FailureCause, FailureSource, TurnFailure};
pub use agent::kind::{
    Approval, ConversationFiles, ConversationFlags, Hooks, Kind, McpVia, PromptVia, ScreenPatterns,
};
pub use agent::name::{AgentId, AgentName, InvalidName, MAX_NAME};
pub use agent::param::{BadValue, GivenParam, Param, ParamSort, ParamValue};
pub use agent::question::{AskedQuestion, Asks, Extent, MOST_QUESTION, Question};
pub use agent::record::{
    AgentRecord, Conversation, CutOff, Heartbeat, PastConversation, Restart, RestartPolicy, Schedule,
    TmuxPlace, UnknownPolicy, Workspace,
};
pub use agent::screen::{ScreenReading, ScreenState};
pub use agent::spec::{DEFAULT_SPEC, FoundIn, Limits, Mistake, Origin, Spec};
pub use agent::status::{Exit, Status, StatusNote, UnknownStatus, WaitingFor};
pub use agent::text::{Prompt, Title, Unsendable};
pub use agent::tier::{Tier, UnknownTier};
pub use agent::view::{Agent, Client, CurrentTask, TaskCounts, TmuxView};
pub use clients::{AttachedClients, Step, Terminal};
pub use config::{
    AfterDeletion, AttachConfig, AttachPolicy, Cleanup, ClockTime, Config, Desktop, HostsConfig,
    LedgerConfig, Notify, NotifyOn, QuietHours, RestartConfig, SupervisorConfig, WorkspaceConfig,
};
pub use handoff::{
    BIGGEST_MANIFEST, HANDOFF_FORMAT, HandedMessage, HandedRecord, HandedTask, HandedWork, MANIFEST,
    Manifest, Part, PartEntry,
};
pub use host::{FarBinary, Host, HostAddress, HostName, InvalidHost};
pub use remote::{FAR_FORMAT, FarRequest, Frame, HELLO, Hello, RequestId, Times};
pub use share::{Share, SharedAgent};
pub use tmux_snapshot::{DeadPane, LiveClient, LivePane, LiveServer, ServerIdentity, TmuxSnapshot};
pub use trust::{ProjectFiles, TrustState, TrustedProject, UntrustedSpec};
pub use work::counters::EventCounters;
pub use work::digest::{Digest, DigestProject, NeedsYou};
pub use work::event::{LedgerEvent, What};
pub use work::incoming_event::{AgentEvent, Edge, HookSignal, TmuxEvent};
pub use work::message::{
    BoardEntry, Message, MessageId, MessageState, NewMessage, PERSON, Recipient, marked_message,
};
pub use work::notice::{Channels, Notice, Urgency};
pub use work::recap::{
    ChangeKind, ChangedFile, Changes, Commit, Recap, RecapChange, RecapMessage, RecapTask, Spent,
};
pub use work::removal::{RecoveredWork, RecoveryRef, RemovalPreview, UnsavedWork};
pub use work::task::{
    Assignee, NewTask, Priority, Progress, Task, TaskId, TaskState, TaskStep, UnknownPriority, marked_task,
};
pub use work::task_status::{AgentWaits, TaskStatus};
pub use work::taskspace::{LogEntry, Taskspace};
pub use work::unsaved_work::{Work, WorkCounts};
