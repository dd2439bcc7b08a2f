//! wait_task: waits without holding a thread, tells of progress when the client asked for it, and never for longer than
//! it was given.

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

use super::desk::Desk;
use super::server::on_a_thread;
use super::tasks::{card, line, view};
use super::tool::{Outcome, Said, arguments};
use crate::error::Error;
use crate::model::{Task, TaskId};
use crate::rules::place::Act;

/// How long it waits when nothing else is said.
const DEFAULT_S: u64 = 600;
/// No client waits longer for a tool.
const LONGEST_S: u64 = 3600;
/// A change that nothing told of is seen after this. Progress is told as often: clients give up on what is silent, the
/// official ones after 60 s.
const LOOK: Duration = Duration::from_secs(15);
/// A burst of changes is one reason to look.
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

/// Waits until the task is over, the time is up or nobody wants to know any more.
pub(super) async fn wait(
    desk: Arc<Desk>,
    given: JsonObject,
    context: &RequestContext<RoleServer>,
    mut is_over: watch::Receiver<bool>,
) -> Result<Outcome, ErrorData> {
    let given: Arguments = arguments("wait_task", given)?;
    let patience = Duration::from_secs(given.timeout_s.unwrap_or(DEFAULT_S).min(LONGEST_S));
    let end = Instant::now() + patience;
    let mut teller = Teller::of(context);
    let waited = tokio::select! {
        waited = until_over(&desk, TaskId(given.id), end, &mut teller) => waited?,
        () = context.ct.cancelled() => return Err(ErrorData::internal_error("the wait was cancelled", None)),
        // Whoever says no more may still listen: it is told how things stand.
        () = async { drop(is_over.wait_for(|over| *over).await) } => {
            until_over(&desk, TaskId(given.id), Instant::now(), &mut teller).await?
        }
    };
    Ok(waited.map(|task| told(&task, patience)))
}

fn told(task: &Task, patience: Duration) -> Said {
    let over = task.state.is_over();
    let mut text = card(task);
    if !over {
        text.push_str(&format!(
            "\nnot over within {} s; call `wait_task` again to wait on",
            patience.as_secs()
        ));
    }
    Said { text, data: json!({ "over": over, "task": view(task) }) }
}

/// The task when it is over, or as it is when the time is up.
async fn until_over(
    desk: &Arc<Desk>,
    id: TaskId,
    end: Instant,
    teller: &mut Teller,
) -> Result<Result<Task, Error>, ErrorData> {
    // Before the first look: nothing that happens meanwhile is missed.
    let news = match desk.news() {
        Ok(news) => news,
        Err(error) => return Ok(Err(error)),
    };
    let mut changed = news.changed();
    loop {
        changed.mark_unchanged();
        let asked = Arc::clone(desk);
        let look = move || asked.manager()?.task_within_reach(&asked.place()?, Act::See, id);
        let task = match on_a_thread(look).await? {
            Ok(task) => task,
            Err(error) => return Ok(Err(error)),
        };
        if task.state.is_over() || Instant::now() >= end {
            return Ok(Ok(task));
        }
        teller.tell(&task).await;
        let next = end.min(Instant::now() + LOOK);
        tokio::select! {
            // Without a watch this ends at once and for ever: then only the clock counts.
            Ok(()) = changed.changed() => tokio::time::sleep(BURST).await,
            () = tokio::time::sleep_until(next) => {}
        }
    }
}

/// Tells the client how far a task is, when it wants to know.
struct Teller {
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    /// Each number must be greater than the one before.
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
        // A client that is gone closes our input too.
        let _ = peer.notify_progress(progress.with_message(line(task))).await;
    }
}
