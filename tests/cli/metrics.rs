//! `symposium metrics` and `supervisor run --metrics`: metrics for Prometheus.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use crate::support::TestEnv;

/// Sends a request for a path with a `Host` header, and returns the whole answer.
fn get(address: SocketAddr, path: &str, host: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    Some(text)
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

#[test]
fn the_supervisor_serves_metrics_only() {
    let env = TestEnv::new();
    let address = free_address();
    let _terminal = env.terminal([env.binary(), "supervisor", "run", "--metrics", &address.to_string()]);
    let own = address.to_string();
    env.wait_until("the metrics are served", || {
        get(address, "/metrics", &own).is_some_and(|text| text.contains("symposium_agents{"))
    });
    assert!(get(address, "/", &own).unwrap().starts_with("HTTP/1.1 404"));
    // A request from a web page whose host name was pointed at this address (DNS rebinding).
    assert!(get(address, "/metrics", "evil.example").unwrap().starts_with("HTTP/1.1 403"));
}

#[test]
fn half_open_connections_do_not_block_the_metrics() {
    let env = TestEnv::new();
    let address = free_address();
    let script = format!("ulimit -n 64; exec {} supervisor run --metrics {address}", env.binary());
    let _terminal = env.terminal(["sh", "-c", &script]);
    let own = address.to_string();
    let is_served = || get(address, "/metrics", &own).is_some_and(|text| text.contains("symposium_agents{"));
    env.wait_until("the metrics are served", is_served);
    let half_open: Vec<_> = (0..300)
        .filter_map(|_| {
            let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(5)).ok()?;
            stream.write_all(b"GET /metrics HTTP/1.1\r\n").ok()?;
            Some(stream)
        })
        .collect();
    assert!(half_open.len() > 64, "{} connections", half_open.len());
    env.wait_until("other clients are still served", is_served);
    let status = env.symposium(["supervisor", "status", "--json"]).ok().json();
    assert_eq!(status["running"], true);
}
