//! `POST /api/devices/ID/revoke`: ends the access of a device that was paired later than the one that asks.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use serde_json::json;

use super::{ApiResult, answered};
use crate::manager::WebAccess;
use crate::web::WebState;
use crate::web::guard::RequestDevice;

pub(in crate::web) async fn revoke(
    State(state): State<Arc<WebState>>,
    Extension(RequestDevice(own)): Extension<RequestDevice>,
    Path(id): Path<String>,
) -> ApiResult {
    answered(move || {
        let revoked = WebAccess(&state.context).revoke_newer(&state.admitted, &own.id, &id)?;
        Ok(json!({ "id": revoked.id, "name": revoked.name }))
    })
    .await
}
