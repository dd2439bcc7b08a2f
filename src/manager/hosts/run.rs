//! Runs a command on another machine over ssh. After a lost connection the request is repeated with the same id, so
//! that the command is executed once in any case.

use std::time::{Duration, Instant};

use crate::error::{Error, shown};
use crate::manager::hosts::Hosts;
use crate::manager::hosts::list::too_much;
use crate::manager::hosts::manage::{HELLO, difference, far_request, unreached};
use crate::model::{FAR_FORMAT, Frame, Hello, Host, HostName, Times};
use crate::rules::remote::{is_refused, never_connected, pause, with_timeout};
use crate::ssh::{Asking, Bounds, Heed, Lost, Talked};

/// How long the client reconnects to a host after a lost connection: longer than a network usually takes to recover.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(120);

/// A connection that lasted for this long resets the backoff.
const HELD: Duration = Duration::from_secs(60);

/// Maximum size of buffered output: more than the longest transcript, which consists of five files of 16 MiB.
const MOST_HELD: usize = 128 << 20;

/// A command for another machine.
#[derive(Debug, Clone)]
pub struct FarCommand {
    /// The host that executes the command.
    pub host: HostName,
    /// The arguments after `symposium`.
    pub argv: Vec<String>,
    /// The standard input of the command.
    pub stdin: Vec<u8>,
    /// How the command is executed and its output shown.
    pub showing: Showing,
    /// Time limit of the command across all connections; it is passed on as `--timeout`.
    pub limit: Option<Duration>,
}

/// How a command is executed and its output shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Showing {
    /// The command has effects and is executed once. Its output is shown as it arrives; after a lost connection the
    /// missing part is sent again.
    Once,
    /// The command only reads. Its output is shown when it is complete.
    Whole,
    /// The command only reads. Its output is shown as it arrives, and again from its beginning after a lost connection.
    RestartPlan,
    /// The command only reads. Its output is shown as it arrives, and the command ends with the connection.
    UntilLost,
}

/// A chunk of output to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A chunk of the standard output.
    Out(&'a [u8]),
    /// A chunk of the standard error.
    Err(&'a [u8]),
    /// A message about the connection from this side.
    Link(&'a str),
}

/// The output that has arrived so far.
#[derive(Default)]
struct Arrived {
    hello: Option<Hello>,
    out: Vec<u8>,
    err: Vec<u8>,
    lengths: (u64, u64),
}

impl Hosts<'_> {
    /// Runs a command on another machine and returns its exit code. Passes output to `show` as it arrives.
    pub fn far(&self, command: &FarCommand, show: &mut dyn FnMut(Piece<'_>) -> Heed) -> Result<u8, Error> {
        let host = self.host(&command.host)?;
        let ssh = self.ssh()?;
        let times = if command.showing == Showing::Once { Times::Once } else { Times::Any };
        let mut request = far_request(times, command.argv.clone(), command.stdin.len());
        let mut arrived = Arrived::default();
        let (mut tries, mut may_be_done, mut lost_since, mut spoke) = (0, false, None, false);
        let asked = Instant::now();
        loop {
            let bounds = Bounds { hello: HELLO, whole: None, asking: Asking::Never };
            let began = Instant::now();
            let talked = ssh.talk(&host, (&request, &command.stdin), bounds, &mut |frame| {
                arrived.take(frame, command.showing, show)
            })?;
            if let Some(hello) = arrived.hello.take() {
                self.note_version(&host, &hello.version);
                refuse_older(&host, &hello)?;
                if matches!(talked, Talked::Ended(2))
                    && let Some(told) = difference(&hello)
                {
                    show(Piece::Link(&told));
                }
            }
            let lost = match talked {
                Talked::Ended(code) => {
                    arrived.show_all(show);
                    return Ok(code);
                }
                Talked::Enough if arrived.held() > MOST_HELD => {
                    return Err(Error::FarFailed { name: host.name, said: vec![too_much(MOST_HELD)] });
                }
                Talked::Enough => return Ok(0),
                Talked::Unknown => return Err(Error::FarUnknown { name: host.name, after: None }),
                Talked::Lost(lost) => lost,
            };
            let Lost { greeted, late, in_vain, code, ref said } = lost;
            // If the connection timed out or broke, the request may have arrived.
            may_be_done |= greeted || (late && !in_vain) || (code == Some(255) && !never_connected(said));
            let is_hopeless =
                !greeted && (in_vain || (!late && (code != Some(255) || never_connected(said))));
            if is_hopeless && (!may_be_done || code != Some(255)) {
                return Err(unreached(&host, &lost));
            }
            spoke |= greeted;
            // A command that only reads does not wait for a host that accepts the connection but never answers.
            if late && !spoke && times == Times::Any {
                return Err(unreached(&host, &lost));
            }
            if command.showing == Showing::UntilLost {
                return Err(Error::LinkLost { name: host.name });
            }
            // The backoff starts again after a connection that lasted for a while. Connections that break at once count
            // as one outage, so that the attempts end.
            if greeted && began.elapsed() > HELD {
                (tries, lost_since) = (0, None);
            }
            let since = *lost_since.get_or_insert_with(Instant::now);
            if is_refused(said) {
                show(Piece::Link(&said.lines().last().map(shown).unwrap_or_default()));
            }
            if since.elapsed() > RECONNECT_TIMEOUT || is_refused(said) {
                return Err(match command.showing {
                    Showing::Once => Error::FarUnknown { name: host.name, after: Some(since.elapsed()) },
                    _ => unreached(&host, &lost),
                });
            }
            ssh.let_go(&host);
            tries += 1;
            let wait = pause(tries);
            let what = match late && !greeted {
                true => format!("`{}` does not answer", host.name),
                false => format!("the connection to `{}` was lost", host.name),
            };
            let wait_s = wait.as_secs();
            show(Piece::Link(&format!("{what}; asking again in {wait_s} s, nothing is done twice")));
            std::thread::sleep(wait);
            (request.out_from, request.err_from) = arrived.again(command.showing);
            // A command that is executed once continues on the host with its own clock.
            if let Some(limit) = command.limit.filter(|_| times == Times::Any) {
                request.argv = with_timeout(&request.argv, limit.saturating_sub(asked.elapsed()));
            }
        }
    }
}

impl Arrived {
    fn take(&mut self, frame: Frame, showing: Showing, show: &mut dyn FnMut(Piece<'_>) -> Heed) -> Heed {
        match frame {
            Frame::Hello(hello) => {
                let heed = if hello.format < FAR_FORMAT { Heed::Enough } else { Heed::On };
                self.hello = Some(hello);
                heed
            }
            Frame::Out(bytes) if showing == Showing::Whole => {
                self.out.extend(bytes);
                if self.held() > MOST_HELD { Heed::Enough } else { Heed::On }
            }
            Frame::Err(bytes) if showing == Showing::Whole => {
                self.err.extend(bytes);
                if self.held() > MOST_HELD { Heed::Enough } else { Heed::On }
            }
            Frame::Out(bytes) => {
                self.lengths.0 += bytes.len() as u64;
                show(Piece::Out(&bytes))
            }
            Frame::Err(bytes) => {
                self.lengths.1 += bytes.len() as u64;
                show(Piece::Err(&bytes))
            }
            Frame::Alive | Frame::End(_) | Frame::Unknown => Heed::On,
        }
    }

    /// Returns the number of buffered bytes.
    fn held(&self) -> usize {
        self.out.len() + self.err.len()
    }

    fn show_all(&mut self, show: &mut dyn FnMut(Piece<'_>) -> Heed) {
        if !self.out.is_empty() {
            show(Piece::Out(&self.out));
        }
        if !self.err.is_empty() {
            show(Piece::Err(&self.err));
        }
    }

    /// Returns the offsets from which output is requested after a reconnect. Commands that only read start at the
    /// beginning.
    fn again(&mut self, showing: Showing) -> (u64, u64) {
        if showing == Showing::Once {
            return self.lengths;
        }
        *self = Arrived::default();
        (0, 0)
    }
}

/// Refuses a host with an older protocol format, which cannot answer requests.
pub(in crate::manager) fn refuse_older(host: &Host, hello: &Hello) -> Result<(), Error> {
    match hello.format < FAR_FORMAT {
        true => Err(Error::HostOlder { name: host.name.clone(), version: Some(hello.version.clone()) }),
        false => Ok(()),
    }
}
