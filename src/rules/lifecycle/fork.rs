//! What a fork of an agent starts with.

use crate::model::{AgentName, Kind};
use crate::rules::report::recap::in_prompt;

/// The conversation that a fork starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForkStart {
    /// A copy of the conversation of the original.
    Copy,
    /// A new conversation, whose first prompt is the recap of the original, because the agent CLI cannot copy one.
    Recap,
    /// A new conversation with the recap, because the agent CLI has not stored the conversation of the original.
    RecapOfUnstored,
    /// An empty conversation, because the original has none either.
    Empty,
}

/// Returns the first prompt of a fork without the conversation of the original.
pub fn first_prompt(original: &AgentName, recap: &str) -> String {
    format!(
        "You continue the work of agent `{original}` in a copy of its directory, without its conversation. The other agent goes on independently. A summary:\n\n{}\n\nCheck the state of the work (git log, git status), then describe in a few words how you would continue.",
        in_prompt(recap)
    )
}

/// Describes in one sentence which conversation a fork has.
pub fn describe(start: ForkStart, (original, fork): (&AgentName, &AgentName), kind: &Kind) -> String {
    match start {
        ForkStart::Copy => format!("`{fork}` continues with a copy of the conversation of `{original}`"),
        ForkStart::Recap => format!(
            "{} cannot copy a conversation: `{fork}` starts with a recap of `{original}` as its first prompt",
            kind.title
        ),
        ForkStart::RecapOfUnstored => format!(
            "{} has not stored the conversation of `{original}` yet: `{fork}` starts with a recap as its first prompt",
            kind.title
        ),
        ForkStart::Empty => {
            format!("`{original}` has no conversation yet: `{fork}` starts with an empty one")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_prompt_can_be_typed_and_holds_the_recap() {
        let text = first_prompt(&"fix".parse().unwrap(), "did \u{1b}[2Jthis\nand that\n");
        assert!(text.contains("agent `fix`") && text.contains("did  [2Jthis\nand that\n\nCheck"), "{text}");
        assert!(text.parse::<crate::model::Prompt>().is_ok());
    }
}
