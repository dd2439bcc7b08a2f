//! Checks every request before a handler sees it: host, origin, method, size and the secret of a device. Sets the
//! headers of every response, also of a refused one.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY, UPGRADE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::connections::ClientConnection;
use super::{WebState, assets, credentials, guests};
use crate::manager::WebAccess;
use crate::model::WebDevice;
use crate::web::api::{Refusal, refusal, run_blocking};

/// Maximum size of a body in bytes: a long prompt fits.
const MAX_BODY_BYTES: usize = 256 * 1024;
/// How long a client may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// The path that needs no secret of a device, because it hands one out.
pub(super) const PAIR_PATH: &str = "/api/pair";
/// The path of answers in notices. A token in the body is the proof; the app of a service sends no origin.
pub(super) const NOTICE_ANSWER_PATH: &str = "/api/notices/answer";

/// Scripts, styles and images come from this server only; no page may embed this one.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The headers of every response.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "no-referrer"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
];

/// The device that sent a request, for handlers of long answers.
#[derive(Debug, Clone)]
pub(super) struct RequestDevice(pub(super) WebDevice);

/// Passes a request on if it may be answered.
pub(super) async fn check(State(state): State<Arc<WebState>>, request: Request, next: Next) -> Response {
    let mut response = match admit(&state, request).await {
        Ok(request) => next.run(request).await,
        Err(refused) => refused.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Returns the request with its whole body and its device, or the reason why it is refused.
async fn admit(state: &Arc<WebState>, request: Request) -> Result<Request, Refusal> {
    check_headers(state, &request)?;
    let path = request.uri().path();
    let (needs_secret, is_read) = (needs_secret(state, path), is_read(request.method()));
    let (mut parts, body) = request.into_parts();
    if needs_secret {
        let device = device_of(state, &parts.headers).await?;
        if let Some(connection) = parts.extensions.get::<Arc<ClientConnection>>() {
            connection.note_device(&device);
        }
        guests::check(state, &device, &parts).await?;
        parts.extensions.insert(RequestDevice(device));
    }
    // A body is read only after the request has proved its right.
    let body = if is_read { Body::empty() } else { whole(body).await? };
    Ok(Request::from_parts(parts, body))
}

pub(super) fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

fn needs_secret(state: &WebState, path: &str) -> bool {
    ![PAIR_PATH, NOTICE_ANSWER_PATH].contains(&path)
        && !assets::is_asset(path)
        && !state.hosts.base_path().lacks_slash(path)
}

/// Checks host, method and origin.
fn check_headers(state: &WebState, request: &Request) -> Result<(), Refusal> {
    let headers = request.headers();
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
    let origin = state.hosts.origin_of(host).filter(|_| hosts.next().is_none());
    let Some(origin) = origin else {
        return Err(refusal(StatusCode::MISDIRECTED_REQUEST, "host", "this host name is not served here"));
    };
    let is_read = is_read(request.method());
    if !is_read && request.method() != Method::POST {
        return Err(refusal(StatusCode::METHOD_NOT_ALLOWED, "method", "only GET and POST are supported"));
    }
    let given = headers.get(ORIGIN).map(|given| given.as_bytes() == origin.as_bytes());
    let is_notice_answer = request.uri().path() == NOTICE_ANSWER_PATH;
    let needs_origin = !is_read && !is_notice_answer || headers.contains_key(UPGRADE);
    let is_accepted = given.unwrap_or(!needs_origin);
    if !is_accepted || is_from_elsewhere(headers, request.uri().path()) {
        return Err(refusal(StatusCode::FORBIDDEN, "origin", "the request does not come from this page"));
    }
    Ok(())
}

/// Checks what a browser says about the page that caused a request for data. Another port counts as elsewhere. Opening
/// the page itself from another site is permitted.
fn is_from_elsewhere(headers: &HeaderMap, path: &str) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    path.starts_with("/api/") && site.is_some_and(|site| site != b"same-origin" && site != b"none")
}

/// Returns the device whose secret the request carries.
async fn device_of(state: &Arc<WebState>, headers: &HeaderMap) -> Result<WebDevice, Refusal> {
    let refused = || refusal(StatusCode::UNAUTHORIZED, "device", "this device is not paired");
    let secret = credentials::secret_of(headers, &state.hosts).ok_or_else(refused)?;
    let shared = Arc::clone(state);
    let lookup =
        move || WebAccess(&shared.context).device_with(&shared.admitted, &secret.cookie, &secret.key);
    run_blocking(lookup).await?.ok_or_else(refused)
}

/// Reads a body up to the limits.
async fn whole(body: Body) -> Result<Body, Refusal> {
    match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY_BYTES)).await {
        Ok(Ok(bytes)) => Ok(Body::from(bytes)),
        Ok(Err(_)) => Err(refusal(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body",
            "the body is larger than 256 KiB or incomplete",
        )),
        Err(_) => Err(refusal(StatusCode::REQUEST_TIMEOUT, "body", "the body did not arrive in time")),
    }
}
