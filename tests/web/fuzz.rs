//! Random requests through the real socket: the server stays alive, and answers none of them without the secret.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::Server;
use crate::support::TestEnv;

/// Number of random requests.
const CASES: u32 = 300;
/// Growth of the memory of the server that is not a leak: 300 requests of up to 16 KiB, and the arenas of its threads.
const MAX_GROWTH_KIB: u64 = 40 * 1024;

/// Returns the memory of the server in KiB.
pub(super) fn memory_of(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.split_whitespace().next().and_then(|size| size.parse().ok()).expect("a number")
}

/// Bytes that are often no request at all.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..600)
}

fn any_path() -> impl Strategy<Value = String> {
    let part =
        prop_oneof!["[!-~]{0,12}", Just("api".to_owned()), Just("agents".into()), Just("%2e%2e".into())];
    let random = prop::collection::vec(part, 0..6).prop_map(|parts| format!("/{}", parts.join("/")));
    prop_oneof![
        3 => random,
        1 => prop::sample::select(vec!["/api/agents", "/api/events", "/api/pair", "/api/agents/a/terminal/events", "/api/agents/a/terminal/type", "*", "http://evil.example/api/agents"])
            .prop_map(str::to_owned),
    ]
}

fn any_header() -> impl Strategy<Value = (String, Vec<u8>)> {
    let name = prop_oneof![
        2 => prop::sample::select(vec![
            "origin", "cookie", "x-symposium-key", "content-length", "transfer-encoding", "connection", "upgrade", "host",
            "expect", "content-type",
        ]).prop_map(str::to_owned),
        1 => "[!-9;-~]{1,20}",
    ];
    let value = prop_oneof![
        "[ -~]{0,40}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..40),
        prop::sample::select(vec![
            "chunked",
            "-1",
            "99999999999",
            "websocket",
            "close",
            "symposium-device-1=x"
        ])
        .prop_map(|value| value.as_bytes().to_vec()),
    ];
    (name, value)
}

/// A request with the right host, so that it gets past the first check.
fn any_request(host: String) -> impl Strategy<Value = Vec<u8>> {
    let method = prop_oneof![3 => prop::sample::select(vec!["GET", "POST", "HEAD", "PUT"]).prop_map(str::to_owned), 1 => "[A-Z]{1,9}"];
    let headers = prop::collection::vec(any_header(), 0..8);
    (method, any_path(), headers, any_bytes()).prop_map(move |(method, path, headers, body)| {
        let mut bytes = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\n").into_bytes();
        for (name, value) in headers {
            bytes.extend(name.into_bytes());
            bytes.extend(b": ");
            bytes.extend(value);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"\r\n");
        bytes.extend(body);
        bytes
    })
}

/// Sends bytes and returns all that the server answers.
fn answer(server: &Server, bytes: &[u8]) -> String {
    let mut stream: TcpStream = server.connect();
    // The server may close the connection before it has read everything.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn random_requests_get_nothing_and_do_not_harm_the_server() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    assert_eq!(server.send(&server.request("GET", "/")).status, 200);
    let before = memory_of(&server);
    let requests = prop_oneof![1 => any_bytes(), 4 => any_request(server.host.clone())];
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&requests, |bytes| {
        let answer = answer(&server, &bytes);
        let served = answer.starts_with("HTTP/1.1 2") || answer.contains("\nHTTP/1.1 2");
        // The files of the page are public.
        let is_public = answer.contains("cache-control: no-cache");
        prop_assert!(!served || is_public, "{}\n{answer}", String::from_utf8_lossy(&bytes));
        prop_assert!(!answer.starts_with("HTTP/1.1 5"), "{answer}");
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let device = server.paired(&env, "phone");
    assert_eq!(server.send(&server.get(&device, "/api/agents")).status, 200, "it still serves");
    let growth = memory_of(&server).saturating_sub(before);
    assert!(growth < MAX_GROWTH_KIB, "{growth} KiB more");
}
