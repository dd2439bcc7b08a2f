//! Parses TOML into values with positions. Reports every syntax error, not only the first.

use toml::de::{DeTable, DeValue};

use crate::specs::syntax::position::{Lines, Place, Wrong};
use crate::specs::syntax::tree::{KeyNode, Node, Table, Value};

/// Returns the keys and values of a text, or all of its syntax errors.
pub(in crate::specs) fn parse(text: &str) -> Result<Table, Vec<Wrong>> {
    let lines = Lines::of(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(table_of(table.get_ref(), &lines));
    }
    let place = |error: &toml::de::Error| error.span().map_or(Place::START, |span| lines.place(span.start));
    let mut wrong: Vec<Wrong> =
        errors.iter().map(|error| Wrong::new(place(error), one_line(error.message()))).collect();
    wrong.sort_by_key(|wrong| wrong.at);
    Err(wrong)
}

/// Joins a message to one line, because it follows `file:line:column:`.
fn one_line(message: &str) -> String {
    message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
}

fn table_of(table: &DeTable, lines: &Lines) -> Table {
    let mut entries: Table = table
        .iter()
        .map(|(key, value)| {
            let key = KeyNode { at: lines.place(key.span().start), text: key.get_ref().to_string() };
            (key, node_of(value, lines))
        })
        .collect();
    entries.sort_by_key(|(key, _)| key.at);
    entries
}

fn node_of(value: &toml::Spanned<DeValue>, lines: &Lines) -> Node {
    let at = lines.place(value.span().start);
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Int(number),
            Err(_) => Value::Other("a number that is too large"),
        },
        DeValue::Float(_) => Value::Other("a number with a point"),
        DeValue::Datetime(_) => Value::Other("a date"),
        DeValue::Array(array) => Value::List(array.iter().map(|member| node_of(member, lines)).collect()),
        DeValue::Table(table) => Value::Table(table_of(table, lines)),
    };
    Node { at, value }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_keep_their_places() {
        let table = parse("a = 0x1F\n[b.c]\n'ü' = ['x', true]\n").unwrap();
        assert_eq!(table[0].1, Node { at: Place { line: 1, column: 5 }, value: Value::Int(31) });
        let inner = table[1].1.get("c").unwrap().table().unwrap();
        assert_eq!((inner[0].0.text.as_str(), inner[0].0.at), ("ü", Place { line: 3, column: 1 }));
        assert_eq!(inner[0].1.list().unwrap()[1].at, Place { line: 3, column: 13 });
    }

    #[test]
    fn every_mistake_of_spelling_is_told() {
        let wrong = parse("a = \nb = 'x\nc = 3\n[d\n").unwrap_err();
        let lines: Vec<usize> = wrong.iter().map(|wrong| wrong.at.line).collect();
        assert_eq!(lines, [1, 2, 4], "{wrong:?}");
        assert!(parse("a = 1\na = 2\n").unwrap_err()[0].message.contains("duplicate key"));
    }

    #[test]
    fn a_deep_text_is_refused_without_going_there() {
        for text in [
            format!("{}a = 1", "a.".repeat(100_000)),
            format!("[{}a]", "a.".repeat(100_000)),
            format!("a = {}", "[".repeat(100_000)),
            format!("a = {}", "{a=".repeat(100_000)),
        ] {
            assert!(parse(&text).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in r#"[a\[\]{}=.,"'0-9xe_:#\n ü-]{0,60}"#) {
            if let Err(wrong) = parse(&text) {
                prop_assert!(!wrong.is_empty());
            }
        }
    }
}
