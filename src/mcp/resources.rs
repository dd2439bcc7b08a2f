//! The MCP resources: the board of the caller's project, a note on it, and the end of an agent's transcript.

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::board;
use super::context::{self, ToolContext};
use super::tool::words;
use crate::error::Error;
use crate::manager::{Messages, Terminals};
use crate::rules::access::permissions::Act;

const BOARD: &str = "symposium://board";
const AGENTS: &str = "symposium://agents/";

/// Returns the resources that always exist. Listing others would take a lookup each time a client starts.
pub(super) fn fixed() -> Vec<Resource> {
    vec![
        Resource::new(BOARD, "board")
            .with_title("The board of this project")
            .with_description("Which notes the agents of this project share, with who wrote them and when")
            .with_mime_type("application/json"),
    ]
}

/// Returns the templates of resources whose address contains a name.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("symposium://board/{+key}", "note")
            .with_title("A note on the board")
            .with_description("What one note of this project's board says")
            .with_mime_type("text/plain"),
        ResourceTemplate::new("symposium://agents/{name}/transcript", "transcript")
            .with_title("The end of a transcript")
            .with_description("The last of what an agent's terminal showed, as text")
            .with_mime_type("text/plain"),
    ]
}

/// Returns the content of a resource.
pub(super) fn read(desk: &ToolContext, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        ErrorData::resource_not_found(
            format!("there is no resource `{uri}`; `resources/templates/list` tells their forms"),
            Some(json!({ "uri": uri })),
        )
    };
    let (mime, text) = match wanted(uri).ok_or_else(unknown)? {
        Wanted::Board => ("application/json", board::list(desk).map(|said| said.data.to_string())),
        Wanted::Note(key) => ("text/plain", note(desk, &key)),
        Wanted::Transcript(name) => ("text/plain", transcript(desk, &name)),
    };
    let text = text.map_err(|error| failed(uri, &desk.confine(error)))?;
    let contents = ResourceContents::text(text, uri).with_mime_type(mime);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn note(desk: &ToolContext, key: &str) -> Result<String, Error> {
    desk.place()?;
    Ok(Messages(desk.manager()?).board_get(None, key)?.value.unwrap_or_default())
}

fn transcript(desk: &ToolContext, name: &str) -> Result<String, Error> {
    let (_, record) = desk.reach(Act::Read, Some(name))?;
    Terminals(desk.manager()?).logs_tail(&record.name)
}

/// Translates an error: a missing or forbidden resource is reported as not found, all others as internal errors.
fn failed(uri: &str, error: &Error) -> ErrorData {
    let report = error.report();
    let data = Some(json!({ "uri": uri, "code": report.code, "hints": report.hints }));
    match report.exit {
        2 | 3 => ErrorData::resource_not_found(words(&report), data),
        _ if report.code == "out-of-place" => ErrorData::resource_not_found(words(&report), data),
        _ => ErrorData::internal_error(words(&report), data),
    }
}

/// The resource that an address denotes.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    Board,
    Note(String),
    Transcript(String),
}

fn wanted(uri: &str) -> Option<Wanted> {
    if uri.trim_end_matches('/') == BOARD {
        return Some(Wanted::Board);
    }
    if let Some(key) = uri.strip_prefix(BOARD).and_then(|rest| rest.strip_prefix('/')) {
        return decoded(key).map(Wanted::Note);
    }
    let name = uri.strip_prefix(AGENTS)?.strip_suffix("/transcript")?;
    decoded(name).filter(|name| context::name(name).is_ok()).map(Wanted::Transcript)
}

/// Decodes percent escapes such as `%20`. Returns `None` if the result is not valid text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                u8::try_from(high * 16 + low).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_is_wanted() {
        let note = |key: &str| Some(Wanted::Note(key.into()));
        for (uri, expected) in [
            ("symposium://board", Some(Wanted::Board)),
            ("symposium://board/", Some(Wanted::Board)),
            ("symposium://board/plan", note("plan")),
            ("symposium://board/auth/next steps", note("auth/next steps")),
            ("symposium://board/auth%2Fnext%20steps%3a", note("auth/next steps:")),
            ("symposium://board/%c3%bcber", note("über")),
            ("symposium://board/100%", None),
            ("symposium://board/%zz", None),
            ("symposium://board/%ff", None),
            ("symposium://boards", None),
            ("symposium://agents/a-1/transcript", Some(Wanted::Transcript("a-1".into()))),
            ("symposium://agents/../x/transcript", None),
            ("symposium://agents//transcript", None),
            ("symposium://agents/a", None),
            ("file:///etc/passwd", None),
            ("", None),
        ] {
            assert_eq!(wanted(uri), expected, "{uri}");
        }
    }
}
