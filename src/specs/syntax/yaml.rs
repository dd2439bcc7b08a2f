//! Parses YAML front matter into values with positions.
//!
//! All YAML notations of texts, lists and tables are supported. Features that give a file a meaning that is not
//! visible are rejected: anchors, aliases, tags, several documents, and keys that are not texts.

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

use crate::base::source_text::{LocatedMistake, Position};
use crate::specs::syntax::tree::{KeyNode, Node, NodeValue, Table};

/// Maximum nesting depth of tables and lists; specs need three.
const MAX_DEPTH: usize = 8;

/// Parses a text. `first_line` is the line of the file on which the text begins.
pub(in crate::specs) fn parse(text: &str, first_line: usize) -> Result<Table, LocatedMistake> {
    let mut reader = YamlReader { parser: Parser::new_from_str(text), first_line };
    match reader.next()? {
        (Event::StreamEnd, _) => Ok(Table::new()),
        (Event::MappingStart(anchor, None), span) => {
            reader.no_anchor(anchor, &span)?;
            let table = reader.table(1)?;
            match reader.next()? {
                (Event::StreamEnd, _) => Ok(table),
                (_, span) => Err(LocatedMistake::new(
                    reader.position(&span),
                    "front matter must be a table of keys and values",
                )),
            }
        }
        // An empty text, or only comments.
        (Event::Scalar(text, ..), _) if text.is_empty() || text == "~" => Ok(Table::new()),
        (_, span) => Err(LocatedMistake::new(reader.position(&span), "expected lines of `key: value`")),
    }
}

struct YamlReader<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    first_line: usize,
}

impl<'a> YamlReader<'a> {
    /// Returns the next event with content.
    fn next(&mut self) -> Result<(Event<'a>, Span), LocatedMistake> {
        loop {
            match self.parser.next_event() {
                Some(Ok((Event::Nothing | Event::StreamStart | Event::DocumentStart(false), _))) => {}
                Some(Ok((Event::DocumentEnd, _))) => {}
                Some(Ok((Event::Alias(_), span))) => {
                    return Err(LocatedMistake::new(
                        self.position(&span),
                        "an alias (`*name`) is not supported here; write the value out",
                    ));
                }
                Some(Ok(event)) => return Ok(event),
                Some(Err(error)) => return Err(self.wrong(&error)),
                None => return Ok((Event::StreamEnd, Span::default())),
            }
        }
    }

    fn position(&self, span: &Span) -> Position {
        Position { line: span.start.line().max(1) + self.first_line - 1, column: span.start.col() + 1 }
    }

    fn wrong(&self, error: &ScanError) -> LocatedMistake {
        let mark = error.marker();
        let at = Position { line: mark.line().max(1) + self.first_line - 1, column: mark.col() + 1 };
        LocatedMistake::new(
            at,
            format!("{}; quote a text that holds `: ` or begins with a sign", error.info()),
        )
    }

    fn no_anchor(&self, anchor: usize, span: &Span) -> Result<(), LocatedMistake> {
        match anchor {
            0 => Ok(()),
            _ => Err(LocatedMistake::new(self.position(span), "an anchor (`&name`) is not supported here")),
        }
    }

    fn table(&mut self, depth: usize) -> Result<Table, LocatedMistake> {
        let mut table = Table::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, _) => return Ok(table),
                (Event::Scalar(text, _, 0, None), span) => {
                    KeyNode { at: self.position(&span), text: text.into_owned() }
                }
                (_, span) => return Err(LocatedMistake::new(self.position(&span), "a key must be a word")),
            };
            if table.iter().any(|(known, _)| known.text == key.text) {
                return Err(LocatedMistake::new(
                    key.at,
                    format!("`{}` is defined twice", key.text.escape_debug()),
                ));
            }
            let event = self.next()?;
            let node = self.node(event, depth)?;
            table.push((key, node));
        }
    }

    fn node(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Result<Node, LocatedMistake> {
        let at = self.position(&span);
        if depth > MAX_DEPTH {
            return Err(LocatedMistake::new(
                at,
                format!("tables and lists are nested more than {MAX_DEPTH} levels deep"),
            ));
        }
        let value = match event {
            Event::Scalar(text, ScalarStyle::Plain, anchor, None) => {
                self.no_anchor(anchor, &span)?;
                NodeValue::Bare(text.into_owned())
            }
            Event::Scalar(text, _, anchor, None) => {
                self.no_anchor(anchor, &span)?;
                NodeValue::Text(text.into_owned())
            }
            Event::SequenceStart(anchor, None) => {
                self.no_anchor(anchor, &span)?;
                let mut list = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break NodeValue::List(list),
                        event => list.push(self.node(event, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(anchor, None) => {
                self.no_anchor(anchor, &span)?;
                NodeValue::Table(self.table(depth + 1)?)
            }
            _ => return Err(LocatedMistake::new(at, "a tag (`!name`) is not supported here")),
        };
        Ok(Node { at, value })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_notation_of_a_value_is_parsed() {
        let text = "restart: no # never\nport: \"80\"\nprompt: |\n  one\n  two\ntools: [Read, 'Bash(ls *)']\nenv:\n  A: 1\n";
        let table = parse(text, 2).unwrap();
        let values: Vec<(&str, usize, usize)> =
            table.iter().map(|(key, node)| (key.text.as_str(), key.at.line, node.at.column)).collect();
        assert_eq!(
            values,
            [("restart", 2, 10), ("port", 3, 7), ("prompt", 4, 3), ("tools", 7, 8), ("env", 8, 3)]
        );
        assert_eq!(table[0].1.value, NodeValue::Bare("no".into()));
        assert_eq!(table[1].1.value, NodeValue::Text("80".into()));
        assert_eq!(table[2].1.text(), Some("one\ntwo\n"));
        assert_eq!(table[3].1.list().unwrap()[1].text(), Some("Bash(ls *)"));
        assert_eq!(table[4].1.get("A").unwrap().int(), Some(1));
    }

    #[test]
    fn anchors_tags_and_aliases_are_refused_with_their_position() {
        for (text, line, says) in [
            ("a: &x 1\nb: *x\n", 1, "anchor"),
            ("a: *x\n", 1, "unknown anchor"),
            ("a: !!int 3\n", 1, "tag"),
            ("a: 1\n---\nb: 2\n", 2, "a table"),
            ("- a\n", 1, "`key: value`"),
            ("? [a]\n: b\n", 1, "a key must be a word"),
            ("a: 1\na: 2\n", 2, "defined twice"),
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
    fn deeply_nested_text_is_refused_without_recursion() {
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
