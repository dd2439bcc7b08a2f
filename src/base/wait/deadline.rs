//! Points in time at which a wait ends.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;

/// Adds a duration to a time, or a day if the sum would overflow.
pub fn deadline_after(start: Instant, timeout: Duration) -> Instant {
    start.checked_add(timeout).unwrap_or(start + Duration::from_secs(86_400))
}

/// Waits until a descriptor is ready or the deadline has passed. Returns the number of descriptors that are ready, which
/// is 0 after the deadline. A signal does not end the wait.
pub fn poll_until(descriptors: &mut [PollFd<'_>], deadline: Instant) -> io::Result<usize> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let seconds = left.as_secs().try_into().unwrap_or(i64::MAX);
        let timeout = Timespec { tv_sec: seconds, tv_nsec: left.subsec_nanos().into() };
        match poll(descriptors, Some(&timeout)) {
            Err(Errno::INTR) => {}
            ready => return Ok(ready?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_timeout_does_not_overflow() {
        let now = Instant::now();
        assert!(deadline_after(now, Duration::MAX) > now);
        assert_eq!(deadline_after(now, Duration::from_secs(1)), now + Duration::from_secs(1));
    }
}
