//! Medians and the result table, with the load of the machine.

use std::fmt;
use std::time::Duration;

/// Returns the median of the durations.
pub fn median(times: impl IntoIterator<Item = Duration>) -> Duration {
    quantile(times, 0.5)
}

/// Returns the quantile of the durations for this fraction.
pub fn quantile(times: impl IntoIterator<Item = Duration>, part: f64) -> Duration {
    let mut times: Vec<_> = times.into_iter().collect();
    times.sort_unstable();
    times[((times.len() as f64 * part) as usize).min(times.len() - 1)]
}

/// Returns the medians of two alternating actions, so that a busy moment of the machine affects both.
pub fn interleaved(
    rounds: usize,
    mut ours: impl FnMut(usize) -> Duration,
    mut bare: impl FnMut(usize) -> Duration,
) -> (Duration, Duration) {
    let mut times = (Vec::new(), Vec::new());
    for round in 0..rounds {
        // The order alternates, because the second action finds warmer caches.
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

/// One measurement, with its limit if there is one.
pub struct Row {
    what: String,
    ours: String,
    against: String,
    ratio: String,
    limit: String,
    verdict: &'static str,
}

impl Row {
    /// Creates a row with our time as a multiple of another time that was measured in the same run.
    pub fn ratio(what: String, (ours, other): (Duration, Duration), limit: f64) -> Row {
        let ratio = ours.as_secs_f64() / other.as_secs_f64();
        let mut row = Row::plain(what, ms(ours)).held(ratio <= limit, format!("{limit:.1}x"));
        row.against = ms(other);
        row.ratio = format!("{ratio:.2}x");
        row
    }

    /// Creates the same row without a limit.
    pub fn compared(what: String, (ours, other): (Duration, Duration)) -> Row {
        let ratio = ours.as_secs_f64() / other.as_secs_f64();
        Row { against: ms(other), ratio: format!("{ratio:.2}x"), ..Row::plain(what, ms(ours)) }
    }

    /// Creates a row with our time and a fixed upper bound.
    pub fn bound(what: String, ours: Duration, bound: Duration) -> Row {
        Row::plain(what, ms(ours)).held(ours <= bound, ms(bound))
    }

    /// Creates a row with shares of one core: ours, plain tmux's, and the maximum difference.
    pub fn share(what: String, (ours, bare): (f64, f64), most: f64) -> Row {
        let percent = |share: f64| format!("{:.3} %", share * 100.0);
        let above = ours - bare;
        let mut row = Row::plain(what, percent(ours)).held(above <= most, percent(most));
        row.against = percent(bare);
        row.ratio = format!("{:+.3} %", above * 100.0);
        row
    }

    /// Creates a row with a count and its maximum.
    pub fn count(what: String, ours: u64, most: u64) -> Row {
        Row::plain(what, ours.to_string()).held(ours <= most, most.to_string())
    }

    /// Creates a row with a size in kB and its maximum.
    pub fn size(what: String, ours: u64, most: u64) -> Row {
        let mb = |kb: u64| format!("{:.1} MB", kb as f64 / 1e3);
        Row::plain(what, mb(ours)).held(ours <= most, mb(most))
    }

    /// Creates a row without a limit.
    pub fn told(what: String, ours: Duration) -> Row {
        Row::plain(what, ms(ours))
    }

    fn plain(what: String, ours: String) -> Row {
        let none = String::new;
        Row { what, ours, against: none(), ratio: none(), limit: none(), verdict: "" }
    }

    fn held(self, is_within: bool, limit: String) -> Row {
        Row { limit, verdict: if is_within { "ok" } else { "over" }, ..self }
    }
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { what, ours, against, ratio, limit, verdict } = self;
        write!(f, "{what:<48}{ours:>12}{against:>12}{ratio:>10}{limit:>11}  {verdict}")
    }
}

/// All measurements with their notes.
pub struct Table {
    rows: Vec<Row>,
    notes: Vec<String>,
    load: String,
}

impl Table {
    /// Creates an empty table that records the current load.
    pub fn new() -> Table {
        Table { rows: Vec::new(), notes: Vec::new(), load: load() }
    }

    /// Appends a row.
    pub fn add(&mut self, row: Row) {
        eprintln!("{row}");
        self.rows.push(row);
    }

    /// Adds a note below the table.
    pub fn note(&mut self, text: String) {
        eprintln!("{text}");
        self.notes.push(text);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<48}{:>12}{:>12}{:>10}{:>11}", "median of", "ours", "against", "ratio", "limit")?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))?;
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))?;
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let processes = "processes on the machine";
        write!(f, "{cores} cores; load {} before, {} after; {} {processes}", self.load, load(), count())
    }
}

/// Returns the number of processes, including kernel threads.
fn count() -> usize {
    let is_process = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.parse::<u32>().is_ok());
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter(|entry| is_process(&entry.file_name())).count()
}

/// Returns the load average of the last minute.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}
