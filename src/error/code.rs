//! The codes of errors. They are a public contract for programs; `docs/src/error-codes.md` lists them.

/// Defines [`Code`] from one row for each code: its documentation, which is also its row in the reference, its name,
/// its string and its exit code.
macro_rules! codes {
    ($(#[doc = $meaning:literal] $name:ident => $code:literal, $exit:literal;)+) => {
        /// Which situation an error describes. Its string does not change between releases.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Code {
            $(#[doc = $meaning] $name,)+
            /// A command failed on another machine, with this exit code.
            FailedOnHost(u8),
        }

        impl Code {
            /// Returns the code for programs.
            pub(crate) fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $code,)+
                    Code::FailedOnHost(_) => "far-error",
                }
            }

            /// Returns the exit code of the process.
            pub(crate) fn exit(self) -> u8 {
                match self {
                    $(Code::$name => $exit,)+
                    Code::FailedOnHost(exit) => exit,
                }
            }

            /// All codes with their meaning, as the reference lists them.
            #[cfg(test)]
            pub(super) const MEANINGS: &[(Code, &str)] = &[$((Code::$name, $meaning)),+];
        }
    };
}

codes! {
    /// The agent asks another question than the one given with `--if-asks`.
    OtherQuestion => "asks-another", 6;
    /// A terminal drives the agent, and the caller only observes it.
    Driven => "driven", 6;
    /// The agent asks for a choice or a text; `agent answer` gives it.
    NeedsChoice => "asks-for-choice", 6;
    /// `config.toml` or `kinds.toml` has a mistake.
    BadConfig => "bad-config", 5;
    /// The directory to work in cannot be used.
    BadDirectory => "bad-directory", 1;
    /// A handoff file is damaged or not a handoff.
    BadHandoff => "bad-handoff", 1;
    /// The name or address of a host is not valid.
    BadHost => "bad-host", 2;
    /// The key of a note is not valid.
    BadNoteKey => "bad-key", 2;
    /// A name is not valid, or reserved.
    BadName => "bad-name", 2;
    /// Parameters are unknown, missing or of the wrong type.
    BadParams => "bad-params", 2;
    /// A spec has mistakes.
    BadSpec => "bad-spec", 1;
    /// `TERM` names a terminal that cannot be used.
    BadTerminal => "bad-terminal", 2;
    /// Another command works on the agent.
    Busy => "busy", 1;
    /// Dialogs of this kind of agent cannot be answered from the command line.
    CannotAnswer => "cannot-answer", 1;
    /// The agent cannot be hibernated now.
    CannotHibernate => "cannot-sleep", 1;
    /// A check of `agent finish` failed; the base branch was not changed.
    CheckFailed => "check-failed", 1;
    /// The work of the agent conflicts with its base branch.
    Conflict => "conflict", 1;
    /// The process of a share was not ready in time; the agent is not shared.
    ShareNotReady => "door-shut", 7;
    /// The process that serves a share did not answer in time.
    ShareTimedOut => "door-silent", 7;
    /// The agent ended before a prompt was confirmed.
    EndedMeanwhile => "ended-meanwhile", 6;
    /// The agent ended right after its start.
    ExitedAtOnce => "exited-at-once", 1;
    /// A system operation failed.
    SystemCall => "failed", 1;
    /// The other machine sent an unexpected answer.
    UnexpectedAnswer => "far-failed", 1;
    /// The connection was lost, and it could not be determined whether the command ran.
    OutcomeUnknown => "far-unknown", 6;
    /// The limit on running agents is reached (`max_agents`).
    MaxAgentsReached => "full", 1;
    /// Symposium is not installed on the other machine.
    HostLacksSymposium => "host-lacks-symposium", 1;
    /// The version of Symposium on the other machine is too old for the command.
    HostTooOld => "host-older", 1;
    /// A host of that name exists.
    HostTaken => "host-taken", 1;
    /// The other machine cannot be reached.
    HostUnreachable => "host-unreached", 1;
    /// The agent runs in the foreground of a terminal, outside tmux.
    InTerminal => "in-terminal", 1;
    /// The connection to the other machine was lost.
    ConnectionLost => "link-lost", 1;
    /// The path of the tmux socket is too long.
    SocketPathTooLong => "long-socket", 4;
    /// The agent CLI cannot enforce the requested `shell_tier`.
    LooserTier => "looser-tier", 1;
    /// An agent of that name exists.
    NameTaken => "name-taken", 1;
    /// The handoff was written by a newer version.
    NewerHandoff => "newer-handoff", 1;
    /// There is no agent to act on.
    NoAgents => "no-agents", 3;
    /// The directory is not in a git repository.
    NoRepository => "no-repository", 1;
    /// Neither systemd nor launchd is available.
    NoServiceManager => "no-service-manager", 1;
    /// No agent has that name.
    NoSuchAgent => "no-such-agent", 3;
    /// The agent has no checkpoint with that number.
    NoSuchCheckpoint => "no-such-checkpoint", 3;
    /// The agent has no review comment with that number.
    NoSuchComment => "no-such-comment", 3;
    /// No copy of removed work has that name.
    NoSuchCopy => "no-such-copy", 3;
    /// No device of the web page has that id or name.
    NoSuchDevice => "no-such-device", 3;
    /// No environment has that name.
    NoSuchEnvironment => "no-such-environment", 3;
    /// No host has that name.
    NoSuchHost => "no-such-host", 3;
    /// No note has that key.
    NoSuchNote => "no-such-note", 3;
    /// The dialog of the agent has no such option.
    NoSuchOption => "no-such-option", 2;
    /// No project has that name.
    NoSuchProject => "no-such-project", 3;
    /// No spec and no kind has that name.
    NoSuchSpec => "no-such-spec", 3;
    /// No task has that number.
    NoSuchTask => "no-such-task", 3;
    /// No Unix user has that name.
    NoSuchUser => "no-such-user", 3;
    /// The agent has no current task.
    NoCurrentTask => "no-task", 3;
    /// The command needs a terminal.
    NoTerminal => "no-terminal", 2;
    /// The message has no recipient.
    NoRecipient => "nobody-there", 3;
    /// No agent and no spec has the name given for a task.
    NoAssignee => "nobody-to-do", 3;
    /// A prompt was not typed, or its delivery could not be confirmed.
    NotConfirmed => "not-confirmed", 6;
    /// The command cannot run on another machine.
    LocalOnly => "not-far", 2;
    /// The agent is not running.
    NotRunning => "not-running", 1;
    /// The agent is not shared.
    NotShared => "not-shared", 3;
    /// The agent is not shared with that user.
    NotSharedWith => "not-shared-with", 3;
    /// The calling agent may not answer this question.
    NotYours => "not-yours", 1;
    /// The note is longer than 1 MiB.
    NoteTooLong => "note-too-long", 1;
    /// The agent does not ask anything.
    NoQuestion => "nothing-asked", 6;
    /// An agent may not do this to that agent or task.
    NotPermitted => "out-of-place", 1;
    /// The program of the kind is not installed.
    ProgramMissing => "program-missing", 1;
    /// The agent's program cannot accept this text.
    TextRefused => "refused", 6;
    /// The export contains something that looks like a secret.
    SecretsInHandoff => "secrets", 1;
    /// The service manager refused.
    ServiceRefused => "service-refused", 1;
    /// The ssh program failed.
    Ssh => "ssh", 1;
    /// The state directory, registry or ledger cannot be used.
    State => "state", 5;
    /// The agent is still running.
    StillRunning => "still-running", 1;
    /// A share could not be ended completely.
    StillShared => "still-shared", 4;
    /// A supervisor is already running.
    SupervisorRunning => "supervisor-runs", 1;
    /// Processes of the agent could not be ended.
    ProcessesSurvived => "survivors", 1;
    /// The task is in a state that does not allow this.
    WrongTaskState => "task-is", 1;
    /// A time limit was reached.
    TimedOut => "timed-out", 7;
    /// tmux refused a command.
    TmuxFailed => "tmux-failed", 4;
    /// The tmux server has no free file descriptors.
    TmuxFull => "tmux-full", 4;
    /// tmux is not installed.
    TmuxMissing => "tmux-missing", 4;
    /// tmux did not answer in time.
    TmuxTimedOut => "tmux-silent", 4;
    /// The directory of the tmux socket is not safe to use.
    TmuxSocket => "tmux-socket", 4;
    /// tmux is older than 3.2.
    TmuxTooOld => "tmux-too-old", 4;
    /// The installed tmux cannot talk to the running tmux server of another version.
    TmuxVersion => "tmux-version", 4;
    /// A limit on the number of agents of a spec or parent is reached.
    TooManyAgents => "too-many", 1;
    /// The limit on devices of the web page is reached.
    TooManyDevices => "too-many-devices", 1;
    /// The calling agent is not in the registry.
    UnknownCaller => "unknown-caller", 1;
    /// A file or directory could be changed by another user.
    Unsafe => "unsafe", 1;
    /// The text is empty or contains characters that cannot be typed.
    Unsendable => "unsendable", 2;
    /// The project has checks for `agent finish` that the user has not agreed to.
    UntrustedChecks => "untrusted-checks", 1;
    /// The import needs a confirmation (`--yes --trust`).
    UntrustedHandoff => "untrusted-handoff", 1;
    /// A spec of the project would run something, and the project is not trusted.
    UntrustedSpec => "untrusted-spec", 1;
    /// The command line is wrong.
    Usage => "usage", 2;
    /// The web page is not served.
    WebNotRunning => "web-not-running", 1;
    /// The web page is served already.
    WebRunning => "web-running", 1;
    /// Several agents match, and there is no terminal to ask.
    AmbiguousAgent => "which-agent", 2;
    /// Several projects have that name.
    AmbiguousProject => "which-project", 2;
    /// The workspace holds unsaved work.
    UnsavedWork => "work-there", 1;
    /// The workspace cannot be created or used.
    Workspace => "workspace", 1;
}
