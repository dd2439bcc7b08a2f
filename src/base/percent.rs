//! Percent escapes such as `%20`.

/// Decodes percent escapes. Returns `None` if an escape is incomplete or has other characters than hexadecimal digits.
pub(crate) fn percent_decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(*rest.next()?)?, digit(*rest.next()?)?);
                u8::try_from(high * 16 + low).ok()?
            }
            byte => *byte,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_two_hexadecimal_digits_are_decoded() {
        assert_eq!(percent_decoded(b"a%20%2Fb").unwrap(), b"a /b");
        // A sign is accepted by `from_str_radix`, but is no digit.
        for wrong in [&b"a%2"[..], b"%", b"%zz", b"%+1"] {
            assert_eq!(percent_decoded(wrong), None, "{wrong:?}");
        }
    }
}
