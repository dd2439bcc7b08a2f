//! Events that `symposium event` receives from tmux and from the hooks of agent CLIs.

use crate::model::{AgentId, AgentName, Exit, ReportedQuestion, TurnFailure, WaitingFor};

/// An event of our tmux server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TmuxEvent {
    /// The process of a pane ended; tmux keeps the pane.
    PaneDied {
        /// Name of the session.
        session: String,
        /// Id of the pane.
        pane: String,
        /// How the process ended.
        exit: Exit,
    },
    /// A session was closed.
    SessionClosed {
        /// Name of the session.
        session: String,
    },
    /// A client attached.
    ClientAttached {
        /// Name of the session.
        session: String,
    },
    /// A client switched from one session to another.
    ClientMoved,
    /// A client detached.
    ClientDetached {
        /// Name of the session.
        session: String,
    },
    /// A pane started to print, stopped printing or rang its bell.
    Edge {
        /// Name of the session.
        session: String,
        /// Which of these changes happened.
        edge: OutputChange,
    },
}

/// A change of a pane's output, which causes the screen to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputChange {
    /// The pane prints again after a pause.
    Activity,
    /// The pane has printed nothing for a while.
    Silence,
    /// The pane rang the bell.
    Bell,
}

/// An event that a hook of an agent CLI reported, independent of the CLI's own format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEvent {
    /// Id of the agent, from the environment of the hook.
    pub id: Option<AgentId>,
    /// Name that the agent had when it was started.
    pub name: Option<AgentName>,
    /// Conversation that the hook belongs to.
    pub conversation: Option<String>,
    /// Meaning of the hook.
    pub signal: HookSignal,
}

/// Meaning of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookSignal {
    /// The agent is running and would accept a prompt.
    Ready,
    /// The agent accepted this prompt and works on it.
    Prompted(String),
    /// The agent is working.
    Busy,
    /// The agent needs the user.
    Waiting(WaitingFor, ReportedQuestion),
    /// The agent repeats in general terms that it needs the user.
    StillWaiting(WaitingFor, String),
    /// The turn ended; the text is the agent's last reply, if the hook contains it.
    TurnOver(Option<String>),
    /// The turn ended with an error.
    TurnFailed(TurnFailure),
    /// The turn was refused, and the CLI continues it by itself after the limit has reset.
    TurnPaused(TurnFailure),
    /// A login succeeded.
    LoggedIn,
    /// The agent CLI is about to exit.
    Ending,
    /// A hook that has no meaning for Symposium.
    Other(String),
}
