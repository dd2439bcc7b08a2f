//! `POST /api/notices/answer`: an answer from a notice on another device, proved by a token that is valid once.

use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::{ApiResult, answered, refusal, run_blocking};
use crate::error::Error;
use crate::manager::WebAccess;
use crate::web::WebState;

/// What the button of a notice sends.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct NoticeAnswerRequest {
    token: String,
}

pub(in crate::web) async fn answer(
    State(state): State<Arc<WebState>>,
    Json(request): Json<NoticeAnswerRequest>,
) -> ApiResult {
    let shared = Arc::clone(&state);
    let lookup = move || WebAccess(&shared.context).use_answer_token(&shared.admitted, &request.token);
    let Some(grant) = run_blocking(lookup).await? else {
        let now = state.context.now();
        if !state.attempts.lock().unwrap_or_else(PoisonError::into_inner).permit(now) {
            let message = "too many tokens were tried; wait for a minute";
            return Err(refusal(StatusCode::TOO_MANY_REQUESTS, "rate-limit", message));
        }
        let message = "this answer was used, has expired or is not permitted; answer on the page";
        return Err(refusal(StatusCode::FORBIDDEN, "token", message));
    };
    answered(move || {
        // Observations may show the screen of the agent, which the holder of a token must not see.
        let unseen = |error: Error| Error::new(error.code(), error.to_string());
        WebAccess(&state.context).answer_by_token(&grant).map_err(unseen)?;
        Ok(json!({ "taken": true, "answer": grant.answer }))
    })
    .await
}
