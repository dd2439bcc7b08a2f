//! Formats names, lines and durations for messages.

use std::time::Duration;

use crate::model::AgentName;

/// Indents lines that belong to the observation above them.
pub(crate) fn indented(lines: &[String]) -> impl Iterator<Item = String> {
    lines.iter().map(|line| format!("  {line}"))
}

/// Formats a duration in seconds.
pub(crate) fn seconds(duration: Duration) -> String {
    let secs = duration.as_secs_f64();
    if secs >= 10.0 { format!("{secs:.0}s") } else { format!("{secs:.1}s") }
}

/// Lists names of agents and counts those that do not fit into a line.
pub(crate) fn listed(names: &[AgentName]) -> String {
    const MAX_LISTED_NAMES: usize = 12;
    let mut text = names.iter().take(MAX_LISTED_NAMES).map(AgentName::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > MAX_LISTED_NAMES {
        text.push_str(&format!(" and {} more", names.len() - MAX_LISTED_NAMES));
    }
    text
}
