//! Reads frames from a stream. Output before the hello comes from a shell and is skipped; an invalid frame ends the
//! stream.

use std::io::{self, BufRead, Read};

use crate::model::{HELLO, RemoteFrame, RemoteHello};

/// Maximum number of bytes before the hello, more than any shell prints.
const MAX_NOISE_BYTES: usize = 64 * 1024;
/// Maximum length of a frame, which must fit into memory.
const MAX_FRAME_BYTES: usize = 1 << 20;
/// Maximum length of a version.
const MAX_VERSION_CHARS: usize = 32;

/// Reads up to the hello. If the stream ends without one, returns the output that came instead.
pub(super) fn hello(source: &mut impl BufRead) -> io::Result<Result<RemoteFrame, String>> {
    let mut noise = Vec::new();
    loop {
        let mut line = Vec::new();
        source.by_ref().take(MAX_FRAME_BYTES as u64).read_until(b'\n', &mut line)?;
        if let Some(at) = find(&line, HELLO) {
            let hello: RemoteHello =
                serde_json::from_slice(&line[at + HELLO.len()..]).map_err(io::Error::other)?;
            return Ok(Ok(RemoteFrame::Hello(RemoteHello { version: word(&hello.version), ..hello })));
        }
        noise.extend_from_slice(&line);
        if line.is_empty() || noise.len() > MAX_NOISE_BYTES {
            return Ok(Err(String::from_utf8_lossy(&noise).into_owned()));
        }
    }
}

/// Reads the next frame, or returns `None` at the end of the stream.
pub(super) fn next(source: &mut impl BufRead) -> io::Result<Option<RemoteFrame>> {
    let mut head = Vec::new();
    source.by_ref().take(64).read_until(b'\n', &mut head)?;
    if head.is_empty() {
        return Ok(None);
    }
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "the other side sent invalid data");
    let text = std::str::from_utf8(&head).map_err(|_| wrong())?;
    let (word, count) = text.strip_suffix('\n').and_then(|line| line.split_once(' ')).ok_or_else(wrong)?;
    let count: usize = count.parse().map_err(|_| wrong())?;
    let mut bytes = |count: usize| {
        let mut bytes = vec![0; if count <= MAX_FRAME_BYTES { count } else { return Err(wrong()) }];
        source.read_exact(&mut bytes).map(|()| bytes)
    };
    Ok(Some(match word {
        "out" => RemoteFrame::Out(bytes(count)?),
        "err" => RemoteFrame::Err(bytes(count)?),
        "alive" => RemoteFrame::Alive,
        "end" => RemoteFrame::End(u8::try_from(count).map_err(|_| wrong())?),
        "unknown" => RemoteFrame::Unknown,
        _ => return Err(wrong()),
    }))
}

/// Truncates a version at the first character that is not valid in one, because it is shown and stored and the host is
/// not trusted.
fn word(version: &str) -> String {
    let is_of_one = |c: &char| c.is_ascii_alphanumeric() || ".+-".contains(*c);
    match version.chars().take_while(is_of_one).take(MAX_VERSION_CHARS).collect::<String>() {
        nothing if nothing.is_empty() => "unknown".to_owned(),
        word => word,
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn frames_are_found_after_shell_output() {
        let greeting = RemoteHello { format: 1, version: "0.1.0".into() };
        let frames = [
            RemoteFrame::Out(b"a\n\0\xff".to_vec()),
            RemoteFrame::Err(vec![]),
            RemoteFrame::Alive,
            RemoteFrame::End(7),
            RemoteFrame::Unknown,
        ];
        let mut wire = b"Welcome!\nlast login: never ".to_vec();
        wire.extend(RemoteFrame::Hello(greeting.clone()).to_bytes());
        frames.iter().for_each(|frame| wire.extend(frame.to_bytes()));
        let mut source = &wire[..];
        assert_eq!(hello(&mut source).unwrap(), Ok(RemoteFrame::Hello(greeting)));
        for frame in frames {
            assert_eq!(next(&mut source).unwrap(), Some(frame));
        }
        assert_eq!(next(&mut source).unwrap(), None);
    }

    #[test]
    fn foreign_program_is_reported_with_its_output() {
        assert_eq!(
            hello(&mut &b"sh: symposium: not found\n"[..]).unwrap(),
            Err("sh: symposium: not found\n".into())
        );
        for wrong in
            [&b"out 5\nab"[..], b"out x\n", b"what 1\n", b"end 900\n", b"out 99999999999\n", b"end", b"\n"]
        {
            assert!(next(&mut &wrong[..]).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_remote_version_is_cut_to_one_short_word() {
        for (greeting, word) in [
            ("0.1.0", "0.1.0"),
            ("1.2.3-rc.1+build-7", "1.2.3-rc.1+build-7"),
            ("9.9 \x1b]0;PWN\x07 rm -rf", "9.9"),
            ("9.9\x1b[2J", "9.9"),
            ("\x1b[2J9.9", "unknown"),
            ("", "unknown"),
            (&"9".repeat(100), &"9".repeat(32)),
        ] {
            let line =
                format!("\x02symposium-remote {}\n", serde_json::json!({"format": 1, "version": greeting}));
            let Ok(RemoteFrame::Hello(hello)) = hello(&mut line.as_bytes()).unwrap() else {
                panic!("{greeting:?}")
            };
            assert_eq!(hello.version, word, "{greeting:?}");
        }
    }

    proptest! {
        #[test]
        fn no_stream_makes_it_panic(bytes in any::<Vec<u8>>()) {
            let mut source = &bytes[..];
            let _ = hello(&mut &bytes[..]);
            while let Ok(Some(_)) = next(&mut source) {}
        }
    }
}
