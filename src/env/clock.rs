//! The clock of a context: the time of the system, or a time that a test sets.

use jiff::Timestamp;

#[cfg(test)]
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// The source of the current time. Deadlines that bound real waiting use `Instant` instead.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The clock of the system.
    #[default]
    System,
    /// A time in milliseconds since the epoch that only moves when a test moves it. All clones show the same time.
    #[cfg(test)]
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// Returns the current time in milliseconds; a finer resolution is noise in a file that users read.
    #[expect(clippy::disallowed_methods, reason = "this is the only place that reads the clock")]
    pub fn now(&self) -> Timestamp {
        match self {
            Clock::System => {
                let now = Timestamp::now();
                Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
            }
            #[cfg(test)]
            Clock::Manual(time) => {
                Timestamp::from_millisecond(time.load(Ordering::Relaxed)).unwrap_or_default()
            }
        }
    }

    /// Returns a clock that stands still at a time until it is moved.
    #[cfg(test)]
    pub fn manual(now: Timestamp) -> Clock {
        Clock::Manual(Arc::new(AtomicI64::new(now.as_millisecond())))
    }

    /// Moves a manual clock forward.
    #[cfg(test)]
    pub fn advance(&self, by: std::time::Duration) {
        if let Clock::Manual(time) = self {
            time.fetch_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX), Ordering::Relaxed);
        }
    }
}
