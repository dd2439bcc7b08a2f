//! What tmux says now. A look that failed is an error of the tmux edge, never an empty [`Look`].

use std::fmt;

use jiff::Timestamp;

use super::{AgentId, Exit};

/// The answer of one look at our tmux server.
#[derive(Debug, Clone, PartialEq)]
pub enum Look {
    /// The server answered.
    Running(LiveServer),
    /// There is certainly no server on the socket.
    NoServer,
}

/// Our tmux server at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveServer {
    /// Which server it is.
    pub identity: ServerIdentity,
    /// Its version, as tmux says it.
    pub version: String,
    /// All panes of all sessions.
    pub panes: Vec<LivePane>,
    /// All attached terminals.
    pub clients: Vec<LiveClient>,
}

/// `start_time:pid`: a changed identity means that the old server and all its sessions are gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerIdentity(pub String);

impl ServerIdentity {
    /// The server's process.
    pub fn pid(&self) -> Option<i32> {
        self.0.rsplit_once(':').and_then(|(_, pid)| pid.parse().ok())
    }
}

impl fmt::Display for ServerIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One pane of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct LivePane {
    /// The session's name.
    pub session: String,
    /// The pane's id, `%7`.
    pub pane: String,
    /// The agent whose session this is, when the session carries our mark.
    pub agent: Option<AgentId>,
    /// The first process of the pane.
    pub pid: Option<i32>,
    /// How it ended, when the pane is dead.
    pub dead: Option<DeadPane>,
    /// When the window last had output.
    pub activity: Option<Timestamp>,
}

/// A pane whose process has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadPane {
    /// How.
    pub exit: Exit,
    /// When, where tmux tells (3.3 and newer).
    pub at: Option<Timestamp>,
}

/// One attached terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveClient {
    /// The session it shows.
    pub session: String,
    /// Its terminal.
    pub tty: String,
    /// The Unix user, where tmux tells (3.3 and newer).
    pub user: Option<String>,
    /// Whether it may only watch.
    pub observer: bool,
    /// The process that draws on it.
    pub pid: Option<i32>,
    /// When it came.
    pub since: Option<Timestamp>,
    /// Whether it is the one that drives, where one does.
    pub driver: bool,
    /// Whether it is another user's, to whom the agent is shared.
    pub guest: bool,
    /// Whether it has the keyboard, as far as it tells: one that tells nothing has it.
    pub focused: bool,
}
