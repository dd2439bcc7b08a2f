//! Times in JSON: RFC 3339 in UTC with exactly three fraction digits, so that strings sort in the order of their times.
//! The parser accepts any RFC 3339 time, with fewer or more digits.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde::{Deserialize, Deserializer, Serializer};

static PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// Formats a time as in JSON: `2026-01-31T12:00:00.000Z`.
pub fn text(at: Timestamp) -> String {
    PRINTER.timestamp_to_string(&at)
}

/// Serializes a time as a string with three fraction digits.
pub fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(*at))
}

/// Deserializes any RFC 3339 time.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    Timestamp::deserialize(deserializer)
}

/// Serialization of a time that may be `null`.
pub mod option {
    use super::*;

    /// Serializes a time or `null`.
    pub fn serialize<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
        match at {
            Some(at) => serializer.serialize_str(&text(*at)),
            None => serializer.serialize_none(),
        }
    }

    /// Deserializes a time or `null`.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
        Option::deserialize(deserializer)
    }
}

/// Serialization of a list of times.
pub mod list {
    use super::*;

    /// Serializes a list of times.
    pub fn serialize<S: Serializer>(times: &[Timestamp], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(times.iter().map(|at| text(*at)))
    }

    /// Deserializes a list of times.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Timestamp>, D::Error> {
        Vec::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_fraction_digits_and_sort_as_strings() {
        let times = ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.02Z", "2026-01-31T12:00:00.1239Z"];
        let texts = times.map(|time| text(time.parse().unwrap()));
        assert_eq!(
            texts,
            ["2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.020Z", "2026-01-31T12:00:00.123Z"]
        );
    }
}
