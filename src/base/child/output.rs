//! Reads the two outputs of a child until the child ends.

use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ChildStderr, ChildStdout};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::io::ioctl_fionread;

use super::{OutputLimit, Overflow, exit_of};
use crate::base::wait::deadline::poll_until;

/// Number of bytes that are read at once, the usual capacity of a pipe.
const CHUNK_BYTES: usize = 1 << 16;

/// Reads standard output, and collects standard error meanwhile. The output ends when the pipe is closed or when the child
/// has ended.
pub(super) struct OutputReader {
    exit: OwnedFd,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    errors: Vec<u8>,
    limit: OutputLimit,
    deadline: Instant,
    state: State,
}

/// Progress of the child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    /// The child has ended. Its standard output still holds this number of unread bytes; bytes that other processes add
    /// later are not read.
    Ended {
        unread: u64,
    },
    TimedOut,
}

impl OutputReader {
    pub(super) fn new(child: &mut Child, deadline: Instant, limit: OutputLimit) -> io::Result<OutputReader> {
        let exit = exit_of(child)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        Ok(OutputReader { exit, stdout, stderr, errors: Vec::new(), limit, deadline, state: State::Running })
    }

    pub(super) fn has_timed_out(&self) -> bool {
        self.state == State::TimedOut
    }

    /// Waits for the end of the child and returns standard error, or `None` if the deadline came first.
    pub(super) fn finish(mut self) -> io::Result<Option<Vec<u8>>> {
        self.stdout = None;
        while self.state == State::Running {
            self.advance()?;
        }
        Ok((!self.has_timed_out()).then_some(self.errors))
    }

    /// Waits for the next event of a running child. Returns whether standard output has data or is at its end.
    fn advance(&mut self) -> io::Result<bool> {
        // The exit comes first: what the child wrote before it is in the pipes when they are checked.
        let mut polled = vec![PollFd::new(&self.exit, PollFlags::IN)];
        polled.extend(self.stdout.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        polled.extend(self.stderr.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        poll_until(&mut polled, self.deadline)?;
        let mut ready = polled.iter().map(|descriptor| !descriptor.revents().is_empty());
        let has_ended = ready.next().unwrap_or(false);
        let has_output = self.stdout.is_some() && ready.next().unwrap_or(false);
        let has_errors = self.stderr.is_some() && ready.next().unwrap_or(false);
        drop(polled);
        if has_ended {
            let unread = self.stdout.as_ref().map_or(Ok(0), ioctl_fionread)?;
            self.state = State::Ended { unread };
            return self.read_last_errors().map(|()| false);
        }
        if Instant::now() >= self.deadline {
            self.state = State::TimedOut;
            return Ok(false);
        }
        if has_errors {
            self.read_errors(CHUNK_BYTES)?;
        }
        Ok(has_output)
    }

    /// Reads what the ended child has left in the pipe of standard error.
    fn read_last_errors(&mut self) -> io::Result<()> {
        let mut unread = self.stderr.as_ref().map_or(Ok(0), ioctl_fionread)? as usize;
        while unread > 0 && self.stderr.is_some() {
            unread -= self.read_errors(unread)?;
        }
        Ok(())
    }

    /// Reads from standard error once and returns the number of bytes.
    fn read_errors(&mut self, at_most: usize) -> io::Result<usize> {
        let Some(pipe) = &mut self.stderr else { return Ok(0) };
        let mut chunk = [0; CHUNK_BYTES];
        let count = read_once(pipe, &mut chunk[..at_most.min(CHUNK_BYTES)])?;
        if !self.limit.keep(&chunk[..count], &mut self.errors) || count == 0 {
            self.stderr = None;
        }
        Ok(count)
    }
}

impl Read for OutputReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.state == State::Running && self.stdout.is_some() {
            if self.advance()?
                && let Some(pipe) = &mut self.stdout
            {
                let count = read_once(pipe, buffer)?;
                if count == 0 {
                    self.stdout = None;
                }
                return Ok(count);
            }
        }
        match (&mut self.state, &mut self.stdout) {
            (State::TimedOut, _) => Err(io::ErrorKind::TimedOut.into()),
            (State::Ended { unread: unread @ 1.. }, Some(pipe)) => {
                let at_most = usize::try_from(*unread).unwrap_or(usize::MAX).min(buffer.len());
                let count = read_once(pipe, &mut buffer[..at_most])?;
                *unread -= count as u64;
                Ok(count)
            }
            _ => Ok(0),
        }
    }
}

impl OutputLimit {
    /// Reads an output to its end, or to the limit if the pipe is to be closed there.
    pub fn collect(&self, output: &mut dyn Read) -> io::Result<Vec<u8>> {
        let mut kept = Vec::new();
        let mut chunk = [0; CHUNK_BYTES];
        loop {
            let count = read_once(output, &mut chunk)?;
            if count == 0 || !self.keep(&chunk[..count], &mut kept) {
                return Ok(kept);
            }
        }
    }

    /// Appends the part of a chunk that is within the limit. Returns `false` if the pipe has to be closed.
    fn keep(&self, chunk: &[u8], kept: &mut Vec<u8>) -> bool {
        let room = self.bytes.saturating_sub(kept.len());
        kept.extend_from_slice(&chunk[..chunk.len().min(room)]);
        self.overflow == Overflow::Discard || kept.len() < self.bytes
    }
}

/// Reads what is available, also after a signal.
fn read_once(source: &mut (impl Read + ?Sized), buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            count => return count,
        }
    }
}
