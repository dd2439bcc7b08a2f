//! What comes in through `symposium event`: something happened in tmux, or an agent's own hook spoke.

use crate::model::{AgentId, AgentName, Asks, Exit, TurnFailure, WaitingFor};

/// Something that happened in our tmux server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TmuxEvent {
    /// A pane's process ended, the pane is kept.
    PaneDied {
        /// The session.
        session: String,
        /// The pane's id.
        pane: String,
        /// How it ended.
        exit: Exit,
    },
    /// A session is gone.
    SessionClosed {
        /// The session.
        session: String,
    },
    /// A terminal was attached.
    ClientAttached {
        /// The session.
        session: String,
    },
    /// A terminal went from one session to another.
    ClientMoved,
    /// A terminal was detached.
    ClientDetached {
        /// The session.
        session: String,
    },
    /// A pane began to print, fell quiet or rang its bell.
    Edge {
        /// The session.
        session: String,
        /// Which of these.
        edge: Edge,
    },
}

/// What made us look at a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// It prints again after a silence.
    Activity,
    /// It has printed nothing for a while.
    Silence,
    /// It rang the bell.
    Bell,
}

/// What an agent CLI's hook says, in our words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEvent {
    /// The agent, by what its environment says.
    pub id: Option<AgentId>,
    /// The agent's name when it was started.
    pub name: Option<AgentName>,
    /// The conversation it speaks of.
    pub conversation: Option<String>,
    /// What happened.
    pub signal: HookSignal,
}

/// The meaning of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookSignal {
    /// It is up and would take a prompt.
    Ready,
    /// It took this prompt and works on it.
    Prompted(String),
    /// It works.
    Busy,
    /// It needs a person.
    Waiting(WaitingFor, Asks),
    /// It says once more, in general words, that it needs a person.
    StillWaiting(WaitingFor, String),
    /// Its turn is over; its last words, when it told them.
    TurnOver(Option<String>),
    /// Its turn ended with an error.
    TurnFailed(TurnFailure),
    /// Its turn was refused, and its CLI goes on with it by itself when the limit has reset.
    TurnPaused(TurnFailure),
    /// A login succeeded.
    LoggedIn,
    /// It is about to leave.
    Ending,
    /// A hook that means nothing to us.
    Other(String),
}
