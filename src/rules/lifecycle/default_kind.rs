//! Chooses the kind of the built-in spec `default`: the first installed agent CLI, or the demo agent.

/// Agent CLIs in the order in which they are looked up.
pub const PREFERRED: [&str; 12] = [
    "claude", "codex", "gemini", "kiro", "q", "opencode", "cursor", "copilot", "qwen", "goose", "amp",
    "aider",
];

/// The demo kind, which is always available.
pub const LAST: &str = "demo";

/// Returns the preferred kind for which `is_here` reports an installed program.
pub fn kind(is_here: impl Fn(&str) -> bool) -> &'static str {
    PREFERRED.into_iter().find(|kind| is_here(kind)).unwrap_or(LAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cli_that_is_here_is_taken_and_the_demo_agent_last() {
        assert_eq!(kind(|name| name == "gemini" || name == "aider"), "gemini");
        assert_eq!(kind(|_| false), "demo");
    }
}
