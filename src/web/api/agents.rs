//! The list of agents, and everything that is done to one agent.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiResult, agent_name, answered};
use crate::base::key_press::KeyPress;
use crate::error::{Error, shown};
use crate::manager::{
    AgentInput, ApprovalAnswer, Approvals, Context, Recaps, Resumption, SendRequest, StatusTracker,
    Termination,
};
use crate::model::AgentName;
use crate::rules::tasks::typing::LineHandling;
use crate::text::agent::status_word;
use crate::text::recap::recap_text;
use crate::web::{WebState, agent_list};

/// How long a prompt waits until the agent is ready for it, as in `agent send`.
const READY_TIMEOUT: Duration = Duration::from_secs(30);
/// Time that an agent has to end by itself, as in `agent kill`.
const END_GRACE: Duration = Duration::from_secs(5);
/// Maximum number of keys in one request.
const MAX_KEYS: usize = 32;

pub(in crate::web) type WebStateRef = State<Arc<WebState>>;

/// `GET /api/agents`: the same as `agent list --json`.
pub(in crate::web) async fn list(State(state): WebStateRef) -> ApiResult {
    let context = Arc::clone(&state.context);
    answered(move || {
        let list = StatusTracker::current_agents_for_display(&context)?;
        Ok(agent_list::shown_agents(&context, list.agents))
    })
    .await
}

/// An answer to the question with this id.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct AnswerRequest {
    pub(in crate::web) question: String,
    #[serde(flatten)]
    pub(in crate::web) choice: AnswerInput,
}

/// What is answered: yes, no, or an option or text.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", tag = "answer", content = "text")]
pub(in crate::web) enum AnswerInput {
    Approve,
    Deny,
    Option(String),
}

/// `POST …/answer`: answers the question that the user has read, and returns when the agent has accepted the answer.
pub(in crate::web) async fn answer(
    State(state): WebStateRef,
    Path(name): Path<String>,
    Json(request): Json<AnswerRequest>,
) -> ApiResult {
    let (context, name) = (Arc::clone(&state.context), agent_name(&name)?);
    answered(move || {
        let (approvals, read) = (Approvals(&context), Some(request.question.as_str()));
        let done = match &request.choice {
            AnswerInput::Approve => approvals.answer(&name, ApprovalAnswer::Approve, read)?,
            AnswerInput::Deny => approvals.answer(&name, ApprovalAnswer::Deny, read)?,
            AnswerInput::Option(text) => approvals.answer_with(&name, text, read)?,
        };
        Ok(json!({ "taken": true, "asked": done.question_line, "status": status_word(&done.agent) }))
    })
    .await
}

/// A text for an agent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct TextRequest {
    pub(in crate::web) text: String,
}

/// `POST …/prompt`: types a prompt, and returns when the agent has accepted it.
pub(in crate::web) async fn prompt(
    State(state): WebStateRef,
    Path(name): Path<String>,
    Json(request): Json<TextRequest>,
) -> ApiResult {
    let (context, name) = (Arc::clone(&state.context), agent_name(&name)?);
    answered(move || {
        let request =
            SendRequest { name, text: request.text, lines: LineHandling::Together, timeout: READY_TIMEOUT };
        AgentInput(&context).send(&request).map(|evidence| json!({ "confirmed_by": evidence }))
    })
    .await
}

/// Keys by their names. They are refused while a terminal drives the agent, unless the user has taken over.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct KeysRequest {
    pub(in crate::web) keys: Vec<String>,
    #[serde(default)]
    pub(in crate::web) take: bool,
}

/// `POST …/keys`: presses keys. Nothing is verified: the user sees the effect on the screen.
pub(in crate::web) async fn keys(
    State(state): WebStateRef,
    Path(name): Path<String>,
    Json(request): Json<KeysRequest>,
) -> ApiResult {
    let (context, name) = (Arc::clone(&state.context), agent_name(&name)?);
    answered(move || {
        let keys = checked_keys(&request.keys)?;
        match request.take {
            true => AgentInput(&context).press_keys(&name, &keys)?,
            false => AgentInput(&context).press_keys_if_undriven(&name, &keys)?,
        }
        Ok(json!({ "keys": keys }))
    })
    .await
}

/// Returns the names of keys as tmux knows them. A word that is not a key would be typed letter by letter.
pub(in crate::web) fn checked_keys(given: &[String]) -> Result<Vec<String>, Error> {
    if given.is_empty() || given.len() > MAX_KEYS {
        return Err(Error::usage(format!("between 1 and {MAX_KEYS} keys can be pressed at once")));
    }
    let key = |text: &String| match text.parse::<KeyPress>() {
        Ok(key) => Ok(key.to_string()),
        Err(_) => Err(Error::usage(format!("`{}` is not a key", shown(text)))),
    };
    given.iter().map(key).collect()
}

/// `POST …/interrupt`: ends the current turn.
pub(in crate::web) async fn interrupt(State(state): WebStateRef, Path(name): Path<String>) -> ApiResult {
    perform(state, &name, |context, name| {
        let done = AgentInput(context).interrupt(name)?;
        Ok(json!({ "confirmed_by": done.seen, "put_back": done.put_back }))
    })
    .await
}

/// `POST …/stop`: ends the processes of an agent; it can be resumed.
pub(in crate::web) async fn stop(State(state): WebStateRef, Path(name): Path<String>) -> ApiResult {
    perform(state, &name, |context, name| {
        let done = Termination(context).kill(name, END_GRACE)?;
        Ok(json!({ "was_running": done.was_running, "remarks": done.remarks }))
    })
    .await
}

/// `POST …/resume`: starts an agent again with its conversation.
pub(in crate::web) async fn resume(State(state): WebStateRef, Path(name): Path<String>) -> ApiResult {
    perform(state, &name, |context, name| {
        Resumption(context).resume(name).map(|_| json!({ "resumed": true }))
    })
    .await
}

/// `GET …/recap`: what happened since the last visit, as data and as text.
pub(in crate::web) async fn recap(State(state): WebStateRef, Path(name): Path<String>) -> ApiResult {
    perform(state, &name, |context, name| {
        let recap = Recaps(context).recap(name, None)?;
        Ok(json!({ "text": recap_text(&recap), "recap": recap }))
    })
    .await
}

/// Runs an operation on an agent.
async fn perform(
    state: Arc<WebState>,
    name: &str,
    operation: impl FnOnce(&Context, &AgentName) -> Result<Value, Error> + Send + 'static,
) -> ApiResult {
    let (context, name) = (Arc::clone(&state.context), agent_name(name)?);
    answered(move || operation(&context, &name)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_keys_are_pressed() {
        let checked = |keys: &[&str]| {
            checked_keys(&keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>())
                .map_err(|e| e.to_string())
        };
        let usual = ["Escape", "Tab", "BTab", "Up", "Enter", "C-c", "y"];
        assert_eq!(checked(&usual), Ok(usual.map(str::to_owned).to_vec()));
        assert!(checked(&[]).is_err());
        assert!(checked(&["rm -rf"]).is_err());
        assert!(checked(&["-t"]).is_err());
        assert!(checked(&["a"; 33]).is_err());
    }

    #[test]
    fn an_answer_names_its_question() {
        let parse = |value: Value| serde_json::from_value::<AnswerRequest>(value);
        assert!(parse(json!({ "question": "q", "answer": "approve" })).is_ok());
        assert!(parse(json!({ "question": "q", "answer": "option", "text": "2" })).is_ok());
        assert!(parse(json!({ "answer": "approve" })).is_err());
        assert!(parse(json!({ "question": "q", "answer": "option" })).is_err());
        assert!(parse(json!({ "question": "q", "answer": "anything" })).is_err());
    }
}
