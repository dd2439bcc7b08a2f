//! Reads the initial environment of a process, for callers that must redact its secrets.

/// Returns the variables of a process, or none if the system denies access.
pub fn environment(pid: i32) -> Vec<(String, String)> {
    let bytes = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let pair = |entry: &[u8]| {
        let text = String::from_utf8_lossy(entry).into_owned();
        text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    bytes.split(|byte| *byte == 0).filter_map(pair).collect()
}
