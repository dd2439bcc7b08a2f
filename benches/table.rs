//! Medians and the table they are shown in, with the load of the machine beside them.

use std::fmt;
use std::time::Duration;

/// The middle one.
pub fn median(times: impl IntoIterator<Item = Duration>) -> Duration {
    quantile(times, 0.5)
}

/// The one that this part of all are under.
pub fn quantile(times: impl IntoIterator<Item = Duration>, part: f64) -> Duration {
    let mut times: Vec<_> = times.into_iter().collect();
    times.sort_unstable();
    times[((times.len() as f64 * part) as usize).min(times.len() - 1)]
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

/// One measurement, with its limit where there is one.
pub struct Row {
    what: String,
    ours: String,
    against: String,
    ratio: String,
    limit: String,
    verdict: &'static str,
}

impl Row {
    /// Ours as a multiple of something else measured in the same run.
    pub fn ratio(what: String, (ours, other): (Duration, Duration), limit: f64) -> Row {
        let ratio = ours.as_secs_f64() / other.as_secs_f64();
        let mut row = Row::plain(what, ms(ours)).held(ratio <= limit, format!("{limit:.1}x"));
        row.against = ms(other);
        row.ratio = format!("{ratio:.2}x");
        row
    }

    /// The same, only told.
    pub fn compared(what: String, (ours, other): (Duration, Duration)) -> Row {
        let ratio = ours.as_secs_f64() / other.as_secs_f64();
        Row { against: ms(other), ratio: format!("{ratio:.2}x"), ..Row::plain(what, ms(ours)) }
    }

    /// Ours under a fixed time.
    pub fn bound(what: String, ours: Duration, bound: Duration) -> Row {
        Row::plain(what, ms(ours)).held(ours <= bound, ms(bound))
    }

    /// Parts of one core: ours, bare tmux's, and what we may take above it.
    pub fn share(what: String, (ours, bare): (f64, f64), most: f64) -> Row {
        let percent = |share: f64| format!("{:.3} %", share * 100.0);
        let above = ours - bare;
        let mut row = Row::plain(what, percent(ours)).held(above <= most, percent(most));
        row.against = percent(bare);
        row.ratio = format!("{:+.3} %", above * 100.0);
        row
    }

    /// So many of something, and how many there may be.
    pub fn count(what: String, ours: u64, most: u64) -> Row {
        Row::plain(what, ours.to_string()).held(ours <= most, most.to_string())
    }

    /// A size in kB, and how large it may be.
    pub fn size(what: String, ours: u64, most: u64) -> Row {
        let mb = |kb: u64| format!("{:.1} MB", kb as f64 / 1e3);
        Row::plain(what, mb(ours)).held(ours <= most, mb(most))
    }

    /// Only told.
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

/// All measurements and what there is to say about them.
pub struct Table {
    rows: Vec<Row>,
    notes: Vec<String>,
    load: String,
}

impl Table {
    /// Empty; the load is that of now.
    pub fn new() -> Table {
        Table { rows: Vec::new(), notes: Vec::new(), load: load() }
    }

    /// Puts one more row at the end.
    pub fn add(&mut self, row: Row) {
        eprintln!("{row}");
        self.rows.push(row);
    }

    /// Says something below the table.
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

/// How many processes there are, the kernel's own too.
fn count() -> usize {
    let is_process = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.parse::<u32>().is_ok());
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter(|entry| is_process(&entry.file_name())).count()
}

/// How many programs wanted a core in the last minute.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}
