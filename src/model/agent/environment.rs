//! Names of environments, as in `--home @NAME`. They follow the same rules as agent names.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::model::{AgentName, InvalidName};

/// Name of an environment below the default state directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct EnvironmentName(AgentName);

impl EnvironmentName {
    /// Returns the name as a string slice.
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
