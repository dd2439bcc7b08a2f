//! The MCP tools for the board of the caller's project: `board_get` and `board_set`.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::context::ToolContext;
use super::tool::{Outcome, Said, Tool, ToolEffect};
use crate::error::Error;
use crate::manager::Messages;
use crate::manager::Writing;
use crate::model::BoardEntry;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "board_get",
            ToolEffect::Reads,
            "A note from your project's board, which all its agents share. Without a key: which notes there are.",
            get,
        ),
        Tool::new(
            "board_set",
            ToolEffect::Changes,
            "Write a note on your project's board, or add to one. Everybody in the project can read and replace it.",
            set,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Get {
    /// What the note is called.
    key: Option<String>,
}

fn get(desk: &ToolContext, given: Get) -> Outcome {
    // Fails if the calling agent does not exist any more.
    desk.place()?;
    match given.key {
        Some(key) => {
            let note = Messages(desk.manager()?).board_get(None, &key)?;
            let text = note.value.clone().unwrap_or_default();
            Ok(Said { text, data: json!(note) })
        }
        None => list(desk),
    }
}

/// Lists the notes on the board.
pub(super) fn list(desk: &ToolContext) -> Result<Said, Error> {
    let notes = Messages(desk.manager()?).board_list(None)?;
    let line =
        |note: &BoardEntry| format!("{} ({} bytes, {} by {})", note.key, note.size, note.at, note.author);
    let text = match notes.is_empty() {
        true => "the board is empty".to_owned(),
        false => notes.iter().map(line).collect::<Vec<_>>().join("\n"),
    };
    Ok(Said { text, data: json!({ "notes": notes }) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Set {
    /// What the note is called.
    key: String,
    /// What it says.
    value: String,
    /// Write it below what is there, in place of replacing it.
    #[serde(default)]
    append: bool,
}

fn set(desk: &ToolContext, given: Set) -> Outcome {
    desk.place()?;
    let writing = if given.append { Writing::Append } else { Writing::Set };
    let mut note = Messages(desk.manager()?).board_write(None, &given.key, (&given.value, writing), None)?;
    // The caller has just written the value, so it is not repeated.
    note.value = None;
    let text = format!("`{}` is on the board ({} bytes, version {})", note.key, note.size, note.version);
    Ok(Said { text, data: json!(note) })
}
