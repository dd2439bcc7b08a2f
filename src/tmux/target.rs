//! Targets that tmux resolves to exactly one object. A bare name is never used as a target, because tmux also accepts a
//! prefix of it.

use super::TmuxError;

/// Returns the target of the session with exactly this name, for commands that expect a session.
pub(super) fn session(name: &str) -> String {
    format!("={name}")
}

/// Returns the target of the active pane of the session with exactly this name, for commands that expect a pane.
pub(super) fn pane_of(name: &str) -> String {
    format!("={name}:")
}

/// Validates the id of a pane.
pub(super) fn pane(id: &str) -> Result<&str, TmuxError> {
    match id.strip_prefix('%') {
        Some(number) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => Ok(id),
        _ => Err(TmuxError::NoPane { pane: id.to_owned() }),
    }
}

/// Escapes a session name for use in a format, where `,`, `}` and `#` have a meaning.
pub(super) fn in_format(name: &str) -> String {
    name.chars().flat_map(|c| matches!(c, ',' | '}' | '#').then_some('#').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_are_panes() {
        assert_eq!(pane("%17").unwrap(), "%17");
        for bad in ["", "%", "17", "%1;", "%-1", "=a:", "%1 "] {
            assert!(matches!(pane(bad), Err(TmuxError::NoPane { .. })), "{bad:?}");
        }
    }
}
