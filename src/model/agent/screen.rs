//! The state that was read from an agent's visible screen.

use crate::model::TurnFailure;

/// Result of reading a screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenReading {
    /// State of the agent, if a pattern of its kind matched.
    pub state: Option<ScreenState>,
    /// Text in the input line that was not submitted; `None` if the line is empty or not visible.
    ///
    /// A wrapped line cannot be distinguished from two lines.
    pub draft: Option<String>,
}

/// States that a screen can show. The text is the line that asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenState {
    /// The agent would accept a prompt.
    Ready,
    /// The agent is working.
    Busy,
    /// The agent asks for an approval.
    Approval(String),
    /// The agent asks a question.
    Question(String),
    /// The agent CLI asks for a login, trust or consent.
    Setup(String),
    /// The agent would accept a prompt, and shows that its last turn failed or that it is not logged in.
    Failed(TurnFailure),
}

impl ScreenState {
    /// Returns whether the agent is at its prompt, with or without a failed turn above it.
    pub fn is_at_prompt(&self) -> bool {
        matches!(self, ScreenState::Ready | ScreenState::Failed(_))
    }
}
