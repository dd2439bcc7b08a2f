//! Names by which tmux finds exactly one thing. A bare name is never a target: tmux would take a prefix for it.

use super::TmuxError;

/// The session called exactly this, for commands that want a session.
pub(super) fn session(name: &str) -> String {
    format!("={name}")
}

/// The active pane of the session called exactly this, for commands that want a pane.
pub(super) fn pane_of(name: &str) -> String {
    format!("={name}:")
}

/// A pane's id, when it is one.
pub(super) fn pane(id: &str) -> Result<&str, TmuxError> {
    match id.strip_prefix('%') {
        Some(number) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => Ok(id),
        _ => Err(TmuxError::NoPane { pane: id.to_owned() }),
    }
}

/// A session's name inside a format, where `,`, `}` and `#` would end or begin something.
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
