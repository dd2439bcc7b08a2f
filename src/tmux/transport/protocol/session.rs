//! A protocol session after the connection is made: sends the handshake, provides the files that the server reads and
//! collects its output, until the server ends the session.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::base::wait::deadline::poll_until;
use crate::tmux::transport::call::CommandOutput;
use crate::tmux::transport::protocol::message::{self, Outgoing, ProtocolMessage, TooLong};

/// Number of bytes to read at once: the length of the longest message.
const CHUNK: usize = 16 * 1024;
/// Number of bytes that a server reads at once, `IBUF_READ_SIZE`.
const READ_AT_ONCE: usize = 65_535;
/// File descriptors by which the server refers to the client's streams.
const STDIN: i32 = 0;
const STDOUT: i32 = 1;
const STDERR: i32 = 2;

/// Reason why there is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The server has not executed anything.
    NotAsked,
    /// The time limit was exceeded.
    TimedOut,
    /// The server closed the connection before it answered.
    Lost,
    /// The server sent an unexpected message.
    Odd(String),
}

/// State of one protocol session.
pub(super) struct ProtocolSession<'a> {
    line: OwnedFd,
    stdin: &'a [u8],
    out: Outgoing,
    sent: usize,
    came: Vec<u8>,
    has_received: bool,
    /// Maps the server's stream numbers to our output descriptors.
    streams: BTreeMap<i32, i32>,
    texts: [Vec<u8>; 2],
}

impl<'a> ProtocolSession<'a> {
    /// Creates a session that begins with these bytes.
    pub(super) fn new(line: OwnedFd, opening: Vec<u8>, stdin: &'a [u8]) -> ProtocolSession<'a> {
        let out = Outgoing { bytes: opening };
        ProtocolSession {
            line,
            stdin,
            out,
            sent: 0,
            came: Vec::new(),
            has_received: false,
            streams: BTreeMap::new(),
            texts: Default::default(),
        }
    }

    /// Runs the session until the server ends it. Calls `meanwhile` while the server works on the first messages.
    pub(super) fn run(
        mut self,
        deadline: Instant,
        meanwhile: Option<&dyn Fn()>,
    ) -> Result<CommandOutput, NoAnswer> {
        self.send()?;
        if let Some(meanwhile) = meanwhile {
            meanwhile();
        }
        loop {
            self.send()?;
            self.wait(deadline)?;
            self.receive()?;
            if let Some(reply) = self.handle_received()? {
                return Ok(reply);
            }
        }
    }

    /// Sends as many bytes as possible. A server that has stopped reading may still send something.
    fn send(&mut self) -> Result<(), NoAnswer> {
        while self.sent < self.out.bytes.len() {
            match send(&self.line, &self.out.bytes[self.sent..], SendFlags::NOSIGNAL) {
                Ok(count) => self.sent += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(_) if self.sent == 0 => return Err(NoAnswer::NotAsked),
                Err(_) => self.sent = self.out.bytes.len(),
            }
        }
        Ok(())
    }

    /// Waits until there is something to read, or space for pending output.
    fn wait(&self, deadline: Instant) -> Result<(), NoAnswer> {
        let is_done = self.sent == self.out.bytes.len();
        let wanted = if is_done { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        match poll_until(&mut [PollFd::new(&self.line, wanted)], deadline) {
            Ok(0) => Err(NoAnswer::TimedOut),
            Ok(_) => Ok(()),
            Err(why) => Err(NoAnswer::Odd(why.to_string())),
        }
    }

    fn receive(&mut self) -> Result<(), NoAnswer> {
        let mut chunk = [0; CHUNK];
        match recv(&self.line, &mut chunk[..], RecvFlags::empty()) {
            // The server left our bytes unread, which a server does that is about to exit.
            Err(Errno::CONNRESET) if !self.has_received && self.out.bytes.len() <= READ_AT_ONCE => {
                Err(NoAnswer::NotAsked)
            }
            Ok((0, _)) | Err(Errno::CONNRESET) => Err(NoAnswer::Lost),
            Ok((count, _)) => {
                self.has_received = true;
                self.came.extend_from_slice(&chunk[..count]);
                Ok(())
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(why) => Err(NoAnswer::Odd(why.to_string())),
        }
    }

    /// Handles the received messages. Returns the output if one of them ends the session.
    fn handle_received(&mut self) -> Result<Option<CommandOutput>, NoAnswer> {
        let came = std::mem::take(&mut self.came);
        let mut rest = &came[..];
        while let Some((message, length)) = ProtocolMessage::first(rest).map_err(NoAnswer::Odd)? {
            rest = &rest[length..];
            if let Some(reply) = self.handle_message(&message)? {
                return Ok(Some(reply));
            }
        }
        self.came = rest.to_vec();
        Ok(None)
    }

    fn handle_message(&mut self, message: &ProtocolMessage<'_>) -> Result<Option<CommandOutput>, NoAnswer> {
        let odd = |what: String| NoAnswer::Odd(what);
        match message.kind {
            // This answers the very first message, and the server ignores all messages after that one.
            message::VERSION => return Err(NoAnswer::NotAsked),
            message::READ_OPEN => {
                let ([stream, fd], path) = message.numbers().map_err(odd)?;
                self.give(stream, fd, path)?;
            }
            message::WRITE_OPEN => {
                let ([stream, fd, _], _) = message.numbers().map_err(odd)?;
                // A hook of the user may want to write a file; with this error the server reports that it cannot.
                let error = if matches!(fd, STDOUT | STDERR) { 0 } else { Errno::PERM.raw_os_error() };
                self.streams.insert(stream, fd);
                self.put(message::WRITE_READY, &[&stream.to_ne_bytes(), &error.to_ne_bytes()])?;
            }
            message::WRITE => {
                let ([stream], text) = message.numbers().map_err(odd)?;
                match self.streams.get(&stream) {
                    Some(&STDOUT) => self.texts[0].extend_from_slice(text),
                    Some(&STDERR) => self.texts[1].extend_from_slice(text),
                    _ => return Err(NoAnswer::Odd(format!("text for stream {stream}, which is not open"))),
                }
            }
            message::WRITE_CLOSE => {
                let ([stream], _) = message.numbers().map_err(odd)?;
                self.streams.remove(&stream);
            }
            message::EXIT => {
                let ([code], why) = message.numbers().map_err(odd)?;
                return Ok(Some(self.finish(code, why)));
            }
            message::SHUTDOWN => return Ok(Some(self.finish(1, b"server exited"))),
            other => return Err(NoAnswer::Odd(format!("a message of type {other}"))),
        }
        Ok(None)
    }

    /// Sends the server what it wants to read: our standard input, or a file that a command of the user names.
    fn give(&mut self, stream: i32, fd: i32, path: &[u8]) -> Result<(), NoAnswer> {
        let file;
        let (text, error) = if fd == STDIN {
            (self.stdin, 0)
        } else {
            file = read_file(path);
            file.as_ref().map_or_else(|why| (&[][..], why.raw_os_error()), |text| (&text[..], 0))
        };
        let stream = stream.to_ne_bytes();
        for piece in text.chunks(message::MAX_BODY_BYTES) {
            self.put(message::READ, &[&stream, piece])?;
        }
        self.put(message::READ_DONE, &[&stream, &error.to_ne_bytes()])
    }

    fn put(&mut self, kind: u32, body: &[&[u8]]) -> Result<(), NoAnswer> {
        self.out.put(kind, body).map_err(|TooLong| NoAnswer::Odd("a question too long to answer".to_owned()))
    }

    /// Returns the collected output. The final message of the server is appended to standard error.
    fn finish(&mut self, code: i32, last: &[u8]) -> CommandOutput {
        let [out, mut err] = std::mem::take(&mut self.texts);
        err.extend_from_slice(last.strip_suffix(b"\0").unwrap_or(last));
        CommandOutput { success: code == 0, out, err: String::from_utf8_lossy(&err).trim().to_owned() }
    }
}

/// Reads a regular file. Any other file type could block.
fn read_file(path: &[u8]) -> Result<Vec<u8>, Errno> {
    let path = OsStr::from_bytes(path.strip_suffix(b"\0").unwrap_or(path));
    if !fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        return Err(Errno::NOENT);
    }
    fs::read(path).map_err(|why| Errno::from_io_error(&why).unwrap_or(Errno::IO))
}
