//! Property tests with arbitrary sequences of changes and arbitrary damage.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::store::registry::{fast_lookup, schema};

#[derive(Debug, Clone)]
enum EditStep {
    Put(String, Option<String>),
    Remove(String),
    Rename(String, String),
}

fn few_names() -> impl Strategy<Value = String> {
    "[ab][0-9]?"
}

fn steps() -> impl Strategy<Value = Vec<EditStep>> {
    let step = prop_oneof![
        3 => (few_names(), any::<Option<String>>()).prop_map(|(name, title)| EditStep::Put(name, title)),
        1 => few_names().prop_map(EditStep::Remove),
        1 => (few_names(), few_names()).prop_map(|(from, to)| EditStep::Rename(from, to)),
    ];
    prop::collection::vec(step, 1..12)
}

fn take(edit: &mut Edit, model: &mut BTreeMap<AgentName, AgentRecord>, step: EditStep) {
    match step {
        EditStep::Put(text, title) => {
            let record = AgentRecord { title, ..record(&text) };
            let written = edit.put(record);
            model.insert(written.name.clone(), written);
        }
        EditStep::Remove(text) => {
            assert_eq!(edit.remove(&name(&text)), model.remove(&name(&text)).is_some());
        }
        EditStep::Rename(from, to) => {
            if let Some(record) = model.remove(&name(&from)) {
                let record = AgentRecord { name: name(&to), ..record };
                edit.rename(&name(&from), record.clone());
                model.insert(record.name.clone(), record);
            }
        }
    }
}

/// Generates JSON that a newer version may have written.
fn unknown() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::btree_map("x[a-z]{0,3}", inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_updates_equals_a_map(steps in steps()) {
        let env = TestStore::new();
        let mut model = BTreeMap::new();
        for step in steps {
            env.store().update(now(), |edit| take(edit, &mut model, step)).unwrap();
            let expected: Vec<_> = model.values().cloned().collect();
            prop_assert_eq!(env.store().read(now()).unwrap(), expected);
        }
        for (name, record) in &model {
            let found = env.store().find(name, now()).unwrap();
            prop_assert_eq!(found.as_ref(), Some(record));
        }
    }

    #[test]
    fn unknown_fields_survive_at_any_depth(top in unknown(), inner in unknown(), deep in unknown()) {
        let env = TestStore::new();
        let store = env.store();
        let mut old = record("a");
        let mut entry = serde_json::to_value(&old).unwrap();
        entry["xtop"] = top.clone();
        entry["status"]["xinner"] = inner.clone();
        entry["tmux"]["xdeep"] = deep.clone();
        let text = serde_json::json!({ "format": 1, "sessions": { "a": entry }, "xbeside": top });
        fs::write(env.registry(), text.to_string()).unwrap();
        old.status = StatusNote::new(Status::Stopped, now(), "asked to");
        old.tmux.as_mut().unwrap().pane = "%9".to_owned();
        let written = store.update(now(), |edit| edit.put(old)).unwrap();
        let text: serde_json::Value = serde_json::from_str(&env.text()).unwrap();
        prop_assert_eq!(&text["xbeside"], &top);
        prop_assert_eq!(&text["sessions"]["a"]["xtop"], &top);
        prop_assert_eq!(&text["sessions"]["a"]["status"]["xinner"], &inner);
        prop_assert_eq!(&text["sessions"]["a"]["tmux"]["xdeep"], &deep);
        prop_assert_eq!(store.read(now()).unwrap(), [written]);
    }

    #[test]
    fn damage_at_any_byte_loses_nothing_that_the_backup_has(
        at in any::<prop::sample::Index>(),
        byte in prop::option::of(any::<u8>()),
    ) {
        let env = TestStore::new();
        let store = env.store();
        store.update(now(), |edit| ["a", "b"].map(|n| edit.put(record(n)))).unwrap();
        store.update(now(), |edit| edit.put(record("c"))).unwrap();
        let mut bytes = fs::read(env.registry()).unwrap();
        let at = at.index(bytes.len());
        match byte {
            Some(byte) => bytes[at] = byte,
            None => bytes.truncate(at),
        }
        fs::write(env.registry(), &bytes).unwrap();
        match store.read(now()) {
            Ok(records) if fs::read(env.registry()).unwrap() != bytes => {
                prop_assert_eq!(names(&records), ["a", "b"]);
                let kept = store.take_notices().remove(0).kept.unwrap();
                prop_assert_eq!(fs::read(kept).unwrap(), bytes);
            }
            // The text is still a registry, with a changed character in a string. All three entries exist, valid or
            // not.
            Ok(records) => prop_assert_eq!(records.len() + store.take_notices().len(), 3),
            Err(StoreError::NewerFormat { .. }) => prop_assert_eq!(fs::read(env.registry()).unwrap(), bytes),
            Err(other) => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = schema::parse(&bytes);
        let _ = fast_lookup::line(&bytes, &name("a"));
    }
}
