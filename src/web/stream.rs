//! Event streams: the list of agents or the screen of one, as server-sent events. A stream ends when its device loses
//! access. Only the newest state is kept for a slow viewer, so nothing piles up.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{Stream, unfold};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::api::{ApiResult, agent_name, run_blocking};
use super::guard::RequestDevice;
use super::screens::SharedScreen;
use super::{WebState, guests};
use crate::manager::WebAccess;

/// Time between two pings. A viewer that gets none for three of them connects again; a connection that acknowledges
/// none is closed by the system.
const PING_INTERVAL: Duration = Duration::from_secs(15);

/// One viewer of a state that changes.
struct Viewer<T> {
    state: Arc<WebState>,
    device: String,
    changes: watch::Receiver<T>,
    device_changes: watch::Receiver<u64>,
    ping_at: Instant,
    /// When the access of the device ends, if it has a limit.
    ends_at: Option<Instant>,
}

/// `GET /api/events`: the list of agents, now and after each change.
pub(super) async fn agents(
    State(state): State<Arc<WebState>>,
    Extension(device): Extension<RequestDevice>,
) -> Response {
    let (changes, grant) = (state.agents.clone(), device.0.grant.clone());
    stream(state, device, changes, move |list: &Option<Arc<str>>| {
        let event = Event::default().event("agents");
        list.as_ref().map(|list| match &grant {
            Some(grant) => event.data(guests::filtered(list, grant)),
            None => event.data(&**list),
        })
    })
}

/// `GET …/screen/events`: the screen of an agent, now and after each change.
pub(super) async fn screen(
    State(state): State<Arc<WebState>>,
    Extension(device): Extension<RequestDevice>,
    Path(name): Path<String>,
) -> ApiResult {
    let name = agent_name(&name)?;
    let shared = Arc::clone(&state);
    let changes = run_blocking(move || shared.screens.follow(&name)).await?;
    Ok(stream(state, device, changes, |screen: &SharedScreen| {
        Some(match screen.as_ref()? {
            Ok(screen) => Event::default().event("screen").data(&**screen),
            Err(why) => Event::default().event("gone").data(why.lines().next().unwrap_or_default()),
        })
    }))
}

fn stream<T: Send + Sync + 'static>(
    state: Arc<WebState>,
    RequestDevice(device): RequestDevice,
    mut changes: watch::Receiver<T>,
    event: impl Fn(&T) -> Option<Event> + Clone + Send + 'static,
) -> Response {
    // The current state is the first event.
    changes.mark_changed();
    let mut device_changes = state.device_changes.clone();
    // A revocation between the check of the request and this line is not missed.
    device_changes.mark_changed();
    let left = device.grant.map(|grant| grant.expires_at.duration_since(state.context.now()));
    let ends_at = left.map(|left| Instant::now() + Duration::try_from(left).unwrap_or_default());
    let ping_at = Instant::now() + PING_INTERVAL;
    let viewer = Viewer { state, device: device.id, changes, device_changes, ping_at, ends_at };
    let events: Pin<Box<dyn Stream<Item = Result<Event, Infallible>> + Send>> =
        Box::pin(unfold(viewer, move |viewer| next(viewer, event.clone())));
    // A proxy such as nginx would otherwise collect events before it passes them on.
    ([("x-accel-buffering", "no")], Sse::new(events)).into_response()
}

/// Waits until the access of a device ends; never returns if it has no limit.
async fn end_of_access(ends_at: Option<Instant>) {
    match ends_at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Waits for the next event of a viewer. Ends the stream if its device was revoked, its access has expired or the server ends.
async fn next<T>(
    mut viewer: Viewer<T>,
    event: impl Fn(&T) -> Option<Event>,
) -> Option<(Result<Event, Infallible>, Viewer<T>)> {
    loop {
        tokio::select! {
            // A revocation comes first: nothing is sent after it.
            biased;
            changed = viewer.device_changes.changed() => {
                changed.ok()?;
                let (state, device) = (Arc::clone(&viewer.state), viewer.device.clone());
                let is_paired = run_blocking(move || Ok(WebAccess(&state.context).has_device(&device))).await;
                if !is_paired.unwrap_or(false) {
                    return None;
                }
            }
            () = end_of_access(viewer.ends_at) => return None,
            changed = viewer.changes.changed() => {
                changed.ok()?;
                let found = event(&viewer.changes.borrow_and_update());
                if let Some(found) = found {
                    return Some((Ok(found), viewer));
                }
            }
            () = sleep_until(viewer.ping_at) => {
                viewer.ping_at = Instant::now() + PING_INTERVAL;
                return Some((Ok(Event::default().comment("ping")), viewer));
            }
        }
    }
}
