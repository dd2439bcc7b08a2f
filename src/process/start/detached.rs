//! Programs that are run for somebody far away: listened to as they print, or set apart so that they outlive whoever
//! asked for them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use crate::model::Exit;
use crate::process::Run;
use crate::process::start::run::{command, exit};

/// What one read brings at most.
const PIECE: usize = 32 * 1024;

/// Something about a program that is listened to.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// It printed this.
    Out(Vec<u8>),
    /// It said this on standard error.
    Err(Vec<u8>),
    /// Nobody wants to hear more.
    Unwanted,
    /// For as long as was asked, nothing.
    Nothing,
    /// It has closed its outputs.
    Closed,
}

/// A program that is listened to; it is ended when nobody does any more.
pub struct Listening {
    child: Child,
    heard: Receiver<Heard>,
    tell: Sender<Heard>,
    /// How many of its two outputs are open.
    open: u8,
}

/// Starts a program with this input and listens to it.
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
    let (tell, heard) = mpsc::channel();
    pass_on(out, Heard::Out, tell.clone());
    pass_on(err, Heard::Err, tell.clone());
    Ok(Listening { child, heard, tell, open: 2 })
}

impl Listening {
    /// Whoever has this can say that nobody wants to hear more.
    pub fn stopper(&self) -> impl FnOnce() + Send + 'static {
        let tell = self.tell.clone();
        move || drop(tell.send(Heard::Unwanted))
    }

    /// The next thing heard, waited for so long.
    pub fn next(&mut self, at_most: Duration) -> Heard {
        loop {
            match self.heard.recv_timeout(at_most) {
                Ok(Heard::Closed) if self.open > 1 => self.open -= 1,
                Ok(heard) => return heard,
                Err(RecvTimeoutError::Timeout) => return Heard::Nothing,
                Err(RecvTimeoutError::Disconnected) => return Heard::Closed,
            }
        }
    }

    /// Waits for its end.
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

fn pass_on(mut source: impl Read + Send + 'static, as_what: fn(Vec<u8>) -> Heard, tell: Sender<Heard>) {
    thread::spawn(move || {
        let mut piece = vec![0; PIECE];
        while let Ok(count @ 1..) = source.read(&mut piece) {
            if tell.send(as_what(piece[..count].to_vec())).is_err() {
                return;
            }
        }
        let _ = tell.send(Heard::Closed);
    });
}

/// Starts a program that holds nothing of ours open, and goes on.
pub fn start_apart(run: &Run<'_>) -> io::Result<()> {
    let mut command = command(run);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}

/// Leaves the session of whoever started this process, so that a connection that ends does not end it.
pub fn leave_session() -> io::Result<()> {
    rustix::process::setsid().map(drop).map_err(Into::into)
}

/// Runs a program to its end with these files for input, output and errors.
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
    fn a_program_is_heard_as_it_prints() {
        let mut listening = shell("read -r line; echo \"got $line\"; exit 3", "hello\n");
        assert_eq!(listening.next(LONG), Heard::Out(b"got hello\n".to_vec()));
        assert_eq!(listening.next(LONG), Heard::Closed);
        assert_eq!(listening.end().unwrap(), Exit { code: Some(3), signal: None });
    }

    #[test]
    fn a_program_that_nobody_listens_to_is_ended() {
        let mut listening = shell("echo up; exec sleep 1000", "");
        assert_eq!(listening.next(LONG), Heard::Out(b"up\n".to_vec()));
        assert_eq!(listening.next(Duration::from_millis(1)), Heard::Nothing);
        let stop = listening.stopper();
        stop();
        assert_eq!(listening.next(LONG), Heard::Unwanted);
        let pid = i32::try_from(listening.child.id()).unwrap();
        drop(listening);
        assert!(crate::process::wait_exit(pid, LONG).unwrap());
    }
}
