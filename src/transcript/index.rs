//! The index next to a log: lines `<unix milliseconds> <offset>`, at most one per second. It allows `--since` to start
//! in the middle of a log; without an index, the whole log is shown.

use std::io::{self, Write};

use jiff::Timestamp;

/// Minimum time between two entries, so that the index of a full log stays small.
const STEP_MS: i64 = 1000;

/// Writes the index entries of one log.
#[derive(Debug, Default)]
pub(super) struct IndexWriter {
    last: Option<i64>,
}

impl IndexWriter {
    /// Records that the byte at `offset` arrived at `now`, unless the last entry is less than a second old.
    pub(super) fn note(&mut self, index: &mut impl Write, now: Timestamp, offset: u64) -> io::Result<()> {
        let now = now.as_millisecond();
        // A clock that was set back also leads to a new entry.
        if self.last.is_some_and(|last| (last..last + STEP_MS).contains(&now)) {
            return Ok(());
        }
        index.write_all(format!("{now} {offset}\n").as_bytes())?;
        self.last = Some(now);
        Ok(())
    }
}

/// Returns the offset of the first byte that may have arrived at `time` or later, or `None` if all bytes are older.
///
/// The bytes between two entries arrived within a second after the first entry, so the result may be early by that
/// much.
pub(super) fn offset_at(index: &str, time: Timestamp) -> Option<u64> {
    let time = time.as_millisecond();
    let mut entries = index.lines().filter_map(|line| {
        let (at, offset) = line.split_once(' ')?;
        Some((at.parse::<i64>().ok()?, offset.parse::<u64>().ok()?))
    });
    match entries.clone().next() {
        None => Some(0),
        Some(_) => entries.find(|(at, _)| at.saturating_add(STEP_MS) > time).map(|(_, offset)| offset),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millisecond(ms).unwrap()
    }

    #[test]
    fn notes_are_at_least_a_second_apart_unless_the_clock_was_set_back() {
        let (mut noter, mut index) = (IndexWriter::default(), Vec::new());
        for (ms, offset) in [(5000, 0), (5999, 10), (6000, 20), (6500, 30), (900, 40), (1000, 50)] {
            noter.note(&mut index, at(ms), offset).unwrap();
        }
        assert_eq!(String::from_utf8(index).unwrap(), "5000 0\n6000 20\n900 40\n");
    }

    #[test]
    fn a_time_maps_to_the_first_byte_written_after_it() {
        let index = "10000 0\n20000 500\n21000 700\n";
        for (time, offset) in [
            (0, Some(0)),
            (10_999, Some(0)),
            (11_000, Some(500)),
            (20_500, Some(500)),
            (21_200, Some(700)),
            (30_000, None),
        ] {
            assert_eq!(offset_at(index, at(time)), offset, "{time}");
        }
    }

    #[test]
    fn a_missing_or_damaged_index_hides_nothing() {
        assert_eq!(offset_at("", at(9_999_999)), Some(0));
        assert_eq!(offset_at("garbage\nmore\n", at(9_999_999)), Some(0));
        assert_eq!(offset_at("x y\n20000 500\n30", at(15_000)), Some(500));
    }
}
