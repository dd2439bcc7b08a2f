//! Parses YAML front matter into values with positions.
//!
//! All YAML notations of texts, lists and tables are supported. Features that give a file a meaning that is not
//! visible are rejected: anchors, aliases, tags, several documents, and keys that are not texts.

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

use crate::specs::syntax::position::{Place, Wrong};
use crate::specs::syntax::tree::{KeyNode, Node, Table, Value};

/// Maximum nesting depth of tables and lists; specs need three.
const DEEPEST: usize = 8;

/// Parses a text. `first_line` is the line of the file on which the text begins.
pub(in crate::specs) fn parse(text: &str, first_line: usize) -> Result<Table, Wrong> {
    let mut reader = Reader { parser: Parser::new_from_str(text), first_line };
    match reader.next()? {
        (Event::StreamEnd, _) => Ok(Table::new()),
        (Event::MappingStart(anchor, None), span) => {
            reader.no_anchor(anchor, &span)?;
            let table = reader.table(1)?;
            match reader.next()? {
                (Event::StreamEnd, _) => Ok(table),
                (_, span) => {
                    Err(Wrong::new(reader.place(&span), "front matter is one table of keys and values"))
                }
            }
        }
        // An empty text, or only comments.
        (Event::Scalar(text, ..), _) if text.is_empty() || text == "~" => Ok(Table::new()),
        (_, span) => Err(Wrong::new(reader.place(&span), "expected lines of `key: value`")),
    }
}

struct Reader<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    first_line: usize,
}

impl<'a> Reader<'a> {
    /// Returns the next event with content.
    fn next(&mut self) -> Result<(Event<'a>, Span), Wrong> {
        loop {
            match self.parser.next_event() {
                Some(Ok((Event::Nothing | Event::StreamStart | Event::DocumentStart(false), _))) => {}
                Some(Ok((Event::DocumentEnd, _))) => {}
                Some(Ok((Event::Alias(_), span))) => {
                    return Err(Wrong::new(
                        self.place(&span),
                        "an alias (`*name`) is not understood here; write the value out",
                    ));
                }
                Some(Ok(event)) => return Ok(event),
                Some(Err(error)) => return Err(self.wrong(&error)),
                None => return Ok((Event::StreamEnd, Span::default())),
            }
        }
    }

    fn place(&self, span: &Span) -> Place {
        Place { line: span.start.line().max(1) + self.first_line - 1, column: span.start.col() + 1 }
    }

    fn wrong(&self, error: &ScanError) -> Wrong {
        let mark = error.marker();
        let at = Place { line: mark.line().max(1) + self.first_line - 1, column: mark.col() + 1 };
        Wrong::new(at, format!("{}; quote a text that holds `: ` or begins with a sign", error.info()))
    }

    fn no_anchor(&self, anchor: usize, span: &Span) -> Result<(), Wrong> {
        match anchor {
            0 => Ok(()),
            _ => Err(Wrong::new(self.place(span), "an anchor (`&name`) is not understood here")),
        }
    }

    fn table(&mut self, depth: usize) -> Result<Table, Wrong> {
        let mut table = Table::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, _) => return Ok(table),
                (Event::Scalar(text, _, 0, None), span) => {
                    KeyNode { at: self.place(&span), text: text.into_owned() }
                }
                (_, span) => return Err(Wrong::new(self.place(&span), "a key must be a word")),
            };
            if table.iter().any(|(known, _)| known.text == key.text) {
                return Err(Wrong::new(key.at, format!("`{}` is said twice", key.text.escape_debug())));
            }
            let event = self.next()?;
            let node = self.node(event, depth)?;
            table.push((key, node));
        }
    }

    fn node(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Result<Node, Wrong> {
        let at = self.place(&span);
        if depth > DEEPEST {
            return Err(Wrong::new(at, format!("more than {DEEPEST} tables and lists in one another")));
        }
        let value = match event {
            Event::Scalar(text, ScalarStyle::Plain, anchor, None) => {
                self.no_anchor(anchor, &span)?;
                Value::Bare(text.into_owned())
            }
            Event::Scalar(text, _, anchor, None) => {
                self.no_anchor(anchor, &span)?;
                Value::Text(text.into_owned())
            }
            Event::SequenceStart(anchor, None) => {
                self.no_anchor(anchor, &span)?;
                let mut list = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break Value::List(list),
                        event => list.push(self.node(event, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(anchor, None) => {
                self.no_anchor(anchor, &span)?;
                Value::Table(self.table(depth + 1)?)
            }
            _ => return Err(Wrong::new(at, "a tag (`!name`) is not understood here")),
        };
        Ok(Node { at, value })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_way_to_write_a_value_is_understood() {
        let text = "restart: no # never\nport: \"80\"\nprompt: |\n  one\n  two\ntools: [Read, 'Bash(ls *)']\nenv:\n  A: 1\n";
        let table = parse(text, 2).unwrap();
        let values: Vec<(&str, usize, usize)> =
            table.iter().map(|(key, node)| (key.text.as_str(), key.at.line, node.at.column)).collect();
        assert_eq!(
            values,
            [("restart", 2, 10), ("port", 3, 7), ("prompt", 4, 3), ("tools", 7, 8), ("env", 8, 3)]
        );
        assert_eq!(table[0].1.value, Value::Bare("no".into()));
        assert_eq!(table[1].1.value, Value::Text("80".into()));
        assert_eq!(table[2].1.text(), Some("one\ntwo\n"));
        assert_eq!(table[3].1.list().unwrap()[1].text(), Some("Bash(ls *)"));
        assert_eq!(table[4].1.get("A").unwrap().int(), Some(1));
    }

    #[test]
    fn what_says_more_than_it_shows_is_refused_where_it_stands() {
        for (text, line, says) in [
            ("a: &x 1\nb: *x\n", 1, "anchor"),
            ("a: *x\n", 1, "unknown anchor"),
            ("a: !!int 3\n", 1, "tag"),
            ("a: 1\n---\nb: 2\n", 2, "one table"),
            ("- a\n", 1, "`key: value`"),
            ("? [a]\n: b\n", 1, "a key must be a word"),
            ("a: 1\na: 2\n", 2, "said twice"),
            ("a: b: c\n", 1, "quote a text"),
            ("a: [1\n", 2, ""),
            ("a: [[[[[[[[[1]]]]]]]]]\n", 1, "more than 8"),
        ] {
            let wrong = parse(text, 1).expect_err(text);
            assert!(wrong.message.contains(says), "{text}: {wrong:?}");
            assert_eq!(wrong.at.line, line, "{text}: {wrong:?}");
        }
        for nothing in ["", "\n", "# only this\n", "~\n"] {
            assert_eq!(parse(nothing, 1), Ok(Table::new()), "{nothing:?}");
        }
    }

    #[test]
    fn a_deep_text_is_refused_without_going_there() {
        for text in ["[".repeat(60_000), "- ".repeat(30_000), "{a: ".repeat(15_000), "a: ".repeat(20_000)] {
            assert!(parse(&format!("k: {text}"), 1).is_err());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]
        #[test]
        fn no_text_makes_it_panic(text in r#"[ab:\-\[\]{}'"|>&*!?,#%@0-9 \t\r\nü]{0,60}"#) {
            let _ = parse(&text, 1);
        }

        #[test]
        fn no_bytes_make_it_panic(text in any::<String>()) {
            let _ = parse(&text, 1);
        }
    }
}
