//! The bounded queue between the thread that reads an agent's output and the thread that writes it to disk. A disk that
//! does not respond must not block the reader: tmux would buffer the output without a limit.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

/// Maximum number of bytes that wait for the disk. Output beyond that is dropped and counted.
const CAPACITY: usize = 8 << 20;
/// Small pieces are joined up to this size, so that the memory for their bookkeeping is bounded, too.
const JOINED_SIZE: usize = 256 * 1024;

/// A part of an agent's output. Parts keep their order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OutputPart {
    /// Bytes, with the time at which the first of them was read.
    Output(Vec<u8>, Timestamp),
    /// Number of bytes that were dropped at this position.
    Dropped(u64),
}

/// Output that has been read but not yet written.
#[derive(Debug, Default)]
pub(super) struct OutputQueue {
    state: Mutex<OutputQueueState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct OutputQueueState {
    parts: VecDeque<OutputPart>,
    size: usize,
    is_closed: bool,
}

impl OutputQueue {
    /// Appends output, or counts it as dropped if the queue is full. Never waits for the disk.
    pub(super) fn push(&self, bytes: &[u8], now: Timestamp) {
        let mut state = self.lock();
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
        self.changed.notify_one();
    }

    /// Closes the queue: no more output will be appended.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    /// Waits for the next part and returns it, or `None` if the queue is closed and empty.
    pub(super) fn pop(&self) -> Option<OutputPart> {
        let mut state = self.lock();
        loop {
            if let Some(piece) = state.parts.pop_front() {
                if let OutputPart::Output(bytes, _) = &piece {
                    state.size -= bytes.len();
                }
                return Some(piece);
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
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
            queue.push(&piece, now);
        }
        queue.push(b"lost", now);
        queue.push(b"lost too", now);
        assert_eq!(queue.pop(), Some(OutputPart::Output(piece.clone(), now)));
        queue.push(b"back", now);
        queue.close();
        let rest: Vec<OutputPart> =
            std::iter::from_fn(|| queue.pop()).skip(CAPACITY / JOINED_SIZE - 1).collect();
        assert_eq!(rest, [OutputPart::Dropped(12), OutputPart::Output(b"back".to_vec(), now)]);
    }

    #[test]
    fn small_pieces_are_joined_and_keep_the_time_of_the_first() {
        let queue = OutputQueue::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        queue.push(b"one ", at(1));
        queue.push(b"two", at(2));
        queue.close();
        assert_eq!(queue.pop(), Some(OutputPart::Output(b"one two".to_vec(), at(1))));
        assert_eq!(queue.pop(), None);
    }
}
