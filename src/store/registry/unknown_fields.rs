//! Keeps the fields that a newer version added to an entry, when this version writes the entry again.
//!
//! This version always writes every field that it knows. Therefore a field that only the old entry has comes from a
//! newer version, at any depth.

use serde_json::value::{RawValue, to_raw_value};

use crate::model::AgentRecord;
use crate::store::registry::schema::{Members, Object};

/// Returns the entry for this record, with the unknown fields of the entry that it replaces if that belongs to the same
/// agent.
pub(in crate::store) fn entry(record: &AgentRecord, former: Option<&RawValue>) -> Box<RawValue> {
    let ours = to_raw_value(record).expect("a record is made of texts and numbers");
    match former.and_then(members).filter(|former| is_same_agent(former, record)) {
        Some(former) => with_unknown(&ours, former),
        None => ours,
    }
}

/// Returns whether the old entry belongs to the same agent. A name may have been reused by another agent, which must
/// not inherit any fields.
fn is_same_agent(former: &Members, record: &AgentRecord) -> bool {
    let id = find(former, "id").and_then(|id| serde_json::from_str::<String>(id.get()).ok());
    id.and_then(|id| id.parse().ok()) == Some(record.id)
}

fn with_unknown(ours: &RawValue, former: Members) -> Box<RawValue> {
    let Some(mut merged) = members(ours) else { return ours.to_owned() };
    for (key, old) in former {
        match merged.iter_mut().find(|(known, _)| *known == key) {
            None => merged.push((key, old)),
            Some((_, new)) => {
                if let Some(inner) = members(&old) {
                    *new = with_unknown(new, inner);
                }
            }
        }
    }
    let members: Vec<String> = merged.iter().map(|(key, value)| format!("{}:{value}", quoted(key))).collect();
    RawValue::from_string(format!("{{{}}}", members.join(","))).expect("its parts are JSON")
}

fn quoted(key: &str) -> serde_json::Value {
    serde_json::Value::from(key)
}

fn members(value: &RawValue) -> Option<Members> {
    serde_json::from_str::<Object>(value.get()).ok().map(|object| object.0)
}

fn find<'a>(members: &'a Members, key: &str) -> Option<&'a RawValue> {
    members.iter().find(|(known, _)| known == key).map(|(_, value)| &**value)
}
