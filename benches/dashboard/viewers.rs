//! Compares two ways to follow the screens of agents: the tail of the raw transcript, and a tmux client in control
//! mode. A process of its own follows them and feeds a terminal emulator, so that its CPU time can be measured.

use std::io::{BufRead, BufReader, Read, Write, stdout};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use symposium::bench::LiveTail;
use symposium::model::AgentName;

use super::line::RequestedPrinter;
use super::printer::INTERVAL_PRINTER;
use super::{Options, SIZE, settle};
use crate::place::Place;
use crate::table::{Row, Table, median, quantile};
use crate::watch::cost::{Watched, running_with_children};

/// The argument of a viewer that reads transcripts; its value is their directories, separated by commas.
pub const TAIL_VIEWER: &str = "--view-tail";
/// The argument of a viewer in control mode; its value is the socket and the sessions, separated by commas.
pub const CONTROL_VIEWER: &str = "--view-control";
/// What the lines contain whose latency is measured.
const TIMED: &[u8] = b"timed line";
const ROUNDS: usize = 100;
const PRINTING_AGENTS: usize = 20;
/// Milliseconds between two lines of a printing agent.
const PRINTING_INTERVAL: &str = "50";
const REST: Duration = Duration::from_millis(50);
/// Duration of a measurement of CPU time.
const OBSERVATION: Duration = Duration::from_secs(20);

/// A running viewer. Dropping it ends the process.
struct Viewer {
    process: Child,
    _stdin: ChildStdin,
    /// When it had interpreted a timed line, in nanoseconds.
    seen: Receiver<u64>,
}

impl Viewer {
    fn start(kind: &str, sources: &[String]) -> Viewer {
        let me = std::env::current_exe().expect("our own path");
        let mut command = Command::new(me);
        command.args([kind, &sources.join(",")]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("a viewer");
        let out = BufReader::new(process.stdout.take().expect("piped"));
        let stdin = process.stdin.take().expect("piped");
        let (send, seen) = channel();
        thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = send.send(line.parse().expect("a time"));
            }
        });
        Viewer { process, _stdin: stdin, seen }
    }

    fn pid(&self) -> i32 {
        self.process.id().try_into().expect("a process id")
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        // A viewer ends when its standard input does, which ends its tmux clients, too.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    let printer = RequestedPrinter::spawn(&place, "a0");
    let me = std::env::current_exe().expect("our own path");
    let printing = ["--", me.to_str().expect("UTF-8"), INTERVAL_PRINTER, PRINTING_INTERVAL];
    place.fill(1..=PRINTING_AGENTS, &printing);
    settle();
    let latencies = |kind: &str| {
        let viewer = Viewer::start(kind, &sources(&place, kind, 1));
        thread::sleep(Duration::from_secs(1));
        let times: Vec<Duration> = (0..ROUNDS)
            .map(|round| {
                thread::sleep(REST);
                let asked = nanoseconds();
                printer.print(&format!("timed line {round}"));
                let seen = viewer.seen.recv_timeout(Duration::from_secs(10)).expect("the line arrives");
                Duration::from_nanos(seen.saturating_sub(asked))
            })
            .collect();
        times
    };
    let (tail, control) = (latencies(TAIL_VIEWER), latencies(CONTROL_VIEWER));
    let of = |part| (quantile(tail.iter().copied(), part), quantile(control.iter().copied(), part));
    let label = format!("{PRINTING_AGENTS} print: a line by tail vs control mode");
    table.add(Row::compared(label, (median(tail.iter().copied()), median(control.iter().copied()))));
    table.add(Row::compared("  nine of ten within".to_owned(), of(0.9)));
    let (idle, ..) = usage(&place, None);
    table.note(format!("  tmux server without a viewer: {:.1} ms/s", per_second(idle)));
    for viewers in [1, 4, 16] {
        let [tail, control] = [TAIL_VIEWER, CONTROL_VIEWER].map(|kind| {
            let viewer = Viewer::start(kind, &sources(&place, kind, viewers + 1));
            thread::sleep(Duration::from_secs(1));
            usage(&place, Some(&viewer))
        });
        let label = |what: &str| format!("{viewers} viewed, tail vs control: CPU of {what}");
        let second = |time: Duration| time / OBSERVATION.as_secs() as u32;
        table.add(Row::compared(label("tmux /s"), (second(tail.0), second(control.0))));
        table.add(Row::compared(label("the viewer /s"), (second(tail.1), second(control.1))));
        table.note(format!("  resident memory: tail {} kB, control {} kB", tail.2, control.2));
    }
}

/// Returns the CPU time of the tmux server, and of a viewer with its child processes and their memory.
fn usage(place: &Place, viewer: Option<&Viewer>) -> (Duration, Duration, u64) {
    let watched = Watched::bare(place.server());
    let viewed = || viewer.map(|viewer| running_with_children(viewer.pid())).unwrap_or_default();
    let before = (watched.cost(), viewed());
    thread::sleep(OBSERVATION);
    let after = viewed();
    (watched.cost().since(&before.0).tmux, after.0.saturating_sub(before.1.0), after.1)
}

fn per_second(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3 / OBSERVATION.as_secs_f64()
}

fn sources(place: &Place, kind: &str, agents: usize) -> Vec<String> {
    let names: Vec<AgentName> = (0..agents).map(|n| format!("a{n}").parse().expect("a name")).collect();
    let dir = |name: &AgentName| place.store().instance(name).dir().display().to_string();
    match kind {
        TAIL_VIEWER => names.iter().map(dir).collect(),
        _ => {
            let socket = place.server().socket().display().to_string();
            std::iter::once(socket).chain(names.iter().map(ToString::to_string)).collect()
        }
    }
}

/// Follows transcripts until standard input ends.
pub fn view_transcripts(dirs: &str) {
    for dir in dirs.split(',').map(PathBuf::from) {
        thread::spawn(move || follow_transcript(&dir));
    }
    wait_for_end();
}

fn follow_transcript(dir: &Path) {
    let (wake, woken) = channel();
    let mut tail = LiveTail::open(dir, move || wake.send(()).unwrap_or_default()).expect("a transcript");
    let (mut parser, mut buffer) = (emulator(), vec![0; 1 << 15]);
    while woken.recv().is_ok() {
        while let Ok(count @ 1..) = tail.read(&mut buffer) {
            interpret(&mut parser, &buffer[..count]);
        }
    }
}

/// Follows sessions in control mode until standard input ends.
pub fn view_in_control_mode(sources: &str) {
    let mut words = sources.split(',').map(str::to_owned);
    let socket = words.next().expect("a socket");
    for session in words {
        let mut command = Command::new("tmux");
        command.args(["-S", &socket, "-C", "attach-session", "-f", "read-only,ignore-size", "-t"]);
        command.arg(format!("={session}")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut client = command.spawn().expect("a tmux client");
        let out = client.stdout.take().expect("piped");
        thread::spawn(move || {
            let _stdin = client.stdin.take();
            follow_control_mode(BufReader::new(out));
            let _ = client.wait();
        });
    }
    wait_for_end();
}

fn follow_control_mode(mut out: impl BufRead) {
    let (mut parser, mut line) = (emulator(), Vec::new());
    while out.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let output = line.strip_prefix(b"%output ").and_then(|rest| {
            let at = rest.iter().position(|byte| *byte == b' ')?;
            Some(unescaped(rest[at + 1..].strip_suffix(b"\n")?))
        });
        if let Some(output) = output {
            interpret(&mut parser, &output);
        }
        line.clear();
    }
}

/// Decodes output in control mode, which has control characters and backslashes as three octal digits.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text);
    loop {
        rest = match rest {
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', more @ ..] => {
                bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                more
            }
            [byte, more @ ..] => {
                bytes.push(*byte);
                more
            }
            [] => return bytes,
        }
    }
}

fn emulator() -> vt100::Parser {
    let size = |length: u16| length.try_into().expect("a positive size");
    vt100::Parser::new(size(SIZE.1), size(SIZE.0), 1000)
}

fn interpret(parser: &mut vt100::Parser, output: &[u8]) {
    parser.process(output);
    if output.windows(TIMED.len()).any(|part| part == TIMED) {
        let _ = writeln!(stdout(), "{}", nanoseconds());
    }
}

fn wait_for_end() {
    let _ = std::io::stdin().read(&mut [0]);
}

fn nanoseconds() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    u64::try_from(now.tv_sec).unwrap_or_default() * 1_000_000_000
        + u64::try_from(now.tv_nsec).unwrap_or_default()
}
