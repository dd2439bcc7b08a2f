//! Tasks of an agent: list, add, cancel.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde_json::json;

use super::agents::TextRequest;
use super::{ApiResult, agent_name, answered};
use crate::error::Error;
use crate::manager::{AgentLookup, Context, TaskFilter, TaskRequest, TaskView, Tasks};
use crate::model::{AgentName, TaskId, TaskState};
use crate::web::WebState;

/// Number of tasks that are shown.
const NEWEST_SHOWN: usize = 50;

/// `GET …/tasks`: the newest tasks of an agent, newest first.
pub(in crate::web) async fn list(State(state): State<Arc<WebState>>, Path(name): Path<String>) -> ApiResult {
    let (context, name) = (Arc::clone(&state.context), agent_name(&name)?);
    answered(move || {
        let mut tasks = newest(&context, &name)?;
        tasks.reverse();
        Ok(tasks)
    })
    .await
}

/// `POST …/tasks`: adds a task to the queue of an agent.
pub(in crate::web) async fn add(
    State(state): State<Arc<WebState>>,
    Path(name): Path<String>,
    Json(request): Json<TextRequest>,
) -> ApiResult {
    let (context, name) = (Arc::clone(&state.context), agent_name(&name)?);
    answered(move || {
        // Without an agent of this name, it could mean a spec, from which an agent would be started.
        AgentLookup(&context).show(&name)?;
        let request = TaskRequest { to: name.to_string(), text: request.text, ..TaskRequest::default() };
        let added = Tasks(&context).task_add(request)?;
        Ok(json!({ "task": added.task, "remarks": added.remarks }))
    })
    .await
}

/// `POST /api/tasks/ID/cancel`: cancels a task; an agent that already works on it continues.
pub(in crate::web) async fn cancel(State(state): State<Arc<WebState>>, Path(id): Path<i64>) -> ApiResult {
    let context = Arc::clone(&state.context);
    answered(move || Tasks(&context).task_cancel(TaskId(id))).await
}

fn newest(context: &Context, name: &AgentName) -> Result<Vec<TaskView>, Error> {
    Tasks(context).task_views(&TaskFilter {
        agent: Some(name.clone()),
        states: TaskState::ALL.to_vec(),
        newest: Some(NEWEST_SHOWN),
        since: None,
    })
}
