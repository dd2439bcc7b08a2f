//! The MCP resources: the board of the caller's project, a note on it, and the end of an agent's transcript.

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::board;
use super::context::{self, ToolContext};
use crate::base::percent::percent_decoded;
use crate::error::{Code, Error};
use crate::manager::{AgentLogs, Messages};
use crate::rules::access::permissions::Action;

const BOARD: &str = "symposium://board";
const AGENTS: &str = "symposium://agents/";

/// Returns the resources that always exist. Listing others would take a lookup each time a client starts.
pub(super) fn fixed() -> Vec<Resource> {
    vec![
        Resource::new(BOARD, "board")
            .with_title("The board of this project")
            .with_description("List of the notes that the agents of this project share, with author and time")
            .with_mime_type("application/json"),
    ]
}

/// Returns the templates of resources whose address contains a name.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("symposium://board/{+key}", "note")
            .with_title("A note on the board")
            .with_description("Text of one note on this project's board")
            .with_mime_type("text/plain"),
        ResourceTemplate::new("symposium://agents/{name}/transcript", "transcript")
            .with_title("The end of a transcript")
            .with_description("Last output of an agent's terminal, as text")
            .with_mime_type("text/plain"),
    ]
}

/// Returns the content of a resource.
pub(super) fn read(context: &ToolContext, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        ErrorData::resource_not_found(
            format!("there is no resource `{uri}`; `resources/templates/list` lists the valid forms"),
            Some(json!({ "uri": uri })),
        )
    };
    let (mime, text) = match parse_address(uri).ok_or_else(unknown)? {
        ResourceAddress::Board => {
            ("application/json", board::list(context).map(|result| result.data.to_string()))
        }
        ResourceAddress::Note(key) => ("text/plain", note(context, &key)),
        ResourceAddress::Transcript(name) => ("text/plain", transcript(context, &name)),
    };
    let text = text.map_err(|error| failed(uri, &context.redact_error(error)))?;
    let contents = ResourceContents::text(text, uri).with_mime_type(mime);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn note(context: &ToolContext, key: &str) -> Result<String, Error> {
    context.permissions()?;
    Ok(Messages(context.manager()?).board_get(None, key)?.value.unwrap_or_default())
}

fn transcript(context: &ToolContext, name: &str) -> Result<String, Error> {
    let (_, record) = context.reach(Action::Read, Some(name))?;
    AgentLogs(context.manager()?).logs_tail(&record.name)
}

/// Translates an error: a missing or forbidden resource is reported as not found, all others as internal errors.
fn failed(uri: &str, error: &Error) -> ErrorData {
    let data = Some(json!({ "uri": uri, "code": error.code().as_str(), "hints": error.hints() }));
    match (error.exit(), error.code()) {
        (2 | 3, _) | (_, Code::NotPermitted) => ErrorData::resource_not_found(error.text(), data),
        _ => ErrorData::internal_error(error.text(), data),
    }
}

/// The resource that an address denotes.
#[derive(Debug, PartialEq, Eq)]
enum ResourceAddress {
    Board,
    Note(String),
    Transcript(String),
}

fn parse_address(uri: &str) -> Option<ResourceAddress> {
    if uri.trim_end_matches('/') == BOARD {
        return Some(ResourceAddress::Board);
    }
    if let Some(key) = uri.strip_prefix(BOARD).and_then(|rest| rest.strip_prefix('/')) {
        return decoded(key).map(ResourceAddress::Note);
    }
    let name = uri.strip_prefix(AGENTS)?.strip_suffix("/transcript")?;
    decoded(name).filter(|name| context::name(name).is_ok()).map(ResourceAddress::Transcript)
}

/// Decodes percent escapes such as `%20`. Returns `None` if the result is not valid text.
fn decoded(text: &str) -> Option<String> {
    String::from_utf8(percent_decoded(text.as_bytes())?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_address_is_parsed() {
        let note = |key: &str| Some(ResourceAddress::Note(key.into()));
        for (uri, expected) in [
            ("symposium://board", Some(ResourceAddress::Board)),
            ("symposium://board/", Some(ResourceAddress::Board)),
            ("symposium://board/plan", note("plan")),
            ("symposium://board/auth/next steps", note("auth/next steps")),
            ("symposium://board/auth%2Fnext%20steps%3a", note("auth/next steps:")),
            ("symposium://board/%c3%bcber", note("über")),
            ("symposium://board/100%", None),
            ("symposium://board/%zz", None),
            ("symposium://board/%ff", None),
            ("symposium://boards", None),
            ("symposium://agents/a-1/transcript", Some(ResourceAddress::Transcript("a-1".into()))),
            ("symposium://agents/../x/transcript", None),
            ("symposium://agents//transcript", None),
            ("symposium://agents/a", None),
            ("file:///etc/passwd", None),
            ("", None),
        ] {
            assert_eq!(parse_address(uri), expected, "{uri}");
        }
    }
}
