//! `POST /api/pair`: exchanges a pairing code for the secret of a device.

use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use serde::Deserialize;
use serde_json::json;

use super::{ApiResult, refusal, run_blocking};
use crate::manager::WebAccess;
use crate::web::{WebState, credentials};

/// What a new device sends.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct PairRequest {
    code: String,
    #[serde(default)]
    name: String,
}

pub(in crate::web) async fn pair(
    State(state): State<Arc<WebState>>,
    headers: HeaderMap,
    Json(request): Json<PairRequest>,
) -> ApiResult {
    let shared = Arc::clone(&state);
    let pair = move || WebAccess(&shared.context).pair_device(&shared.admitted, &request.code, &request.name);
    let Some(paired) = run_blocking(pair).await? else {
        // Only wrong codes count, so that a process without a code cannot lock out the owner who has one.
        let now = state.context.now();
        if !state.attempts.lock().unwrap_or_else(PoisonError::into_inner).permit(now) {
            let message = "too many codes were tried; wait for a minute";
            return Err(refusal(StatusCode::TOO_MANY_REQUESTS, "rate-limit", message));
        }
        let message = "the code is wrong, was used or has expired; `symposium web pair` prints a new one";
        return Err(refusal(StatusCode::FORBIDDEN, "code", message));
    };
    let cookie = credentials::cookie_for(&paired.cookie, &headers, &state.hosts);
    let device = json!({ "id": paired.device.id, "name": paired.device.name, "key": paired.key });
    Ok(([(SET_COOKIE, cookie)], Json(device)).into_response())
}
