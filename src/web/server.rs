//! Accepts connections. Number, time and size of everything that a client can make the server hold are limited here.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::signal::unix::{SignalKind, signal};

use super::connections::{ClientConnection, ConnectionSlot, ConnectionTable};
use super::tls::TlsPort;
use super::{WebState, base_path, router};
use crate::error::Error;

/// How long a client may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of the head of a request in bytes, and what is read ahead of a body.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Maximum number of header fields of a request.
const MAX_HEADERS: usize = 64;
/// How long sent data, such as the ping of a stream, may stay unacknowledged before the connection is closed.
const UNACKNOWLEDGED_MS: u32 = 45_000;
/// Pause after a connection could not be accepted, for example because no file descriptor is free.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Opens the port.
pub(super) fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    let listener =
        TcpListener::bind(address).map_err(Error::io(format!("cannot listen on {address}"))).map_err(
            |error| error.hint("choose another port with `--listen 127.0.0.1:PORT`; 0 takes a free one"),
        )?;
    listener.set_nonblocking(true).map_err(Error::io("cannot prepare the port"))?;
    Ok(listener)
}

/// What all connections share.
struct Port {
    state: Arc<WebState>,
    service: TowerToHyperService<Router>,
    tls: Option<TlsPort>,
}

/// Serves connections until the process is asked to end.
pub(super) async fn serve(
    listener: TcpListener,
    state: &Arc<WebState>,
    tls: Option<TlsPort>,
) -> Result<(), Error> {
    let listener = tokio::net::TcpListener::from_std(listener).map_err(Error::io("cannot use the port"))?;
    let service = TowerToHyperService::new(router::router(Arc::clone(state)));
    let port = Arc::new(Port { state: Arc::clone(state), service, tls });
    let table = ConnectionTable::default();
    let ending = |kind| signal(kind).map_err(Error::io("cannot handle signals"));
    let (mut interrupt, mut terminate) = (ending(SignalKind::interrupt())?, ending(SignalKind::terminate())?);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = interrupt.recv() => return Ok(()),
            _ = terminate.recv() => return Ok(()),
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        // A connection beyond the limit is closed at once instead of waiting for a slot.
        if let Some(slot) = table.add() {
            tokio::spawn(answer(stream, slot, Arc::clone(&port)));
        }
    }
}

/// Answers a connection until its end, after its handshake if connections are encrypted.
async fn answer(stream: TcpStream, slot: ConnectionSlot, port: Arc<Port>) {
    prepare(&stream);
    let connection = &slot.connection;
    let Some(tls) = &port.tls else { return answer_requests(stream, connection, &port).await };
    connection.begin_exchange();
    let encrypted = tokio::select! {
        encrypted = tls.handshake(stream) => encrypted,
        () = connection.expired() => None,
    };
    connection.end_exchange();
    if let Some(stream) = encrypted {
        answer_requests(stream, connection, &port).await;
    }
}

/// Answers the requests of a connection.
async fn answer_requests<S>(stream: S, connection: &Arc<ClientConnection>, port: &Port)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let counted = service_fn(|mut request: Request<Incoming>| {
        connection.begin_exchange();
        base_path::remove(request.uri_mut(), port.state.hosts.base_path());
        request.extensions_mut().insert(Arc::clone(connection));
        let response = port.service.call(request);
        async {
            let response = response.await;
            connection.end_exchange();
            response
        }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS);
    tokio::select! {
        // A client that breaks the protocol or leaves is no error of the server.
        _ = builder.serve_connection(TokioIo::new(stream), counted) => {}
        () = connection.expired() => {}
    }
}

/// Sets the options of a connection. Without them it still works, but a lost client is noticed late.
fn prepare(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    let _ = rustix::net::sockopt::set_tcp_user_timeout(stream, UNACKNOWLEDGED_MS);
}
