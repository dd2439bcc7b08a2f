//! "Did you mean": the one word that is near enough to what was written.

/// The nearest of the known words, when a slip of the fingers explains the difference.
pub(in crate::specs) fn nearest<'a>(
    written: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let written = written.to_lowercase();
    // A third of the letters, at most three, may be wrong; of a single letter nothing can be told.
    let letters = written.chars().count();
    let most = (letters / 3).clamp(1, 3).min(letters.saturating_sub(1));
    known
        .into_iter()
        .map(|word| (strsim::osa_distance(&written, &word.to_lowercase()), word))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// "; did you mean `x`?" when there is one, else nothing.
pub(in crate::specs) fn did_you_mean<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(written, known).map(|word| format!("; did you mean `{word}`?")).unwrap_or_default()
}

/// What is allowed, and which of it was meant when that can be told.
pub(in crate::specs) fn allowed(written: &str, known: &[&str]) -> String {
    let near = did_you_mean(written, known.iter().copied());
    let separator = if near.is_empty() { ";" } else { "" };
    format!("{near}{separator} allowed: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_seen_and_another_word_is_not() {
        let known = ["model", "restart", "env", "shell_tier"];
        for (written, word) in [
            ("modle", Some("model")),
            ("Model", Some("model")),
            ("shell-tier", Some("shell_tier")),
            ("restarts", Some("restart")),
            ("en", Some("env")),
            ("colour", None),
            ("e", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, known), word, "{written}");
        }
    }
}
