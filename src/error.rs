//! The closed list of errors that a user can encounter, each with a code for programs, a message, observations, hints
//! that can be pasted, and an exit code. Adapters report what failed; the wording is defined here.

mod report;
mod words;

use std::time::Duration;

pub use report::Report;
pub use words::shown;

use crate::model::{
    AgentName, AskedQuestion, Dialog, Exit, Host, HostName, InvalidHost, InvalidName, TaskId, TaskState,
    Unsendable, UntrustedSpec,
};
use crate::rules::tasks::address::Unreached;
use crate::rules::tasks::typing::Refusal;

/// Whether keys were typed before an operation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// No key was typed, so the operation can be retried.
    Nothing,
    /// Some or all keys may have been typed.
    Something,
}

/// All errors as a user encounters them.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the words of the messages in `report`")]
pub enum Error {
    /// The name is not valid.
    BadName { given: String, why: InvalidName },
    /// An argument is invalid.
    Usage { what: String, hint: Option<String> },
    /// No agent has this name.
    NoSuchAgent { name: String, known: Vec<AgentName>, verb: &'static str },
    /// There is no agent to act on.
    NoAgents { what: String },
    /// Several agents match, and the user cannot be asked.
    WhichAgent { candidates: Vec<AgentName>, verb: &'static str },
    /// The name is in use.
    NameTaken { name: AgentName },
    /// No task has this number.
    NoSuchTask { id: TaskId },
    /// Neither an agent nor a spec has this name.
    NoAssignee { to: String, agents: Vec<AgentName>, specs: Vec<String> },
    /// The state of the task does not permit the step.
    WrongTaskState { id: TaskId, state: TaskState, verb: &'static str, why: String },
    /// The recipient of a message does not exist.
    Unreached(Unreached),
    /// The board has no note of this name.
    NoSuchNote { key: String, project: String, known: Vec<String> },
    /// The key of a note is not valid.
    BadKey { given: String, why: String },
    /// The note exceeds the maximum length.
    NoteTooLong { key: String, size: u64, most: u64 },
    /// No kind or spec has this name.
    NoSuchSpec { name: String, known: Vec<String>, verb: &'static str },
    /// A spec or its file is invalid.
    BadSpec { mistakes: Vec<String> },
    /// Parameters are missing, or the spec does not declare them.
    BadParams { spec: String, wrong: Vec<String> },
    /// The kind cannot enforce the tier of the spec.
    LooserTier { spec: String, why: String, said: String },
    /// The answer is not one of the options of the dialog.
    NoSuchOption { name: AgentName, given: String, dialog: Dialog },
    /// The dialog has options and cannot be answered with yes or no.
    AsksForChoice { name: AgentName, verb: &'static str, dialog: Dialog },
    /// A spec of a project would change what runs on this machine, and the user has not trusted its current version.
    UntrustedSpec(Box<UntrustedSpec>),
    /// The permissions of an agent do not allow the action.
    NotPermitted { what: String, hint: String },
    /// The calling agent does not exist.
    UnknownCaller { name: String },
    /// The agent is not working on a task.
    NoTaskAtHand { name: AgentName },
    /// No environment has this name.
    NoSuchEnvironment { name: String, known: Vec<String> },
    /// The program of a kind is not installed.
    ProgramMissing { program: String, kind: String, install: String },
    /// The working directory cannot be used.
    BadDirectory { path: String, why: String },
    /// The directory in which an agent worked does not exist any more.
    DirectoryGone { name: AgentName, path: String },
    /// The agent exited immediately after its start.
    ExitedAtOnce { name: AgentName, exit: Option<Exit>, after: Duration, last_lines: Vec<String> },
    /// The agent has no process to act on.
    NotRunning { name: AgentName, status: String },
    /// The agent runs in a terminal outside of tmux, so no other terminal can attach to it.
    InTerminal { name: AgentName },
    /// The agent still has a running process.
    StillRunning { name: AgentName, verb: &'static str },
    /// The agent to be removed is running; `found` is its unsaved work.
    RemoveRunning { name: AgentName, found: Vec<String> },
    /// Another command is working on the agent.
    Busy { name: AgentName, by: String },
    /// Some processes could not be ended.
    Survivors { name: AgentName, pids: Vec<i32> },
    /// The text cannot be typed into any agent.
    Unsendable(Unsendable),
    /// The text cannot be typed into this program.
    Refused { name: AgentName, why: Refusal },
    /// A prompt was not typed, or its delivery could not be confirmed.
    NotConfirmed { name: AgentName, why: String, saw: Vec<String>, typed: Typed },
    /// The agent ended before a prompt was confirmed.
    EndedMeanwhile { name: AgentName, exit: Option<Exit>, last_lines: Vec<String>, typed: Typed },
    /// Symposium cannot answer the dialogs of this kind.
    CannotAnswer { name: AgentName, kind: String, verb: &'static str },
    /// An agent may not perform this action on the other agent.
    NotYours { name: AgentName, by: AgentName, verb: &'static str, why: String },
    /// There is no dialog to answer.
    NothingAsked { name: AgentName, status: String, saw: Vec<String> },
    /// The agent asks another question than the one that was read.
    AsksAnother { name: AgentName, verb: &'static str, now: AskedQuestion },
    /// The agent cannot be hibernated.
    CannotSleep { name: AgentName, kind: String, status: String },
    /// The maximum number of running agents is reached.
    Full { live: usize, starting: usize, max: u32 },
    /// The maximum number of agents of a spec or below a parent is reached.
    TooMany { what: String, there: Vec<AgentName> },
    /// Another supervisor is already running.
    SupervisorRuns { pid: Option<i32> },
    /// An awaited condition did not occur in time.
    TimedOut { what: String, after: Duration },
    /// The command needs a terminal.
    NoTerminal { verb: &'static str, name: Option<String> },
    /// The terminal type cannot display an agent's screen.
    BadTerminal { term: String, name: Option<AgentName> },
    /// tmux is not installed.
    TmuxMissing { install: String },
    /// tmux is too old.
    TmuxTooOld { found: String, install: String },
    /// tmux did not answer in time.
    TmuxSilent { what: String, after: Duration, starting: Option<AgentName> },
    /// The path of the tmux socket exceeds the limit of the operating system.
    LongSocket { path: String, length: usize, longest: usize },
    /// tmux cannot be used until the user has fixed something.
    TmuxUnusable { code: &'static str, what: String, saw: Vec<String>, hint: String },
    /// tmux rejected a command.
    TmuxFailed { what: String, said: String },
    /// The state directory or a file in it cannot be used.
    State { what: String, saw: Vec<String>, hint: String },
    /// The user's configuration contains an error.
    BadConfig { what: String },
    /// The operating system has no supported service manager.
    NoServiceManager { asked: String, said: String },
    /// The service manager rejected a request.
    ServiceRefused { what: String, said: String },
    /// A worktree was requested outside of a repository.
    NoRepository { path: String },
    /// A workspace cannot be created or used.
    Workspace { what: String, saw: Vec<String>, hint: String },
    /// A workspace contains unsaved work.
    UnsavedWorkInWorktree { name: AgentName, place: String, found: Vec<String> },
    /// The file is not a hand-off, or it is damaged.
    BadHandoff { what: String },
    /// The hand-off was created by a newer version of Symposium.
    NewerHandoff { path: String, found: u64, known: u32, needs: Option<String> },
    /// The hand-off probably contains secrets.
    SecretsInHandoff { name: AgentName, found: Vec<String>, more: usize },
    /// The hand-off would run commands on this machine that the user has not agreed to.
    UntrustedHandoff { name: AgentName, acts: Vec<String> },
    /// The name or the address of a host is not valid.
    BadHost { given: String, why: InvalidHost },
    /// No host has this name.
    NoSuchHost { name: String, known: Vec<String> },
    /// A host of this name already exists.
    HostTaken { name: HostName, address: String },
    /// A host does not answer.
    HostUnreached { name: HostName, address: String, port: Option<u16>, said: Vec<String>, late: bool },
    /// The host answers, but Symposium is not installed there.
    HostLacksSymposium { host: Box<Host>, said: Vec<String> },
    /// The version of Symposium on the host is too old.
    HostOlder { name: HostName, version: Option<String> },
    /// The host returned an unexpected answer.
    FarFailed { name: HostName, said: Vec<String> },
    /// A command failed on another machine, with the error that it reported.
    FarError { name: HostName, exit: u8, message: String, saw: Vec<String>, hints: Vec<String> },
    /// It is unknown whether a command was executed on a host.
    FarUnknown { name: HostName, after: Option<Duration> },
    /// The connection to a host was lost while its output was followed.
    LinkLost { name: HostName },
    /// The command cannot run on another machine.
    LocalOnly { what: String, why: String, host: String },
    /// The OpenSSH client cannot be used.
    Ssh { what: String },
    /// The request would lose data.
    Unsafe { what: String, hint: String },
    /// This machine has no such user.
    NoSuchUser { name: String },
    /// The agent of another user is not shared with this user.
    NotShared { what: String },
    /// The user's own agent is not shared with this guest.
    NotSharedWith { name: AgentName, with: String },
    /// Some shares of an agent could not be ended: `left` has their guests with the reasons, `closed` the guests
    /// whose share ended.
    StillShared { name: AgentName, left: Vec<(String, String)>, closed: Vec<String> },
    /// The owner's share process did not complete the handshake.
    DoorSilent { what: String, after: Duration },
    /// The listener of a new share did not become ready.
    ShareNotReady { name: AgentName, with: String, after: Duration },
    /// An operation of the system failed.
    Io { what: String, source: std::io::Error },
}

impl Error {
    /// Returns whether this machine lacks a usable tmux.
    pub fn is_without_tmux(&self) -> bool {
        matches!(self, Error::TmuxMissing { .. } | Error::TmuxTooOld { .. })
    }

    /// Returns a function that wraps an I/O error with the operation that failed.
    pub fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Error {
        let what = what.into();
        move |source| Error::Io { what, source }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.report().message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests;
