//! Medians and the table they are shown in.

use std::fmt;
use std::time::Duration;

/// The middle one.
pub fn median(times: impl IntoIterator<Item = Duration>) -> Duration {
    let mut times: Vec<_> = times.into_iter().collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// The medians of two things done in turns, so that a busy moment of the machine hits both.
pub fn interleaved(
    rounds: usize,
    mut ours: impl FnMut(usize) -> Duration,
    mut bare: impl FnMut(usize) -> Duration,
) -> (Duration, Duration) {
    let mut times = (Vec::new(), Vec::new());
    for round in 0..rounds {
        // Who goes first changes, because the second one finds warmer caches.
        if round % 2 == 0 {
            times.0.push(ours(round));
            times.1.push(bare(round));
        } else {
            times.1.push(bare(round));
            times.0.push(ours(round));
        }
    }
    (median(times.0), median(times.1))
}

/// One measurement against its limit.
pub struct Row {
    what: String,
    /// The median of ours.
    pub ours: Duration,
    against: Against,
}

enum Against {
    Other { time: Duration, limit: f64 },
    Bound(Duration),
}

impl Row {
    /// Ours as a multiple of something else measured in the same run.
    pub fn ratio(what: String, (ours, time): (Duration, Duration), limit: f64) -> Row {
        Row { what, ours, against: Against::Other { time, limit } }
    }

    /// Ours under a fixed time.
    pub fn bound(what: String, ours: Duration, bound: Duration) -> Row {
        Row { what, ours, against: Against::Bound(bound) }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
        let (other, ratio, limit, is_within) = match self.against {
            Against::Other { time, limit } => {
                let ratio = self.ours.as_secs_f64() / time.as_secs_f64();
                (ms(time), format!("{ratio:.2}x"), format!("{limit:.1}x"), ratio <= limit)
            }
            Against::Bound(bound) => (String::new(), String::new(), ms(bound), self.ours <= bound),
        };
        let verdict = if is_within { "ok" } else { "over" };
        write!(f, "{:<34}{:>12}{other:>12}{ratio:>9}{limit:>10}  {verdict}", self.what, ms(self.ours))
    }
}

/// All measurements.
#[derive(Default)]
pub struct Table(Vec<Row>);

impl Table {
    /// Puts one more row at the end.
    pub fn add(&mut self, row: Row) {
        self.0.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<34}{:>12}{:>12}{:>9}{:>10}", "median of", "ours", "against", "ratio", "limit")?;
        self.0.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}
