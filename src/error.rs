//! The closed list of situations that a user can meet: a code for programs, a message, what we saw, hints that
//! can be pasted, an exit code. Edges say what went wrong; here it gets its words.

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

/// Whether keys were pressed before something went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// None: it can be tried again.
    Nothing,
    /// Perhaps all of them.
    Something,
}

/// Everything that can go wrong, as a user meets it.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the words of the messages in `report`")]
pub enum Error {
    /// A name that cannot be one.
    BadName { given: String, why: InvalidName },
    /// An argument that makes no sense.
    Usage { what: String, hint: Option<String> },
    /// There is no agent of that name.
    NoSuchAgent { name: String, known: Vec<AgentName>, verb: &'static str },
    /// Nobody is here to act on.
    NoAgents { what: String },
    /// Several would fit and nobody can be asked.
    WhichAgent { candidates: Vec<AgentName>, verb: &'static str },
    /// The name is in use.
    NameTaken { name: AgentName },
    /// There is no task of that number.
    NoSuchTask { id: TaskId },
    /// There is neither an agent nor a spec of that name.
    NobodyToDo { to: String, agents: Vec<AgentName>, specs: Vec<String> },
    /// A task that is not where the step begins.
    TaskIs { id: TaskId, state: TaskState, verb: &'static str, why: String },
    /// A message for somebody who is not there.
    Unreached(Unreached),
    /// There is no note of that name on a board.
    NoSuchNote { key: String, project: String, known: Vec<String> },
    /// What a note cannot be called.
    BadKey { given: String, why: String },
    /// A note that would be longer than notes may be.
    NoteTooLong { key: String, size: u64, most: u64 },
    /// There is no kind or spec of that name.
    NoSuchSpec { name: String, known: Vec<String>, verb: &'static str },
    /// A spec, or the file it stands in, says something that means nothing.
    BadSpec { mistakes: Vec<String> },
    /// Parameters that a spec does not take, or lacks.
    BadParams { spec: String, wrong: Vec<String> },
    /// A kind that would act more freely than its spec allows.
    LooserTier { spec: String, why: String, said: String },
    /// An answer that is none of the options of a dialog.
    NoSuchOption { name: AgentName, given: String, dialog: Dialog },
    /// A dialog with options, which a yes or no does not answer.
    AsksForChoice { name: AgentName, verb: &'static str, dialog: Dialog },
    /// A spec of a project that would change what runs here, and that the user has not trusted as it is now.
    UntrustedSpec(Box<UntrustedSpec>),
    /// Something that an agent's place does not allow.
    OutOfPlace { what: String, hint: String },
    /// Something is asked in the name of an agent that is not there.
    UnknownCaller { name: String },
    /// An agent that is at no task.
    NoTaskAtHand { name: AgentName },
    /// There is no environment of that name.
    NoSuchEnvironment { name: String, known: Vec<String> },
    /// The program of a kind is not installed.
    ProgramMissing { program: String, kind: String, install: String },
    /// The directory to work in cannot be used.
    BadDirectory { path: String, why: String },
    /// The directory that an agent worked in is gone.
    DirectoryGone { name: AgentName, path: String },
    /// The agent was gone as soon as it was there.
    ExitedAtOnce { name: AgentName, exit: Option<Exit>, after: Duration, last_lines: Vec<String> },
    /// The agent has no process to act on.
    NotRunning { name: AgentName, status: String },
    /// It runs in somebody's terminal, outside tmux: nobody else can come to it.
    InTerminal { name: AgentName },
    /// The agent still has one.
    StillRunning { name: AgentName, verb: &'static str },
    /// A removal was asked of an agent that is running; `found` is its unsaved work.
    RemoveRunning { name: AgentName, found: Vec<String> },
    /// Another command is working on the agent.
    Busy { name: AgentName, by: String },
    /// Processes could not be ended.
    Survivors { name: AgentName, pids: Vec<i32> },
    /// A text that cannot be typed at all.
    Unsendable(Unsendable),
    /// A text that this program cannot take.
    Refused { name: AgentName, why: Refusal },
    /// A prompt was not typed, or could not be confirmed.
    NotConfirmed { name: AgentName, why: String, saw: Vec<String>, typed: Typed },
    /// The agent has ended before a prompt was confirmed.
    EndedMeanwhile { name: AgentName, exit: Option<Exit>, last_lines: Vec<String>, typed: Typed },
    /// This kind's dialogs cannot be answered for it.
    CannotAnswer { name: AgentName, kind: String, verb: &'static str },
    /// An agent that may not do this to another.
    NotYours { name: AgentName, by: AgentName, verb: &'static str, why: String },
    /// There is no dialog to answer.
    NothingAsked { name: AgentName, status: String, saw: Vec<String> },
    /// It asks, but not for what was read.
    AsksAnother { name: AgentName, verb: &'static str, now: AskedQuestion },
    /// An agent that cannot be put to sleep.
    CannotSleep { name: AgentName, kind: String, status: String },
    /// As many agents run as may.
    Full { live: usize, starting: usize, max: u32 },
    /// As many of a spec, or below a parent, are there as may be.
    TooMany { what: String, there: Vec<AgentName> },
    /// Another supervisor runs already.
    SupervisorRuns { pid: Option<i32> },
    /// What was waited for did not happen.
    TimedOut { what: String, after: Duration },
    /// A terminal is needed.
    NoTerminal { verb: &'static str, name: Option<String> },
    /// A terminal that nothing can be drawn on.
    BadTerminal { term: String, name: Option<AgentName> },
    /// tmux is not installed.
    TmuxMissing { install: String },
    /// tmux is too old.
    TmuxTooOld { found: String, install: String },
    /// tmux did not answer in time.
    TmuxSilent { what: String, after: Duration, starting: Option<AgentName> },
    /// The path of its socket is longer than the system can take.
    LongSocket { path: String, length: usize, longest: usize },
    /// tmux cannot be used until the user does something about it.
    TmuxUnusable { code: &'static str, what: String, saw: Vec<String>, hint: String },
    /// tmux refused something.
    TmuxFailed { what: String, said: String },
    /// The state directory or a file in it cannot be used.
    State { what: String, saw: Vec<String>, hint: String },
    /// The user's own files hold a mistake.
    BadConfig { what: String },
    /// The system has no service manager that we could ask.
    NoServiceManager { asked: String, said: String },
    /// The service manager did not do what it was asked.
    ServiceRefused { what: String, said: String },
    /// A worktree was asked for where there is no repository.
    NoRepository { path: String },
    /// A workspace cannot be made or used.
    Workspace { what: String, saw: Vec<String>, hint: String },
    /// A workspace holds work that is nowhere else.
    WorkThere { name: AgentName, place: String, found: Vec<String> },
    /// A file that is no handoff, or a damaged one.
    BadHandoff { what: String },
    /// A handoff of a newer symposium.
    NewerHandoff { path: String, found: u64, known: u32, needs: Option<String> },
    /// What looks like a secret in what would be handed over.
    SecretsInHandoff { name: AgentName, found: Vec<String>, more: usize },
    /// A handoff that would act on this machine, and nobody has agreed to that.
    UntrustedHandoff { name: AgentName, acts: Vec<String> },
    /// What a host cannot be called, or not be reached by.
    BadHost { given: String, why: InvalidHost },
    /// There is no host of that name.
    NoSuchHost { name: String, known: Vec<String> },
    /// There is one of that name already.
    HostTaken { name: HostName, address: String },
    /// A host does not answer.
    HostUnreached { name: HostName, address: String, port: Option<u16>, said: Vec<String>, late: bool },
    /// Something answers there that is no symposium.
    HostLacksSymposium { host: Box<Host>, said: Vec<String> },
    /// A symposium answers there that is too old to be asked.
    HostOlder { name: HostName, version: Option<String> },
    /// A host answered, but not what was asked.
    FarFailed { name: HostName, said: Vec<String> },
    /// A command went wrong on another machine, as that told.
    FarError { name: HostName, exit: u8, message: String, saw: Vec<String>, hints: Vec<String> },
    /// Nobody knows whether something was done on a host.
    FarUnknown { name: HostName, after: Option<Duration> },
    /// What was followed on a host is lost with the link.
    LinkLost { name: HostName },
    /// A command that cannot go to another machine.
    NotFar { what: String, why: String, host: String },
    /// The OpenSSH client cannot be used.
    Ssh { what: String },
    /// A request that would lose something.
    Unsafe { what: String, hint: String },
    /// This machine has no such user.
    NoSuchUser { name: String },
    /// Somebody's agent that we may not attach to.
    NotShared { what: String },
    /// An agent of ours that a user may not attach to.
    NotSharedWith { name: AgentName, with: String },
    /// An agent of ours that may be shared still, though that was taken back: with whom, and why; and who is out.
    StillShared { name: AgentName, left: Vec<(String, String)>, closed: Vec<String> },
    /// A door of somebody's at which nobody lets us in.
    DoorSilent { what: String, after: Duration },
    /// A door that was to be opened and did not.
    DoorShut { name: AgentName, with: String, after: Duration },
    /// An operation of the system failed.
    Io { what: String, source: std::io::Error },
}

impl Error {
    /// Whether this machine has no tmux that could be asked, now or later.
    pub fn is_without_tmux(&self) -> bool {
        matches!(self, Error::TmuxMissing { .. } | Error::TmuxTooOld { .. })
    }

    /// Wraps a failure of the system with what was being done.
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
