//! Serves metrics over HTTP: one thread, a bounded number of connections, one request each.
//!
//! Every local user can connect, and a web page can make a browser connect. Slow or hostile clients cost at most
//! [`MAX_CONNECTIONS`] file descriptors, and no failure here ends the thread or the supervisor.

mod request;

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::error::Error;
use crate::manager::Context;
use crate::manager::Diagnostics;
use request::{MAX_HEAD_BYTES, RequestDecision, decide};

/// Maximum number of simultaneous connections. One more closes the oldest connection.
const MAX_CONNECTIONS: usize = 8;
/// Time limit for a client to send its request, and again to read the answer.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(2);
/// The pause after a failed `accept`, which would fail again at once while no file descriptor is free.
const ACCEPT_RETRY: Duration = Duration::from_millis(200);

/// Binds the address and serves metrics in a separate thread.
pub(super) fn serve(manager: Arc<Context>, address: SocketAddr) -> Result<(), Error> {
    let cannot_serve = || Error::io(format!("cannot serve metrics on {address}"));
    let listener = TcpListener::bind(address).map_err(cannot_serve())?;
    listener.set_nonblocking(true).map_err(cannot_serve())?;
    let mut server = MetricsServer { listener, connections: Vec::new(), own_name: own_name() };
    let metrics = move || Diagnostics(&manager).metrics();
    thread::Builder::new()
        .name("metrics".into())
        .spawn(move || {
            loop {
                server.serve_ready_clients(&metrics);
            }
        })
        .map_err(cannot_serve())?;
    Ok(())
}

/// The listening socket and the clients whose requests are being read.
struct MetricsServer {
    listener: TcpListener,
    /// The open connections, oldest first.
    connections: Vec<Connection>,
    own_name: String,
}

/// A client that has not sent its complete request yet.
struct Connection {
    stream: TcpStream,
    head: Vec<u8>,
    deadline: Instant,
}

impl MetricsServer {
    /// Waits until a client connects, sends data or exceeds its time limit, and serves the clients that are ready.
    fn serve_ready_clients(&mut self, metrics: &dyn Fn() -> Result<String, Error>) {
        if let Err(error) = self.wait() {
            tracing::warn!(%error, "metrics: waiting for clients failed");
            thread::sleep(ACCEPT_RETRY);
        }
        self.accept();
        let own_name = &self.own_name;
        self.connections.retain_mut(|connection| match connection.read(own_name) {
            // The deadline is checked only after reading, because an answer to another client may take seconds.
            Ok(RequestDecision::ReadMore) => connection.deadline > Instant::now(),
            Ok(decision) => {
                let _ = connection.answer(decision, metrics);
                false
            }
            Err(_) => false,
        });
    }

    fn wait(&self) -> io::Result<()> {
        let soonest = self.connections.iter().map(|connection| connection.deadline).min();
        let timeout = soonest.map(|at| at.saturating_duration_since(Instant::now()));
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let mut waiting_for = vec![PollFd::new(&self.listener, PollFlags::IN)];
        let streams = self.connections.iter().map(|connection| &connection.stream);
        waiting_for.extend(streams.map(|stream| PollFd::new(stream, PollFlags::IN)));
        match poll(&mut waiting_for, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn accept(&mut self) {
        match self.listener.accept() {
            Ok((stream, _)) => {
                if self.connections.len() >= MAX_CONNECTIONS {
                    self.connections.remove(0);
                }
                if stream.set_nonblocking(true).is_ok() {
                    let deadline = Instant::now() + CLIENT_TIMEOUT;
                    self.connections.push(Connection { stream, head: Vec::new(), deadline });
                }
            }
            Err(error) if is_routine(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "metrics: a connection could not be accepted");
                // Frees a file descriptor for the next client.
                if !self.connections.is_empty() {
                    self.connections.remove(0);
                }
                thread::sleep(ACCEPT_RETRY);
            }
        }
    }
}

impl Connection {
    /// Reads the available data. It is an error if the client closes its side before its request is complete.
    fn read(&mut self, own_name: &str) -> io::Result<RequestDecision> {
        let mut buffer = [0; MAX_HEAD_BYTES];
        let room = MAX_HEAD_BYTES.saturating_sub(self.head.len());
        match self.stream.read(&mut buffer[..room]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => self.head.extend(&buffer[..count]),
            Err(error) if is_routine(&error) => return Ok(RequestDecision::ReadMore),
            Err(error) => return Err(error),
        }
        Ok(decide(&self.head, own_name))
    }

    fn answer(
        &mut self,
        decision: RequestDecision,
        metrics: &dyn Fn() -> Result<String, Error>,
    ) -> io::Result<()> {
        let (status, body) = match decision {
            RequestDecision::Metrics => match metrics() {
                Ok(text) => ("200 OK", text),
                Err(error) => ("503 Service Unavailable", format!("{error}\n")),
            },
            RequestDecision::NotFound => ("404 Not Found", "only /metrics is served\n".into()),
            RequestDecision::WrongHost => ("403 Forbidden", "the Host header names another machine\n".into()),
            RequestDecision::ReadMore | RequestDecision::Malformed => {
                ("400 Bad Request", "not an HTTP request\n".into())
            }
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        // An answer has a few kilobytes and fits into the socket's buffer; the timeout bounds the rest.
        self.stream.set_nonblocking(false)?;
        self.stream.set_write_timeout(Some(CLIENT_TIMEOUT))?;
        self.stream.write_all((head + &body).as_bytes())?;
        self.stream.shutdown(Shutdown::Write)
    }
}

/// Returns whether an error only means that there is nothing to do yet, or that a client disconnected.
fn is_routine(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, Interrupted, WouldBlock};
    matches!(error.kind(), WouldBlock | Interrupted | ConnectionAborted)
}

fn own_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
