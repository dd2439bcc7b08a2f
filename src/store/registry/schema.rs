//! The text format of the registry: `{"format":1,"sessions":{NAME:{…}}}`, with one entry per line.
//!
//! An entry stays unparsed text until it is changed. Therefore a change to one agent neither parses the others nor
//! loses fields in them that this version does not know. Unknown fields next to `sessions` are kept, too.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::model::AgentRecord;

/// Format number that this version writes, and the newest that it reads.
pub(in crate::store) const FORMAT: u64 = 1;

/// First line of the text that this version writes. One entry per line follows.
pub(in crate::store) const HEAD: &str = "{\"format\":1,\"sessions\":{\n";

/// The members of a JSON object in their order, with unparsed values.
pub(in crate::store) type Members = Vec<(String, Box<RawValue>)>;

/// A registry of the current format.
#[derive(Debug, Clone, Default)]
pub(in crate::store) struct Registry {
    /// The entry of each agent, by name.
    pub(in crate::store) entries: BTreeMap<String, Box<RawValue>>,
    /// Other members of the top-level object, including those of a newer version.
    extra: Members,
}

/// The result of parsing a registry.
#[derive(Debug)]
pub(in crate::store) enum Parsed {
    /// A registry of the current format.
    Current(Registry),
    /// The older public format: an object keyed by UUID.
    Old(Members),
    /// A newer format with this number.
    Newer(u64),
    /// The text is not a registry, for this reason.
    Damaged(String),
}

/// Determines the format of a text and parses it.
pub(in crate::store) fn parse(bytes: &[u8]) -> Parsed {
    if bytes.is_empty() {
        return Parsed::Damaged("it is empty".to_owned());
    }
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Parsed::Damaged(error.to_string()),
    };
    match serde_json::from_str::<TopLevel>(text) {
        Ok(top) => top.sort_out(),
        // A newer format may use the same keys with other content.
        Err(error) => {
            match serde_json::from_str::<Object>(text).ok().and_then(|object| object.newer_format()) {
                Some(found) => Parsed::Newer(found),
                None => Parsed::Damaged(error.to_string()),
            }
        }
    }
}

/// Parses one entry. Its key determines the name of the record, regardless of the name in the entry.
pub(in crate::store) fn record(key: &str, entry: &RawValue) -> serde_json::Result<AgentRecord> {
    let name = key.parse().map_err(serde_json::Error::custom)?;
    let record: AgentRecord = serde_json::from_str(entry.get())?;
    Ok(AgentRecord { name, ..record })
}

impl Registry {
    /// Returns the top-level member with this key, next to the entries.
    pub(in crate::store) fn extra_field(&self, word: &str) -> Option<&RawValue> {
        self.extra.iter().find(|(name, _)| name == word).map(|(_, value)| &**value)
    }

    /// Sets or removes the top-level member with this key.
    pub(in crate::store) fn set_extra_field(&mut self, word: &str, value: Option<Box<RawValue>>) {
        self.extra.retain(|(name, _)| name != word);
        self.extra.extend(value.map(|value| (word.to_owned(), value)));
    }

    /// Returns the text of the registry.
    pub(in crate::store) fn to_text(&self) -> String {
        let size: usize = self.entries.values().map(|entry| entry.get().len() + 80).sum();
        let mut text = String::with_capacity(size + 64);
        text.push_str(HEAD);
        let mut separator = "";
        for (name, entry) in &self.entries {
            text.push_str(separator);
            push_member(&mut text, name, entry);
            separator = ",\n";
        }
        text.push_str("\n}");
        for (name, value) in &self.extra {
            text.push_str(",\n");
            push_member(&mut text, name, value);
        }
        text.push_str("}\n");
        text
    }
}

fn push_member(text: &mut String, name: &str, value: &RawValue) {
    text.push_str(&serde_json::Value::from(name).to_string());
    text.push(':');
    if value.get().contains('\n') {
        // Between the tokens of a JSON value, a line break is equivalent to a space; inside a string it cannot occur.
        text.push_str(&value.get().replace('\n', " "));
    } else {
        text.push_str(value.get());
    }
}

/// A JSON object with unparsed values.
pub(in crate::store) struct Object(pub(in crate::store) Members);

impl Object {
    fn newer_format(&self) -> Option<u64> {
        let (_, format) = self.0.iter().find(|(key, _)| key == "format")?;
        format.get().parse().ok().filter(|format| *format > FORMAT)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// The top level of any format, parsed in one pass.
struct TopLevel {
    format: Option<Box<RawValue>>,
    sessions: Option<Members>,
    extra: Members,
}

impl TopLevel {
    fn sort_out(self) -> Parsed {
        let format = self.format.as_ref().map(|format| format.get().parse::<u64>());
        match (format, self.sessions) {
            (Some(Ok(found)), _) if found > FORMAT => Parsed::Newer(found),
            (Some(Ok(FORMAT)), Some(sessions)) => {
                let count = sessions.len();
                let entries: BTreeMap<_, _> = sessions.into_iter().collect();
                if entries.len() < count {
                    return Parsed::Damaged("two entries have the same name".to_owned());
                }
                Parsed::Current(Registry { entries, extra: self.extra })
            }
            (None, None) if is_keyed_by_uuid(&self.extra) => Parsed::Old(self.extra),
            (None, _) => Parsed::Damaged("it has no `format`".to_owned()),
            (Some(Ok(FORMAT)), None) => Parsed::Damaged("it has no `sessions`".to_owned()),
            (Some(_), _) => Parsed::Damaged("its `format` is not one of ours".to_owned()),
        }
    }
}

/// Returns whether a key is a UUID. A single one is enough: a bad entry among good ones must not make the whole file
/// unreadable.
fn is_keyed_by_uuid(members: &Members) -> bool {
    members.is_empty() || members.iter().any(|(key, _)| uuid::Uuid::parse_str(key).is_ok())
}

impl<'de> Deserialize<'de> for TopLevel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = TopLevel;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TopLevel, A::Error> {
                let mut top = TopLevel { format: None, sessions: None, extra: Vec::new() };
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "format" if top.format.is_none() => top.format = Some(map.next_value()?),
                        "sessions" if top.sessions.is_none() => {
                            top.sessions = Some(map.next_value::<Object>()?.0);
                        }
                        "format" | "sessions" => {
                            return Err(A::Error::custom("it contains a key twice"));
                        }
                        _ => top.extra.push((key, map.next_value()?)),
                    }
                }
                Ok(top)
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_is_classified_by_its_lines() {
        for (text, word) in [
            ("", "damaged"),
            ("null", "damaged"),
            ("[]", "damaged"),
            ("{", "damaged"),
            ("{}", "old"),
            (r#"{"8c7a1b1e-0b0a-4c61-9f5e-4f6f6a0a6b01":0,"x":1}"#, "old"),
            (r#"{"x":1}"#, "damaged"),
            (r#"{"sessions":{}}"#, "damaged"),
            (r#"{"format":1}"#, "damaged"),
            (r#"{"format":0,"sessions":{}}"#, "damaged"),
            (r#"{"format":-1,"sessions":{}}"#, "damaged"),
            (r#"{"format":"1","sessions":{}}"#, "damaged"),
            (r#"{"format":1,"sessions":[]}"#, "damaged"),
            (r#"{"format":1,"sessions":{},"sessions":{}}"#, "damaged"),
            (r#"{"format":1,"sessions":{"a":1,"a":2}}"#, "damaged"),
            (r#"{"format":1,"sessions":{}} x"#, "damaged"),
            ("{\"format\":1,\"sessions\":{}}\0", "damaged"),
            (r#"{"format":1,"sessions":{"a":nonsense}}"#, "damaged"),
            (r#"{"format":1,"sessions":{"a":17}}"#, "current"),
            (r#"{"sessions":{},"format":1}"#, "current"),
            (r#" { "format" : 1 , "sessions" : { } } "#, "current"),
            (r#"{"format":2,"sessions":[]}"#, "newer"),
            (r#"{"agents":[],"format":4}"#, "newer"),
            (r#"{"format":18446744073709551615}"#, "newer"),
        ] {
            let found = match parse(text.as_bytes()) {
                Parsed::Current(_) => "current",
                Parsed::Old(_) => "old",
                Parsed::Newer(_) => "newer",
                Parsed::Damaged(_) => "damaged",
            };
            assert_eq!(found, word, "{text:?}");
        }
        assert!(matches!(parse(b"{\"format\":1,\xff}"), Parsed::Damaged(_)));
    }

    #[test]
    fn each_entry_is_on_its_own_line() {
        let text = "{ \"sessions\": {\n \"a\": {\n\"x\":\n1},\"b\":2}, \"format\": 1 }";
        match parse(text.as_bytes()) {
            Parsed::Current(registry) => {
                assert_eq!(registry.to_text(), format!("{HEAD}\"a\":{{ \"x\": 1}},\n\"b\":2\n}}}}\n"));
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(parse(Registry::default().to_text().as_bytes()), Parsed::Current(_)));
    }

    #[test]
    fn unknown_fields_are_written_back_unchanged() {
        let text =
            "{\"format\":1,\"sessions\":{\n\"\\\"q\":{\"n\": 1e999},\n\"a\":17\n},\n\"later\":[1, 2]}\n";
        match parse(text.as_bytes()) {
            Parsed::Current(registry) => assert_eq!(registry.to_text(), text),
            other => panic!("{other:?}"),
        }
    }
}
