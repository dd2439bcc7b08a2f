//! Unescapes text that is embedded in one line: JSON stores a text of many lines as one, with escaped quotes, and
//! escapes them again where it is quoted once more.

use std::borrow::Cow;

/// Returns each line of the embedded text, unescaped.
pub(super) fn inner(line: &str) -> Vec<Cow<'_, str>> {
    if !line.contains('\\') {
        return vec![Cow::Borrowed(line)];
    }
    let (mut lines, mut text) = (Vec::new(), String::new());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let behind = rest[at..].trim_start_matches('\\');
        let slashes = &rest[at..rest.len() - behind.len()];
        let mut skipped = 1;
        match behind.as_bytes().first() {
            Some(b'n' | b'r') => lines.push(Cow::Owned(std::mem::take(&mut text))),
            Some(b't') => text.push(' '),
            Some(quote @ (b'"' | b'\'' | b'/' | b'`')) => text.push(char::from(*quote)),
            Some(b'u') if behind.get(1..5).is_some_and(is_hex) => {
                text.push(character(&behind[1..5]));
                skipped = 5;
            }
            _ => {
                text.push_str(slashes);
                skipped = 0;
            }
        }
        rest = &behind[skipped..];
    }
    text.push_str(rest);
    lines.push(Cow::Owned(text));
    lines
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn character(hex: &str) -> char {
    let found = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
    found.filter(|c| !c.is_control()).unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_multiline_text_is_decoded_before_the_scan() {
        for (line, expected) in [
            ("plain", &["plain"][..]),
            (r#""one\ntwo""#, &["\"one", "two\""]),
            (r#"a=\"b\" c"#, &["a=\"b\" c"]),
            (r#"a=\\\"b\\\" c"#, &["a=\"b\" c"]),
            (r"x\\ny", &["x", "y"]),
            (r"a\tb\u0026c\u000ad\uZZZZ", &["a b&c d\\uZZZZ"]),
            (r"end\", &["end\\"]),
            (r"\é", &["\\é"]),
        ] {
            assert_eq!(inner(line), expected, "{line}");
        }
    }
}
