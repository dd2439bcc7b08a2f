//! Runs a command on another machine over ssh. After a lost connection the request is repeated with the same id, so
//! that the command is executed once in any case.

use std::time::{Duration, Instant};

use crate::error::{Code, Error, shown};
use crate::manager::hosts::Hosts;
use crate::manager::hosts::list::too_much;
use crate::manager::hosts::manage::{HELLO, connection_error, difference, remote_request};
use crate::model::{Host, HostName, REMOTE_FORMAT, RemoteFrame, RemoteHello, Replay};
use crate::rules::remote::{is_refused, never_connected, pause, with_timeout};
use crate::ssh::{FrameFlow, Interaction, LostConnection, RequestOutcome, RequestTimeouts};

/// How long the client reconnects to a host after a lost connection: longer than a network usually takes to recover.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(120);

/// A connection that lasted for this long resets the backoff.
const BACKOFF_RESET_AFTER: Duration = Duration::from_secs(60);

/// Maximum size of buffered output: more than the longest transcript, which consists of five files of 16 MiB.
const MAX_HELD_BYTES: usize = 128 << 20;

/// A command for another machine.
#[derive(Debug, Clone)]
pub struct RemoteCommand {
    /// The host that executes the command.
    pub host: HostName,
    /// The arguments after `symposium`.
    pub argv: Vec<String>,
    /// The standard input of the command.
    pub stdin: Vec<u8>,
    /// How the command is executed and its output shown.
    pub showing: OutputPlan,
    /// Time limit of the command across all connections; it is passed on as `--timeout`.
    pub limit: Option<Duration>,
}

/// How a command is executed and its output shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputPlan {
    /// The command has effects and is executed once. Its output is shown as it arrives; after a lost connection the
    /// missing part is sent again.
    Once,
    /// The command only reads. Its output is shown when it is complete.
    Whole,
    /// The command only reads. Its output is shown as it arrives, and again from its beginning after a lost connection.
    FromBeginning,
    /// The command only reads. Its output is shown as it arrives, and the command ends with the connection.
    UntilLost,
}

/// A chunk of output to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputChunk<'a> {
    /// A chunk of the standard output.
    Out(&'a [u8]),
    /// A chunk of the standard error.
    Err(&'a [u8]),
    /// A message about the connection from this side.
    Link(&'a str),
}

/// The attempts to run one command on a host.
#[derive(Default)]
struct ConnectionAttempts {
    /// Whether the request may have arrived at the host.
    may_be_done: bool,
    /// Whether symposium has answered on the host.
    was_greeted: bool,
    /// Number of failed attempts in the current outage.
    failed: u32,
    /// Start of the current outage.
    outage_began: Option<Instant>,
}

/// The output that has arrived so far.
#[derive(Default)]
struct ReceivedOutput {
    hello: Option<RemoteHello>,
    out: Vec<u8>,
    err: Vec<u8>,
    lengths: (u64, u64),
}

impl Hosts<'_> {
    /// Runs a command on another machine and returns its exit code. Passes output to `show` as it arrives.
    pub fn run_on_host(
        &self,
        command: &RemoteCommand,
        show: &mut dyn FnMut(OutputChunk<'_>) -> FrameFlow,
    ) -> Result<u8, Error> {
        let host = self.host(&command.host)?;
        let ssh = self.ssh()?;
        let times = if command.showing == OutputPlan::Once { Replay::Once } else { Replay::Any };
        let mut request = remote_request(times, command.argv.clone(), command.stdin.len());
        let mut arrived = ReceivedOutput::default();
        let mut attempts = ConnectionAttempts::default();
        let requested_at = Instant::now();
        loop {
            let bounds = RequestTimeouts { hello: HELLO, whole: None, asking: Interaction::Never };
            let began = Instant::now();
            let exchanged = ssh.exchange(&host, (&request, &command.stdin), bounds, &mut |frame| {
                arrived.take(frame, command.showing, show)
            })?;
            if let Some(hello) = arrived.hello.take() {
                self.check_hello(&host, &hello, &exchanged, show)?;
            }
            let lost = match exchanged {
                RequestOutcome::Ended(code) => {
                    arrived.show_all(show);
                    return Ok(code);
                }
                RequestOutcome::Stopped if arrived.held() > MAX_HELD_BYTES => {
                    return Err(Error::unexpected_answer(&host.name, vec![too_much(MAX_HELD_BYTES)]));
                }
                RequestOutcome::Stopped => return Ok(0),
                RequestOutcome::Unknown => return Err(Error::outcome_unknown(&host.name, None)),
                RequestOutcome::Lost(lost) => lost,
            };
            if !attempts.may_continue_after(&lost, times) {
                return Err(connection_error(&host, &lost));
            }
            if command.showing == OutputPlan::UntilLost {
                return Err(output_ended(&host));
            }
            let outage = attempts.outage_after(&lost, began.elapsed());
            if is_refused(&lost.output) {
                show(OutputChunk::Link(&lost.output.lines().last().map(shown).unwrap_or_default()));
            }
            if outage > RECONNECT_TIMEOUT || is_refused(&lost.output) {
                return Err(match command.showing {
                    OutputPlan::Once => Error::outcome_unknown(&host.name, Some(outage)),
                    _ => connection_error(&host, &lost),
                });
            }
            ssh.retire_connection(&host);
            let wait = attempts.next_delay();
            show(OutputChunk::Link(&retry_message(&host, &lost, wait)));
            std::thread::sleep(wait);
            (request.out_from, request.err_from) = arrived.next_offsets(command.showing);
            // A command that is executed once continues on the host with its own clock.
            if let Some(limit) = command.limit.filter(|_| times == Replay::Any) {
                request.argv = with_timeout(&request.argv, limit.saturating_sub(requested_at.elapsed()));
            }
        }
    }

    /// Records the version of a host and refuses a host that is too old. Warns about a different version if the host
    /// rejected the arguments of the command.
    fn check_hello(
        &self,
        host: &Host,
        hello: &RemoteHello,
        outcome: &RequestOutcome,
        show: &mut dyn FnMut(OutputChunk<'_>) -> FrameFlow,
    ) -> Result<(), Error> {
        self.note_version(host, &hello.version);
        refuse_older(host, hello)?;
        if matches!(outcome, RequestOutcome::Ended(2))
            && let Some(warning) = difference(hello)
        {
            show(OutputChunk::Link(&warning));
        }
        Ok(())
    }
}

impl ConnectionAttempts {
    /// Returns whether another attempt can succeed after a lost connection.
    fn may_continue_after(&mut self, lost: &LostConnection, times: Replay) -> bool {
        let LostConnection { greeted, timed_out, not_logged_in, code, ref output } = *lost;
        // If the connection timed out or broke, the request may have arrived.
        self.may_be_done |=
            greeted || (timed_out && !not_logged_in) || (code == Some(255) && !never_connected(output));
        self.was_greeted |= greeted;
        let is_hopeless =
            !greeted && (not_logged_in || (!timed_out && (code != Some(255) || never_connected(output))));
        if is_hopeless && (!self.may_be_done || code != Some(255)) {
            return false;
        }
        // A command that only reads does not wait for a host that accepts the connection but never answers.
        !timed_out || self.was_greeted || times != Replay::Any
    }

    /// Returns how long the current outage lasts. A connection that lasted for a while ends an outage and resets the
    /// backoff. Connections that break at once count as one outage, so that the attempts end.
    fn outage_after(&mut self, lost: &LostConnection, connected: Duration) -> Duration {
        if lost.greeted && connected > BACKOFF_RESET_AFTER {
            (self.failed, self.outage_began) = (0, None);
        }
        self.outage_began.get_or_insert_with(Instant::now).elapsed()
    }

    /// Counts a failed attempt and returns the delay before the next one.
    fn next_delay(&mut self) -> Duration {
        self.failed += 1;
        pause(self.failed)
    }
}

fn retry_message(host: &Host, lost: &LostConnection, wait: Duration) -> String {
    let what = match lost.timed_out && !lost.greeted {
        true => format!("`{}` does not answer", host.name),
        false => format!("the connection to `{}` was lost", host.name),
    };
    format!("{what}; trying again in {} s; the command runs at most once", wait.as_secs())
}

/// Returns the error for output that cannot be continued after a lost connection.
fn output_ended(host: &Host) -> Error {
    Error::new(Code::ConnectionLost, format!("the connection to host `{}` was lost", host.name))
        .saw("the agents there continue to run")
        .hint("run the same command again; `--since 1m` omits older output")
}

impl ReceivedOutput {
    fn take(
        &mut self,
        frame: RemoteFrame,
        showing: OutputPlan,
        show: &mut dyn FnMut(OutputChunk<'_>) -> FrameFlow,
    ) -> FrameFlow {
        match frame {
            RemoteFrame::Hello(hello) => {
                let flow = if hello.format < REMOTE_FORMAT { FrameFlow::Stop } else { FrameFlow::Continue };
                self.hello = Some(hello);
                flow
            }
            RemoteFrame::Out(bytes) if showing == OutputPlan::Whole => {
                self.out.extend(bytes);
                if self.held() > MAX_HELD_BYTES { FrameFlow::Stop } else { FrameFlow::Continue }
            }
            RemoteFrame::Err(bytes) if showing == OutputPlan::Whole => {
                self.err.extend(bytes);
                if self.held() > MAX_HELD_BYTES { FrameFlow::Stop } else { FrameFlow::Continue }
            }
            RemoteFrame::Out(bytes) => {
                self.lengths.0 += bytes.len() as u64;
                show(OutputChunk::Out(&bytes))
            }
            RemoteFrame::Err(bytes) => {
                self.lengths.1 += bytes.len() as u64;
                show(OutputChunk::Err(&bytes))
            }
            RemoteFrame::Alive | RemoteFrame::End(_) | RemoteFrame::Unknown => FrameFlow::Continue,
        }
    }

    /// Returns the number of buffered bytes.
    fn held(&self) -> usize {
        self.out.len() + self.err.len()
    }

    fn show_all(&mut self, show: &mut dyn FnMut(OutputChunk<'_>) -> FrameFlow) {
        if !self.out.is_empty() {
            show(OutputChunk::Out(&self.out));
        }
        if !self.err.is_empty() {
            show(OutputChunk::Err(&self.err));
        }
    }

    /// Returns the offsets from which output is requested after a reconnect. Commands that only read start at the
    /// beginning.
    fn next_offsets(&mut self, showing: OutputPlan) -> (u64, u64) {
        if showing == OutputPlan::Once {
            return self.lengths;
        }
        *self = ReceivedOutput::default();
        (0, 0)
    }
}

/// Refuses a host with an older protocol format, which cannot answer requests.
pub(in crate::manager) fn refuse_older(host: &Host, hello: &RemoteHello) -> Result<(), Error> {
    match hello.format < REMOTE_FORMAT {
        true => Err(Error::host_older(&host.name, Some(&hello.version))),
        false => Ok(()),
    }
}
