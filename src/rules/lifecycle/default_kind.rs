//! Chooses the kind of the built-in spec `default`: the first installed agent CLI, or the demo agent.

/// Agent CLIs in the order in which they are looked up.
pub const PREFERRED: [&str; 12] = [
    "claude", "codex", "gemini", "kiro", "q", "opencode", "cursor", "copilot", "qwen", "goose", "amp",
    "aider",
];

/// The demo kind, which is always available.
pub const FALLBACK_KIND: &str = "demo";

/// Returns the preferred kind for which `is_here` reports an installed program.
pub fn kind(is_here: impl Fn(&str) -> bool) -> &'static str {
    PREFERRED.into_iter().find(|kind| is_here(kind)).unwrap_or(FALLBACK_KIND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_the_first_installed_cli_or_the_demo_agent() {
        assert_eq!(kind(|name| name == "gemini" || name == "aider"), "gemini");
        assert_eq!(kind(|_| false), "demo");
    }
}
