//! The order of lists: agents that wait for the user, then agents that need attention, then the others by name.

use std::cmp::Ordering;

use crate::model::Agent;

/// Sorts agents by how much they need the user, then by name.
pub fn sort_for_display(agents: &mut [Agent]) {
    agents.sort_by(|a, b| {
        let by_name = || natural(a.name.as_str(), b.name.as_str());
        a.status.rank().cmp(&b.status.rank()).then_with(by_name)
    });
}

/// Compares two names so that numbers in them are ordered by value: `r2` comes before `r10`.
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (pieces(a), pieces(b));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(left), Some(right)) => match (digits(left), digits(right)) {
                (Some(left), Some(right)) => (left.len(), left).cmp(&(right.len(), right)),
                _ => left.cmp(right),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Splits a text into runs of digits and runs of other characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()).scan(0, move |start, piece| {
        let at = *start;
        *start += piece.len();
        text.get(at..*start)
    })
}

/// Returns the digits of a number without leading zeros, or `None` for a piece that is not a number.
fn digits(piece: &str) -> Option<&str> {
    piece.starts_with(|c: char| c.is_ascii_digit()).then(|| piece.trim_start_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names =
            ["r10", "r2", "r", "r02", "a10b", "a9b", "r1000000000000000000000", "10", "9", "r10-x"];
        names.sort_by(|a, b| natural(a, b));
        let expected =
            ["9", "10", "a9b", "a10b", "r", "r02", "r2", "r10", "r10-x", "r1000000000000000000000"];
        assert_eq!(names, expected);
    }

    proptest::proptest! {
        #[test]
        fn the_order_is_total(a in "[a-c0-2é-]{0,6}", b in "[a-c0-2é-]{0,6}", c in "[a-c0-2é-]{0,6}") {
            proptest::prop_assert_eq!(natural(&a, &b), natural(&b, &a).reverse());
            proptest::prop_assert_eq!(natural(&a, &b) == Ordering::Equal, a == b);
            if natural(&a, &b).is_le() && natural(&b, &c).is_le() {
                proptest::prop_assert!(natural(&a, &c).is_le());
            }
        }
    }
}
