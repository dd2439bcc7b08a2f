//! How freely an agent may act: three words that every agent CLI says in flags of its own.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How freely an agent may act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Runs what it likes.
    Free,
    /// Edits by itself, asks before commands.
    Review,
    /// Asks before everything that changes something.
    Approve,
}

impl Tier {
    /// Every tier, the loosest first.
    pub const ALL: [Tier; 3] = [Tier::Free, Tier::Review, Tier::Approve];

    /// The word for it.
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

/// A text that is none of the tiers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a tier of approval; known: free, review, approve")]
pub struct UnknownTier(pub String);

impl FromStr for Tier {
    type Err = UnknownTier;

    fn from_str(text: &str) -> Result<Self, UnknownTier> {
        Tier::ALL.into_iter().find(|tier| tier.word() == text).ok_or_else(|| UnknownTier(text.to_owned()))
    }
}
