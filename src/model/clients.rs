//! The clients that are attached to one session, and the changes that the driver rules make to them.

/// The clients that are attached to one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttachedClients {
    /// Name of the session.
    pub session: String,
    /// Key of the driver, as the session option records it.
    pub driver: Option<String>,
    /// Keys of the clients that want to drive, in this session or another one, in the order in which they became
    /// observers.
    pub waiting: Vec<String>,
    /// Name of the client that determines the size, if all clients may type.
    pub sizer: Option<String>,
    /// Attached clients, in the order in which they attached.
    pub terminals: Vec<AttachedClient>,
}

/// An attached client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedClient {
    /// Key of the client: its process id, `@` and its name.
    pub key: String,
    /// Whether keys typed there reach the agent.
    pub types: bool,
    /// Whether tmux includes it in the size calculation.
    pub counts: bool,
    /// Description of its user for messages.
    pub words: String,
    /// Whether it belongs to a guest. tmux treats guests as read-only; Symposium forwards their keys.
    pub guest: bool,
    /// Whether it has accepted no output for some seconds, because its terminal is not being read.
    pub is_stalled: bool,
}

impl AttachedClient {
    /// Returns the process id of the client.
    pub fn pid(&self) -> Option<i32> {
        self.key.split_once('@').and_then(|(pid, _)| pid.parse().ok())
    }

    /// Returns the name of the client.
    pub fn name(&self) -> &str {
        self.key.split_once('@').map_or(&self.key, |(_, name)| name)
    }
}

/// A change to the clients of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientChange {
    /// Makes this client the driver.
    Drive(String),
    /// Makes this client an observer.
    Watch(String),
    /// Lets this client type, alongside others.
    Type(String),
    /// Makes this client the only one that determines the size.
    Size(String),
    /// Records that the session has no driver.
    Vacate,
}
