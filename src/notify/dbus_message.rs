//! Encodes D-Bus method calls and decodes their replies. Supports only the types that a notice needs.
//!
//! Every value is aligned to its own size, from the beginning of the message; a header ends at a multiple of eight.

/// Maximum length of a message. No reply to our calls is longer.
pub(super) const MAX_MESSAGE_BYTES: usize = 1 << 20;
/// Length of the part of a header that every message has.
pub(super) const FIXED_HEADER_BYTES: usize = 16;

const METHOD_CALL: u8 = 1;
const METHOD_RETURN: u8 = 2;
const ERROR: u8 = 3;
const FIELD_PATH: u8 = 1;
const FIELD_INTERFACE: u8 = 2;
const FIELD_MEMBER: u8 = 3;
const FIELD_ERROR_NAME: u8 = 4;
const FIELD_REPLY_SERIAL: u8 = 5;
const FIELD_DESTINATION: u8 = 6;
const FIELD_SIGNATURE: u8 = 8;

/// Target of a call: a service whose name, path and interface correspond.
#[derive(Debug, Clone, Copy)]
pub(super) struct Method<'a> {
    pub service: &'a str,
    pub path: &'a str,
    pub member: &'a str,
}

/// Encoded arguments of a call.
#[derive(Debug, Default)]
pub(super) struct MessageBody {
    bytes: Vec<u8>,
    signature: &'static str,
}

impl MessageBody {
    pub(super) fn new(signature: &'static str) -> MessageBody {
        MessageBody { bytes: Vec::new(), signature }
    }

    pub(super) fn byte(mut self, value: u8) -> MessageBody {
        self.bytes.push(value);
        self
    }

    pub(super) fn number(mut self, value: u32) -> MessageBody {
        align(&mut self.bytes, 4);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    pub(super) fn text(mut self, value: &str) -> MessageBody {
        put_text(&mut self.bytes, value);
        self
    }

    pub(super) fn kind(mut self, signature: &str) -> MessageBody {
        put_signature(&mut self.bytes, signature);
        self
    }

    /// Appends an array. Its items are aligned to `size`, and so is its beginning; its length does not count that
    /// padding.
    pub(super) fn array(
        mut self,
        size: usize,
        items: impl FnOnce(MessageBody) -> MessageBody,
    ) -> MessageBody {
        self = self.number(0);
        let length_at = self.bytes.len() - 4;
        align(&mut self.bytes, size);
        let begin = self.bytes.len();
        self = items(self);
        let length = (self.bytes.len() - begin) as u32;
        self.bytes[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
        self
    }
}

/// Encodes a complete method call.
pub(super) fn call(method: Method<'_>, serial: u32, body: MessageBody) -> Vec<u8> {
    let mut bytes = vec![b'l', METHOD_CALL, 0, 1];
    bytes.extend((body.bytes.len() as u32).to_le_bytes());
    bytes.extend(serial.to_le_bytes());
    bytes.extend([0; 4]);
    let fields = [
        (FIELD_PATH, "o", method.path),
        (FIELD_INTERFACE, "s", method.service),
        (FIELD_MEMBER, "s", method.member),
        (FIELD_DESTINATION, "s", method.service),
        (FIELD_SIGNATURE, "g", body.signature),
    ];
    for (field, signature, value) in fields.into_iter().filter(|(_, _, value)| !value.is_empty()) {
        align(&mut bytes, 8);
        bytes.push(field);
        put_signature(&mut bytes, signature);
        match signature {
            "g" => put_signature(&mut bytes, value),
            _ => put_text(&mut bytes, value),
        }
    }
    let length = (bytes.len() - FIXED_HEADER_BYTES) as u32;
    bytes[12..16].copy_from_slice(&length.to_le_bytes());
    align(&mut bytes, 8);
    bytes.extend(body.bytes);
    bytes
}

/// A message from the bus, for a caller that waits for a reply.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BusMessage {
    /// The call with this serial number succeeded.
    Done(u32),
    /// The call with this serial number failed.
    Refused { serial: u32, name: String, detail: String },
    /// Any other message, which is ignored.
    Other,
}

/// Returns the length of the rest of a message from its fixed part, or `None` if that is invalid.
pub(super) fn rest(fixed: &[u8; FIXED_HEADER_BYTES]) -> Option<usize> {
    let order = ByteOrder::of(fixed)?;
    let fields = order.number(fixed, 12)? as usize;
    let body = order.number(fixed, 4)? as usize;
    Some(fields.checked_next_multiple_of(8)?.checked_add(body)?).filter(|rest| *rest <= MAX_MESSAGE_BYTES)
}

/// Decodes a complete message, or returns `None` if it is invalid.
pub(super) fn read(message: &[u8]) -> Option<BusMessage> {
    let order = ByteOrder::of(message)?;
    let end = FIXED_HEADER_BYTES + order.number(message, 12)? as usize;
    let (mut serial, mut name, mut at) = (0, String::new(), FIXED_HEADER_BYTES);
    while at < end {
        at = at.next_multiple_of(8);
        let field = *message.get(at)?;
        let signature = order.signature(message, at + 1)?;
        let value = at + 3 + signature.len();
        at = match signature {
            "u" => {
                let value = value.next_multiple_of(4);
                if field == FIELD_REPLY_SERIAL {
                    serial = order.number(message, value)?;
                }
                value + 4
            }
            "s" | "o" => {
                let value = value.next_multiple_of(4);
                let text = order.text(message, value)?;
                if field == FIELD_ERROR_NAME {
                    name = text.to_owned();
                }
                value + 4 + text.len() + 1
            }
            "g" => value + 2 + order.signature(message, value)?.len(),
            _ => return None,
        };
    }
    Some(match *message.get(1)? {
        METHOD_RETURN => BusMessage::Done(serial),
        ERROR => {
            let detail = order.text(message, end.next_multiple_of(8)).unwrap_or_default().to_owned();
            BusMessage::Refused { serial, name, detail }
        }
        _ => BusMessage::Other,
    })
}

/// Byte order of a message.
#[derive(Clone, Copy)]
enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    fn of(message: &[u8]) -> Option<ByteOrder> {
        match message.first()? {
            b'l' => Some(ByteOrder::Little),
            b'B' => Some(ByteOrder::Big),
            _ => None,
        }
    }

    fn number(self, message: &[u8], at: usize) -> Option<u32> {
        let bytes = message.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(match self {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        })
    }

    fn text(self, message: &[u8], at: usize) -> Option<&str> {
        let length = self.number(message, at)? as usize;
        let begin = at + 4;
        std::str::from_utf8(message.get(begin..begin.checked_add(length)?)?).ok()
    }

    fn signature(self, message: &[u8], at: usize) -> Option<&str> {
        let length = usize::from(*message.get(at)?);
        std::str::from_utf8(message.get(at + 1..at + 1 + length)?).ok()
    }
}

fn align(bytes: &mut Vec<u8>, size: usize) {
    bytes.resize(bytes.len().next_multiple_of(size), 0);
}

fn put_text(bytes: &mut Vec<u8>, value: &str) {
    align(bytes, 4);
    bytes.extend((value.len() as u32).to_le_bytes());
    bytes.extend(value.as_bytes());
    bytes.push(0);
}

fn put_signature(bytes: &mut Vec<u8>, value: &str) {
    bytes.push(value.len() as u8);
    bytes.extend(value.as_bytes());
    bytes.push(0);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Encodes a message like a bus does: type, reply to 7, the name of an error, then a body.
    fn answer(kind: u8, name: &str, detail: &str) -> Vec<u8> {
        let mut bytes = vec![b'l', kind, 1, 1];
        bytes.extend([0; 12]);
        align(&mut bytes, 8);
        bytes.extend([FIELD_REPLY_SERIAL, 1, b'u', 0, 7, 0, 0, 0]);
        bytes.extend([FIELD_ERROR_NAME, 1, b's', 0]);
        put_text(&mut bytes, name);
        let fields = (bytes.len() - FIXED_HEADER_BYTES) as u32;
        bytes[12..16].copy_from_slice(&fields.to_le_bytes());
        align(&mut bytes, 8);
        let body = bytes.len();
        put_text(&mut bytes, detail);
        let body = (bytes.len() - body) as u32;
        bytes[4..8].copy_from_slice(&body.to_le_bytes());
        bytes
    }

    #[test]
    fn answer_is_distinguished_from_refusals_and_signals() {
        let refused = BusMessage::Refused { serial: 7, name: "no.such".into(), detail: "not here".into() };
        for (kind, expected) in
            [(METHOD_RETURN, BusMessage::Done(7)), (ERROR, refused), (4, BusMessage::Other)]
        {
            let message = answer(kind, "no.such", "not here");
            assert_eq!(
                rest(message[..FIXED_HEADER_BYTES].try_into().unwrap()),
                Some(message.len() - FIXED_HEADER_BYTES)
            );
            assert_eq!(read(&message), Some(expected));
        }
    }

    #[test]
    fn malformed_and_oversized_messages_are_refused() {
        let mut huge = [0; FIXED_HEADER_BYTES];
        huge[0] = b'l';
        huge[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(rest(&huge), None);
        assert_eq!(rest(b"HTTP/1.1 400 Bad"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), order in prop::sample::select(vec![b'l', b'B'])) {
            let message: Vec<u8> = std::iter::once(order).chain(bytes).collect();
            let _ = read(&message);
            if let Ok(fixed) = message[..message.len().min(FIXED_HEADER_BYTES)].try_into() {
                let _ = rest(&fixed);
            }
        }
    }
}
