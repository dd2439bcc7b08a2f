//! The name of an environment: what stands behind the `@` of `--home @NAME`. The same rule as for agents.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::model::{AgentName, InvalidName};

/// What an environment under the default home is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct EnvironmentName(AgentName);

impl EnvironmentName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for EnvironmentName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        text.parse().map(EnvironmentName)
    }
}

impl fmt::Display for EnvironmentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
