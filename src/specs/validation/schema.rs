//! The JSON Schema of `agents.toml` for completion and validation in editors, generated from the table of keys.

use serde_json::{Map, Value, json};

use crate::specs::validation::keys::{
    HEARTBEAT, PARAM, PROMPT, ROLES, Scope, SpecKey, ValueShape, WORKSPACE, WORKSPACE_MODES, keys,
};

/// The pattern of a name; the authoritative rule is in `AgentName`.
const NAME: &str = "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$";
const VARIABLE: &str = "^(?!SYMPOSIUM_|TMUX)[A-Za-z_][A-Za-z0-9_]*$";
const PARAMETER: &str = "^[A-Za-z][A-Za-z0-9_]*$";

/// Returns the schema as it is stored in the repository.
fn schema_text() -> String {
    let mut text = serde_json::to_string_pretty(&schema()).unwrap_or_default();
    text.push('\n');
    text
}

fn schema() -> Value {
    let mut definitions = Map::new();
    definitions.insert("agent".into(), table(&keys(Scope::Agent)));
    definitions.insert("defaults".into(), table(&keys(Scope::Defaults)));
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Symposium agents.toml",
        "description": "Specs: blueprints of agents. `symposium spec check` reports mistakes.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "defaults": { "$ref": "#/definitions/defaults", "description": "Values that every spec of this file inherits." },
            "agents": {
                "description": "The specs by name.",
                "type": "object",
                "propertyNames": { "pattern": NAME },
                "additionalProperties": { "$ref": "#/definitions/agent" },
            },
        },
        "definitions": definitions,
    })
}

fn table(keys: &[&SpecKey]) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

fn property(key: &SpecKey) -> Value {
    let mut property = of(&key.shape);
    if let Value::Object(property) = &mut property {
        property.insert("description".into(), key.meaning.into());
    }
    property
}

fn of(shape: &ValueShape) -> Value {
    let text = || json!({ "type": "string", "minLength": 1 });
    let named = |pattern: &str, each: Value| json!({ "type": "object", "propertyNames": { "pattern": pattern }, "additionalProperties": each });
    match shape {
        ValueShape::Text | ValueShape::Line | ValueShape::Path => text(),
        ValueShape::Role => json!({ "type": "string", "pattern": NAME, "examples": ROLES }),
        ValueShape::Kind | ValueShape::SpecName => json!({ "type": "string", "pattern": NAME }),
        ValueShape::Word(words) => json!({ "type": "string", "enum": words }),
        ValueShape::Words(words) => json!({ "type": "array", "items": { "type": "string", "enum": words } }),
        ValueShape::Command => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        ValueShape::Tools => json!({ "anyOf": [{ "type": "array", "items": text() }, text()] }),
        ValueShape::Texts => json!({ "type": "array", "items": text(), "minItems": 1 }),
        ValueShape::Flag => json!({ "type": "boolean" }),
        ValueShape::Count => json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX }),
        ValueShape::Span => json!({ "type": "string", "minLength": 1, "examples": ["30m", "1h 30m"] }),
        ValueShape::Cron => json!({ "type": "string", "minLength": 1, "examples": ["0 9 * * 1-5"] }),
        ValueShape::Scalar => json!({ "type": ["string", "integer", "boolean"] }),
        ValueShape::Prompt => {
            let mut either = table(&PROMPT.iter().collect::<Vec<_>>());
            either["minProperties"] = 1.into();
            either["maxProperties"] = 1.into();
            json!({ "anyOf": [text(), either] })
        }
        ValueShape::Heartbeat => {
            let mut heartbeat = table(&HEARTBEAT.iter().collect::<Vec<_>>());
            heartbeat["required"] = json!(["prompt"]);
            heartbeat["oneOf"] = json!([{ "required": ["every"] }, { "required": ["cron"] }]);
            json!({ "anyOf": [{ "const": false }, heartbeat] })
        }
        ValueShape::Workspace => {
            let word = json!({ "type": "string", "enum": WORKSPACE_MODES });
            json!({ "anyOf": [word, table(&WORKSPACE.iter().collect::<Vec<_>>())] })
        }
        ValueShape::Patterns | ValueShape::ShellLines => json!({ "type": "array", "items": text() }),
        ValueShape::Env => named(VARIABLE, json!({ "type": "string" })),
        ValueShape::Params => named(PARAMETER, table(&PARAM.iter().collect::<Vec<_>>())),
        ValueShape::Table(keys) => table(&keys.iter().collect::<Vec<_>>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_that_is_checked_in_is_current() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let checked_in = std::fs::read_to_string(root.join("schema/agents.schema.json")).unwrap_or_default();
        if checked_in != schema_text() {
            std::fs::create_dir_all(root.join("target")).unwrap();
            std::fs::write(root.join("target/agents.schema.json"), schema_text()).unwrap();
            panic!("run `cp target/agents.schema.json schema/` and read the difference");
        }
    }

    #[test]
    fn every_key_is_described() {
        let agent = &schema()["definitions"]["agent"]["properties"];
        for key in keys(Scope::Agent) {
            assert_eq!(agent[key.name]["description"], key.meaning);
        }
    }
}
