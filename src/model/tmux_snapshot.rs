//! The state of the tmux server at one moment. A query that failed is an error of the tmux adapter, never an empty
//! [`TmuxSnapshot`].

use std::fmt;

use jiff::Timestamp;

use super::{AgentId, Exit};

/// The answer of one query of our tmux server.
#[derive(Debug, Clone, PartialEq)]
pub enum TmuxSnapshot {
    /// The server is running and answered.
    Running(LiveServer),
    /// No server listens on the socket.
    NoServer,
}

/// State of our tmux server at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveServer {
    /// Identity of the server.
    pub identity: ServerIdentity,
    /// Version of the server, as tmux reports it.
    pub version: String,
    /// All panes of all sessions.
    pub panes: Vec<LivePane>,
    /// All attached clients.
    pub clients: Vec<LiveClient>,
}

/// Identity of a server, `start_time:pid`. A changed identity means that the old server and all its sessions are gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerIdentity(pub String);

impl ServerIdentity {
    /// Returns the process id of the server.
    pub fn pid(&self) -> Option<i32> {
        self.0.rsplit_once(':').and_then(|(_, pid)| pid.parse().ok())
    }
}

impl fmt::Display for ServerIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One pane of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct LivePane {
    /// Name of the session.
    pub session: String,
    /// Id of the pane, for example `%7`.
    pub pane: String,
    /// Agent that the session belongs to, if the session carries our marker.
    pub agent: Option<AgentId>,
    /// Process id of the pane's first process.
    pub pid: Option<i32>,
    /// How the process ended, if the pane is dead.
    pub dead: Option<DeadPane>,
    /// Time of the window's last output.
    pub activity: Option<Timestamp>,
}

/// A pane whose process has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadPane {
    /// How the process ended.
    pub exit: Exit,
    /// Time at which the process ended, if tmux reports it (3.3 and newer).
    pub at: Option<Timestamp>,
}

/// One attached client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveClient {
    /// Session that the client shows.
    pub session: String,
    /// Path of the client's terminal.
    pub tty: String,
    /// Unix user, if tmux reports it (3.3 and newer).
    pub user: Option<String>,
    /// Whether the client may only watch.
    pub observer: bool,
    /// Process id of the tmux client.
    pub pid: Option<i32>,
    /// Time at which the client attached.
    pub since: Option<Timestamp>,
    /// Whether the client is the driver, if there is one.
    pub driver: bool,
    /// Whether the client belongs to another user with whom the agent is shared.
    pub guest: bool,
    /// Whether the client has the keyboard focus. A terminal that does not report focus counts as focused.
    pub focused: bool,
}
