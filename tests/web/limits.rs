//! What a client can make the server hold is limited.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use super::Server;
use crate::support::TestEnv;

/// Limit on the memory of the server with 21 viewers of a flood in KiB, far above what one state for each of them takes.
const MAX_MEMORY_KIB: u64 = 100 * 1024;

/// Reads until the server closes the connection.
fn read_all(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    // A connection that is closed while the client still writes may be reset.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_large_body_is_refused() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let fits = json!({ "text": "x".repeat(200 * 1024) });
    assert_eq!(server.send(&server.post(&device, "/api/agents/a/tasks", &fits)).status, 404);
    let request = server.post(&device, "/api/agents/a/tasks", &json!({ "text": "x".repeat(300 * 1024) }));
    let mut stream = server.connect();
    let _ = stream.write_all(request.with("connection", "close").text().as_bytes());
    let answer = read_all(stream);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[test]
fn a_large_head_is_refused() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let mut stream = server.connect();
    let _ =
        stream.write_all(server.request("GET", "/").with("x-long", &"x".repeat(64 * 1024)).text().as_bytes());
    let answer = read_all(stream);
    assert!(!answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(server.send(&server.request("GET", "/")).status, 200, "others are served");
}

#[test]
fn broken_requests_do_not_end_the_server() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    for bytes in [
        &b"\x00\xff\xfe"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/pair HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST /api/pair HTTP/1.1\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\nzz\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = server.connect();
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        assert!(!read_all(stream).starts_with("HTTP/1.1 200 "));
    }
    for body in ["", "{", "[]", "null", "{\"text\":1}", "{\"text\":\"x\",\"more\":1}"] {
        let request =
            super::Request { body: body.into(), ..server.post(&device, "/api/agents/a/prompt", &json!({})) };
        let status = server.send(&request).status;
        assert!((400..500).contains(&status), "{body}: {status}");
    }
    for path in [
        "/api/agents/%2e%2e/recap",
        "/api/agents/..%2f..%2fx/recap",
        "/api/agents/%00/recap",
        "/api/tasks/x/cancel",
    ] {
        let status = server.send(&server.get(&device, path)).status;
        assert!((400..500).contains(&status), "{path}: {status}");
    }
    assert_eq!(server.send(&server.get(&device, "/api/agents")).status, 200);
}

#[test]
fn a_viewer_that_reads_nothing_makes_the_server_hold_one_state() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    // Each line differs, so that each screen is a new state.
    let script = "i=0; while [ $i -lt 40000 ]; do echo \"$i xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"; \
                  i=$((i + 1)); done; echo the end; exec sleep 1000";
    env.symposium(["agent", "spawn", "--name", "a", "--", "sh", "-c", script]).ok();
    let path = "/api/agents/a/screen/events";
    let stalled: Vec<_> = (0..20).map(|_| server.stream(&device, path)).collect();
    let mut reader = server.stream(&device, path);
    reader.until("screen", |screen| screen.to_string().contains("the end"));
    let memory = super::fuzz::memory_of(&server);
    assert!(memory < MAX_MEMORY_KIB, "{memory} KiB");
    drop(stalled);
    assert_eq!(server.send(&server.get(&device, "/api/agents")).status, 200);
}
