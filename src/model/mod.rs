//! Plain types that all layers use. The module imports only `base` and has no side effects.
//!
//! Three types are kept apart: [`AgentRecord`] is the stored description, [`LivePane`] is the current answer of tmux,
//! and [`Agent`] joins the two.
//!
//! - `agent`: types that describe one agent
//! - `work`: tasks, messages, events and everything else that happens to agents
//! - `comparison`: the work of several agents side by side
//! - `finish`: the plan of finishing an agent
//! - `config`: the settings of `config.toml`
//! - `dashboard`: settings of the dashboard
//! - `dashboard_colors`: the colours of the dashboard in `config.toml`
//! - `trust`: trust in the specs of a project
//! - `tmux_snapshot`: the state of the tmux server at one moment
//! - `clients`: the clients that are attached to a session
//! - `share`: permissions for another user
//! - `handoff`: the manifest of a hand-off
//! - `host`: another machine that runs agents
//! - `notices`: notices that are sent to other devices
//! - `remote`: the protocol between two symposium processes
//! - `web`: devices that may use the web page

mod agent;
mod clients;
mod comparison;
mod config;
mod dashboard;
mod dashboard_colors;
mod finish;
mod handoff;
mod host;
mod notices;
mod remote;
mod share;
mod tmux_snapshot;
mod trust;
mod web;
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
pub use agent::name::{AgentId, AgentName, GroupId, InvalidName, MAX_NAME};
pub use agent::param::{BadValue, GivenParam, Param, ParamSort, ParamValue};
pub use agent::question::{AskedQuestion, Extent, MAX_QUESTION_BYTES, Question, ReportedQuestion};
pub use agent::record::{
    AgentRecord, Conversation, CutOff, Heartbeat, PastConversation, Restart, RestartPolicy, Schedule,
    TmuxLocation, UnknownPolicy, Workspace,
};
pub use agent::screen::{ScreenReading, ScreenState};
pub use agent::spawn_choices::SpawnChoices;
pub use agent::spec::{ChildLimits, DEFAULT_SPEC, FoundIn, Origin, Spec, SpecMistake};
pub use agent::status::{Exit, Status, StatusNote, UnknownStatus, WaitingFor};
pub use agent::text::{Prompt, Title, Unsendable};
pub use agent::tier::{Tier, UnknownTier};
pub use agent::view::{Agent, AgentClient, CurrentTask, TaskCounts, TmuxView};
pub use clients::{AttachedClient, AttachedClients, ClientChange};
pub use comparison::{CheckResult, ComparedAgent, MergeForecast, WorkAmount};
pub use config::{
    AfterDeletion, AttachConfig, AttachPolicy, CheckpointsConfig, Cleanup, ClockTime, Config, Desktop,
    FinishConfig, HostsConfig, LedgerConfig, Notify, NotifyOn, QuietHours, RestartConfig, SupervisorConfig,
    WorkspaceConfig,
};
pub use dashboard::{DashboardAction, DashboardColumn, DashboardConfig, ThemeName};
pub use dashboard_colors::{RoleColors, ThemeColor, ThemeRole};
pub use finish::{FinishCheck, FinishMethod, FinishPlan, FinishStep};
pub use handoff::{
    HANDOFF_FORMAT, HandedMessage, HandedRecord, HandedTask, HandedWork, MANIFEST, MAX_MANIFEST_BYTES,
    Manifest, Part, PartEntry,
};
pub use host::{Host, HostAddress, HostName, InvalidHost, RemoteBinary};
pub use notices::channels::{NoticeChannel, SecretSource};
pub use notices::message::{AnswerGrant, NoticeAnswer, NoticeMessage, OfferedAnswer};
pub use notices::web_url::{InvalidWebUrl, WebUrl};
pub use remote::{HELLO, REMOTE_FORMAT, RemoteFrame, RemoteHello, RemoteRequest, Replay, RequestId};
pub use share::{Share, SharedAgent};
pub use tmux_snapshot::{DeadPane, LiveClient, LivePane, LiveServer, ServerIdentity, TmuxSnapshot};
pub use trust::{ProjectFiles, SpecEffects, TrustReview, TrustState, TrustedProject, UntrustedSpec};
pub use web::{DeviceGrant, PairingCode, WebDevice, WebLink, WebPermission};
pub use work::checkpoint::{Checkpoint, CheckpointNote, CheckpointReason, LeftOutFile};
pub use work::counters::EventCounters;
pub use work::diff::{BaseSource, DiffBase, FileChange, FileChangeKind, WorkDiff};
pub use work::digest::{Digest, DigestProject, NeedsYou};
pub use work::event::{EventKind, LedgerEvent};
pub use work::incoming_event::{AgentEvent, HookSignal, OutputChange, TmuxEvent};
pub use work::message::{
    BoardEntry, Message, MessageId, MessageState, NewMessage, PERSON, Recipient, marked_message,
};
pub use work::notice::{Channels, Notice, Urgency};
pub use work::recap::{
    ChangeKind, ChangedFile, Commit, Recap, RecapChange, RecapFailure, RecapMessage, RecapTask,
    StatusDuration, UncommittedWork,
};
pub use work::removal::{
    CreatedWork, KeptWork, MergeState, RecoveredWork, RecoveryRef, RemovalPreview, SweepReason, SweptWork,
    UnsavedWork,
};
pub use work::review::{
    AnchoredLines, BlobPair, CommentId, CommentPlacement, CommentState, CommentedDiff, DiffSide, LineRange,
    PendingReview, PlacedComment, Review, ReviewComment,
};
pub use work::task::{
    Assignee, NewTask, Priority, Task, TaskId, TaskProgress, TaskState, TaskStep, UnknownPriority,
    marked_task,
};
pub use work::task_status::{AgentWaits, TaskStatus};
pub use work::taskspace::{LogEntry, Taskspace};
pub use work::unsaved_work::{
    BasePosition, BranchOutcome, BranchPosition, CheckState, MergedWork, PullRequest, PullRequestState,
    WorkCounts, WorkSummary, WorktreeState,
};
