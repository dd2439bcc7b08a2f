//! Names and ids, parsed once where they enter the program. A parsed name is safe in a path, a tmux target and a shell.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Maximum length of a name, which a tmux target, a file name and a terminal title can all hold in full.
pub const MAX_NAME: usize = 63;

/// Names that mean something else where an agent name may stand: senders of tasks and mail (`person`, `handoff`,
/// `heartbeat`, `restart`, `spawn`), addresses of messages (`parent`, `children`) and names for several agents or
/// machines.
const RESERVED_NAMES: [&str; 10] =
    ["person", "handoff", "heartbeat", "restart", "spawn", "parent", "children", "any", "all", "local"];

/// Name of an agent, of its tmux session and of its instance directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentName(String);

impl AgentName {
    /// Returns the name as a string slice.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether this name is reserved, so that a new agent may not have it. Reserved names still parse, because
    /// older versions allowed them.
    pub fn is_reserved(&self) -> bool {
        RESERVED_NAMES.iter().any(|word| self.0.eq_ignore_ascii_case(word))
    }

    /// Returns the longest valid name that can be made from free text: `Fix the login!` becomes `fix-the-login`.
    pub fn slug(text: &str, longest: usize) -> Option<AgentName> {
        let mut slug = String::new();
        for c in text.chars() {
            if slug.len() >= longest.min(MAX_NAME) {
                break;
            }
            if c.is_ascii_alphanumeric() {
                slug.push(c.to_ascii_lowercase());
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        slug.trim_end_matches('-').parse().ok()
    }

    /// Returns this name with the suffix `-N`, truncated so that it stays valid.
    pub fn numbered(&self, n: u32) -> AgentName {
        let tail = format!("-{n}");
        let head = &self.0[..self.0.len().min(MAX_NAME - tail.len())];
        AgentName(format!("{head}{tail}"))
    }
}

/// Reason why a text is not a valid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// The text is empty.
    #[error("it is empty")]
    Empty,
    /// The text has more than [`MAX_NAME`] characters.
    #[error("it has {0} characters, at most 63 are allowed")]
    TooLong(usize),
    /// The first character is not a letter or digit.
    #[error("it starts with {0:?}, a letter or digit must come first")]
    BadStart(char),
    /// The text contains a character that is not allowed.
    #[error("it contains {0:?}, only letters, digits, `_` and `-` are allowed")]
    BadCharacter(char),
    /// The name is one of `RESERVED_NAMES` and was given to a new agent.
    #[error("it is a reserved word")]
    Reserved,
}

impl FromStr for AgentName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let first = text.chars().next().ok_or(InvalidName::Empty)?;
        if let Some(bad) = text.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '_' && *c != '-') {
            return Err(InvalidName::BadCharacter(bad));
        }
        if !first.is_ascii_alphanumeric() {
            return Err(InvalidName::BadStart(first));
        }
        if text.len() > MAX_NAME {
            return Err(InvalidName::TooLong(text.len()));
        }
        Ok(AgentName(text.to_owned()))
    }
}

impl TryFrom<String> for AgentName {
    type Error = InvalidName;

    fn try_from(text: String) -> Result<Self, InvalidName> {
        text.parse()
    }
}

impl From<AgentName> for String {
    fn from(name: AgentName) -> String {
        name.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Permanent id of an agent. It survives a rename, and marks the agent's tmux session and all its processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(pub uuid::Uuid);

impl AgentId {
    /// Generates a new random id.
    pub fn fresh() -> Self {
        AgentId(uuid::Uuid::new_v4())
    }
}

impl FromStr for AgentId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        uuid::Uuid::parse_str(text).map(AgentId)
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Id of a group: agents that were started together on one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GroupId(pub uuid::Uuid);

impl GroupId {
    /// Generates a new random id.
    pub fn fresh() -> Self {
        GroupId(uuid::Uuid::new_v4())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_are_refused_say_why() {
        let long = "x".repeat(300);
        for (text, why) in [
            ("", InvalidName::Empty),
            ("../x", InvalidName::BadCharacter('.')),
            ("a.b:c", InvalidName::BadCharacter('.')),
            ("-rf", InvalidName::BadStart('-')),
            ("_x", InvalidName::BadStart('_')),
            (long.as_str(), InvalidName::TooLong(300)),
            ("🦀", InvalidName::BadCharacter('🦀')),
            ("$(touch x)", InvalidName::BadCharacter('$')),
            ("#{pane_pid}", InvalidName::BadCharacter('#')),
            ("a;", InvalidName::BadCharacter(';')),
            ("a\nb", InvalidName::BadCharacter('\n')),
            ("a\0", InvalidName::BadCharacter('\0')),
        ] {
            assert_eq!(text.parse::<AgentName>(), Err(why), "{text:?}");
        }
    }

    #[test]
    fn a_slug_keeps_letters_and_digits() {
        for (text, slug) in [
            ("Fix the login!", Some("fix-the-login")),
            ("  ", None),
            ("日本", None),
            ("-- a -- b --", Some("a-b")),
            ("a_very_long_text_that_goes_on", Some("a-very-long-text-that")),
        ] {
            assert_eq!(AgentName::slug(text, 22).map(String::from).as_deref(), slug, "{text:?}");
        }
    }

    #[test]
    fn reserved_words_still_parse_as_names() {
        for (text, is_reserved) in
            [("person", true), ("Person", true), ("handoff", true), ("children", true), ("persons", false)]
        {
            assert_eq!(text.parse::<AgentName>().unwrap().is_reserved(), is_reserved, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_parses_to_itself_or_is_refused(text in any::<String>()) {
            if let Ok(name) = text.parse::<AgentName>() {
                prop_assert_eq!(name.as_str(), text);
            }
        }

        #[test]
        fn valid_names_are_accepted(text in "[A-Za-z0-9][A-Za-z0-9_-]{0,62}") {
            let name: AgentName = text.parse().unwrap();
            prop_assert!(String::from(name.numbered(u32::MAX)).parse::<AgentName>().is_ok());
        }

        #[test]
        fn a_slug_is_a_name(text in any::<String>(), longest in 1usize..80) {
            if let Some(slug) = AgentName::slug(&text, longest) {
                prop_assert!(slug.as_str().parse::<AgentName>().is_ok());
            }
        }
    }
}
