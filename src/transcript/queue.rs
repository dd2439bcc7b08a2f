//! The bounded queue between the thread that reads an agent's output and the thread that writes it to disk. A disk that
//! does not respond must not block the reader: tmux would buffer the output without a limit. The queue also knows whether
//! a thread writes.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

/// Maximum number of bytes that wait for the disk. Output beyond that is dropped and counted.
const CAPACITY: usize = 8 << 20;
/// Small pieces are joined up to this size, so that the memory for their bookkeeping is bounded, too.
const JOINED_SIZE: usize = 256 * 1024;

/// A part of an agent's output. Parts keep their order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OutputPart<T> {
    /// Bytes, with the time at which the first of them was read.
    Output(T, Timestamp),
    /// Number of bytes that were dropped at this position.
    Dropped(u64),
}

/// Which thread writes output that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WritingRole {
    Caller,
    OtherThread,
}

/// Output that has been read but not yet written. A new queue has a writer, which opens the log first.
#[derive(Debug, Default)]
pub(super) struct OutputQueue {
    state: Mutex<OutputQueueState>,
}

#[derive(Debug, Default)]
struct OutputQueueState {
    parts: VecDeque<OutputPart<Vec<u8>>>,
    size: usize,
    /// Whether no thread writes. The queue is empty then.
    is_idle: bool,
}

impl OutputQueue {
    /// Appends output for the thread that writes, or counts it as dropped if the queue is full. If no thread writes, the
    /// calling thread becomes the writer and must write the output itself. Never waits for the disk.
    pub(super) fn push_or_write(&self, bytes: &[u8], now: Timestamp) -> WritingRole {
        let mut state = self.lock();
        if std::mem::take(&mut state.is_idle) {
            return WritingRole::Caller;
        }
        let fits = state.size + bytes.len() <= CAPACITY;
        match state.parts.back_mut() {
            Some(OutputPart::Output(last, _)) if fits && last.len() + bytes.len() <= JOINED_SIZE => {
                last.extend_from_slice(bytes);
            }
            Some(OutputPart::Dropped(count)) if !fits => *count += bytes.len() as u64,
            _ if fits => state.parts.push_back(OutputPart::Output(bytes.to_vec(), now)),
            _ => state.parts.push_back(OutputPart::Dropped(bytes.len() as u64)),
        }
        if fits {
            state.size += bytes.len();
        }
        WritingRole::OtherThread
    }

    /// Returns the next part. If there is none, the calling thread is not the writer any more.
    pub(super) fn next_or_end(&self) -> Option<OutputPart<Vec<u8>>> {
        let mut state = self.lock();
        let part = state.parts.pop_front();
        match &part {
            Some(OutputPart::Output(bytes, _)) => state.size -= bytes.len(),
            Some(OutputPart::Dropped(_)) => {}
            None => state.is_idle = true,
        }
        part
    }

    fn lock(&self) -> MutexGuard<'_, OutputQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_beyond_the_capacity_is_counted_where_it_is_missing() {
        let queue = OutputQueue::default();
        let now = Timestamp::UNIX_EPOCH;
        let piece = vec![b'x'; JOINED_SIZE];
        for _ in 0..CAPACITY / JOINED_SIZE {
            queue.push_or_write(&piece, now);
        }
        queue.push_or_write(b"lost", now);
        queue.push_or_write(b"lost too", now);
        assert_eq!(queue.next_or_end(), Some(OutputPart::Output(piece.clone(), now)));
        queue.push_or_write(b"back", now);
        let parts = std::iter::from_fn(|| queue.next_or_end());
        let rest: Vec<OutputPart<Vec<u8>>> = parts.skip(CAPACITY / JOINED_SIZE - 1).collect();
        assert_eq!(rest, [OutputPart::Dropped(12), OutputPart::Output(b"back".to_vec(), now)]);
    }

    #[test]
    fn small_pieces_are_joined_and_keep_the_time_of_the_first() {
        let queue = OutputQueue::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        queue.push_or_write(b"one ", at(1));
        queue.push_or_write(b"two", at(2));
        assert_eq!(queue.next_or_end(), Some(OutputPart::Output(b"one two".to_vec(), at(1))));
        assert_eq!(queue.next_or_end(), None);
    }

    #[test]
    fn one_thread_writes_at_a_time() {
        let (queue, now) = (OutputQueue::default(), Timestamp::UNIX_EPOCH);
        assert_eq!(queue.push_or_write(b"before the log is open", now), WritingRole::OtherThread);
        assert!(queue.next_or_end().is_some());
        assert_eq!(queue.next_or_end(), None);
        assert_eq!(queue.push_or_write(b"one", now), WritingRole::Caller);
        assert_eq!(queue.push_or_write(b"two", now), WritingRole::OtherThread);
        assert_eq!(queue.next_or_end(), Some(OutputPart::Output(b"two".to_vec(), now)));
        assert_eq!(queue.next_or_end(), None);
        assert_eq!(queue.push_or_write(b"three", now), WritingRole::Caller);
    }
}
