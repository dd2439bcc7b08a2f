//! The tiers, which define how freely an agent may act. Each agent CLI has its own flags for them.

use serde::{Deserialize, Serialize};

/// How freely an agent may act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", parse_err_ty = UnknownTier, parse_err_fn = UnknownTier::new)]
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
        self.into()
    }
}

/// Error for a text that is not a tier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a tier of approval; known: free, review, approve")]
pub struct UnknownTier(pub String);

impl UnknownTier {
    fn new(text: &str) -> UnknownTier {
        UnknownTier(text.to_owned())
    }
}
