//! Detects passphrases of several words. A sentence about a password looks similar, so only lower-case words count, and
//! none of the function words of sentences.

use crate::secrets::assignments::is_named;
use crate::secrets::placeholders::is_fake;

/// Words that occur in messages and labels, but not in passphrases.
const COMMON_WORDS: &str = "\
    a and are at be been can cannot contain das de der die does eight enter for from has have in is ist least letters \
    long match minimum more must nicht not of only or please richtig should than that the their then this to too \
    when will with your zu";

/// The minimum number of words in a passphrase, and the minimum length of each word: nearly all words of diceware lists
/// are that long, and hardly any sentence has no shorter word.
const MIN_WORDS: usize = 4;
const MIN_WORD_CHARS: usize = 4;
/// The shortest phrase where only a password is expected.
const MIN_CHARS: usize = 8;

/// Returns whether a text is recognizable as a passphrase: `correct horse battery staple`, also with dashes.
pub(super) fn is_passphrase(text: &str) -> bool {
    let words = || text.split([' ', '-']);
    let is_word =
        |word: &str| word.len() >= MIN_WORD_CHARS && word.bytes().all(|byte| byte.is_ascii_lowercase());
    words().count() >= MIN_WORDS && words().all(is_word) && is_made_up(text)
}

/// Returns whether a text of several words is a password, where nothing else is expected.
pub(super) fn is_phrase(text: &str) -> bool {
    let is_small = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b" -".contains(&byte);
    text.len() >= MIN_CHARS && text.trim().contains(' ') && text.bytes().all(is_small) && is_made_up(text)
}

fn is_made_up(text: &str) -> bool {
    let is_of_sentence = |word: &str| COMMON_WORDS.split(' ').any(|common| common == word);
    !text.split([' ', '-']).any(is_of_sentence) && !is_named(text) && !is_fake(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passphrases_are_distinguished_from_sentences() {
        for text in ["correct horse battery staple", "correct-horse-battery-staple"] {
            assert!(is_passphrase(text), "{text}");
        }
        for text in [
            "geheim wort",
            "must have eight characters",
            "please enter your password",
            "a-name-of-many-words",
            "Correct Horse Battery Staple",
        ] {
            assert!(!is_passphrase(text), "{text}");
        }
        for text in ["geheim wort", "blue horse 42"] {
            assert!(is_phrase(text), "{text}");
        }
        for text in ["is too short", "wrong password", "Neues Kennwort", "mot de passe", "geheimwort", "a b"]
        {
            assert!(!is_phrase(text), "{text}");
        }
    }
}
