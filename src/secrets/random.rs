//! Distinguishes randomly generated text from names and from passwords that people choose.

/// The shortest text whose randomness can be judged.
const MIN_CHARS: usize = 16;

/// The minimum entropy per character; below it a text is repetitive. Hexadecimal digits have 4 bits, English about 4 of
/// 4.7 with spaces, so this criterion alone is weak.
const MIN_BITS_PER_CHAR: f64 = 3.0;

/// Returns whether a text is long, consists of letters and digits, and alternates between them more often than a name.
pub(super) fn is_random(text: &str) -> bool {
    let (mut letters, mut digits, mut changes) = (0usize, 0usize, 0usize);
    let mut last = None;
    for byte in text.bytes() {
        let class = class(byte);
        match class {
            ByteClass::Lower | ByteClass::Upper => letters += 1,
            ByteClass::Digit => digits += 1,
            ByteClass::Other => {}
        }
        // Names alternate at separators and capital letters, so only changes without a separator count.
        let is_change =
            last.is_some_and(|last| last != class && last != ByteClass::Other && class != ByteClass::Other);
        changes += usize::from(is_change);
        last = Some(class);
    }
    let length = text.len();
    length >= MIN_CHARS
        && letters > 0
        && digits > 1
        && changes * 7 >= length
        && bits(text) >= MIN_BITS_PER_CHAR
}

/// Returns whether a text consists of letters only and alternates between upper and lower case more often than a name.
/// Of random texts of 34 letters, 3 in 10,000 have less than one part for each five letters.
pub(super) fn is_shuffled(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphabetic()) && parts(text) * 5 >= text.len()
}

/// Returns whether a text contains at least three of lower-case letters, upper-case letters, digits and signs.
pub(super) fn is_mixed(text: &str) -> bool {
    let has = |class: ByteClass| text.bytes().any(|byte| self::class(byte) == class);
    let sign = text.bytes().any(|byte| b"!@#$%^&*+~".contains(&byte));
    let kinds = [has(ByteClass::Lower), has(ByteClass::Upper), has(ByteClass::Digit), sign];
    kinds.into_iter().filter(|kind| *kind).count() >= 3
        && text.bytes().all(|byte| !b"()[]{}<>/".contains(&byte))
}

/// Returns the number of words and numbers in a name: `Ed25519PrivateKey` has four.
pub(super) fn parts(text: &str) -> usize {
    let (mut before, mut last) = (ByteClass::Other, ByteClass::Other);
    let mut count = 0;
    for class in text.bytes().map(class) {
        let begins = match (last, class) {
            (_, ByteClass::Other) => false,
            // `Key` is one part, `HTTPKey` two.
            (ByteClass::Upper, ByteClass::Lower) => before == ByteClass::Upper,
            (last, class) => last != class,
        };
        count += usize::from(begins);
        (before, last) = (last, class);
    }
    count
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Lower,
    Upper,
    Digit,
    Other,
}

fn class(byte: u8) -> ByteClass {
    match byte {
        b'a'..=b'z' => ByteClass::Lower,
        b'A'..=b'Z' => ByteClass::Upper,
        b'0'..=b'9' => ByteClass::Digit,
        _ => ByteClass::Other,
    }
}

/// Returns the Shannon entropy per character, in bits.
fn bits(text: &str) -> f64 {
    let mut counts = [0u32; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = text.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / length)
        .map(|share| -share * share.log2())
        .sum()
}
