//! Property tests with arbitrary texts and layers.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// One layer in a simple model: `model`, `role`, `env.A` and so on, each set or not.
type KeyValues = BTreeMap<&'static str, u8>;

fn key_values() -> impl Strategy<Value = KeyValues> {
    let keys = ["model", "role", "max_instances", "env.A", "env.B", "limits.depth", "limits.children"];
    proptest::collection::btree_map(proptest::sample::select(keys.to_vec()), 1..9_u8, 0..7)
}

fn toml_of(pairs: &KeyValues) -> String {
    pairs
        .iter()
        .map(|(key, value)| match *key {
            "model" | "role" | "env.A" | "env.B" => format!("{key} = 'v{value}'\n"),
            _ => format!("{key} = {value}\n"),
        })
        .collect()
}

/// Converts a spec to the representation of the model.
fn values_of(spec: &Spec) -> BTreeMap<&'static str, u8> {
    let number = |text: &String| text[1..].parse().unwrap();
    let small = |count: &u32| u8::try_from(*count).unwrap();
    [
        ("model", spec.model.as_ref().map(number)),
        ("role", spec.role.as_ref().map(number)),
        ("max_instances", spec.max_instances.as_ref().map(small)),
        ("env.A", spec.env.get("A").map(number)),
        ("env.B", spec.env.get("B").map(number)),
        ("limits.depth", spec.limits.depth.as_ref().map(small)),
        ("limits.children", spec.limits.children.as_ref().map(small)),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_spec_merges_its_layers(
        defaults in key_values(), base in key_values(), top in key_values(), behind in key_values(), behind_defaults in key_values(),
    ) {
        let project = format!(
            "[defaults]\n{}[agents.base]\nextends = 'behind'\n{}[agents.top]\nextends = 'base'\n{}",
            toml_of(&defaults), toml_of(&base), toml_of(&top),
        );
        let home = format!("[defaults]\n{}[agents.behind]\n{}", toml_of(&behind_defaults), toml_of(&behind));
        let disk = TestProject::with(&[("project/.symposium/agents.toml", &project), ("home/agents.toml", &home)]);
        let mut expected = KeyValues::new();
        for layer in [defaults, behind_defaults, behind, base, top] {
            expected.extend(layer);
        }
        let spec = disk.specs().get("top").unwrap();
        prop_assert_eq!(spec.origins.keys().map(String::as_str).collect::<Vec<_>>(), expected.keys().copied().collect::<Vec<_>>());
        prop_assert_eq!(values_of(&spec), expected);
    }

    #[test]
    fn no_agents_toml_makes_it_panic(text in r#"(\[agents\.[ab]\]\n|\[defaults\]\n|extends = '[ab]'\n|[a-z_]{1,6}|heartbeat = |params\.x = |env\.|[{}\[\]=.,"'0-9 \n]|'[*0-9 ]*'|true){0,24}"#) {
        let disk = TestProject::project(&text);
        let specs = disk.specs();
        let mistakes = specs.check(KINDS);
        // A spec for which the check finds no error can be resolved.
        for name in specs.names() {
            let spec = specs.get(name);
            prop_assert!(spec.is_ok() || !mistakes.is_empty(), "{name}: {spec:?}");
        }
    }

    #[test]
    fn no_markdown_makes_it_panic(text in r#"(---\n|[a-z_]{1,6}: |model: x\n|tools: |heartbeat: |params:\n  |[\[\]{}|>&*!'" \n:-]|[a-z0-9]|Hello\n){0,24}"#) {
        let disk = TestProject::with(&[("home/specs/x/agent.md", &text), ("project/.claude/agents/y.md", &text)]);
        let specs = disk.specs();
        let mistakes = specs.check(KINDS);
        for name in specs.names() {
            let spec = specs.get(name);
            prop_assert!(spec.is_ok() || !mistakes.is_empty(), "{name}: {spec:?}");
        }
    }
}
