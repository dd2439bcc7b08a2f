//! Records an agent's output from tmux in its log. One thread reads and never waits for the disk; another thread
//! writes. Output that cannot be written is dropped and counted, and the count is recorded in the log once writing
//! works again.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::thread;

use jiff::Timestamp;
use rustix::event::{PollFd, PollFlags, poll};

use super::directory::{TranscriptDir, index_name, log_name};
use super::index::IndexWriter;
use super::modes::TerminalModes;
use super::queue::{OutputPart, OutputQueue};
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
    input: impl Read + AsFd,
    limits: TranscriptLimits,
    clock: &(dyn Fn() -> Timestamp + Sync),
) -> io::Result<()> {
    let queue = OutputQueue::default();
    thread::scope(|scope| {
        let writing = thread::Builder::new()
            .name("disk".into())
            .spawn_scoped(scope, || record(TranscriptDir::open(dir), limits, &queue, clock));
        let read = read_all(input, &queue, clock);
        queue.close();
        let written = writing?.join().unwrap_or_else(|_| Err(io::Error::other("the writing thread failed")));
        read.and(written)
    })
}

/// Reads until the end of the input, even if the output cannot be stored.
fn read_all(
    mut input: impl Read + AsFd,
    queue: &OutputQueue,
    clock: &dyn Fn() -> Timestamp,
) -> io::Result<()> {
    let mut buffer = vec![0; READ_BUFFER_BYTES];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => queue.push(&buffer[..count], clock()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                // If `poll` is interrupted, the next read follows directly.
                let _ = poll(&mut [PollFd::new(&input, PollFlags::IN)], None);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Writes the queued output until the queue is closed.
fn record(
    dir: io::Result<TranscriptDir>,
    limits: TranscriptLimits,
    queue: &OutputQueue,
    clock: &dyn Fn() -> Timestamp,
) -> io::Result<()> {
    let mut recorder = match dir {
        Ok(dir) => Recorder::new(dir, limits),
        Err(error) => {
            while queue.pop().is_some() {}
            return Err(error);
        }
    };
    while let Some(piece) = queue.pop() {
        match piece {
            OutputPart::Output(bytes, at) => recorder.take(&bytes, at),
            OutputPart::Dropped(count) => recorder.count_missing(count, SLOW_DISK.into()),
        }
    }
    recorder.finish(clock())
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
