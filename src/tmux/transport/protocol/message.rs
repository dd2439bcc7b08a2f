//! Encodes and decodes the messages between tmux client and server, protocol version 8.
//!
//! A message is a header of 16 bytes (type, length, flags, version and an unused process id) and a body. Numbers have
//! the byte order of the machine. An identify message of a wrong size makes the server exit, with all agents: the
//! output of this module must be identical to that of the tmux program.

/// Maximum length of a message with its header, `MAX_IMSGSIZE`.
const MAX_MESSAGE_BYTES: usize = 16_384;
const HEADER: usize = 16;
/// `PROTOCOL_VERSION`, the same from tmux 3.2 to 3.6.
const PROTOCOL: u32 = 8;
/// Value that the tmux program sends in place of a process id.
const NO_PID: u32 = u32::MAX;
/// Maximum length of the data in a [`READ`] message, after its stream number.
pub(super) const MAX_BODY_BYTES: usize = MAX_MESSAGE_BYTES - HEADER - 4;

/// Message types, which tmux calls `MSG_VERSION` and so on.
pub(super) const VERSION: u32 = 12;
pub(super) const IDENTIFY_FLAGS: u32 = 100;
pub(super) const IDENTIFY_TERM: u32 = 101;
pub(super) const IDENTIFY_TTYNAME: u32 = 102;
pub(super) const IDENTIFY_ENVIRON: u32 = 105;
pub(super) const IDENTIFY_DONE: u32 = 106;
pub(super) const IDENTIFY_CLIENTPID: u32 = 107;
pub(super) const IDENTIFY_CWD: u32 = 108;
pub(super) const IDENTIFY_FEATURES: u32 = 109;
pub(super) const IDENTIFY_LONGFLAGS: u32 = 111;
pub(super) const COMMAND: u32 = 200;
pub(super) const EXIT: u32 = 203;
pub(super) const SHUTDOWN: u32 = 210;
pub(super) const READ_OPEN: u32 = 300;
pub(super) const READ: u32 = 301;
pub(super) const READ_DONE: u32 = 302;
pub(super) const WRITE_OPEN: u32 = 303;
pub(super) const WRITE: u32 = 304;
pub(super) const WRITE_READY: u32 = 305;
pub(super) const WRITE_CLOSE: u32 = 306;

/// Encoded messages that are ready to be sent.
#[derive(Default)]
pub(super) struct Outgoing {
    pub(super) bytes: Vec<u8>,
}

/// Error for a message that exceeds the maximum length.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Outgoing {
    /// Appends a message whose body consists of these parts.
    pub(super) fn put(&mut self, kind: u32, body: &[&[u8]]) -> Result<(), TooLong> {
        let length = HEADER + body.iter().map(|part| part.len()).sum::<usize>();
        let length = u16::try_from(length).ok().filter(|length| usize::from(*length) <= MAX_MESSAGE_BYTES);
        let length = length.ok_or(TooLong)?;
        self.bytes.extend(kind.to_ne_bytes());
        self.bytes.extend(length.to_ne_bytes());
        self.bytes.extend([0, 0]);
        self.bytes.extend(PROTOCOL.to_ne_bytes());
        self.bytes.extend(NO_PID.to_ne_bytes());
        body.iter().for_each(|part| self.bytes.extend_from_slice(part));
        Ok(())
    }
}

/// A message that was received.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProtocolMessage<'a> {
    /// Type of the message.
    pub(super) kind: u32,
    /// Bytes after the header.
    pub(super) body: &'a [u8],
}

impl<'a> ProtocolMessage<'a> {
    /// Decodes the first message and its length, or returns `None` if it is incomplete.
    pub(super) fn first(bytes: &'a [u8]) -> Result<Option<(ProtocolMessage<'a>, usize)>, String> {
        let Some((header, _)) = bytes.split_first_chunk::<HEADER>() else { return Ok(None) };
        let word = |at: usize| u32::from_ne_bytes(std::array::from_fn(|byte| header[at + byte]));
        let half = |at: usize| u16::from_ne_bytes(std::array::from_fn(|byte| header[at + byte]));
        let (kind, length, flags, protocol) = (word(0), usize::from(half(4)), half(6), word(8));
        // The upper bytes of the version are used by the server only; flags announce a descriptor, which we never
        // receive.
        let is_ours =
            (HEADER..=MAX_MESSAGE_BYTES).contains(&length) && flags == 0 && protocol & 0xff == PROTOCOL;
        // A server with another protocol version says so in a message of that version.
        if !is_ours && kind != VERSION {
            return Err(format!(
                "a message of type {kind}, length {length}, flags {flags}, version {protocol}"
            ));
        }
        let Some(body) = bytes.get(HEADER..length.max(HEADER)) else { return Ok(None) };
        Ok(Some((ProtocolMessage { kind, body }, length.max(HEADER))))
    }

    /// Decodes numbers at the beginning of the body, and returns them with the rest.
    pub(super) fn numbers<const COUNT: usize>(&self) -> Result<([i32; COUNT], &'a [u8]), String> {
        let wrong = || format!("{} bytes in a message of type {}", self.body.len(), self.kind);
        let mut rest = self.body;
        let mut numbers = [0; COUNT];
        for number in &mut numbers {
            let (bytes, behind) = rest.split_first_chunk().ok_or_else(wrong)?;
            (*number, rest) = (i32::from_ne_bytes(*bytes), behind);
        }
        Ok((numbers, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_back_one_by_one_and_never_by_halves() {
        let mut out = Outgoing::default();
        out.put(READ_DONE, &[&3i32.to_ne_bytes(), &0i32.to_ne_bytes()]).unwrap();
        out.put(IDENTIFY_DONE, &[]).unwrap();
        for cut in 0..24 {
            assert_eq!(ProtocolMessage::first(&out.bytes[..cut]), Ok(None), "{cut}");
        }
        let (first, length) = ProtocolMessage::first(&out.bytes).unwrap().unwrap();
        assert_eq!((first.kind, length), (READ_DONE, 24));
        assert_eq!(first.numbers::<2>().unwrap(), ([3, 0], &[][..]));
        assert!(first.numbers::<3>().is_err());
        let (second, length) = ProtocolMessage::first(&out.bytes[length..]).unwrap().unwrap();
        assert_eq!((second.kind, second.body, length), (IDENTIFY_DONE, &[][..], 16));
    }

    #[test]
    fn a_message_may_have_16_kilobytes_and_no_more() {
        let mut out = Outgoing::default();
        assert_eq!(out.put(READ, &[&[0; 4], &[7; MAX_BODY_BYTES]]), Ok(()));
        assert_eq!(out.bytes.len(), MAX_MESSAGE_BYTES);
        assert_eq!(out.put(READ, &[&[0; 4], &[7; MAX_BODY_BYTES + 1]]), Err(TooLong));
        assert_eq!(out.put(READ, &[&[7; 70_000]]), Err(TooLong));
        assert_eq!(out.bytes.len(), MAX_MESSAGE_BYTES);
    }

    #[test]
    fn unknown_protocol_version_is_not_guessed() {
        let mut good = Outgoing::default();
        good.put(EXIT, &[&0i32.to_ne_bytes()]).unwrap();
        let short = 15u16.to_ne_bytes();
        for (at, byte) in [(4, short[0]), (5, 0x41), (6, 1), (7, 0x80), (8, 7)] {
            let mut bytes = good.bytes.clone();
            bytes[at] = byte;
            assert!(ProtocolMessage::first(&bytes).is_err(), "byte {at}");
        }
        let mut other = good.bytes.clone();
        other[..4].copy_from_slice(&VERSION.to_ne_bytes());
        other[8] = 9;
        assert_eq!(ProtocolMessage::first(&other).unwrap().unwrap().0.kind, VERSION);
    }
}
