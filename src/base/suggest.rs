//! "Did you mean": the known word that differs from the written one by a typing mistake.

/// Returns the known word with the smallest edit distance, if a typing mistake explains the difference.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    // A third of the letters, at most three, may differ. A single letter is similar to nothing.
    let letters = written.chars().count();
    let most = (letters / 3).clamp(1, 3).min(letters.saturating_sub(1));
    known
        .into_iter()
        .map(|word| (strsim::osa_distance(&written, &word.to_lowercase()), word))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Returns "; did you mean `x`?", or an empty text if no known word is similar.
pub fn did_you_mean<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(written, known).map(|word| format!("; did you mean `{word}`?")).unwrap_or_default()
}

/// Returns the suggestion followed by the list of allowed words.
pub fn allowed(written: &str, known: &[&str]) -> String {
    let near = did_you_mean(written, known.iter().copied());
    let separator = if near.is_empty() { ";" } else { "" };
    format!("{near}{separator} allowed: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_mistakes_are_recognised_and_other_words_are_not() {
        let known = ["model", "restart", "env", "shell_tier"];
        for (written, word) in [
            ("modle", Some("model")),
            ("Model", Some("model")),
            ("shell-tier", Some("shell_tier")),
            ("restarts", Some("restart")),
            ("en", Some("env")),
            ("nev", Some("env")),
            ("colour", None),
            ("e", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, known), word, "{written}");
        }
    }
}
