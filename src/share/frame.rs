//! Wire format of a share: a JSON hello line, then frames of type, length and value.

use std::io::{self, Read, Write};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Version of the protocol.
const VERSION: u32 = 1;
/// Maximum length of a hello.
const MAX_HELLO_BYTES: u64 = 1024;
/// Maximum length of a frame.
pub(super) const MAX_FRAME_BYTES: usize = 16 * 1024;

/// Purpose of a guest's connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectPurpose {
    /// To drive, if the session has no driver.
    Drive,
    /// To drive, also if another client drives.
    Take,
    /// To observe without typing.
    Observe,
    /// To query the facts about the share.
    Ask,
}

/// First message of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestHello {
    symposium: u32,
    /// Purpose of the connection.
    pub want: ConnectPurpose,
    /// Value of `TERM` of the guest's terminal.
    pub term: String,
    /// Width of the terminal in columns.
    pub columns: u16,
    /// Height of the terminal in rows.
    pub rows: u16,
    /// Whether the terminal is inside the guest's own tmux, and that tmux takes the guest's prefix key.
    #[serde(default)]
    pub within_tmux: bool,
}

/// Facts about a share, as the owner's side reports them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareFacts {
    /// Whether the guest may only observe.
    pub read_only: bool,
    /// Time at which the share ends, if it is limited.
    #[serde(default, with = "crate::base::json_time::option")]
    pub until: Option<Timestamp>,
    /// Status of the agent as one word.
    pub status: String,
}

/// A message after the hello.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShareFrame {
    /// Bytes that the guest typed.
    Input(Vec<u8>),
    /// New size of the guest's window in columns and rows.
    Size(u16, u16),
    /// Bytes to show on the guest's terminal.
    Output(Vec<u8>),
    /// End of the connection, with its reason.
    End(String),
    /// Answer to [`ConnectPurpose::Ask`], as JSON.
    Facts(Vec<u8>),
}

impl GuestHello {
    /// Creates a hello with the current version of the protocol.
    pub fn new(want: ConnectPurpose, term: &str, (columns, rows): (u16, u16)) -> GuestHello {
        GuestHello { symposium: VERSION, want, term: term.to_owned(), columns, rows, within_tmux: false }
    }

    /// Reads a hello. Fails if it is invalid or has another version.
    pub(super) fn read(from: &mut impl Read) -> io::Result<GuestHello> {
        let mut line = Vec::new();
        let mut byte = [0];
        while (line.len() as u64) < MAX_HELLO_BYTES {
            from.read_exact(&mut byte)?;
            if byte[0] == b'\n' {
                break;
            }
            line.push(byte[0]);
        }
        let hello: GuestHello = serde_json::from_slice(&line).map_err(io::Error::other)?;
        match hello.symposium {
            VERSION => Ok(hello.with_sane_values()),
            other => {
                Err(io::Error::other(format!("its protocol version is {other}, this program uses {VERSION}")))
            }
        }
    }

    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut line = serde_json::to_vec(self).map_err(io::Error::other)?;
        line.push(b'\n');
        to.write_all(&line)
    }

    /// Replaces an invalid terminal type and limits the size, because the guest is not trusted.
    fn with_sane_values(mut self) -> GuestHello {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
        if self.term.is_empty()
            || self.term.len() > 40
            || self.term.starts_with('.')
            || !self.term.chars().all(is_plain)
        {
            self.term = "xterm-256color".to_owned();
        }
        (self.columns, self.rows) = sane_size(self.columns, self.rows);
        self
    }
}

fn sane_size(columns: u16, rows: u16) -> (u16, u16) {
    (columns.clamp(2, 1000), rows.clamp(2, 500))
}

impl ShareFrame {
    /// Parses the first frame and its length, or returns `None` if it is incomplete.
    fn parse(bytes: &[u8]) -> io::Result<Option<(ShareFrame, usize)>> {
        let Some((&[letter, high, low], rest)) = bytes.split_first_chunk() else { return Ok(None) };
        let length = usize::from(u16::from_be_bytes([high, low]));
        if length > MAX_FRAME_BYTES {
            return Err(io::Error::other("a frame that is too long"));
        }
        let Some(bytes) = rest.get(..length) else { return Ok(None) };
        let frame = match (letter, bytes) {
            (b'i', _) => ShareFrame::Input(bytes.to_vec()),
            (b's', &[a, b, c, d]) => {
                let (columns, rows) = sane_size(u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
                ShareFrame::Size(columns, rows)
            }
            (b'o', _) => ShareFrame::Output(bytes.to_vec()),
            (b'e', _) => ShareFrame::End(String::from_utf8_lossy(bytes).into_owned()),
            (b'f', _) => ShareFrame::Facts(bytes.to_vec()),
            _ => return Err(io::Error::other("a frame of an unknown type")),
        };
        Ok(Some((frame, 3 + length)))
    }

    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let (letter, bytes) = match self {
            ShareFrame::Input(bytes) => (b'i', bytes.clone()),
            ShareFrame::Size(columns, rows) => (b's', [columns.to_be_bytes(), rows.to_be_bytes()].concat()),
            ShareFrame::Output(bytes) => (b'o', bytes.clone()),
            ShareFrame::End(why) => (b'e', why.as_bytes().to_vec()),
            ShareFrame::Facts(bytes) => (b'f', bytes.clone()),
        };
        for piece in bytes.chunks(MAX_FRAME_BYTES).chain(bytes.is_empty().then_some(&[][..])) {
            let length = u16::try_from(piece.len()).unwrap_or_default().to_be_bytes();
            to.write_all(&[&[letter][..], &length, piece].concat())?;
        }
        Ok(())
    }
}

/// Buffer that reassembles frames from the received bytes. It never blocks on an incomplete frame.
#[derive(Debug, Default)]
pub(super) struct FrameBuffer {
    held: Vec<u8>,
}

impl FrameBuffer {
    /// Reads the available bytes once. Returns `false` at the end of the stream.
    pub(super) fn take(&mut self, from: &mut impl Read) -> io::Result<bool> {
        let mut bytes = [0; MAX_FRAME_BYTES];
        let count = from.read(&mut bytes)?;
        self.held.extend_from_slice(&bytes[..count]);
        Ok(count > 0)
    }

    /// Returns the next complete frame. The caller takes all frames before it reads more.
    pub(super) fn next(&mut self) -> io::Result<Option<ShareFrame>> {
        let Some((frame, length)) = ShareFrame::parse(&self.held)? else { return Ok(None) };
        self.held.drain(..length);
        Ok(Some(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_frames_are_read_back() {
        let long = vec![b'x'; MAX_FRAME_BYTES + 7];
        let all = [
            ShareFrame::Input(b"a".to_vec()),
            ShareFrame::Size(80, 24),
            ShareFrame::Output(Vec::new()),
            ShareFrame::End("over".into()),
        ];
        let mut bytes = Vec::new();
        all.iter().for_each(|frame| frame.write(&mut bytes).unwrap());
        ShareFrame::Output(long.clone()).write(&mut bytes).unwrap();
        let expected = [
            &all[..],
            &[
                ShareFrame::Output(long[..MAX_FRAME_BYTES].to_vec()),
                ShareFrame::Output(long[MAX_FRAME_BYTES..].to_vec()),
            ],
        ]
        .concat();
        // The result must not depend on the sizes of the reads.
        for size in [1, 2, 5, 4096, bytes.len()] {
            let (mut incoming, mut frames) = (FrameBuffer::default(), Vec::new());
            for mut piece in bytes.chunks(size) {
                while !piece.is_empty() {
                    assert!(incoming.take(&mut piece).unwrap());
                    while let Some(frame) = incoming.next().unwrap() {
                        frames.push(frame);
                    }
                }
            }
            assert!(!incoming.take(&mut &b""[..]).unwrap());
            assert!(frames == expected, "in pieces of {size}");
        }
    }

    #[test]
    fn foreign_data_is_refused() {
        for bytes in [&b"x\0\x01a"[..], b"s\0\x01a", b"i\xff\xff"] {
            assert!(ShareFrame::parse(bytes).is_err(), "{bytes:?}");
        }
        assert_eq!(ShareFrame::parse(b"i\0\x05ab").unwrap(), None, "more is to come");
        for text in [
            "",
            "{}\n",
            "GET / HTTP/1.1\n",
            "{\"symposium\":2,\"want\":\"ask\",\"term\":\"x\",\"columns\":1,\"rows\":1}\n",
        ] {
            assert!(GuestHello::read(&mut text.as_bytes()).is_err(), "{text}");
        }
        let endless = std::io::repeat(b'a');
        assert!(GuestHello::read(&mut endless.take(1 << 20)).is_err());
    }

    #[test]
    fn values_of_a_hello_are_limited() {
        let hello_with_term =
            |term: &str| GuestHello::new(ConnectPurpose::Drive, term, (0, 65535)).with_sane_values();
        let hello = hello_with_term("../../etc/passwd");
        assert_eq!((hello.term.as_str(), hello.columns, hello.rows), ("xterm-256color", 2, 500));
        assert_eq!(hello_with_term("tmux-256color").term, "tmux-256color");
        assert_eq!(hello_with_term("a b").term, "xterm-256color");
    }
}
