//! One request to a host and its answer, frame by frame. Time limits on silence distinguish a dead connection from a
//! host that has nothing to send yet.

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::{Asking, Ssh, SshError, command, frames};
use crate::model::{FarRequest, Frame, Host};

/// The host sends a keepalive every 5 s. After three missing ones the connection is considered dead.
const SILENCE: Duration = Duration::from_secs(16);
/// Time for a client to end after it has sent everything.
const LEAVING: Duration = Duration::from_secs(1);
/// Time for a client to end if its exit code is needed.
const ENDING: Duration = Duration::from_secs(5);
/// Time to wait for the last error message of a client that has ended.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(200);
/// Maximum length of the error messages, more than ssh ever prints.
const MOST_COMPLAINTS: u64 = 16 * 1024;
/// Number of frames that are buffered here; further frames wait on the host.
const MOST_WAITING: usize = 4;

/// Time limits of a request.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Time limit for the hello.
    pub hello: Duration,
    /// Time limit for the whole request, if any.
    pub whole: Option<Duration>,
    /// Whether ssh may ask the user.
    pub asking: Asking,
}

/// Whether the receiver of the frames wants more of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heed {
    /// Continue with the next frame.
    On,
    /// Stop the request.
    Enough,
}

/// Outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Talked {
    /// The remote command ended with this exit code.
    Ended(u8),
    /// The command was interrupted on the host, and its progress is unknown.
    Unknown,
    /// The receiver stopped the request.
    Enough,
    /// The connection was lost or never established.
    Lost(Lost),
}

/// Details of a lost connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// Whether symposium had answered on the host.
    pub greeted: bool,
    /// Whether a time limit was exceeded, rather than ssh having ended.
    pub late: bool,
    /// Whether no login had succeeded, so that the request cannot have been executed.
    pub in_vain: bool,
    /// Exit code of ssh: 255 is an error of ssh itself, 127 means that the program does not exist on the host.
    pub code: Option<i32>,
    /// Output of ssh, or of the program that ran in place of symposium.
    pub said: String,
}

impl Ssh {
    /// Sends a request and calls `each` for each frame of the answer as it arrives.
    pub fn talk(
        &self,
        host: &Host,
        (request, input): (&FarRequest, &[u8]),
        bounds: Bounds,
        each: &mut dyn FnMut(Frame) -> Heed,
    ) -> Result<Talked, SshError> {
        let began = Instant::now();
        let mut child = self.speaking(host, bounds.asking).spawn().map_err(|source| self.not_run(source))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(self.not_run(std::io::Error::other("it has no pipes")));
        };
        let mut words = serde_json::to_vec(request).unwrap_or_default();
        words.push(b'\n');
        words.extend_from_slice(input);
        let open = say(stdin, words);
        let complaints = collect(stderr);
        let heard = listen(stdout);
        let mut greeted = false;
        let end = loop {
            let silence = if greeted { SILENCE } else { bounds.hello };
            let left =
                bounds.whole.map_or(silence, |whole| whole.saturating_sub(began.elapsed()).min(silence));
            // The time limit also applies to a host that sends without a pause.
            let next = if bounds.whole.is_some_and(|whole| began.elapsed() >= whole) {
                Err(RecvTimeoutError::Timeout)
            } else {
                heard.recv_timeout(left)
            };
            match next {
                Ok(Heard::Frame(Frame::End(code))) => break Some(Talked::Ended(code)),
                Ok(Heard::Frame(Frame::Unknown)) => break Some(Talked::Unknown),
                Ok(Heard::Frame(frame)) => {
                    greeted = true;
                    if each(frame) == Heed::Enough {
                        break Some(Talked::Enough);
                    }
                }
                Ok(Heard::Noise(noise)) => {
                    let (code, said) = ended(child, &complaints);
                    // A program that had to be killed while it printed was running and is not symposium.
                    let code = code.or((!noise.is_empty()).then_some(0));
                    let said = if said.is_empty() { noise } else { said };
                    return Ok(Talked::Lost(Lost { greeted, code, said, ..Lost::default() }));
                }
                Err(RecvTimeoutError::Timeout) => {
                    // This is checked before the kill, which leaves a shared connection behind.
                    let in_vain = !greeted && self.is_unshared(host);
                    let _ = child.kill();
                    let (code, said) = ended(child, &complaints);
                    return Ok(Talked::Lost(Lost { greeted, late: true, in_vain, code, said }));
                }
                Err(RecvTimeoutError::Disconnected) => break None,
            }
        };
        drop(open);
        match end {
            Some(end) => {
                // The client has nothing more to send, so its end is awaited in the background.
                thread::spawn(move || command::end_within(child, LEAVING));
                Ok(end)
            }
            None => {
                let (code, said) = ended(child, &complaints);
                Ok(Talked::Lost(Lost { greeted, code, said, ..Lost::default() }))
            }
        }
    }
}

enum Heard {
    Frame(Frame),
    /// The stream ended without a hello; this is the output that came instead.
    Noise(String),
}

/// Writes the request on a thread, and keeps the stream open until the returned sender is dropped: the host treats the
/// end of the stream as the end of this process.
fn say(mut stdin: ChildStdin, words: Vec<u8>) -> Sender<()> {
    let (open, until) = mpsc::channel();
    thread::spawn(move || {
        let _ = stdin.write_all(&words).and_then(|()| stdin.flush());
        let _ = until.recv();
    });
    open
}

fn listen(stdout: ChildStdout) -> Receiver<Heard> {
    let (tell, heard) = mpsc::sync_channel(MOST_WAITING);
    thread::spawn(move || {
        let mut source = BufReader::with_capacity(64 * 1024, stdout);
        match frames::hello(&mut source) {
            Ok(Ok(hello)) => drop(tell.send(Heard::Frame(hello))),
            Ok(Err(noise)) => return drop(tell.send(Heard::Noise(noise))),
            Err(_) => return,
        }
        while let Ok(Some(frame)) = frames::next(&mut source) {
            if tell.send(Heard::Frame(frame)).is_err() {
                return;
            }
        }
    });
    heard
}

/// Collects the error messages on a separate thread, because a connection master in the background may hold the stream
/// open.
pub(super) fn collect(stderr: impl Read + Send + 'static) -> Receiver<String> {
    let (tell, said) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.take(MOST_COMPLAINTS).read_to_end(&mut text);
        let _ = tell.send(String::from_utf8_lossy(&text).trim().to_owned());
    });
    said
}

/// Returns the exit code and error messages of a client whose output has ended. Kills the client at the time limit,
/// because the program on the host may be any.
fn ended(child: Child, complaints: &Receiver<String>) -> (Option<i32>, String) {
    let code = command::end_within(child, ENDING).and_then(|status| status.code());
    (code, complaints.recv_timeout(LAST_WORDS).unwrap_or_default())
}
