//! First messages of a client: its identification and its command. They have the same contents and order as those of
//! the tmux program, without the two descriptors of its terminal.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::tmux::transport::call::TmuxCall;
use crate::tmux::transport::protocol::message::{self, Outgoing, TooLong};

/// `CLIENT_UTF8`, which `tmux -u` sets. Without it every non-ASCII character is returned as `_`.
const UTF8: u32 = 0x1_0000;

/// Returns all bytes that are sent before tmux answers, or `None` if the call does not fit into the protocol.
pub(super) fn of(call: &TmuxCall<'_>) -> Option<Vec<u8>> {
    // Like the tmux program, send the canonical path of the directory.
    let dir = match call.dir {
        Some(dir) => dir.canonicalize().ok()?,
        None => Path::new("/").to_owned(),
    };
    let mut out = Outgoing::default();
    write_identification(call, &dir, &mut out).ok()?;
    // A single message saves the server a round trip, during which it would check every pane. A long script does not
    // fit.
    let direct = call.direct.and_then(|words| command(words, &mut out).ok());
    if direct.is_none() {
        command(call.words, &mut out).ok()?;
    }
    Some(out.bytes)
}

fn write_identification(call: &TmuxCall<'_>, dir: &Path, out: &mut Outgoing) -> Result<(), TooLong> {
    let term = call.variables().find(|(key, _)| *key == "TERM").map_or(&b""[..], |(_, term)| term.as_bytes());
    out.put(message::IDENTIFY_FLAGS, &[&UTF8.to_ne_bytes()])?;
    out.put(message::IDENTIFY_LONGFLAGS, &[&u64::from(UTF8).to_ne_bytes()])?;
    out.put(message::IDENTIFY_TERM, &[term, b"\0"])?;
    out.put(message::IDENTIFY_FEATURES, &[&0u32.to_ne_bytes()])?;
    out.put(message::IDENTIFY_TTYNAME, &[b"\0"])?;
    out.put(message::IDENTIFY_CWD, &[dir.as_os_str().as_bytes(), b"\0"])?;
    out.put(message::IDENTIFY_CLIENTPID, &[&std::process::id().to_ne_bytes()])?;
    for (key, value) in call.variables() {
        out.put(message::IDENTIFY_ENVIRON, &[key.as_bytes(), b"=", value.as_bytes(), b"\0"])?;
    }
    out.put(message::IDENTIFY_DONE, &[])
}

fn command(words: &[impl AsRef<[u8]>], out: &mut Outgoing) -> Result<(), TooLong> {
    let count = i32::try_from(words.len()).map_err(|_| TooLong)?;
    let text: Vec<u8> = words.iter().flat_map(|word| word.as_ref().iter().copied().chain([0])).collect();
    // An argument with a NUL byte would become two; the count must match what tmux finds.
    if text.iter().filter(|byte| **byte == 0).count() != words.len() {
        return Err(TooLong);
    }
    out.put(message::COMMAND, &[&count.to_ne_bytes(), &text])
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::time::Duration;

    use super::*;
    use message::ProtocolMessage;

    fn call<'a>(words: &'a [&'a str], env: &[(&'a str, &'a str)]) -> TmuxCall<'a> {
        let env = env.iter().map(|(key, value)| (OsStr::new(*key), OsStr::new(*value))).collect();
        TmuxCall::new("test", words, env, Duration::from_secs(1))
    }

    #[test]
    fn protocol_client_and_tmux_program_report_the_same() {
        let env = [("TERM", "xterm"), ("A", "é"), ("TMUX", "x"), ("PWD", "/x")];
        let bytes = of(&call(&["list-sessions", "-F"], &env)).unwrap();
        let (mut rest, mut messages) = (&bytes[..], Vec::new());
        while let Some((message, length)) = ProtocolMessage::first(rest).unwrap() {
            messages.push((message.kind, message.body.to_vec()));
            rest = &rest[length..];
        }
        assert!(rest.is_empty());
        let pid = std::process::id().to_ne_bytes().to_vec();
        let expected: Vec<(u32, Vec<u8>)> = vec![
            (100, 0x1_0000u32.to_ne_bytes().to_vec()),
            (111, 0x1_0000u64.to_ne_bytes().to_vec()),
            (101, b"xterm\0".to_vec()),
            (109, vec![0; 4]),
            (102, b"\0".to_vec()),
            (108, b"/\0".to_vec()),
            (107, pid),
            (105, b"TERM=xterm\0".to_vec()),
            (105, "A=é\0".into()),
            (106, vec![]),
            (200, [&2i32.to_ne_bytes()[..], b"list-sessions\0-F\0"].concat()),
        ];
        assert_eq!(messages, expected);
    }

    #[test]
    fn a_script_is_sent_as_words_if_they_fit() {
        let messages = |words: &[Vec<u8>]| {
            let call =
                TmuxCall { direct: Some(words), stdin: Some(b"x"), ..call(&["source-file", "-"], &[]) };
            let bytes = of(&call).unwrap();
            let (mut rest, mut last) = (&bytes[..], Vec::new());
            while let Some((message, length)) = ProtocolMessage::first(rest).unwrap() {
                last = message.body.to_vec();
                rest = &rest[length..];
            }
            last
        };
        let short = [b"new-session".to_vec(), b"\xff".to_vec()];
        assert_eq!(messages(&short), [&2i32.to_ne_bytes()[..], b"new-session\0\xff\0"].concat());
        let long = [b"new-session".to_vec(), vec![b'x'; 17_000]];
        assert_eq!(messages(&long), [&2i32.to_ne_bytes()[..], b"source-file\0-\0"].concat());
    }

    #[test]
    fn too_long_parts_are_omitted() {
        let long = "x".repeat(17_000);
        assert!(of(&call(&["display-message", &long], &[])).is_none());
        assert!(of(&call(&["display-message"], &[("A", &long)])).is_none());
        assert!(of(&call(&["a\0b"], &[])).is_none());
        assert!(of(&TmuxCall { dir: Some(Path::new("/not/there")), ..call(&["x"], &[]) }).is_none());
    }
}
