//! What a page does with an open terminal: it acknowledges output, and after it has taken over, it types and resizes.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::json;

use super::{ApiResult, Refusal, agent_name, answered, run_blocking};
use crate::base::key_press::KeyPress;
use crate::error::{Code, Error, shown};
use crate::manager::{AgentInput, DriverInput, TerminalClients};
use crate::model::AgentName;
use crate::web::WebState;
use crate::web::guard::RequestDevice;
use crate::web::terminal::TerminalViewer;

/// Maximum number of keys in one request. A page sends long text as a paste.
const MAX_KEYS: usize = 256;

/// A request about an open terminal.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct ViewerRequest {
    viewer: String,
}

/// The last part of the output that the emulator of a page has interpreted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct AcknowledgeRequest {
    viewer: String,
    part: u64,
}

/// What the user has typed, in this order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct TypeRequest {
    viewer: String,
    input: Vec<PageInput>,
}

/// A piece of what the user has typed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PageInput {
    /// The name of a key.
    Key(String),
    /// Characters that are typed one by one.
    Text(String),
    /// Text from the clipboard.
    Paste(String),
}

/// A size for the screen of the agent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct ResizeRequest {
    viewer: String,
    columns: u16,
    lines: u16,
}

/// `POST …/terminal/acknowledge`: makes room for more output.
pub(in crate::web) async fn acknowledge(
    State(state): State<Arc<WebState>>,
    Extension(device): Extension<RequestDevice>,
    Path(name): Path<String>,
    Json(request): Json<AcknowledgeRequest>,
) -> ApiResult {
    open_terminal(&state, &name, (&device, &request.viewer)).await?.1.acknowledge(request.part);
    answered(|| Ok(json!({}))).await
}

/// `POST …/terminal/take`: makes this page the only one that may type. Another page observes from now on.
pub(in crate::web) async fn take(
    State(state): State<Arc<WebState>>,
    Extension(device): Extension<RequestDevice>,
    Path(name): Path<String>,
    Json(request): Json<ViewerRequest>,
) -> ApiResult {
    let (name, terminal) = open_terminal(&state, &name, (&device, &request.viewer)).await?;
    answered(move || {
        let driver = TerminalClients(&state.context).driver_key(&name)?;
        terminal.feed().take(&terminal.id, driver);
        Ok(json!({ "driving": true }))
    })
    .await
}

/// `POST …/terminal/release`: makes this page an observer.
pub(in crate::web) async fn release(
    State(state): State<Arc<WebState>>,
    Extension(device): Extension<RequestDevice>,
    Path(name): Path<String>,
    Json(request): Json<ViewerRequest>,
) -> ApiResult {
    let (_, terminal) = open_terminal(&state, &name, (&device, &request.viewer)).await?;
    terminal.feed().release(&terminal.id);
    answered(|| Ok(json!({ "driving": false }))).await
}

/// `POST …/terminal/type`: types for the page that has taken over. Nothing is verified: the user sees the effect.
pub(in crate::web) async fn type_input(
    State(state): State<Arc<WebState>>,
    Extension(device): Extension<RequestDevice>,
    Path(name): Path<String>,
    Json(request): Json<TypeRequest>,
) -> ApiResult {
    let (name, terminal) = open_terminal(&state, &name, (&device, &request.viewer)).await?;
    answered(move || {
        let input = checked_input(request.input)?;
        let taken_from = driver_right(&terminal)?;
        let agent = (&name, terminal.feed().agent);
        let typed = AgentInput(&state.context).type_as_driver(agent, taken_from.as_deref(), &input);
        // A terminal has attached and drives now.
        if typed.as_ref().is_err_and(|error| error.code() == Code::Driven) {
            terminal.feed().release(&terminal.id);
        }
        typed.map(|()| json!({ "typed": input.len() }))
    })
    .await
}

/// `POST …/terminal/resize`: resizes the screen of the agent to the window of the page that has taken over.
pub(in crate::web) async fn resize(
    State(state): State<Arc<WebState>>,
    Extension(device): Extension<RequestDevice>,
    Path(name): Path<String>,
    Json(request): Json<ResizeRequest>,
) -> ApiResult {
    let (name, terminal) = open_terminal(&state, &name, (&device, &request.viewer)).await?;
    answered(move || {
        driver_right(&terminal)?;
        let size = (request.columns, request.lines);
        TerminalClients(&state.context).resize(&name, size)?;
        terminal.feed().refresh();
        Ok(json!({ "columns": size.0, "lines": size.1 }))
    })
    .await
}

/// Returns the open terminal with this id and the name of its agent, if the same device has opened it.
async fn open_terminal(
    state: &Arc<WebState>,
    name: &str,
    (device, viewer): (&RequestDevice, &str),
) -> Result<(AgentName, Arc<TerminalViewer>), Refusal> {
    let name = agent_name(name)?;
    let (shared, device, viewer) = (Arc::clone(state), device.0.id.clone(), viewer.to_owned());
    run_blocking(move || {
        let terminal = shared.terminals.viewer(&name, &device, &viewer)?;
        Ok((name, terminal))
    })
    .await
}

/// Returns the client that the page has taken over from, or an error if the page only observes.
fn driver_right(terminal: &TerminalViewer) -> Result<Option<String>, Error> {
    terminal.feed().taken_from(&terminal.id).ok_or_else(|| {
        Error::new(Code::Driven, "this page only watches the agent")
            .saw("nothing was typed")
            .hint("take over on the page")
    })
}

/// Returns keys and pastes. Characters become keys, so that nothing interprets a text.
fn checked_input(given: Vec<PageInput>) -> Result<Vec<DriverInput>, Error> {
    let mut input = Vec::new();
    for piece in given {
        match piece {
            PageInput::Key(name) => match name.parse::<KeyPress>() {
                Ok(key) => input.push(DriverInput::Key(key)),
                Err(_) => return Err(Error::usage(format!("`{}` is not a key", shown(&name)))),
            },
            PageInput::Text(text) if text.chars().any(char::is_control) => {
                return Err(Error::usage("text cannot contain control characters").hint("send them as keys"));
            }
            PageInput::Text(text) => {
                input.extend(text.chars().map(|c| DriverInput::Key(KeyPress::char(c))));
            }
            PageInput::Paste(text) => input.push(DriverInput::Paste(pasted(&text))),
        }
    }
    if input.is_empty() || input.len() > MAX_KEYS {
        return Err(Error::usage(format!("between 1 and {MAX_KEYS} keys can be typed at once")));
    }
    Ok(input)
}

/// Returns text from the clipboard as a program gets it. An escape sequence could end the brackets of the paste, and the
/// rest would count as typed.
fn pasted(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(input: serde_json::Value) -> Result<Vec<String>, String> {
        let input = serde_json::from_value(input).map_err(|error| error.to_string())?;
        let shown = |input: DriverInput| match input {
            DriverInput::Key(key) => key.to_string(),
            DriverInput::Paste(text) => format!("paste {text}"),
        };
        let input = checked_input(input).map_err(|error| error.to_string())?;
        Ok(input.into_iter().map(shown).collect())
    }

    #[test]
    fn text_becomes_single_keys_in_the_order_of_the_input() {
        let input = json!([{ "text": "C-c ü" }, { "key": "Enter" }, { "paste": "a\nb" }, { "key": "C-c" }]);
        let expected = ["C", "-", "c", "Space", "ü", "Enter", "paste a\nb", "C-c"];
        assert_eq!(checked(input), Ok(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn a_paste_has_no_escape_sequences() {
        let input = json!([{ "paste": "a\u{1b}[201~rm\r\nb\tc\u{7f}\u{9b}\r" }]);
        assert_eq!(checked(input), Ok(vec!["paste a[201~rm\nb\tc\n".to_owned()]));
    }

    #[test]
    fn control_characters_and_words_are_no_keys() {
        for input in [
            json!([]),
            json!([{ "text": "a\u{1b}[A" }]),
            json!([{ "text": "a\r" }]),
            json!([{ "key": "rm -rf" }]),
            json!([{ "text": "a".repeat(MAX_KEYS + 1) }]),
            json!([{ "raw": "a" }]),
        ] {
            assert!(checked(input.clone()).is_err(), "{input}");
        }
    }
}
