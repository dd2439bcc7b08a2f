//! Connections of local processes without a secret do not lock out the owner.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::{Server, Stream};
use crate::support::TestEnv;

/// Maximum number of connections of the server.
pub(super) const MAX_CONNECTIONS: usize = 128;

/// Reads until the server closes the connection.
fn read_all(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    // A connection that is closed while the client still writes may be reset.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_connection_without_a_secret_is_closed_soon() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let (silent, mut unfinished, mut answered) = (server.connect(), server.connect(), server.connect());
    unfinished.write_all(b"GET / HTTP/1.1\r\nhost: ").expect("it listens");
    answered.write_all(server.request("GET", "/").text().as_bytes()).expect("it listens");
    let begun = Instant::now();
    let texts = [silent, unfinished, answered].map(read_all);
    // The time limit is two seconds; an idle connection with a secret stays open for ten.
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert!(texts[2].starts_with("HTTP/1.1 200 "), "{texts:?}");
}

#[test]
fn idle_connections_make_room_for_the_owner() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let mut stream = server.stream(&device, "/api/events");
    assert!(stream.next("agents").is_some());
    let held: Vec<TcpStream> = (0..3 * MAX_CONNECTIONS).map(|_| server.connect()).collect();
    assert_eq!(server.send(&server.get(&device, "/api/agents")).status, 200);
    super::spawned(&env, "a", None, "idle");
    stream.until("agents", |list| list["agents"][0]["name"] == "a");
    drop(held);
}

#[test]
fn devices_cannot_hold_more_connections_than_the_limit() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let streams: Vec<Stream> = (0..MAX_CONNECTIONS).map(|_| server.stream(&device, "/api/events")).collect();
    assert_eq!(read_all(server.connect()), "");
    drop(streams);
    env.wait_until("a connection is free again", || {
        let mut stream = server.connect();
        let _ = stream.write_all(server.request("GET", "/").with("connection", "close").text().as_bytes());
        read_all(stream).starts_with("HTTP/1.1 200 ")
    });
}
