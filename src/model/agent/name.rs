//! Names and ids, parsed once at the edge. A name that parsed is safe in a path, a tmux target and a shell.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest name: a tmux target, a file name and a terminal title all take it whole.
pub const MAX_NAME: usize = 63;

/// Words with a meaning of their own beside agent names: senders of tasks and mail (`person`, `handoff`, `heartbeat`,
/// `restart`, `spawn`), addresses of messages (`parent`, `children`) and words for several agents or machines.
const RESERVED_NAMES: [&str; 10] =
    ["person", "handoff", "heartbeat", "restart", "spawn", "parent", "children", "any", "all", "local"];

/// What an agent, its tmux session and its instance directory are called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentName(String);

impl AgentName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether this is a word with a meaning of its own, which no new agent may be called. Such names still
    /// parse, because older versions allowed them.
    pub fn is_reserved(&self) -> bool {
        RESERVED_NAMES.iter().any(|word| self.0.eq_ignore_ascii_case(word))
    }

    /// The longest valid name that can be made from free text: `Fix the login!` becomes `fix-the-login`.
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

    /// This name with `-N` behind it, cut so that it stays valid.
    pub fn numbered(&self, n: u32) -> AgentName {
        let tail = format!("-{n}");
        let head = &self.0[..self.0.len().min(MAX_NAME - tail.len())];
        AgentName(format!("{head}{tail}"))
    }
}

/// Why a text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// Nothing was given.
    #[error("it is empty")]
    Empty,
    /// More than [`MAX_NAME`] characters.
    #[error("it has {0} characters, at most 63 are allowed")]
    TooLong(usize),
    /// The first character is not a letter or digit.
    #[error("it starts with {0:?}, a letter or digit must come first")]
    BadStart(char),
    /// A character that is not allowed anywhere.
    #[error("it contains {0:?}, only letters, digits, `_` and `-` are allowed")]
    BadCharacter(char),
    /// One of `RESERVED_NAMES`, where a name is given to an agent.
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

/// What an agent is, for ever: it survives a rename, and marks the tmux session and every process of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(pub uuid::Uuid);

impl AgentId {
    /// A new one that nobody has.
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
