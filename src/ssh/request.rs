//! One request to the far side and its answer, frame by frame, with bounds on silence: a link that is dead without
//! saying so is told from a far side that has nothing to say yet.

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::{Asking, Ssh, SshError, command, frames};
use crate::model::{FarRequest, Frame, Host};

/// The far side says that it is alive every 5 s; after three of these are missing the link is taken for dead.
const SILENCE: Duration = Duration::from_secs(16);
/// How long a client that has said everything may take to end.
const LEAVING: Duration = Duration::from_secs(1);
/// How long one may take whose exit code we want to know.
const ENDING: Duration = Duration::from_secs(5);
/// How long the last complaint of a client that has ended is waited for.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(200);
/// More than ssh ever complains.
const MOST_COMPLAINTS: u64 = 16 * 1024;
/// How many frames wait for whoever shows them; the others wait over there.
const MOST_WAITING: usize = 4;

/// How long to wait.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// For the first word.
    pub hello: Duration,
    /// For all of it.
    pub whole: Option<Duration>,
    /// Whether a person may be asked.
    pub asking: Asking,
}

/// What a listener wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heed {
    /// More.
    On,
    /// No more.
    Enough,
}

/// How a talk ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Talked {
    /// With this exit code.
    Ended(u8),
    /// The work was cut short over there, and nobody knows how far it came.
    Unknown,
    /// The listener had enough.
    Enough,
    /// The link was lost, or was never there.
    Lost(Lost),
}

/// How a link was lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// Whether a symposium had answered.
    pub greeted: bool,
    /// Whether time was over, rather than ssh.
    pub late: bool,
    /// Whether nobody was let in until then: nothing can have been asked.
    pub in_vain: bool,
    /// The exit code of ssh: 255 is its own, 127 that there is no such program there.
    pub code: Option<i32>,
    /// What ssh, or whatever is there in place of symposium, said.
    pub said: String,
}

impl Ssh {
    /// Asks, and tells each piece of the answer as it comes.
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
            // Who speaks without a pause is late as well.
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
                    // What had to be ended while it spoke was there, and was no symposium.
                    let code = code.or((!noise.is_empty()).then_some(0));
                    let said = if said.is_empty() { noise } else { said };
                    return Ok(Talked::Lost(Lost { greeted, code, said, ..Lost::default() }));
                }
                Err(RecvTimeoutError::Timeout) => {
                    // Before it is ended, which leaves what is shared behind.
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
                // It has nothing more to say: nobody waits for it.
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
    /// The stream ended without a hello; what was said in its place.
    Noise(String),
}

/// Says all of it on a thread, and keeps the stream open until the answer is dropped: the far side takes its end for
/// ours.
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

/// What is complained about, in a thread of its own: a master that went into the background may hold the stream open.
pub(super) fn collect(stderr: impl Read + Send + 'static) -> Receiver<String> {
    let (tell, said) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.take(MOST_COMPLAINTS).read_to_end(&mut text);
        let _ = tell.send(String::from_utf8_lossy(&text).trim().to_owned());
    });
    said
}

/// How a client ended that has nothing more to say. Whatever keeps it there is ended: over there may be anything.
fn ended(child: Child, complaints: &Receiver<String>) -> (Option<i32>, String) {
    let code = command::end_within(child, ENDING).and_then(|status| status.code());
    (code, complaints.recv_timeout(LAST_WORDS).unwrap_or_default())
}
