//! Parses TOML into values with positions. Reports every syntax error, not only the first.

use toml::de::{DeTable, DeValue};

use crate::base::source_text::{LineIndex, LocatedMistake};
use crate::specs::syntax::tree::{KeyNode, Node, NodeValue, Table};

/// Returns the keys and values of a text, or all of its syntax errors.
pub(in crate::specs) fn parse(text: &str) -> Result<Table, Vec<LocatedMistake>> {
    let lines = LineIndex::of(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(table_of(table.get_ref(), &lines));
    }
    let mut wrong: Vec<LocatedMistake> = errors
        .into_iter()
        .map(|error| lines.locate(error.into()))
        .map(|mistake| LocatedMistake::new(mistake.at, one_line(&mistake.message)))
        .collect();
    wrong.sort_by_key(|wrong| wrong.at);
    Err(wrong)
}

/// Joins a message to one line, because it follows `file:line:column:`.
fn one_line(message: &str) -> String {
    message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
}

fn table_of(table: &DeTable, lines: &LineIndex) -> Table {
    let mut entries: Table = table
        .iter()
        .map(|(key, value)| {
            let key = KeyNode { at: lines.position(key.span().start), text: key.get_ref().to_string() };
            (key, node_of(value, lines))
        })
        .collect();
    entries.sort_by_key(|(key, _)| key.at);
    entries
}

fn node_of(value: &toml::Spanned<DeValue>, lines: &LineIndex) -> Node {
    let at = lines.position(value.span().start);
    let value = match value.get_ref() {
        DeValue::String(text) => NodeValue::Text(text.to_string()),
        DeValue::Boolean(flag) => NodeValue::Flag(*flag),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => NodeValue::Int(number),
            Err(_) => NodeValue::Other("a number that is too large"),
        },
        DeValue::Float(_) => NodeValue::Other("a number with a point"),
        DeValue::Datetime(_) => NodeValue::Other("a date"),
        DeValue::Array(array) => NodeValue::List(array.iter().map(|member| node_of(member, lines)).collect()),
        DeValue::Table(table) => NodeValue::Table(table_of(table, lines)),
    };
    Node { at, value }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::source_text::Position;

    #[test]
    fn values_keep_their_positions() {
        let table = parse("a = 0x1F\n[b.c]\n'ü' = ['x', true]\n").unwrap();
        assert_eq!(table[0].1, Node { at: Position { line: 1, column: 5 }, value: NodeValue::Int(31) });
        let inner = table[1].1.get("c").unwrap().table().unwrap();
        assert_eq!((inner[0].0.text.as_str(), inner[0].0.at), ("ü", Position { line: 3, column: 1 }));
        assert_eq!(inner[0].1.list().unwrap()[1].at, Position { line: 3, column: 13 });
    }

    #[test]
    fn every_syntax_error_is_reported() {
        let wrong = parse("a = \nb = 'x\nc = 3\n[d\n").unwrap_err();
        let lines: Vec<usize> = wrong.iter().map(|wrong| wrong.at.line).collect();
        assert_eq!(lines, [1, 2, 4], "{wrong:?}");
        assert!(parse("a = 1\na = 2\n").unwrap_err()[0].message.contains("duplicate key"));
    }

    #[test]
    fn deeply_nested_text_is_refused_without_recursion() {
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
