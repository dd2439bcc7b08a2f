//! Which handler answers which path.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::Redirect;
use axum::routing::{get, post};

use super::api::{
    agents, devices, diff, hosts, messages, notice_answer, pair, screen, spawn, tasks, terminal,
};
use super::guard::{self, NOTICE_ANSWER_PATH, PAIR_PATH};
use super::{WebState, assets, stream};

/// Returns the service for all requests.
pub(super) fn router(state: Arc<WebState>) -> Router {
    let agent = Router::new()
        .route("/answer", post(agents::answer))
        .route("/prompt", post(agents::prompt))
        .route("/keys", post(agents::keys))
        .route("/interrupt", post(agents::interrupt))
        .route("/stop", post(agents::stop))
        .route("/resume", post(agents::resume))
        .route("/diff", get(diff::diff))
        .route("/recap", get(agents::recap))
        .route("/screen", get(screen::snapshot))
        .route("/screen/events", get(stream::screen))
        .route("/terminal/events", get(stream::terminal))
        .route("/terminal/acknowledge", post(terminal::acknowledge))
        .route("/terminal/take", post(terminal::take))
        .route("/terminal/release", post(terminal::release))
        .route("/terminal/type", post(terminal::type_input))
        .route("/terminal/resize", post(terminal::resize))
        .route("/tasks", get(tasks::list).post(tasks::add))
        .route("/messages", get(messages::list).post(messages::send));
    let remote_agent = Router::new()
        .route("/answer", post(hosts::answer))
        .route("/prompt", post(hosts::prompt))
        .route("/keys", post(hosts::keys))
        .route("/interrupt", post(hosts::interrupt))
        .route("/stop", post(hosts::stop))
        .route("/resume", post(hosts::resume))
        .route("/recap", get(hosts::recap))
        .route("/screen/events", get(stream::remote_screen))
        .route("/tasks", get(hosts::tasks).post(hosts::add_task))
        .route("/tasks/{id}/cancel", post(hosts::cancel_task))
        .route("/messages", get(hosts::messages).post(hosts::send_message));
    let base_path = state.hosts.base_path().clone();
    let mut root = Router::new();
    if !base_path.is_root() {
        let with_slash = format!("{base_path}/");
        root =
            root.route(&base_path.to_string(), get(move || async move { Redirect::permanent(&with_slash) }));
    }
    root.route(PAIR_PATH, post(pair::pair))
        .route(NOTICE_ANSWER_PATH, post(notice_answer::answer))
        .route("/api/agents", get(agents::list))
        .route("/api/events", get(stream::agents))
        .nest("/api/agents/{name}", agent)
        .nest("/api/hosts/{host}/agents/{name}", remote_agent)
        .route("/api/spawn", post(spawn::start))
        .route("/api/spawn/options", post(spawn::options))
        .route("/api/spawn/preview", post(spawn::preview))
        .route("/api/tasks/{id}/cancel", post(tasks::cancel))
        .route("/api/devices/{id}/revoke", post(devices::revoke))
        .fallback(get(assets::serve))
        .layer(from_fn_with_state(Arc::clone(&state), guard::check))
        .with_state(state)
}
