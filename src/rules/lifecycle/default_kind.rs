//! What `default` means when nobody wrote a spec: the first agent CLI that is here, else the demo agent.

/// The order in which agent CLIs are looked for.
pub const PREFERRED: [&str; 12] = [
    "claude", "codex", "gemini", "kiro", "q", "opencode", "cursor", "copilot", "qwen", "goose", "amp",
    "aider",
];

/// The stand-in that is always here.
pub const LAST: &str = "demo";

/// The kind to take, given a way to tell whether a kind's program is here.
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
