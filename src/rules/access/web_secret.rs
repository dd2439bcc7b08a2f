//! Secrets of web devices: random bytes as text that users can type, their checksum, and their comparison.

use sha2::{Digest, Sha256};

/// The digits of Crockford's base 32: no letter looks like a digit.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Number of characters in a group of a code that is shown to users.
const GROUP_CHARS: usize = 5;

/// Returns bytes as text, eight characters for five bytes.
pub fn encoded(bytes: &[u8]) -> String {
    let (mut text, mut held, mut bits) = (String::new(), 0u32, 0u32);
    for byte in bytes {
        held = (held << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(char::from(ALPHABET[(held >> bits) as usize & 31]));
        }
        held &= (1 << bits) - 1;
    }
    if bits > 0 {
        text.push(char::from(ALPHABET[(held << (5 - bits)) as usize & 31]));
    }
    text
}

/// Returns a code in groups, as users read and type it.
pub fn grouped(code: &str) -> String {
    let characters: Vec<char> = code.chars().collect();
    let groups = characters.chunks(GROUP_CHARS).map(|group| group.iter().collect::<String>());
    groups.collect::<Vec<_>>().join("-")
}

/// Returns a typed code without spaces, hyphens and capital letters.
pub fn ungrouped(typed: &str) -> String {
    typed.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns the SHA-256 of a secret as hexadecimal digits.
pub fn checksum(secret: &str) -> String {
    Sha256::digest(secret.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares two checksums in a time that depends only on their length.
pub fn is_same_checksum(a: &str, b: &str) -> bool {
    let difference = a.bytes().zip(b.bytes()).fold(0, |difference, (a, b)| difference | (a ^ b));
    a.len() == b.len() && std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_encoded_without_loss() {
        assert_eq!(encoded(&[]), "");
        assert_eq!(encoded(&[0xff]), "zw");
        assert_eq!(encoded(&[0, 0, 0, 0, 1]), "00000001");
        assert_eq!(encoded(&[0xff; 5]), "zzzzzzzz");
        assert_ne!(encoded(&[1, 2, 3]), encoded(&[1, 2, 4]));
    }

    #[test]
    fn a_typed_code_may_have_spaces_hyphens_and_capitals() {
        assert_eq!(grouped("abcde12345xyz"), "abcde-12345-xyz");
        assert_eq!(ungrouped(" ABCDE-12345 xyz\n"), "abcde12345xyz");
    }

    #[test]
    fn only_equal_checksums_are_the_same() {
        let sum = checksum("secret");
        assert_eq!(sum.len(), 64);
        assert!(is_same_checksum(&sum, &checksum("secret")));
        assert!(!is_same_checksum(&sum, &checksum("secreT")));
        assert!(!is_same_checksum(&sum, &sum[..63]));
        assert!(!is_same_checksum(&sum, ""));
    }
}
