//! Whether a text was made by a machine that throws dice, or by a person who wants a password.

/// The shortest text whose randomness can be told.
const SHORTEST: usize = 16;

/// Bits for each character, below which a text repeats itself: hexadecimal digits have 4, English about 4 of 4.7 with
/// spaces, so that this alone tells little.
const LEAST_BITS: f64 = 3.0;

/// Whether a text is long, of letters and digits, and changes between them as no name does.
pub(super) fn is_random(text: &str) -> bool {
    let (mut letters, mut digits, mut changes) = (0usize, 0usize, 0usize);
    let mut last = None;
    for byte in text.bytes() {
        let class = class(byte);
        match class {
            Class::Lower | Class::Upper => letters += 1,
            Class::Digit => digits += 1,
            Class::Other => {}
        }
        // A word that begins with a capital is a name's way: only what changes without a mark between counts.
        let is_change =
            last.is_some_and(|last| last != class && last != Class::Other && class != Class::Other);
        changes += usize::from(is_change);
        last = Some(class);
    }
    let length = text.len();
    length >= SHORTEST && letters > 0 && digits > 1 && changes * 7 >= length && bits(text) >= LEAST_BITS
}

/// Whether a text is of letters alone, whose sizes change as in no name. Of 34 that were thrown, 3 in 10,000 have fewer
/// parts than one in five letters.
pub(super) fn is_shuffled(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphabetic()) && parts(text) * 5 >= text.len()
}

/// Whether a text has letters of both sizes and digits, or a sign among letters and digits.
pub(super) fn is_mixed(text: &str) -> bool {
    let has = |class: Class| text.bytes().any(|byte| self::class(byte) == class);
    let sign = text.bytes().any(|byte| b"!@#$%^&*+~".contains(&byte));
    let kinds = [has(Class::Lower), has(Class::Upper), has(Class::Digit), sign];
    kinds.into_iter().filter(|kind| *kind).count() >= 3
        && text.bytes().all(|byte| !b"()[]{}<>/".contains(&byte))
}

/// How many words and numbers a text is made of, as names are: `Ed25519PrivateKey` has four.
pub(super) fn parts(text: &str) -> usize {
    let (mut before, mut last) = (Class::Other, Class::Other);
    let mut count = 0;
    for class in text.bytes().map(class) {
        let begins = match (last, class) {
            (_, Class::Other) => false,
            // `Key` is one, `HTTPKey` two.
            (Class::Upper, Class::Lower) => before == Class::Upper,
            (last, class) => last != class,
        };
        count += usize::from(begins);
        (before, last) = (last, class);
    }
    count
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Other,
}

fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        _ => Class::Other,
    }
}

/// Shannon's entropy of the characters.
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
