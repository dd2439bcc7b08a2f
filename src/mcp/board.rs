//! The MCP tools for the board of the caller's project: `board_get` and `board_set`.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::context::ToolContext;
use super::tool::{Tool, ToolEffect, ToolOutcome, ToolResult};
use crate::base::plural::counted;
use crate::error::Error;
use crate::manager::Messages;
use crate::manager::NoteWrite;
use crate::model::BoardEntry;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "board_get",
            ToolEffect::Reads,
            "Read a note from the board that all agents of your project share. Without a key, list the notes.",
            get,
        ),
        Tool::new(
            "board_set",
            ToolEffect::Changes,
            "Write a note on your project's board, or append to one. All agents of the project can read and \
             replace it.",
            set,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct BoardGetParams {
    /// Key of the note.
    key: Option<String>,
}

fn get(context: &ToolContext, input: BoardGetParams) -> ToolOutcome {
    // Fails if the calling agent does not exist any more.
    context.permissions()?;
    match input.key {
        Some(key) => {
            let note = Messages(context.manager()?).board_get(None, &key)?;
            let text = note.value.clone().unwrap_or_default();
            Ok(ToolResult { text, data: json!(note) })
        }
        None => list(context),
    }
}

/// Lists the notes on the board.
pub(super) fn list(context: &ToolContext) -> Result<ToolResult, Error> {
    let notes = Messages(context.manager()?).board_list(None)?;
    let line = |note: &BoardEntry| {
        let size = counted(note.size, "byte", "bytes");
        format!("{} ({size}, {} by {})", note.key, note.at, note.author)
    };
    let text = match notes.is_empty() {
        true => "the board is empty".to_owned(),
        false => notes.iter().map(line).collect::<Vec<_>>().join("\n"),
    };
    Ok(ToolResult { text, data: json!({ "notes": notes }) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct BoardSetParams {
    /// Key of the note.
    key: String,
    /// Text of the note.
    value: String,
    /// Append to the note instead of replacing it.
    #[serde(default)]
    append: bool,
}

fn set(context: &ToolContext, input: BoardSetParams) -> ToolOutcome {
    context.permissions()?;
    let writing = if input.append { NoteWrite::Append } else { NoteWrite::Set };
    let mut note =
        Messages(context.manager()?).board_write(None, &input.key, (&input.value, writing), None)?;
    // The caller has just written the value, so it is not repeated.
    note.value = None;
    let size = counted(note.size, "byte", "bytes");
    let text = format!("`{}` is on the board ({size}, version {})", note.key, note.version);
    Ok(ToolResult { text, data: json!(note) })
}
