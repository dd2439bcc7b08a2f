//! The `wait_task` tool: waits without blocking a thread, reports progress if the client requested it, and returns at
//! the latest after its time limit. A model in the middle of a turn receives nothing else, so a wait also ends when
//! the agent asks a question that must be answered, once for each question.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{JsonObject, ProgressNotificationParam, ProgressToken};
use rmcp::schemars::JsonSchema;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Peer, RoleServer};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;

use super::context::ToolContext;
use super::server::on_a_thread;
use super::tasks::{card, line, view};
use super::tool::{ToolOutcome, ToolResult, arguments};
use crate::error::Error;
use crate::manager::{Permissions, Tasks};
use crate::model::{Task, TaskId, TaskState};
use crate::rules::access::permissions::Action;

/// Default time limit in seconds.
const DEFAULT_TIMEOUT_S: u64 = 600;
/// Maximum time limit in seconds; no client waits longer for a tool.
const MAX_TIMEOUT_S: u64 = 3600;
/// Polling interval for changes without a notification. Progress is reported at the same interval, because clients
/// give up on silent tools, the official ones after 60 s.
const RECHECK_INTERVAL: Duration = Duration::from_secs(15);
/// Changes within this time cause only one query.
const DEBOUNCE_TIME: Duration = Duration::from_millis(50);

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct WaitTaskParams {
    /// Number of the task.
    id: i64,
    /// Maximum wait in seconds. The default is 600.
    #[schemars(range(max = 3600))]
    timeout_s: Option<u64>,
}

/// The state of a task at the end of a wait.
struct WaitResult {
    task: Task,
    /// The question that must be answered before the task continues.
    asks: Option<String>,
}

/// Waits until the task has ended, its agent asks a question, the time limit is reached, or the client cancels the
/// call.
pub(super) async fn wait(
    context: Arc<ToolContext>,
    input: JsonObject,
    request: &RequestContext<RoleServer>,
    mut is_over: watch::Receiver<bool>,
) -> Result<ToolOutcome, ErrorData> {
    let input: WaitTaskParams = arguments("wait_task", input)?;
    let timeout = Duration::from_secs(input.timeout_s.unwrap_or(DEFAULT_TIMEOUT_S).min(MAX_TIMEOUT_S));
    let id = TaskId(input.id);
    let end = Instant::now() + timeout;
    let mut progress = ProgressNotifier::of(request);
    let waited = tokio::select! {
        waited = until_over(&context, id, end, &mut progress) => waited?,
        () = request.ct.cancelled() => return Err(ErrorData::internal_error("the wait was cancelled", None)),
        // A client that closed its output may still read, so it receives the current state.
        () = async { drop(is_over.wait_for(|over| *over).await) } => {
            until_over(&context, id, Instant::now(), &mut progress).await?
        }
    };
    Ok(waited.map(|waited| describe(&waited, timeout)))
}

fn describe(WaitResult { task, asks }: &WaitResult, timeout: Duration) -> ToolResult {
    let over = task.state.is_over();
    let mut text = card(task);
    match (over, asks) {
        (true, _) => {}
        (false, Some(asks)) => {
            let assignee = task.assignee_name();
            text.push_str(&format!(
                "\nits agent waits for an answer: {asks}\nanswer an approval with `symposium agent approve {assignee}` or \
                 `deny`, a question with `symposium agent send {assignee} TEXT` (if permitted), then call `wait_task` again"
            ));
        }
        (false, None) => text.push_str(&format!(
            "\nthe task has not ended within {} s; call `wait_task` again to continue waiting",
            timeout.as_secs()
        )),
    }
    ToolResult { text, data: json!({ "over": over, "waits_for": asks, "task": view(task) }) }
}

/// Returns the task when it has ended, when its agent asks a question that was not reported yet, or when the time is
/// up.
async fn until_over(
    context: &Arc<ToolContext>,
    id: TaskId,
    end: Instant,
    progress: &mut ProgressNotifier,
) -> Result<Result<WaitResult, Error>, ErrorData> {
    // Subscribed before the first query, so that no change is missed in between.
    let feed = match context.change_feed() {
        Ok(feed) => feed,
        Err(error) => return Ok(Err(error)),
    };
    let mut changed = feed.changed();
    let (mut before, mut reported_at) = (None, Instant::now());
    loop {
        changed.mark_unchanged();
        let shared = Arc::clone(context);
        let waited = match on_a_thread(move || query(&shared, id)).await? {
            Ok(waited) => waited,
            Err(error) => return Ok(Err(error)),
        };
        let is_over = waited.task.state.is_over() || Instant::now() >= end;
        if is_over || context.is_new(id, waited.asks.as_deref()) {
            return Ok(Ok(waited));
        }
        let next = end.min(Instant::now() + RECHECK_INTERVAL);
        if before.as_ref() != Some(&waited.task) || reported_at.elapsed() >= RECHECK_INTERVAL {
            progress.send(&waited.task).await;
            (before, reported_at) = (Some(waited.task), Instant::now());
        }
        tokio::select! {
            // Without a watcher the channel is closed and this branch is disabled; then only the timer counts.
            Ok(()) = changed.changed() => tokio::time::sleep(DEBOUNCE_TIME).await,
            () = tokio::time::sleep_until(next) => {}
        }
    }
}

fn query(context: &ToolContext, id: TaskId) -> Result<WaitResult, Error> {
    let manager = context.manager()?;
    let task = Permissions(manager).task_within_reach(&context.permissions()?, Action::See, id)?;
    let asks = Tasks(manager).waiting_reason(&task)?.filter(|_| task.state == TaskState::Running);
    Ok(WaitResult { task, asks })
}

/// Sends progress notifications to the client if it requested them.
struct ProgressNotifier {
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    /// The last reported number; each one must be greater than the one before.
    last: f64,
}

impl ProgressNotifier {
    fn of(request: &RequestContext<RoleServer>) -> ProgressNotifier {
        let token = request.meta.get_progress_token();
        ProgressNotifier { to: token.map(|token| (request.peer.clone(), token)), last: -1.0 }
    }

    async fn send(&mut self, task: &Task) {
        let Some((peer, token)) = &self.to else { return };
        let percent = task.progress.as_ref().map_or(0.0, |progress| f64::from(progress.percent));
        self.last = if percent > self.last { percent } else { self.last + 0.01 };
        let progress = ProgressNotificationParam::new(token.clone(), self.last).with_total(100.0);
        // A client that is gone closes standard input too, which ends the server.
        let _ = peer.notify_progress(progress.with_message(line(task))).await;
    }
}
