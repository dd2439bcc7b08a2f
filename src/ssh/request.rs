//! One request to a host and its answer, frame by frame. Time limits on silence distinguish a dead connection from a
//! host that has nothing to send yet.

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::{Interaction, Ssh, SshError, command, frames};
use crate::model::{Host, RemoteFrame, RemoteRequest};

/// The host sends a keepalive every 5 s. After three missing ones the connection is considered dead.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(16);
/// Time for a client to end after it has sent everything.
const CLIENT_EXIT_TIMEOUT: Duration = Duration::from_secs(1);
/// Time for a client to end if its exit code is needed.
const EXIT_CODE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time to wait for the last error message of a client that has ended.
pub(super) const STDERR_TIMEOUT: Duration = Duration::from_millis(200);
/// Maximum length of the error messages, more than ssh ever prints.
const MAX_STDERR_BYTES: u64 = 16 * 1024;
/// Number of frames that are buffered here; further frames wait on the host.
const MAX_QUEUED_FRAMES: usize = 4;

/// Time limits of a request.
#[derive(Debug, Clone, Copy)]
pub struct RequestTimeouts {
    /// Time limit for the hello.
    pub hello: Duration,
    /// Time limit for the whole request, if any.
    pub whole: Option<Duration>,
    /// Whether ssh may ask the user.
    pub asking: Interaction,
}

/// Whether the receiver of the frames wants more of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameFlow {
    /// Continue with the next frame.
    Continue,
    /// Stop the request.
    Stop,
}

/// Outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestOutcome {
    /// The remote command ended with this exit code.
    Ended(u8),
    /// The command was interrupted on the host, and its progress is unknown.
    Unknown,
    /// The receiver stopped the request.
    Stopped,
    /// The connection was lost or never established.
    Lost(LostConnection),
}

/// Details of a lost connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LostConnection {
    /// Whether symposium had answered on the host.
    pub greeted: bool,
    /// Whether a time limit was exceeded, rather than ssh having ended.
    pub timed_out: bool,
    /// Whether no login had succeeded, so that the request cannot have been executed.
    pub not_logged_in: bool,
    /// Exit code of ssh: 255 is an error of ssh itself, 127 means that the program does not exist on the host.
    pub code: Option<i32>,
    /// Output of ssh, or of the program that ran in place of symposium.
    pub output: String,
}

impl Ssh {
    /// Sends a request and calls `each` for each frame of the answer as it arrives.
    pub fn exchange(
        &self,
        host: &Host,
        (request, input): (&RemoteRequest, &[u8]),
        bounds: RequestTimeouts,
        each: &mut dyn FnMut(RemoteFrame) -> FrameFlow,
    ) -> Result<RequestOutcome, SshError> {
        let began = Instant::now();
        let mut child =
            self.request_command(host, bounds.asking).spawn().map_err(|source| self.not_run(source))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(self.not_run(std::io::Error::other("it has no pipes")));
        };
        let mut words = serde_json::to_vec(request).unwrap_or_default();
        words.push(b'\n');
        words.extend_from_slice(input);
        let open = write_request(stdin, words);
        let complaints = collect(stderr);
        let incoming = listen(stdout);
        let mut greeted = false;
        let end = loop {
            let silence = if greeted { SILENCE_TIMEOUT } else { bounds.hello };
            match bounds.receive(&incoming, began, silence) {
                Ok(SshOutput::Frame(RemoteFrame::End(code))) => break RequestOutcome::Ended(code),
                Ok(SshOutput::Frame(RemoteFrame::Unknown)) => break RequestOutcome::Unknown,
                Ok(SshOutput::Frame(frame)) => {
                    greeted = true;
                    if each(frame) == FrameFlow::Stop {
                        break RequestOutcome::Stopped;
                    }
                }
                Ok(SshOutput::Noise(noise)) => {
                    return Ok(RequestOutcome::Lost(noisy_end(child, &complaints, noise)));
                }
                Err(RecvTimeoutError::Timeout) => {
                    // This is checked before the kill, which leaves a shared connection behind.
                    let not_logged_in = !greeted && self.is_unshared(host);
                    let _ = child.kill();
                    let end = ended(child, &complaints);
                    return Ok(RequestOutcome::Lost(LostConnection {
                        greeted,
                        timed_out: true,
                        not_logged_in,
                        ..end
                    }));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    drop(open);
                    let end = ended(child, &complaints);
                    return Ok(RequestOutcome::Lost(LostConnection { greeted, ..end }));
                }
            }
        };
        drop(open);
        // The client has nothing more to send, so its end is awaited in the background.
        thread::spawn(move || command::end_within(child, CLIENT_EXIT_TIMEOUT));
        Ok(end)
    }
}

impl RequestTimeouts {
    /// Waits for the next output until the host has been silent for a time, or until the request has taken too long.
    fn receive(
        &self,
        incoming: &Receiver<SshOutput>,
        began: Instant,
        silence: Duration,
    ) -> Result<SshOutput, RecvTimeoutError> {
        let Some(whole) = self.whole else { return incoming.recv_timeout(silence) };
        // The time limit also applies to a host that sends without a pause.
        match whole.saturating_sub(began.elapsed()) {
            Duration::ZERO => Err(RecvTimeoutError::Timeout),
            left => incoming.recv_timeout(left.min(silence)),
        }
    }
}

enum SshOutput {
    Frame(RemoteFrame),
    /// The stream ended without a hello; this is the output that came instead.
    Noise(String),
}

/// Writes the request on a thread, and keeps the stream open until the returned sender is dropped: the host treats the
/// end of the stream as the end of this process.
fn write_request(mut stdin: ChildStdin, words: Vec<u8>) -> Sender<()> {
    let (open, until) = mpsc::channel();
    thread::spawn(move || {
        let _ = stdin.write_all(&words).and_then(|()| stdin.flush());
        let _ = until.recv();
    });
    open
}

fn listen(stdout: ChildStdout) -> Receiver<SshOutput> {
    let (sender, incoming) = mpsc::sync_channel(MAX_QUEUED_FRAMES);
    thread::spawn(move || {
        let mut source = BufReader::with_capacity(64 * 1024, stdout);
        match frames::hello(&mut source) {
            Ok(Ok(hello)) => drop(sender.send(SshOutput::Frame(hello))),
            Ok(Err(noise)) => return drop(sender.send(SshOutput::Noise(noise))),
            Err(_) => return,
        }
        while let Ok(Some(frame)) = frames::next(&mut source) {
            if sender.send(SshOutput::Frame(frame)).is_err() {
                return;
            }
        }
    });
    incoming
}

/// Collects the error messages on a separate thread, because a connection master in the background may hold the stream
/// open.
pub(super) fn collect(stderr: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, output) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.take(MAX_STDERR_BYTES).read_to_end(&mut text);
        let _ = sender.send(String::from_utf8_lossy(&text).trim().to_owned());
    });
    output
}

/// Returns the exit code and error messages of a client whose output has ended. Kills the client at the time limit,
/// because the program on the host may be any.
fn ended(child: Child, complaints: &Receiver<String>) -> LostConnection {
    let code = command::end_within(child, EXIT_CODE_TIMEOUT).and_then(|status| status.code());
    let output = complaints.recv_timeout(STDERR_TIMEOUT).unwrap_or_default();
    LostConnection { code, output, ..LostConnection::default() }
}

/// Returns the end of a client that printed something else instead of a hello.
fn noisy_end(child: Child, complaints: &Receiver<String>, noise: String) -> LostConnection {
    let end = ended(child, complaints);
    // A program that had to be killed while it printed was running and is not symposium.
    let code = end.code.or((!noise.is_empty()).then_some(0));
    let output = if end.output.is_empty() { noise } else { end.output };
    LostConnection { code, output, ..LostConnection::default() }
}
