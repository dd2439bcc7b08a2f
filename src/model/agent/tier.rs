//! The tiers, which define how freely an agent may act. Each agent CLI has its own flags for them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How freely an agent may act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// The agent runs everything without asking.
    Free,
    /// The agent edits files without asking and asks before commands.
    Review,
    /// The agent asks before everything that changes something.
    Approve,
}

impl Tier {
    /// All tiers, the least restrictive first.
    pub const ALL: [Tier; 3] = [Tier::Free, Tier::Review, Tier::Approve];

    /// Returns the name of the tier.
    pub fn word(self) -> &'static str {
        match self {
            Tier::Free => "free",
            Tier::Review => "review",
            Tier::Approve => "approve",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// Error for a text that is not a tier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a tier of approval; known: free, review, approve")]
pub struct UnknownTier(pub String);

impl FromStr for Tier {
    type Err = UnknownTier;

    fn from_str(text: &str) -> Result<Self, UnknownTier> {
        Tier::ALL.into_iter().find(|tier| tier.word() == text).ok_or_else(|| UnknownTier(text.to_owned()))
    }
}
