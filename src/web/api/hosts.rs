//! Everything that is done to an agent of another host. Each handler runs the command that the command line would run
//! there.

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use super::agents::{AnswerInput, AnswerRequest, KeysRequest, TextRequest, WebStateRef, checked_keys};
use super::{ApiResult, agent_name, answered_by_host, failure};
use crate::error::Error;
use crate::manager::{RemoteAgent, RemoteAnswer};
use crate::model::{AgentName, HostName, TaskId};

/// Number of tasks and messages that are shown.
const NEWEST_SHOWN: usize = 50;

type AgentPath = Path<(String, String)>;

/// `POST …/answer`: answers the question that the user has read.
pub(in crate::web) async fn answer(
    state: WebStateRef,
    path: AgentPath,
    Json(request): Json<AnswerRequest>,
) -> ApiResult {
    perform(state, path, move |agent| {
        let answer = match &request.choice {
            AnswerInput::Approve => RemoteAnswer::Approve,
            AnswerInput::Deny => RemoteAnswer::Deny,
            AnswerInput::Option(text) => RemoteAnswer::Text(text),
        };
        let done = agent.answer(&request.question, answer)?;
        Ok(json!({ "taken": true, "asked": done["asked"], "status": done["status"] }))
    })
    .await
}

/// `POST …/prompt`: types a prompt, and returns when the agent has accepted it.
pub(in crate::web) async fn prompt(
    state: WebStateRef,
    path: AgentPath,
    Json(request): Json<TextRequest>,
) -> ApiResult {
    perform(state, path, move |agent| {
        let sent = agent.send(&request.text)?;
        Ok(json!({ "confirmed_by": sent["confirmed_by"] }))
    })
    .await
}

/// `POST …/keys`: presses keys, unless a terminal drives the agent and the user has not taken over.
pub(in crate::web) async fn keys(
    state: WebStateRef,
    path: AgentPath,
    Json(request): Json<KeysRequest>,
) -> ApiResult {
    perform(state, path, move |agent| {
        let keys = checked_keys(&request.keys)?;
        match request.take {
            true => agent.press_keys(&keys)?,
            false => agent.press_keys_if_undriven(&keys)?,
        };
        Ok(json!({ "keys": keys }))
    })
    .await
}

/// `POST …/interrupt`: ends the current turn.
pub(in crate::web) async fn interrupt(state: WebStateRef, path: AgentPath) -> ApiResult {
    perform(state, path, |agent| agent.interrupt()).await
}

/// `POST …/stop`: ends the processes of an agent; it can be resumed.
pub(in crate::web) async fn stop(state: WebStateRef, path: AgentPath) -> ApiResult {
    perform(state, path, |agent| agent.stop()).await
}

/// `POST …/resume`: starts an agent again with its conversation.
pub(in crate::web) async fn resume(state: WebStateRef, path: AgentPath) -> ApiResult {
    perform(state, path, |agent| agent.resume().map(|_| json!({ "resumed": true }))).await
}

/// `GET …/recap`: what happened since the last visit, as text.
pub(in crate::web) async fn recap(state: WebStateRef, path: AgentPath) -> ApiResult {
    perform(state, path, |agent| agent.recap_text().map(|text| json!({ "text": text }))).await
}

/// `GET …/tasks`: the newest tasks of an agent, newest first.
pub(in crate::web) async fn tasks(state: WebStateRef, path: AgentPath) -> ApiResult {
    perform(state, path, |agent| agent.tasks(NEWEST_SHOWN).map(newest_first)).await
}

/// `POST …/tasks`: adds a task to the queue of an agent.
pub(in crate::web) async fn add_task(
    state: WebStateRef,
    path: AgentPath,
    Json(request): Json<TextRequest>,
) -> ApiResult {
    let add = move |agent: &RemoteAgent<'_>| {
        agent.add_task(&request.text).map(|task| json!({ "task": task, "remarks": [] }))
    };
    perform(state, path, add).await
}

/// `POST …/tasks/ID/cancel`: cancels a task; an agent that already works on it continues.
pub(in crate::web) async fn cancel_task(
    state: WebStateRef,
    Path((host, name, id)): Path<(String, String, i64)>,
) -> ApiResult {
    perform(state, Path((host, name)), move |agent| agent.cancel_task(TaskId(id))).await
}

/// `GET …/messages`: the newest messages that an agent sent or received, newest first.
pub(in crate::web) async fn messages(state: WebStateRef, path: AgentPath) -> ApiResult {
    perform(state, path, |agent| agent.messages(NEWEST_SHOWN).map(newest_first)).await
}

/// `POST …/messages`: sends a message to an agent.
pub(in crate::web) async fn send_message(
    state: WebStateRef,
    path: AgentPath,
    Json(request): Json<TextRequest>,
) -> ApiResult {
    perform(state, path, move |agent| agent.send_message(&request.text)).await
}

/// Parses the host and the agent in a path.
pub(in crate::web) fn parsed(host: &str, name: &str) -> Result<(HostName, AgentName), super::Refusal> {
    let host = host.parse().map_err(|why| failure(&Error::usage(format!("host: {why}"))))?;
    Ok((host, agent_name(name)?))
}

/// Runs an operation on an agent.
async fn perform(
    State(state): WebStateRef,
    Path((host, name)): AgentPath,
    operation: impl FnOnce(&RemoteAgent<'_>) -> Result<Value, Error> + Send + 'static,
) -> ApiResult {
    let (host, name) = parsed(&host, &name)?;
    answered_by_host(move || operation(&RemoteAgent { context: &state.context, host, name })).await
}

/// Reverses a list.
fn newest_first(mut list: Value) -> Value {
    if let Value::Array(entries) = &mut list {
        entries.reverse();
    }
    list
}
