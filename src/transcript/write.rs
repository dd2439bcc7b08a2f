//! Records an agent's output from tmux in its log. Two threads take turns: the one that has read output writes it, and
//! lets the other one read meanwhile, so reading never waits for the disk, and writing does not wait until another thread
//! has been woken. Output that cannot be written is dropped and counted, and the count is recorded in the log once writing
//! works again.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use jiff::Timestamp;
use rustix::event::{PollFd, PollFlags, poll};

use super::directory::{TranscriptDir, index_name, log_name};
use super::index::IndexWriter;
use super::modes::TerminalModes;
use super::queue::{OutputPart, OutputQueue, WritingRole};
use super::scan::Scanner;

/// Size of the read buffer. Four times the capacity of a pipe, so that large outputs need few system calls.
const READ_BUFFER_BYTES: usize = 256 * 1024;

/// Limits on the stored size of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscriptLimits {
    /// Maximum size of one log in bytes.
    pub file: u64,
    /// Number of full logs that are kept in addition to the current one.
    pub keep: u32,
}

impl Default for TranscriptLimits {
    fn default() -> Self {
        TranscriptLimits { file: 16 << 20, keep: 4 }
    }
}

/// The reason to record for output that arrived faster than the disk could store it.
const SLOW_DISK: &str = "the disk was too slow";

/// Records everything that is read from `input`, until its end, in the log of an agent's directory.
pub fn write(
    dir: &Path,
    input: impl Read + AsFd + Send,
    limits: TranscriptLimits,
    clock: &(dyn Fn() -> Timestamp + Sync),
) -> io::Result<()> {
    let source = Mutex::new(OutputSource { input, is_at_end: false });
    let recording = Recording { source, queue: OutputQueue::default(), recorder: Mutex::new(None), clock };
    thread::scope(|scope| {
        let second = thread::Builder::new().name("disk".into()).spawn_scoped(scope, || {
            let opened = TranscriptDir::open(dir).map(|dir| recording.begin(Recorder::new(dir, limits)));
            recording.write_queued();
            recording.take_turns().and(opened)
        });
        let first = recording.take_turns();
        let second = second?.join().unwrap_or_else(|_| Err(io::Error::other("the writing thread failed")));
        let recorder = lock(&recording.recorder).take();
        first.and(second).and(recorder.map_or(Ok(()), |recorder| recorder.finish(clock())))
    })
}

/// What both threads share.
struct Recording<'a, R> {
    source: Mutex<OutputSource<R>>,
    queue: OutputQueue,
    /// The recorder, once the directory is open.
    recorder: Mutex<Option<Recorder>>,
    clock: &'a (dyn Fn() -> Timestamp + Sync),
}

/// The output of the agent.
struct OutputSource<R> {
    input: R,
    is_at_end: bool,
}

impl<R: Read + AsFd> Recording<'_, R> {
    /// Reads until the end of the input, even if the output cannot be stored. Writes what was read, unless the other
    /// thread is writing, which then writes this as well.
    fn take_turns(&self) -> io::Result<()> {
        let mut buffer = vec![0; READ_BUFFER_BYTES];
        let mut source = lock(&self.source);
        loop {
            let count = source.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            let (output, now) = (&buffer[..count], (self.clock)());
            if self.queue.push_or_write(output, now) == WritingRole::Caller {
                drop(source);
                self.record(OutputPart::Output(output, now));
                self.write_queued();
                source = lock(&self.source);
            }
        }
    }

    fn begin(&self, recorder: Recorder) {
        *lock(&self.recorder) = Some(recorder);
    }

    /// Writes the queued output, until the queue is empty.
    fn write_queued(&self) {
        while let Some(part) = self.queue.next_or_end() {
            self.record(match &part {
                OutputPart::Output(output, at) => OutputPart::Output(output, *at),
                OutputPart::Dropped(count) => OutputPart::Dropped(*count),
            });
        }
    }

    fn record(&self, part: OutputPart<&[u8]>) {
        let mut recorder = lock(&self.recorder);
        match (&mut *recorder, part) {
            (Some(recorder), OutputPart::Output(output, at)) => recorder.take(output, at),
            (Some(recorder), OutputPart::Dropped(count)) => recorder.count_missing(count, SLOW_DISK.into()),
            (None, _) => {}
        }
    }
}

impl<R: Read + AsFd> OutputSource<R> {
    /// Waits for output and reads it. Returns 0 at the end of the input.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.is_at_end {
            match self.input.read(buffer) {
                Ok(0) => self.is_at_end = true,
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // If `poll` is interrupted, the next read follows directly.
                    let _ = poll(&mut [PollFd::new(&self.input, PollFlags::IN)], None);
                }
                Err(error) => {
                    self.is_at_end = true;
                    return Err(error);
                }
            }
        }
        Ok(0)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The writer of a transcript.
struct Recorder {
    dir: TranscriptDir,
    limits: TranscriptLimits,
    log: Option<CurrentLog>,
    lost: u64,
    why: String,
    scanner: Scanner,
    modes: TerminalModes,
    saved: Option<TerminalModes>,
}

/// The log that is currently written.
struct CurrentLog {
    file: File,
    size: u64,
    index: Option<File>,
    noter: IndexWriter,
}

impl Recorder {
    fn new(dir: TranscriptDir, limits: TranscriptLimits) -> Recorder {
        let mut recorder = Recorder {
            dir,
            limits,
            log: None,
            lost: 0,
            why: String::new(),
            scanner: Scanner::default(),
            modes: TerminalModes::default(),
            saved: None,
        };
        recorder.save_modes();
        recorder
    }

    fn take(&mut self, bytes: &[u8], now: Timestamp) {
        self.note_gap(now);
        if self.lost > 0 {
            self.lost += bytes.len() as u64;
        } else if let Err((stored, error)) = self.store(bytes, now) {
            self.count_missing((bytes.len() - stored) as u64, reason(&error));
        }
        self.watch_modes(bytes);
    }

    /// Counts output that is missing from this position on. Keeps the first reason.
    fn count_missing(&mut self, count: u64, why: String) {
        if self.lost == 0 {
            self.why = why;
        }
        self.lost += count;
    }

    fn finish(mut self, now: Timestamp) -> io::Result<()> {
        self.note_gap(now);
        match self.lost {
            0 => Ok(()),
            lost => Err(io::Error::other(format!("{lost} bytes of the transcript lost: {}", self.why))),
        }
    }

    /// Records in the log how much output was lost. If this cannot be written either, the next call tries again.
    fn note_gap(&mut self, now: Timestamp) {
        if self.lost == 0 {
            return;
        }
        // CAN ends an escape sequence that the gap may have interrupted.
        let note = format!("\x18\r\n[symposium: {} bytes lost: {}]\r\n", self.lost, self.why);
        let before = self.log.as_ref().map(|log| log.size);
        match self.store(note.as_bytes(), now) {
            Ok(()) => self.lost = 0,
            Err((stored, _)) => {
                if let (Some(log), Some(before)) = (&mut self.log, before)
                    && log.size == before + stored as u64
                    && log.file.set_len(before).is_ok()
                {
                    log.size = before;
                }
            }
        }
    }

    /// Appends bytes, rotating the log as needed. An error contains the number of bytes that were written before it.
    fn store(&mut self, bytes: &[u8], now: Timestamp) -> Result<(), (usize, io::Error)> {
        let mut stored = 0;
        while stored < bytes.len() {
            let rest = &bytes[stored..];
            let limit = self.limits.file.max(1);
            let log = self.open_log().map_err(|error| (stored, error))?;
            let part = fitting(rest, limit.saturating_sub(log.size));
            if let Some(index) = &mut log.index {
                // An index with a missing entry only makes `--since` less precise.
                let _ = log.noter.note(index, now, log.size);
            }
            let (count, result) = append(&mut log.file, part);
            log.size += count as u64;
            stored += count;
            result.map_err(|error| (stored, error))?;
            if part.len() < rest.len() {
                self.dir.rotate(self.limits.keep).map_err(|error| (stored, error))?;
                self.log = None;
            }
        }
        Ok(())
    }

    fn open_log(&mut self) -> io::Result<&mut CurrentLog> {
        let log = match self.log.take() {
            Some(log) => log,
            None => {
                let file = self.dir.append(&log_name(0))?;
                let size = file.metadata()?.len();
                CurrentLog {
                    file,
                    size,
                    index: self.dir.append(&index_name(0)).ok(),
                    noter: IndexWriter::default(),
                }
            }
        };
        Ok(self.log.insert(log))
    }

    fn watch_modes(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (taken, sequence) = self.scanner.advance(rest);
            if let Some(sequence) = sequence {
                self.modes.apply(&sequence);
            }
            rest = &rest[taken..];
        }
        self.save_modes();
    }

    fn save_modes(&mut self) {
        if self.saved != Some(self.modes) {
            self.saved = self.modes.save(&self.dir).is_ok().then_some(self.modes);
        }
    }
}

/// Returns the part of `bytes` that fits into a log: up to the last line end if there is one, otherwise as much as
/// there is space for.
fn fitting(bytes: &[u8], room: u64) -> &[u8] {
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    if bytes.len() <= room {
        return bytes;
    }
    match bytes[..room].iter().rposition(|byte| *byte == b'\n') {
        Some(line_end) => &bytes[..=line_end],
        None => &bytes[..room],
    }
}

/// Writes as much as possible and returns the number of written bytes together with the result.
fn append(file: &mut File, bytes: &[u8]) -> (usize, io::Result<()>) {
    let mut written = 0;
    while written < bytes.len() {
        match file.write(&bytes[written..]) {
            Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (written, Err(error)),
        }
    }
    (written, Ok(()))
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "no space left".to_owned(),
        io::ErrorKind::QuotaExceeded => "quota exceeded".to_owned(),
        kind => kind.to_string(),
    }
}

#[cfg(test)]
mod tests;
