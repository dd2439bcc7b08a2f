//! Reads a transcript as one stream, oldest log first, even while it is written and rotated.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use jiff::Timestamp;

use super::directory::{TranscriptDir, index_name, log_name};
use super::index::offset_at;

/// Number of attempts to list the logs while rotations interfere. Rotations are megabytes of output apart.
const MAX_OPEN_ATTEMPTS: usize = 5;

/// Number of attempts to open all logs without a rotation in the meantime.
const MAX_LIST_ATTEMPTS: usize = 100;

/// The position at which reading starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadFrom {
    /// The oldest byte that is kept.
    Start,
    /// The first byte that arrived at this time or later, with a resolution of one second.
    At(Timestamp),
    /// This number of bytes before the end.
    Last(u64),
}

/// A reader that presents all logs of a transcript as one stream.
#[derive(Debug)]
pub struct TranscriptReader {
    pub(super) dir: TranscriptDir,
    logs: VecDeque<OpenLog>,
}

#[derive(Debug)]
struct OpenLog {
    file: File,
    inode: u64,
    size: u64,
}

/// Opens a transcript. A transcript that does not exist yet is empty.
pub fn open(dir: &Path, since: ReadFrom) -> io::Result<TranscriptReader> {
    let dir = TranscriptDir::open(dir)?;
    let logs = match since {
        ReadFrom::Start => open_logs(&dir)?.into(),
        ReadFrom::At(time) => logs_at(&dir, time)?,
        ReadFrom::Last(bytes) => logs_last(&dir, bytes)?,
    };
    Ok(TranscriptReader { dir, logs })
}

/// Returns the last `bytes` bytes of a transcript, or all of it if it is shorter.
pub fn tail(dir: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let mut tail = Vec::new();
    open(dir, ReadFrom::Last(bytes))?.take(bytes).read_to_end(&mut tail)?;
    Ok(tail)
}

impl Read for TranscriptReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(log) = self.logs.front_mut() {
            let count = log.file.read(buffer)?;
            // The newest log stays open at its end, because more output may follow.
            if count > 0 || buffer.is_empty() || self.logs.len() == 1 {
                return Ok(count);
            }
            self.logs.pop_front();
        }
        Ok(0)
    }
}

impl TranscriptReader {
    /// Adds the logs that were created since the logs were last listed, and returns whether there are any.
    pub(super) fn add_newer_logs(&mut self) -> io::Result<bool> {
        let mut newer = open_logs(&self.dir)?;
        if let Some(last) = self.logs.back()
            && let Some(known) = newer.iter().position(|log| log.inode == last.inode)
        {
            newer.drain(..=known);
        }
        let any = !newer.is_empty();
        self.logs.extend(newer);
        Ok(any)
    }
}

/// Opens all logs and returns them oldest first. Starts again if the logs were rotated in the meantime: after two
/// rotations, a newer log has the number of an older one.
fn open_logs(dir: &TranscriptDir) -> io::Result<Vec<OpenLog>> {
    let mut newest = newest_inodes(dir)?;
    let mut logs = list_logs(dir)?;
    for _ in 0..MAX_LIST_ATTEMPTS {
        let now = newest_inodes(dir)?;
        if now == newest {
            break;
        }
        newest = now;
        logs = list_logs(dir)?;
    }
    Ok(logs)
}

/// Returns the inodes of the two newest logs. Every rotation changes them.
fn newest_inodes(dir: &TranscriptDir) -> io::Result<[Option<u64>; 2]> {
    let mut inodes = [None; 2];
    for (inode, number) in inodes.iter_mut().zip(0..) {
        *inode = dir.read(&log_name(number))?.map(|file| file.metadata()).transpose()?.map(|meta| meta.ino());
    }
    Ok(inodes)
}

/// Opens all logs once and returns them oldest first. They are opened newest first, so that one rotation in the
/// meantime makes a log appear twice (and be skipped) instead of being missed.
fn list_logs(dir: &TranscriptDir) -> io::Result<Vec<OpenLog>> {
    let mut logs: Vec<OpenLog> = Vec::new();
    let Some(highest) = dir.highest()? else { return Ok(logs) };
    for number in 0..=highest.saturating_add(1) {
        if let Some(file) = dir.read(&log_name(number))? {
            let meta = file.metadata()?;
            if !logs.iter().any(|log| log.inode == meta.ino()) {
                logs.push(OpenLog { file, inode: meta.ino(), size: meta.len() });
            }
        }
    }
    logs.reverse();
    Ok(logs)
}

fn logs_last(dir: &TranscriptDir, bytes: u64) -> io::Result<VecDeque<OpenLog>> {
    let mut wanted = bytes;
    let mut logs = VecDeque::new();
    for mut log in open_logs(dir)?.into_iter().rev() {
        let here = log.size.min(wanted);
        wanted -= here;
        log.file.seek(SeekFrom::Start(log.size - here))?;
        logs.push_front(log);
        if wanted == 0 {
            break;
        }
    }
    Ok(logs)
}

fn logs_at(dir: &TranscriptDir, time: Timestamp) -> io::Result<VecDeque<OpenLog>> {
    for _ in 0..MAX_OPEN_ATTEMPTS {
        if let Some(logs) = try_logs_at(dir, time)? {
            return Ok(logs);
        }
    }
    // Returning too much is better than returning too little.
    Ok(open_logs(dir)?.into())
}

/// Opens the logs from `time` on. Returns `None` if a rotation happened between opening a log and its index.
fn try_logs_at(dir: &TranscriptDir, time: Timestamp) -> io::Result<Option<VecDeque<OpenLog>>> {
    let mut logs = VecDeque::new();
    let Some(highest) = dir.highest()? else { return Ok(Some(logs)) };
    for number in 0..=highest {
        let Some(mut file) = dir.read(&log_name(number))? else { continue };
        let meta = file.metadata()?;
        let mut index = String::new();
        if let Some(mut file) = dir.read(&index_name(number))? {
            file.read_to_string(&mut index)?;
        }
        let same = dir.read(&log_name(number))?.map(|file| file.metadata()).transpose()?;
        if same.is_none_or(|same| same.ino() != meta.ino()) {
            return Ok(None);
        }
        let offset = offset_at(&index, time);
        file.seek(SeekFrom::Start(offset.unwrap_or(meta.len()).min(meta.len())))?;
        logs.push_front(OpenLog { file, inode: meta.ino(), size: meta.len() });
        // If all of this log is wanted, a part of the previous log may be wanted, too.
        if offset.is_none_or(|offset| offset > 0) {
            break;
        }
    }
    Ok(Some(logs))
}
