//! Recognizes identifiers of source code: an unquoted text after `password =` is more often an identifier than a
//! password. The functions expect unquoted text.

use crate::secrets::random::{is_random, parts};

/// Tokens after a name that make it the beginning of an expression.
const CALLS: [&str; 4] = ["(", "[", "{", "::"];

/// Returns whether a word is a dotted path: `process.env.S3_PASSWORD`, `ed25519.Ed25519PrivateKey`.
pub(super) fn is_path(word: &str) -> bool {
    let path = word.trim_start_matches(['&', '*']).trim_end_matches('!');
    let is_thrown = || is_random(path) && !is_pronounceable(path);
    path.contains('.') && path.split('.').all(|part| is_name(part.trim_start_matches('#'))) && !is_thrown()
}

/// Returns whether a word is the name of something that is called, indexed or constructed.
pub(super) fn is_call(word: &str, behind: &str) -> bool {
    is_name(word.trim_end_matches('!')) && CALLS.iter().any(|call| behind.starts_with(call))
}

/// Returns whether a word is a type name of several words: `Ed25519PrivateKey`.
pub(super) fn is_type(word: &str) -> bool {
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && capitals > 1
        && is_name(word)
        && is_pronounceable(word)
}

fn is_name(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns whether a text consists of words and numbers. The parts of random text have less than two characters on
/// average, those of names five and more.
fn is_pronounceable(text: &str) -> bool {
    let length = text.bytes().filter(u8::is_ascii_alphanumeric).count();
    parts(text) * 5 <= length * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinguished_from_random_text() {
        for path in [
            "process.env.S3_PASSWORD",
            "base64.b16encode",
            "ed25519.Ed25519PrivateKey.from_private_bytes",
            "&config.Db2Password",
            "this.#password2",
        ] {
            assert!(is_path(path), "{path}");
        }
        for word in ["Tr0ub.4dor", "Summer.2024", "q7Gk2mZx9Lw4.Tn8Vb3Rc6Yd1.Hf5Js0Pa", "hunter2", "a..b2"] {
            assert!(!is_path(word), "{word}");
        }
        assert!(is_type("Ed25519PrivateKey") && is_type("Oauth2Token"));
        assert!(!is_type("Winter2023") && !is_type("Q7Gk2mZx9Lw4Tn8V") && !is_type("private2Key"));
        assert!(is_call("Sha256Hash", "(x)") && is_call("prompt1!", "()") && !is_call("Tr0ub4dor&", "(3"));
    }
}
