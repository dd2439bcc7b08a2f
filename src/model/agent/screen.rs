//! What an agent's visible screen shows, in our words.

use crate::model::TurnFailure;

/// What a screen shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenReading {
    /// The state, when a pattern of the kind was found.
    pub state: Option<ScreenState>,
    /// What stands in the composer and has not been submitted; none when it is empty or not to be seen.
    ///
    /// A line that was wrapped on the screen cannot be told from two lines.
    pub draft: Option<String>,
}

/// The states a screen can show. The text is the line that asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenState {
    /// It would take a prompt.
    Ready,
    /// It works.
    Busy,
    /// It wants a yes or no.
    Approval(String),
    /// It asks something.
    Question(String),
    /// Login, trust, consent.
    Setup(String),
    /// It would take a prompt, and shows that its last turn failed or that it is not logged in.
    Failed(TurnFailure),
}

impl ScreenState {
    /// Returns whether the agent is at its prompt, with or without a failed turn above it.
    pub fn is_at_prompt(&self) -> bool {
        matches!(self, ScreenState::Ready | ScreenState::Failed(_))
    }
}
