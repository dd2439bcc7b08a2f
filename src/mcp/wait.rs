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
use super::tool::{Outcome, Said, arguments};
use crate::error::Error;
use crate::manager::{Permissions, Tasks};
use crate::model::{Task, TaskId, TaskState};
use crate::rules::access::permissions::Act;

/// Default time limit in seconds.
const DEFAULT_S: u64 = 600;
/// Maximum time limit in seconds; no client waits longer for a tool.
const LONGEST_S: u64 = 3600;
/// Polling interval for changes without a notification. Progress is reported at the same interval, because clients
/// give up on silent tools, the official ones after 60 s.
const LOOK: Duration = Duration::from_secs(15);
/// Changes within this time cause only one query.
const BURST: Duration = Duration::from_millis(50);

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The task's number.
    id: i64,
    /// How many seconds to wait at most; 600, when it is left out.
    #[schemars(range(max = 3600))]
    timeout_s: Option<u64>,
}

/// The state of a task at the end of a wait.
struct Waited {
    task: Task,
    /// The question that must be answered before the task continues.
    asks: Option<String>,
}

/// Waits until the task has ended, its agent asks a question, the time limit is reached, or the client cancels the
/// call.
pub(super) async fn wait(
    desk: Arc<ToolContext>,
    given: JsonObject,
    context: &RequestContext<RoleServer>,
    mut is_over: watch::Receiver<bool>,
) -> Result<Outcome, ErrorData> {
    let given: Arguments = arguments("wait_task", given)?;
    let patience = Duration::from_secs(given.timeout_s.unwrap_or(DEFAULT_S).min(LONGEST_S));
    let id = TaskId(given.id);
    let end = Instant::now() + patience;
    let mut teller = Teller::of(context);
    let waited = tokio::select! {
        waited = until_over(&desk, id, end, &mut teller) => waited?,
        () = context.ct.cancelled() => return Err(ErrorData::internal_error("the wait was cancelled", None)),
        // A client that closed its output may still read, so it receives the current state.
        () = async { drop(is_over.wait_for(|over| *over).await) } => {
            until_over(&desk, id, Instant::now(), &mut teller).await?
        }
    };
    Ok(waited.map(|waited| told(&waited, patience)))
}

fn told(Waited { task, asks }: &Waited, patience: Duration) -> Said {
    let over = task.state.is_over();
    let mut text = card(task);
    match (over, asks) {
        (true, _) => {}
        (false, Some(asks)) => {
            let who = task.whose();
            text.push_str(&format!(
                "\nit does not go on before somebody answers: {asks}\nwho may, answers an approval with `symposium \
                 agent approve {who}` or `deny`, a question with `symposium agent send {who} TEXT`; then call \
                 `wait_task` again"
            ));
        }
        (false, None) => text.push_str(&format!(
            "\nnot over within {} s; call `wait_task` again to wait on",
            patience.as_secs()
        )),
    }
    Said { text, data: json!({ "over": over, "waits_for": asks, "task": view(task) }) }
}

/// Returns the task when it has ended, when its agent asks a question that was not reported yet, or when the time is
/// up.
async fn until_over(
    desk: &Arc<ToolContext>,
    id: TaskId,
    end: Instant,
    teller: &mut Teller,
) -> Result<Result<Waited, Error>, ErrorData> {
    // Subscribed before the first query, so that no change is missed in between.
    let news = match desk.news() {
        Ok(news) => news,
        Err(error) => return Ok(Err(error)),
    };
    let mut changed = news.changed();
    let (mut before, mut told) = (None, Instant::now());
    loop {
        changed.mark_unchanged();
        let asked = Arc::clone(desk);
        let waited = match on_a_thread(move || look(&asked, id)).await? {
            Ok(waited) => waited,
            Err(error) => return Ok(Err(error)),
        };
        let is_over = waited.task.state.is_over() || Instant::now() >= end;
        if is_over || desk.is_new(id, waited.asks.as_deref()) {
            return Ok(Ok(waited));
        }
        let next = end.min(Instant::now() + LOOK);
        if before.as_ref() != Some(&waited.task) || told.elapsed() >= LOOK {
            teller.tell(&waited.task).await;
            (before, told) = (Some(waited.task), Instant::now());
        }
        tokio::select! {
            // Without a watcher the channel is closed and this branch is disabled; then only the timer counts.
            Ok(()) = changed.changed() => tokio::time::sleep(BURST).await,
            () = tokio::time::sleep_until(next) => {}
        }
    }
}

fn look(desk: &ToolContext, id: TaskId) -> Result<Waited, Error> {
    let manager = desk.manager()?;
    let task = Permissions(manager).task_within_reach(&desk.place()?, Act::See, id)?;
    let asks = Tasks(manager).what_its_agent_waits_for(&task)?.filter(|_| task.state == TaskState::Running);
    Ok(Waited { task, asks })
}

/// Sends progress notifications to the client if it requested them.
struct Teller {
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    /// The last reported number; each one must be greater than the one before.
    last: f64,
}

impl Teller {
    fn of(context: &RequestContext<RoleServer>) -> Teller {
        let token = context.meta.get_progress_token();
        Teller { to: token.map(|token| (context.peer.clone(), token)), last: -1.0 }
    }

    async fn tell(&mut self, task: &Task) {
        let Some((peer, token)) = &self.to else { return };
        let percent = task.progress.as_ref().map_or(0.0, |progress| f64::from(progress.percent));
        self.last = if percent > self.last { percent } else { self.last + 0.01 };
        let progress = ProgressNotificationParam::new(token.clone(), self.last).with_total(100.0);
        // A client that is gone closes standard input too, which ends the server.
        let _ = peer.notify_progress(progress.with_message(line(task))).await;
    }
}
