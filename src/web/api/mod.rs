//! The handlers of requests: each parses its input, calls one use case on a thread and renders the result as JSON.
//!
//! - `pair`: pairs a device
//! - `notice_answer`: answers of notices on other devices
//! - `devices`: revokes a device
//! - `agents`: the list, answers, prompts, keys, interrupt, stop, resume, recap
//! - `diff`: the changes of an agent
//! - `screen`: a snapshot of a screen
//! - `terminal`: taking over, typing, resizing and acknowledging in the terminal of an agent
//! - `spawn`: starts agents, after a preview
//! - `tasks`: tasks of an agent
//! - `messages`: messages of an agent
//! - `hosts`: agents of other hosts

pub(super) mod agents;
pub(super) mod devices;
pub(super) mod diff;
pub(super) mod hosts;
pub(super) mod messages;
pub(super) mod notice_answer;
pub(super) mod pair;
pub(super) mod screen;
pub(super) mod spawn;
pub(super) mod tasks;
pub(super) mod terminal;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::error::{Code, Error};
use crate::model::AgentName;

/// Maximum number of use cases that run at the same time. The other threads check the secrets of requests, so that slow
/// prompts delay no stream and no answer.
const MAX_USE_CASES: usize = 24;

/// Maximum number of operations on agents of other hosts at the same time. One may wait for minutes until its host is
/// reachable again.
const MAX_HOST_OPERATIONS: usize = 8;

static USE_CASES: Semaphore = Semaphore::const_new(MAX_USE_CASES);
static HOST_OPERATIONS: Semaphore = Semaphore::const_new(MAX_HOST_OPERATIONS);

/// The result of a handler: JSON, or the reason why there is none.
pub(super) type ApiResult = Result<Response, Refusal>;

/// A response that describes why a request was refused or failed.
#[derive(Debug)]
pub(super) struct Refusal(Box<Response>);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        *self.0
    }
}

/// Returns the response for a request that is refused before a use case sees it. It has the form of an error.
pub(super) fn refusal(status: StatusCode, code: &str, message: &str) -> Refusal {
    let error = json!({ "error": { "code": code, "message": message, "saw": [], "hints": [] } });
    Refusal(Box::new((status, Json(error)).into_response()))
}

/// Runs a use case on a thread of its own.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Refusal> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome.map_err(|error| failure(&error)),
        Err(_) => {
            Err(refusal(StatusCode::INTERNAL_SERVER_ERROR, "failed", "the operation failed unexpectedly"))
        }
    }
}

/// Runs a use case and answers with its result. Waits while many others run.
async fn answered<T: Serialize + Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> ApiResult {
    // It is never closed, so an error cannot occur.
    let permit = USE_CASES.acquire().await.ok();
    // A use case goes on after its client has left, and holds its permit until its end.
    let work = move || {
        let outcome = work();
        drop(permit);
        outcome
    };
    run_blocking(work).await.map(|value| Json(value).into_response())
}

/// Runs an operation on an agent of another host and answers with its result. Does not wait while many others run.
async fn answered_by_host<T: Serialize + Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> ApiResult {
    let Ok(permit) = HOST_OPERATIONS.try_acquire() else {
        let message = "too many operations wait for other hosts already";
        return Err(refusal(StatusCode::SERVICE_UNAVAILABLE, "busy", message));
    };
    let work = move || {
        let outcome = work();
        drop(permit);
        outcome
    };
    run_blocking(work).await.map(|value| Json(value).into_response())
}

/// Returns the response for an error of a use case.
pub(super) fn failure(error: &Error) -> Refusal {
    Refusal(Box::new((status_of(error), Json(error.json())).into_response()))
}

fn status_of(error: &Error) -> StatusCode {
    match (error.code(), error.exit()) {
        (Code::NotConfirmed, _) => StatusCode::GATEWAY_TIMEOUT,
        (Code::NotPermitted, _) => StatusCode::FORBIDDEN,
        (_, 2) => StatusCode::BAD_REQUEST,
        (_, 3) => StatusCode::NOT_FOUND,
        (_, 6) => StatusCode::CONFLICT,
        (_, 7) => StatusCode::GATEWAY_TIMEOUT,
        (_, 4 | 5) => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

/// Parses the name of an agent in a path.
pub(super) fn agent_name(text: &str) -> Result<AgentName, Refusal> {
    text.parse().map_err(|why| failure(&Error::bad_name(text, why)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_says_whether_the_request_or_the_agent_was_the_reason() {
        for (code, expected) in [
            (Code::NoSuchAgent, StatusCode::NOT_FOUND),
            (Code::OtherQuestion, StatusCode::CONFLICT),
            (Code::Driven, StatusCode::CONFLICT),
            (Code::NotPermitted, StatusCode::FORBIDDEN),
            (Code::NoQuestion, StatusCode::CONFLICT),
            (Code::NotConfirmed, StatusCode::GATEWAY_TIMEOUT),
            (Code::NoSuchOption, StatusCode::BAD_REQUEST),
            (Code::TmuxTimedOut, StatusCode::SERVICE_UNAVAILABLE),
            (Code::NotRunning, StatusCode::UNPROCESSABLE_ENTITY),
        ] {
            assert_eq!(status_of(&Error::new(code, "x")), expected, "{code:?}");
        }
    }

    #[test]
    fn slow_use_cases_leave_threads_for_the_checks_of_requests() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(crate::web::MAX_CALLS)
            .build()
            .unwrap();
        let gate = std::sync::Arc::new(std::sync::RwLock::new(()));
        let closed = gate.write().unwrap();
        runtime.block_on(async {
            for _ in 0..2 * crate::web::MAX_CALLS {
                let gate = std::sync::Arc::clone(&gate);
                tokio::spawn(answered(move || {
                    drop(gate.read());
                    Ok(())
                }));
            }
            tokio::task::yield_now().await;
            let check = run_blocking(|| Ok(true));
            let limit = std::time::Duration::from_secs(20);
            assert!(tokio::time::timeout(limit, check).await.is_ok(), "a thread is free for the check");
        });
        drop(closed);
    }
}
