//! The terminals that are attached to one session, and what is done about them.

/// The terminals of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seats {
    /// The session.
    pub session: String,
    /// Who drives, by what the session has noted.
    pub driver: Option<String>,
    /// Who would, here or elsewhere, in the order in which they were made to watch.
    pub waiting: Vec<String>,
    /// The name of the one that decides the size, where all may type.
    pub sizer: Option<String>,
    /// Who is there, in the order in which they came.
    pub terminals: Vec<Terminal>,
}

/// A terminal that is attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terminal {
    /// What it is known by: the process that draws on it, `@` and its name.
    pub key: String,
    /// Whether what is typed there gets through.
    pub types: bool,
    /// Whether tmux counts it for the size.
    pub counts: bool,
    /// Whose it is, in words.
    pub words: String,
    /// Whether it is a guest's, which tmux never lets type: we do, for it.
    pub guest: bool,
    /// Whether its screen is not being read: it took no output for some seconds.
    pub is_stalled: bool,
}

impl Terminal {
    /// The process that draws on it.
    pub fn pid(&self) -> Option<i32> {
        self.key.split_once('@').and_then(|(pid, _)| pid.parse().ok())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.key.split_once('@').map_or(&self.key, |(_, name)| name)
    }
}

/// Something to be set right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// This one drives now.
    Drive(String),
    /// This one watches from now on.
    Watch(String),
    /// This one may type, beside others.
    Type(String),
    /// This one decides the size, and no other.
    Size(String),
    /// Nobody drives.
    Vacate,
}
