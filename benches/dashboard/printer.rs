//! The program that prints: a line at a fixed interval, or one whenever the bench asks for it.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write, stdout};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// The argument for printing at an interval; its value is the number of milliseconds.
pub const INTERVAL_PRINTER: &str = "--print-every";
/// The argument for printing on request; its value is a named pipe.
pub const REQUESTED_PRINTER: &str = "--print-requested";

/// Prints a line after each interval until the reader is gone.
pub fn print_at_interval(milliseconds: u64) {
    let mut out = stdout();
    let mut print = |n: u64| writeln!(out, "{n:6} compiling one more crate of the many that this one needs");
    for n in 0.. {
        if print(n).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(milliseconds));
    }
}

/// Prints each line that is written to the named pipe.
pub fn print_requested(pipe: &Path) {
    // Opened for writing, too, so that it never ends.
    let requests = OpenOptions::new().read(true).write(true).open(pipe).expect("a named pipe");
    let mut out = stdout();
    for line in BufReader::new(requests).lines().map_while(Result::ok) {
        if writeln!(out, "{line}").is_err() {
            return;
        }
    }
}
