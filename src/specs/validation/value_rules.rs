//! Rules for single texts of a spec, each with its error message.

use crate::base::duration::parse_duration;
use crate::model::is_deceptive;

/// Maximum length of one program argument on Linux, without the terminating NUL: `MAX_ARG_STRLEN`.
pub(in crate::specs) const MAX_ARGUMENT_BYTES: usize = 131_071;

/// Checks a text that can be an argument.
pub(in crate::specs) fn text(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("is empty".into());
    }
    if text.contains('\0') {
        return Err("contains a NUL character".into());
    }
    match text.len() {
        ..=MAX_ARGUMENT_BYTES => Ok(()),
        bytes => Err(format!(
            "has {bytes} bytes; allowed: {MAX_ARGUMENT_BYTES}, the longest argument of a program"
        )),
    }
}

/// Checks a text on one line.
pub(in crate::specs) fn line(line: &str) -> Result<(), String> {
    text(line)?;
    match line.chars().any(char::is_control) {
        true => Err("must be on one line, without control characters".into()),
        false => Ok(()),
    }
}

/// Checks a shell command. The user reads it before it runs, so it must not contain invisible characters.
pub(in crate::specs) fn shell_line(text: &str) -> Result<(), String> {
    line(text)?;
    match text.contains(is_deceptive) {
        true => Err("contains invisible characters".into()),
        false => Ok(()),
    }
}

/// Parses a duration of at least a second and returns it in seconds.
pub(in crate::specs) fn span(text: &str) -> Result<u64, String> {
    match parse_duration(text).map(|span| span.as_secs()) {
        Some(seconds @ 1..) => Ok(seconds),
        Some(_) => Err("is too short; allowed: from 1s".into()),
        None => Err("is not a time span; examples: 90s, 30m, 2h, 1h 30m, 7d".into()),
    }
}

/// Checks the name of a variable that a spec may set.
pub(in crate::specs) fn variable(name: &str) -> Result<(), String> {
    let rest = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !first || !name.chars().all(rest) {
        return Err(
            "is not a valid name of a variable; allowed: letters, digits and `_`, not a digit first".into()
        );
    }
    // Agents find each other with these variables, and tmux finds its server.
    match name.starts_with("SYMPOSIUM_") || name.starts_with("TMUX") {
        true => Err("is reserved; allowed: any name except SYMPOSIUM_… and TMUX…".into()),
        false => Ok(()),
    }
}

/// Splits a text at its commas, but not inside parentheses: `Bash(git add, git log), Read` has two parts.
pub(in crate::specs) fn at_commas(text: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0_usize, vec![String::new()]);
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_spans_need_a_unit_and_a_positive_value() {
        for (text, seconds) in [("90s", 90), ("30m", 1_800), ("1h 30m", 5_400), ("2h", 7_200)] {
            assert_eq!(span(text), Ok(seconds), "{text}");
        }
        for text in ["30", "", "-5m", "0s", "100ms", "soon", "P1D T"] {
            assert!(span(text).is_err(), "{text}");
        }
    }

    #[test]
    fn reserved_variables_cannot_be_set() {
        for name in ["SYMPOSIUM_HOME", "TMUX", "1A", "A=B", "", "A B"] {
            assert!(variable(name).is_err(), "{name}");
        }
        assert_eq!(variable("_RUST_LOG2"), Ok(()));
    }

    #[test]
    fn tools_are_cut_at_commas_outside_parentheses() {
        assert_eq!(
            at_commas("Read, Bash(git add, git log) ,,Edit"),
            ["Read", "Bash(git add, git log)", "Edit"]
        );
        assert_eq!(at_commas(") a, b("), [") a", "b("]);
    }
}
