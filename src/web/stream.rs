//! Event streams: the list of agents, or the screen or terminal of one, as server-sent events. A stream ends when its device loses
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

use super::api::{ApiResult, agent_name, hosts, run_blocking};
use super::guard::RequestDevice;
use super::hosts::lists::SharedHosts;
use super::screens::{ScreenKey, SharedScreen};
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
    /// The last event about recent devices, for streams that have such events.
    recent_devices: Option<String>,
    /// The agents of other hosts, for streams that have such events.
    hosts: Option<watch::Receiver<SharedHosts>>,
}

/// `GET /api/events`: the list of agents, those of other hosts, and devices that were paired recently, now and after each
/// change.
pub(super) async fn agents(
    State(state): State<Arc<WebState>>,
    Extension(device): Extension<RequestDevice>,
) -> Response {
    let (changes, grant) = (state.agents.clone(), device.0.grant.clone());
    // Guests see no other device and no other host.
    let recent_devices = grant.is_none().then(|| "[]".to_owned());
    let mut hosts = grant.is_none().then(|| state.host_lists.follow().ok()).flatten();
    hosts.iter_mut().for_each(watch::Receiver::mark_changed);
    let viewer = Viewer { recent_devices, hosts, ..Viewer::new(state, device, changes) };
    stream(viewer, move |list: &Option<Arc<str>>| {
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
    screen_events(state, device, (None, agent_name(&name)?)).await
}

/// `GET …/screen/events` of an agent on another host.
pub(super) async fn remote_screen(
    State(state): State<Arc<WebState>>,
    Extension(device): Extension<RequestDevice>,
    Path((host, name)): Path<(String, String)>,
) -> ApiResult {
    let (host, name) = hosts::parsed(&host, &name)?;
    screen_events(state, device, (Some(host), name)).await
}

async fn screen_events(state: Arc<WebState>, device: RequestDevice, key: ScreenKey) -> ApiResult {
    let shared = Arc::clone(&state);
    let changes = run_blocking(move || shared.screens.follow(&key)).await?;
    Ok(stream(Viewer::new(state, device, changes), |screen: &SharedScreen| {
        Some(match screen.as_ref()? {
            Ok(screen) => Event::default().event("screen").data(&**screen),
            Err(why) => Event::default().event("gone").data(why.lines().next().unwrap_or_default()),
        })
    }))
}

/// `GET …/terminal/events`: the screen of an agent for an emulator, and what the agent prints.
pub(super) async fn terminal(
    State(state): State<Arc<WebState>>,
    Extension(device): Extension<RequestDevice>,
    Path(name): Path<String>,
) -> ApiResult {
    let name = agent_name(&name)?;
    let (shared, id) = (Arc::clone(&state), device.0.id.clone());
    let (terminal, nudged) = run_blocking(move || shared.terminals.join(&name, &id)).await?;
    Ok(stream(Viewer::new(state, device, nudged), move |_: &u64| terminal.next_event()))
}

impl<T> Viewer<T> {
    fn new(
        state: Arc<WebState>,
        RequestDevice(device): RequestDevice,
        mut changes: watch::Receiver<T>,
    ) -> Viewer<T> {
        // The current state is the first event.
        changes.mark_changed();
        let mut device_changes = state.device_changes.clone();
        // A revocation between the check of the request and this line is not missed.
        device_changes.mark_changed();
        let left = device.grant.map(|grant| grant.expires_at.duration_since(state.context.now()));
        let ends_at = left.map(|left| Instant::now() + Duration::try_from(left).unwrap_or_default());
        let ping_at = Instant::now() + PING_INTERVAL;
        let (recent_devices, hosts) = (None, None);
        Viewer { state, device: device.id, changes, device_changes, ping_at, ends_at, recent_devices, hosts }
    }

    /// Returns the event about recent devices if it differs from the last one, or an error if this device has no access
    /// any more.
    async fn device_event(&mut self) -> Result<Option<Event>, AccessEnded> {
        let (state, device) = (Arc::clone(&self.state), self.device.clone());
        let lookup = move || WebAccess(&state.context).recent_devices(&state.admitted, &device);
        let recent = run_blocking(lookup).await.ok().flatten().ok_or(AccessEnded)?;
        let Some(last) = &mut self.recent_devices else { return Ok(None) };
        let text = serde_json::to_string(&recent).unwrap_or_default();
        if *last == text {
            return Ok(None);
        }
        last.clone_from(&text);
        Ok(Some(Event::default().event("devices").data(text)))
    }
}

/// The device of a viewer was revoked, or its access has expired.
#[derive(Debug)]
struct AccessEnded;

fn stream<T: Clone + Send + Sync + 'static>(
    viewer: Viewer<T>,
    event: impl Fn(&T) -> Option<Event> + Clone + Send + 'static,
) -> Response {
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

/// Waits for the next lists of other hosts; never returns for a stream without them.
async fn host_lists(hosts: &mut Option<watch::Receiver<SharedHosts>>) -> SharedHosts {
    if let Some(hosts) = hosts
        && hosts.changed().await.is_ok()
    {
        return hosts.borrow_and_update().clone();
    }
    std::future::pending().await
}

/// Waits for the next event of a viewer. Ends the stream if its device was revoked, its access has expired or the server ends.
async fn next<T: Clone>(
    mut viewer: Viewer<T>,
    event: impl Fn(&T) -> Option<Event>,
) -> Option<(Result<Event, Infallible>, Viewer<T>)> {
    loop {
        tokio::select! {
            // A revocation comes first: nothing is sent after it.
            biased;
            changed = viewer.device_changes.changed() => {
                changed.ok()?;
                if let Some(event) = viewer.device_event().await.ok()? {
                    return Some((Ok(event), viewer));
                }
            }
            () = end_of_access(viewer.ends_at) => return None,
            changed = viewer.changes.changed() => {
                changed.ok()?;
                // The state is not borrowed while the event is made: that may change the state.
                let current = viewer.changes.borrow_and_update().clone();
                if let Some(found) = event(&current) {
                    return Some((Ok(found), viewer));
                }
            }
            lists = host_lists(&mut viewer.hosts) => {
                if let Some(lists) = lists {
                    return Some((Ok(Event::default().event("hosts").data(&*lists)), viewer));
                }
            }
            () = sleep_until(viewer.ping_at) => {
                viewer.ping_at = Instant::now() + PING_INTERVAL;
                return Some((Ok(Event::default().comment("ping")), viewer));
            }
        }
    }
}
