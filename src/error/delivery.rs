//! Errors about texts that are not typed into an agent, or whose delivery is not confirmed.

use std::fmt;

use super::{Code, Error};
use crate::model::{AgentName, Unsendable};

/// Whether keys were typed before an operation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypedText {
    /// No key was typed, so the operation can be retried.
    Nothing,
    /// Some or all keys may have been typed.
    Something,
}

/// The cause of a delivery that is not confirmed.
#[derive(Debug)]
pub(crate) struct Undelivered {
    /// The reason, as it is shown to the user.
    pub(crate) why: String,
    /// Whether the delivery can be retried.
    pub(crate) typed: TypedText,
}

impl fmt::Display for Undelivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Undelivered {}

impl Error {
    /// A prompt was not typed, or its delivery could not be confirmed.
    pub(crate) fn not_confirmed(name: &AgentName, why: impl Into<String>, typed: TypedText) -> Error {
        let why = why.into();
        Error::new(Code::NotConfirmed, format!("delivery to agent `{name}` is not confirmed: {why}"))
            .hint(format!("look with `symposium agent peek {name}`, or `symposium agent attach {name}`"))
            .caused_by(Undelivered { why, typed })
    }

    /// The text cannot be typed into any agent.
    pub(crate) fn unsendable(why: Unsendable) -> Error {
        match why {
            Unsendable::Empty => Error::new(Code::Unsendable, "there is nothing to send: the text is empty")
                .hint("give a text that is not empty, or `-` to read it from stdin"),
            why => Error::new(Code::Unsendable, format!("this text cannot be typed into a terminal: {why}"))
                .hint("remove it, or put the text into a file and tell the agent to read that file"),
        }
    }

    /// Returns whether the delivery failed before a key was typed.
    pub(crate) fn is_before_typing(&self) -> bool {
        self.cause::<Undelivered>().is_some_and(|cause| cause.typed == TypedText::Nothing)
    }
}
