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
use crate::error::Error;

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
pub(super) struct ToolResult {
    pub text: String,
    /// The result as a JSON object.
    pub data: Value,
}

/// The result or the error of a tool call.
pub(super) type ToolOutcome = Result<ToolResult, Error>;

type ToolCall = Box<dyn Fn(&ToolContext, JsonObject) -> Result<ToolOutcome, ErrorData> + Send + Sync>;

/// How a tool is executed.
pub(super) enum Execution {
    /// It completes quickly and runs on a thread.
    Immediate(ToolCall),
    /// It waits for a change without blocking other calls.
    Waits,
}

/// A tool with its description and implementation.
pub(super) struct Tool {
    pub name: &'static str,
    pub execution: Execution,
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
        call: fn(&ToolContext, A) -> ToolOutcome,
    ) -> Tool
    where
        A: JsonSchema + DeserializeOwned + 'static,
    {
        let execution = Execution::Immediate(Box::new(move |context, input| {
            Ok(call(context, arguments(name, input)?).map_err(|error| context.redact_error(error)))
        }));
        Tool { name, execution, about, nature, schema: schema::<A> }
    }

    /// Creates a tool that waits.
    pub(super) fn waiting<A: JsonSchema>(name: &'static str, about: &'static str) -> Tool {
        Tool { name, execution: Execution::Waits, about, nature: ToolEffect::Reads, schema: schema::<A> }
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
pub(super) fn arguments<A: DeserializeOwned>(tool: &str, input: JsonObject) -> Result<A, ErrorData> {
    serde_json::from_value(Value::Object(input))
        .map_err(|error| ErrorData::invalid_params(format!("{tool}: {error}"), None))
}

/// Converts the outcome of a tool into a response. An argument that is invalid for every caller is a protocol error
/// here too.
pub(super) fn answer(tool: &str, outcome: ToolOutcome) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(ToolResult { text, data }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(data);
            Ok(result)
        }
        Err(error) => {
            let (text, data) = (error.text(), error.json());
            if error.exit() == USAGE {
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

/// Returns the arguments of a tool as JSON Schema, without parts that confuse models: `null` for optional values,
/// number formats and the names of Rust types.
fn schema<A: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<A>().to_value();
    simplify_schema(&mut schema);
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

fn simplify_schema(schema: &mut Value) {
    match schema {
        Value::Array(all) => all.iter_mut().for_each(simplify_schema),
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|type_name| type_name != "null");
                if let [type_name] = types.as_slice() {
                    let type_name = type_name.clone();
                    object.insert("type".into(), type_name);
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
            if object.get("type").is_some_and(|type_name| type_name == "integer") {
                object.remove("format");
            }
            if let Some(Value::Array(mut either)) = object.remove("anyOf") {
                either.retain(|type_name| *type_name != json!({"type": "null"}));
                match either.as_mut_slice() {
                    [Value::Object(only)] => object.append(only),
                    _ => drop(object.insert("anyOf".into(), Value::Array(either))),
                }
            }
            object.values_mut().for_each(simplify_schema);
        }
        _ => {}
    }
}
