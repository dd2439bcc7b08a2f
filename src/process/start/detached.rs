//! Runs programs on behalf of another host: with streamed output, or detached so that they outlive the connection.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use crate::model::Exit;
use crate::process::Run;
use crate::process::start::run::{command, exit};

/// Maximum number of bytes of one read.
const READ_BUFFER_BYTES: usize = 32 * 1024;

/// Event of a program whose output is streamed.
#[derive(Debug, PartialEq, Eq)]
pub enum StreamEvent {
    /// Data on standard output.
    Out(Vec<u8>),
    /// Data on standard error.
    Err(Vec<u8>),
    /// The reader requested no more output.
    Unwanted,
    /// No event within the time limit.
    Nothing,
    /// The program has closed both outputs.
    Closed,
}

/// A program whose output is streamed. Dropping it kills the program.
pub struct Listening {
    child: Child,
    events: Receiver<StreamEvent>,
    sender: Sender<StreamEvent>,
    /// Number of its two outputs that are open.
    open: u8,
}

/// Starts a program with this input and streams its output.
pub fn listen_to(run: &Run<'_>, input: Vec<u8>) -> io::Result<Listening> {
    let mut command = command(run);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (Some(mut stdin), Some(out), Some(err)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(io::Error::other("the child has no pipes"));
    };
    thread::spawn(move || stdin.write_all(&input));
    let (sender, events) = mpsc::channel();
    pass_on(out, StreamEvent::Out, sender.clone());
    pass_on(err, StreamEvent::Err, sender.clone());
    Ok(Listening { child, events, sender, open: 2 })
}

impl Listening {
    /// Returns a function that makes [`Listening::next`] return [`StreamEvent::Unwanted`].
    pub fn stopper(&self) -> impl FnOnce() + Send + 'static {
        let sender = self.sender.clone();
        move || drop(sender.send(StreamEvent::Unwanted))
    }

    /// Waits for the next event, up to the time limit.
    pub fn next(&mut self, at_most: Duration) -> StreamEvent {
        loop {
            match self.events.recv_timeout(at_most) {
                Ok(StreamEvent::Closed) if self.open > 1 => self.open -= 1,
                Ok(events) => return events,
                Err(RecvTimeoutError::Timeout) => return StreamEvent::Nothing,
                Err(RecvTimeoutError::Disconnected) => return StreamEvent::Closed,
            }
        }
    }

    /// Waits until the program ends.
    pub fn end(mut self) -> io::Result<Exit> {
        self.child.wait().map(exit)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn pass_on(
    mut source: impl Read + Send + 'static,
    to_event: fn(Vec<u8>) -> StreamEvent,
    sender: Sender<StreamEvent>,
) {
    thread::spawn(move || {
        let mut piece = vec![0; READ_BUFFER_BYTES];
        while let Ok(count @ 1..) = source.read(&mut piece) {
            if sender.send(to_event(piece[..count].to_vec())).is_err() {
                return;
            }
        }
        let _ = sender.send(StreamEvent::Closed);
    });
}

/// Starts a program that inherits no open files and continues in the background.
pub fn start_detached(run: &Run<'_>) -> io::Result<()> {
    let mut command = command(run);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}

/// Moves this process into a new session, so that the end of a connection does not end it.
pub fn leave_session() -> io::Result<()> {
    rustix::process::setsid().map(drop).map_err(Into::into)
}

/// Runs a program until it ends, with these files as standard input, output and error.
pub fn run_into(run: &Run<'_>, [input, out, err]: [File; 3]) -> io::Result<Exit> {
    let mut command = command(run);
    Ok(exit(command.stdin(input).stdout(out).stderr(err).status()?))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn shell(script: &str, input: &str) -> Listening {
        let args = ["-c".to_owned(), script.to_owned()];
        let run = Run { program: Path::new("/bin/sh"), args: &args, dir: None, env: None };
        listen_to(&run, input.into()).unwrap()
    }

    #[test]
    fn output_is_streamed_while_the_program_runs() {
        let mut listening = shell("read -r line; echo \"got $line\"; exit 3", "hello\n");
        assert_eq!(listening.next(LONG), StreamEvent::Out(b"got hello\n".to_vec()));
        assert_eq!(listening.next(LONG), StreamEvent::Closed);
        assert_eq!(listening.end().unwrap(), Exit { code: Some(3), signal: None });
    }

    #[test]
    fn program_without_a_reader_is_killed() {
        let mut listening = shell("echo up; exec sleep 1000", "");
        assert_eq!(listening.next(LONG), StreamEvent::Out(b"up\n".to_vec()));
        assert_eq!(listening.next(Duration::from_millis(1)), StreamEvent::Nothing);
        let stop = listening.stopper();
        stop();
        assert_eq!(listening.next(LONG), StreamEvent::Unwanted);
        let pid = i32::try_from(listening.child.id()).unwrap();
        drop(listening);
        assert!(crate::process::wait_exit(pid, LONG).unwrap());
    }
}
