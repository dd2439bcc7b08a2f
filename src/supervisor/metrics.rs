//! Serves metrics to whoever may connect to the address that was given; nothing else is answered.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

use tiny_http::{Header, Method, Response, Server};

use crate::error::Error;
use crate::manager::Manager;

/// Begins to serve, in a thread of its own.
pub(super) fn serve(manager: Arc<Manager>, address: SocketAddr) -> Result<(), Error> {
    let failed = |source| Error::Io {
        what: format!("cannot serve metrics on {address}"),
        source: std::io::Error::other(format!("{source}")),
    };
    let server = Server::http(address).map_err(failed)?;
    let serving = move || {
        for request in server.incoming_requests() {
            let is_asked = *request.method() == Method::Get && request.url() == "/metrics";
            let (status, text) = match is_asked.then(|| manager.metrics()) {
                None => (404, "only /metrics is here\n".to_owned()),
                Some(Ok(text)) => (200, text),
                Some(Err(error)) => (503, format!("{error}\n")),
            };
            let kind = Header::from_bytes("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            let mut response = Response::from_string(text).with_status_code(status);
            if let Ok(kind) = kind {
                response.add_header(kind);
            }
            let _ = request.respond(response);
        }
    };
    thread::Builder::new()
        .name("metrics".into())
        .spawn(serving)
        .map_err(Error::io("cannot serve metrics"))?;
    Ok(())
}
