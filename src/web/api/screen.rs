//! A snapshot of the screen of an agent.

use std::sync::Arc;

use axum::extract::{Path, State};

use super::{ApiResult, agent_name, answered};
use crate::manager::AgentScreens;
use crate::web::WebState;
use crate::web::screen_text::ScreenText;
use crate::web::screens::HISTORY_LINES;

/// `GET …/screen`: the screen with some history, as runs of text with colours.
pub(in crate::web) async fn snapshot(
    State(state): State<Arc<WebState>>,
    Path(name): Path<String>,
) -> ApiResult {
    let (context, name) = (Arc::clone(&state.context), agent_name(&name)?);
    answered(move || {
        let follower = AgentScreens(&context).follow_screen(&name, || ())?;
        Ok(follower.capture(HISTORY_LINES)?.map(|screen| ScreenText::of(&screen)))
    })
    .await
}
