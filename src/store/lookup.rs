//! Finding one entry of a registry without parsing the others.
//!
//! In a text of our own layout its line is enough. Anything else is read from end to end, the other entries stepped
//! over; that takes four times as long, about a millisecond for a thousand agents.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::schema::{FORMAT, HEAD};
use crate::model::{AgentName, AgentRecord, Status};

/// The record of this name, if the text has our layout and a line for it. `None` says nothing.
pub(super) fn line(bytes: &[u8], name: &AgentName) -> Option<AgentRecord> {
    let lines = str::from_utf8(bytes).ok()?.strip_prefix(HEAD)?;
    let key = format!("\"{name}\":");
    let entry = lines.split('\n').find_map(|line| line.strip_prefix(&key))?;
    let entry = entry.strip_suffix(',').unwrap_or(entry);
    // Somebody may have laid out an entry by hand, and a line may be part of it: only a whole record counts.
    let record: AgentRecord = serde_json::from_str(entry).ok()?;
    (record.name == *name).then_some(record)
}

/// The entry under this name in a sound registry of today's format; `Err` when the text is anything else.
pub(super) fn entry(bytes: &[u8], name: &str) -> serde_json::Result<Option<Box<RawValue>>> {
    let text = str::from_utf8(bytes).map_err(serde_json::Error::custom)?;
    let mut json = serde_json::Deserializer::from_str(text);
    let found = Top { name }.deserialize(&mut json)?;
    json.end()?;
    Ok(found)
}

/// How many entries are of agents that run; `None` when the text is not a registry of today's format.
pub(super) fn count_live(bytes: &[u8]) -> Option<usize> {
    let text = str::from_utf8(bytes).ok()?;
    let registry: Brief = serde_json::from_str(text).ok()?;
    Some(registry.sessions.values().filter(|entry| entry.status.status.is_live()).count())
}

/// Whether an entry may name one of these as its parent; `false` is certain.
pub(super) fn may_be_parents(bytes: &[u8], names: &[AgentName]) -> bool {
    const KEY: &str = "\"parent\"";
    let Some(lines) = str::from_utf8(bytes).ok().and_then(|text| text.strip_prefix(HEAD)) else {
        return true;
    };
    let named = |parent: &str| names.iter().any(|name| parent.split('"').next() == Some(name.as_str()));
    lines.match_indices(KEY).any(|(at, _)| {
        let value = &lines[at + KEY.len()..];
        match value.strip_prefix(":\"") {
            Some(parent) => named(parent),
            // Somebody else may have put spaces between the two.
            None => !value.starts_with(":null"),
        }
    })
}

#[derive(Deserialize)]
struct Brief {
    sessions: HashMap<String, BriefEntry>,
}

#[derive(Deserialize)]
struct BriefEntry {
    status: BriefNote,
}

#[derive(Deserialize)]
struct BriefNote {
    status: Status,
}

struct Top<'a> {
    name: &'a str,
}

struct Sessions<'a> {
    name: &'a str,
}

/// Whether a key is this one, told without making a string of it.
struct KeyIs<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = Option<Box<RawValue>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = Option<Box<RawValue>>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a registry")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut format = None;
        let mut found = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "format" if format.is_none() => format = Some(map.next_value::<u64>()?),
                "sessions" if found.is_none() => {
                    found = Some(map.next_value_seed(Sessions { name: self.name })?);
                }
                "format" | "sessions" => return Err(A::Error::custom("it says the same thing twice")),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        match (format, found) {
            (Some(FORMAT), Some(found)) => Ok(found),
            _ => Err(A::Error::custom("not a registry of today's format")),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Sessions<'_> {
    type Value = Option<Box<RawValue>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Sessions<'_> {
    type Value = Option<Box<RawValue>>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object of agents")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(is_it) = map.next_key_seed(KeyIs(self.name))? {
            if is_it && found.is_some() {
                return Err(A::Error::custom("two entries have the same name"));
            } else if is_it {
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

impl<'de> DeserializeSeed<'de> for KeyIs<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyIs<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_whom_nobody_names_are_certainly_no_parents() {
        let names: Vec<AgentName> = ["a", "b-c"].map(|name| name.parse().unwrap()).into();
        for (text, may) in [
            ("", true),
            ("{\"format\":1, \"sessions\":{}}", true),
            (&format!("{HEAD}}}}}"), false),
            (&format!("{HEAD}\"x\":{{\"parent\":null}}"), false),
            (&format!("{HEAD}\"x\":{{\"parent\":\"ab\"}},\n\"a\":{{\"parent\":\"b\"}}"), false),
            (&format!("{HEAD}\"x\":{{\"parent\":null}},\n\"y\":{{\"parent\":\"b-c\"}}"), true),
            (&format!("{HEAD}\"x\":{{\"parent\": \"z\"}}"), true),
        ] {
            assert_eq!(may_be_parents(text.as_bytes(), &names), may, "{text}");
        }
    }
}
