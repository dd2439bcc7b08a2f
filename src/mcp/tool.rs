//! An MCP tool: its name, description, arguments and result. Invalid arguments are protocol errors; later failures
//! are returned as results with an error message and hints.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as Described, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use rmcp::schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::context::ToolContext;
use crate::error::{Error, Report};

/// The effect of a tool. Clients use it to decide whether a model may call the tool without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolEffect {
    /// It only reads.
    Reads,
    /// It adds data but changes none.
    Adds,
    /// It changes or removes data.
    Changes,
}

/// The result of a tool, as text for models and users and as JSON for programs.
#[derive(Debug)]
pub(super) struct Said {
    pub text: String,
    /// The result as a JSON object.
    pub data: Value,
}

/// The result or the error of a tool call.
pub(super) type Outcome = Result<Said, Error>;

type Call = Box<dyn Fn(&ToolContext, JsonObject) -> Result<Outcome, ErrorData> + Send + Sync>;

/// How a tool is executed.
pub(super) enum Way {
    /// It completes quickly and runs on a thread.
    AtOnce(Call),
    /// It waits for a change without blocking other calls.
    Waits,
}

/// A tool with its description and implementation.
pub(super) struct Tool {
    pub name: &'static str,
    pub way: Way,
    about: &'static str,
    nature: ToolEffect,
    schema: fn() -> JsonObject,
}

impl Tool {
    /// Creates a tool that completes quickly.
    pub(super) fn new<A>(
        name: &'static str,
        nature: ToolEffect,
        about: &'static str,
        call: fn(&ToolContext, A) -> Outcome,
    ) -> Tool
    where
        A: JsonSchema + DeserializeOwned + 'static,
    {
        let way = Way::AtOnce(Box::new(move |desk, given| {
            Ok(call(desk, arguments(name, given)?).map_err(|error| desk.confine(error)))
        }));
        Tool { name, way, about, nature, schema: schema::<A> }
    }

    /// Creates a tool that waits.
    pub(super) fn waiting<A: JsonSchema>(name: &'static str, about: &'static str) -> Tool {
        Tool { name, way: Way::Waits, about, nature: ToolEffect::Reads, schema: schema::<A> }
    }

    /// Returns the description of the tool for clients.
    pub(super) fn described(&self) -> Described {
        let hints = ToolAnnotations::new().read_only(self.nature == ToolEffect::Reads).open_world(false);
        let hints = match self.nature {
            ToolEffect::Reads => hints,
            ToolEffect::Adds => hints.destructive(false),
            ToolEffect::Changes => hints.destructive(true),
        };
        Described::new(self.name, self.about, Arc::new((self.schema)())).with_annotations(hints)
    }
}

/// Parses the arguments of a call into the type of the tool.
pub(super) fn arguments<A: DeserializeOwned>(tool: &str, given: JsonObject) -> Result<A, ErrorData> {
    serde_json::from_value(Value::Object(given))
        .map_err(|error| ErrorData::invalid_params(format!("{tool}: {error}"), None))
}

/// Converts the outcome of a tool into a response. An argument that is invalid for every caller is a protocol error
/// here too.
pub(super) fn answer(tool: &str, outcome: Outcome) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(Said { text, data }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(data);
            Ok(result)
        }
        Err(error) => {
            let report = error.report();
            let data = json!({"error": {
                "code": report.code, "message": report.message, "saw": report.saw, "hints": report.hints,
            }});
            let text = words(&report);
            if report.exit == USAGE {
                return Err(ErrorData::invalid_params(format!("{tool}: {text}"), Some(data)));
            }
            let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
            result.structured_content = Some(data);
            Ok(result)
        }
    }
}

/// The exit code for usage errors.
const USAGE: u8 = 2;

/// Formats an error like the command line does.
pub(super) fn words(report: &Report) -> String {
    let mut text = format!("error: {}", report.message);
    for line in &report.saw {
        text.push_str(&format!("\n  {line}"));
    }
    for hint in &report.hints {
        text.push_str(&format!("\nhint: {hint}"));
    }
    text
}

/// Returns the arguments of a tool as JSON Schema, without parts that confuse models: `null` for optional values,
/// number formats and the names of Rust types.
fn schema<A: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<A>().to_value();
    tidy(&mut schema);
    let mut schema = match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    for key in ["$schema", "title", "description"] {
        schema.remove(key);
    }
    schema.entry("properties").or_insert_with(|| json!({}));
    schema
}

fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(all) => all.iter_mut().for_each(tidy),
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|one| one != "null");
                if let [one] = types.as_slice() {
                    let one = one.clone();
                    object.insert("type".into(), one);
                }
            }
            if let Some(Value::Array(words)) = object.get_mut("enum") {
                words.retain(|word| !word.is_null());
            }
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            if object.get("type").is_some_and(|one| one == "integer") {
                object.remove("format");
            }
            if let Some(Value::Array(mut either)) = object.remove("anyOf") {
                either.retain(|one| *one != json!({"type": "null"}));
                match either.as_mut_slice() {
                    [Value::Object(only)] => object.append(only),
                    _ => drop(object.insert("anyOf".into(), Value::Array(either))),
                }
            }
            object.values_mut().for_each(tidy);
        }
        _ => {}
    }
}
