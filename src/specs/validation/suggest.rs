//! "Did you mean" suggestions: the known word that is most similar to the written one.

/// Returns the most similar known word if a typing error explains the difference.
pub(in crate::specs) fn nearest<'a>(
    written: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let written = written.to_lowercase();
    // A third of the letters, at most three, may differ; a single letter is too short for a suggestion.
    let letters = written.chars().count();
    let most = (letters / 3).clamp(1, 3).min(letters.saturating_sub(1));
    known
        .into_iter()
        .map(|word| (strsim::osa_distance(&written, &word.to_lowercase()), word))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Returns "; did you mean `x`?" if there is a similar word, otherwise an empty text.
pub(in crate::specs) fn did_you_mean<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(written, known).map(|word| format!("; did you mean `{word}`?")).unwrap_or_default()
}

/// Returns the allowed words, with a suggestion if one is similar.
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
