//! Detects placeholders for secrets: variables, example words and types. The functions expect values that a person may
//! have chosen; random values never count as placeholders.

/// Words that examples, forms, types and messages contain in place of a password. A text that consists only of these is
/// a placeholder.
const WORDS: &str = "\
    a abc accepted admin an another any api app argon ascii ask auth bad bar base basic baz bcrypt bearer binary \
    bool boolean buffer bytes change changed char code confirm confirmation correct credential credentials \
    current database date db default demo denied dev dummy empty encoded encrypted enter env example expired \
    fake false field file float foo forgot generated goes guest hash hashed here hex hidden id in incorrect ing \
    input insert int invalid is key keyring label length local login long masked max me min missing mock my \
    mysql never new nil no none not null number object of old optional or pass passphrase passwd password \
    phase placeholder plaintext postgres private prompt pw pwd qux random redacted repeat required reset root round \
    s sample secret set sha short some stage stdin stdout step str string strong super symbol test text the to token top true type \
    undefined unknown unsigned updated user username usize utf value varchar verified was weak wrong x you your";

/// The longest text that is split into words; longer texts are not placeholders.
const MAX_PLACEHOLDER_CHARS: usize = 64;

/// Returns whether a value is a placeholder.
pub(super) fn is_fake(value: &str) -> bool {
    let small = value.to_ascii_lowercase();
    let first = small.chars().next();
    is_variable(value)
        || small.contains("example")
        || small.chars().all(|c| Some(c) == first)
        || is_of_words(&letters(&small))
        || is_of_words(&letters(&read_aloud(&small)))
}

/// Returns whether a value is to be substituted: `$X`, `${x}`, `{{x}}`, `%s`, `<x>`, `***`.
pub(super) fn is_variable(value: &str) -> bool {
    value.contains(['{', '}', '<', '>', '[', ']', '(', ')', '|'])
        || value.starts_with(['$', '%', '*', '&', '!', '@', '#', '~', '/', '.', '^', '-', '+', '?', ':'])
        || value.contains("...")
        || value.contains("**")
        || value.contains("%s")
}

/// Returns whether an example word is followed by a chosen number: `secret99`, but not `secret123`.
pub(super) fn has_own_number(value: &str) -> bool {
    let word = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &value[word.len()..];
    let is_plain = word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_plain && number.len() > 1 && !"1234567890".starts_with(number)
}

fn letters(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphabetic).collect()
}

/// Replaces digits and signs by the letters they resemble, so that `p4ssw0rd` and `p@ssword` become `password`.
fn read_aloud(text: &str) -> String {
    let read = |c: char| match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        c => c,
    };
    text.chars().map(read).collect()
}

/// Returns whether a text consists only of placeholder words, without separators.
fn is_of_words(text: &str) -> bool {
    if text.is_empty() || text.len() > MAX_PLACEHOLDER_CHARS {
        return false;
    }
    // The positions at which a sequence of words can end.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for at in 0..text.len() {
        if reached[at] {
            for word in WORDS.split(' ').filter(|word| text[at..].starts_with(*word)) {
                reached[at + word.len()] = true;
            }
        }
    }
    reached[text.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_is_distinguished_from_a_password() {
        for value in [
            "password",
            "Password123",
            "p@ssw0rd",
            "your-password",
            "my_secret_token",
            "changeme",
            "CHANGE_ME",
            "test1234",
            "xxxxxxxx",
            "********",
            "$PASSWORD",
            "${DB_PASSWORD}",
            "{{ password }}",
            "<your-token>",
            "%s",
            "string",
            "required",
            "foo",
            "redacted",
            "s3cret",
            "...",
            "AKIAIOSFODNN7EXAMPLE",
        ] {
            assert!(is_fake(value), "{value}");
        }
        for value in [
            "hunter2",
            "plainpw",
            "plain",
            "letmein",
            "Tr0ub4dor&3",
            "correcthorse",
            "sunshine",
            "a1b2c3d4e5",
        ] {
            assert!(!is_fake(value), "{value}");
        }
    }
}
