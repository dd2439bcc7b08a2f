//! `symposium metrics` and `supervisor run --metrics`: numbers for Prometheus.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use super::{agent, spawned, wait_for};
use crate::support::TestEnv;

#[test]
fn agents_and_transitions_are_counted() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "hello"]);
    wait_for(&env, "a", "idle");
    spawned(&env, &["--name", "b", "--", "sleep", "1000"]);
    agent(&env, &["kill", "b"]).ok();
    let text = env.symposium(["metrics"]).ok().stdout;
    for line in [
        "symposium_agents{status=\"idle\"} 1",
        "symposium_agents{status=\"stopped\"} 1",
        "symposium_agents{status=\"crashed\"} 0",
        "symposium_transitions_total{to=\"stopped\"} 1",
    ] {
        assert!(text.lines().any(|l| l == line), "{line} is missing:\n{text}");
    }
}

#[test]
fn a_supervisor_serves_them_and_nothing_else() {
    let env = TestEnv::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let _terminal = env.terminal([env.binary(), "supervisor", "run", "--metrics", &free.to_string()]);
    let get = |path: &str| {
        let mut stream = TcpStream::connect(free).ok()?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        Some(text)
    };
    env.wait_until("it serves", || get("/metrics").is_some_and(|text| text.contains("symposium_agents{")));
    assert!(get("/").unwrap().starts_with("HTTP/1.1 404"));
}
