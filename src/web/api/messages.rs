//! Messages of an agent: list, send.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};

use super::agents::TextRequest;
use super::{ApiResult, agent_name, answered};
use crate::manager::{MessageFilter, MessageRequest, Messages};
use crate::web::WebState;

/// Number of messages that are shown.
const NEWEST_SHOWN: usize = 50;

/// `GET …/messages`: the newest messages that an agent sent or received, newest first.
pub(in crate::web) async fn list(State(state): State<Arc<WebState>>, Path(name): Path<String>) -> ApiResult {
    let (context, name) = (Arc::clone(&state.context), agent_name(&name)?);
    answered(move || {
        let filter = MessageFilter { of: Some(name), all: true, newest: Some(NEWEST_SHOWN) };
        let mut messages = Messages(&context).message_list(&filter)?;
        messages.reverse();
        Ok(messages)
    })
    .await
}

/// `POST …/messages`: sends a message to an agent.
pub(in crate::web) async fn send(
    State(state): State<Arc<WebState>>,
    Path(name): Path<String>,
    Json(request): Json<TextRequest>,
) -> ApiResult {
    let (context, name) = (Arc::clone(&state.context), agent_name(&name)?);
    answered(move || {
        let request =
            MessageRequest { to: name.to_string(), text: request.text, ..MessageRequest::default() };
        Messages(&context).message_send(&request)
    })
    .await
}
