//! Reads a transcript back, oldest log first, also while it is written and rotated.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use jiff::Timestamp;

use super::directory::{Directory, index_name, log_name};
use super::index::offset_at;

/// How often a look is repeated that a rotation has spoilt: rotations are megabytes apart.
const LOOKS: usize = 5;

/// Where reading starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// At the oldest byte that is kept.
    Start,
    /// At what came at this time or later, to the second.
    At(Timestamp),
    /// So many bytes before the end.
    Last(u64),
}

/// A transcript, read as one stream.
#[derive(Debug)]
pub struct Reader {
    pub(super) dir: Directory,
    logs: VecDeque<Log>,
}

#[derive(Debug)]
struct Log {
    file: File,
    inode: u64,
    size: u64,
}

/// Opens a transcript; one that does not exist yet is empty.
pub fn open(dir: &Path, since: Since) -> io::Result<Reader> {
    let dir = Directory::open(dir)?;
    let logs = match since {
        Since::Start => look(&dir)?.into(),
        Since::At(time) => logs_at(&dir, time)?,
        Since::Last(bytes) => logs_last(&dir, bytes)?,
    };
    Ok(Reader { dir, logs })
}

/// The last bytes of a transcript.
pub fn tail(dir: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let mut tail = Vec::new();
    open(dir, Since::Last(bytes))?.take(bytes).read_to_end(&mut tail)?;
    Ok(tail)
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(log) = self.logs.front_mut() {
            let count = log.file.read(buffer)?;
            // The newest log is kept at its end: more may come.
            if count > 0 || buffer.is_empty() || self.logs.len() == 1 {
                return Ok(count);
            }
            self.logs.pop_front();
        }
        Ok(0)
    }
}

impl Reader {
    /// Takes in the logs that were begun since the last look: true when there are any.
    pub(super) fn take_in_newer(&mut self) -> io::Result<bool> {
        let mut newer = look(&self.dir)?;
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

/// All logs, oldest first. Opened newest first, so that a rotation meanwhile shows one twice but hides none.
fn look(dir: &Directory) -> io::Result<Vec<Log>> {
    let mut logs: Vec<Log> = Vec::new();
    let Some(highest) = dir.highest()? else { return Ok(logs) };
    for number in 0..=highest.saturating_add(1) {
        if let Some(file) = dir.read(&log_name(number))? {
            let meta = file.metadata()?;
            if !logs.iter().any(|log| log.inode == meta.ino()) {
                logs.push(Log { file, inode: meta.ino(), size: meta.len() });
            }
        }
    }
    logs.reverse();
    Ok(logs)
}

fn logs_last(dir: &Directory, bytes: u64) -> io::Result<VecDeque<Log>> {
    let mut wanted = bytes;
    let mut logs = VecDeque::new();
    for mut log in look(dir)?.into_iter().rev() {
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

fn logs_at(dir: &Directory, time: Timestamp) -> io::Result<VecDeque<Log>> {
    for _ in 0..LOOKS {
        if let Some(logs) = try_logs_at(dir, time)? {
            return Ok(logs);
        }
    }
    // Too much rather than too little.
    Ok(look(dir)?.into())
}

/// None when a rotation came between a log and its index.
fn try_logs_at(dir: &Directory, time: Timestamp) -> io::Result<Option<VecDeque<Log>>> {
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
        logs.push_front(Log { file, inode: meta.ino(), size: meta.len() });
        // All of this log is wanted, so perhaps some of the one before it.
        if offset.is_none_or(|offset| offset > 0) {
            break;
        }
    }
    Ok(Some(logs))
}
