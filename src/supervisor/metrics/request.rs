//! Reads the head of an HTTP request and decides how to answer it. Pure: bytes in, a decision out.

use std::net::IpAddr;

/// The longest request head that is read, in bytes. Prometheus sends about 300.
pub(super) const MAX_HEAD_BYTES: usize = 8 * 1024;

/// How a request is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestDecision {
    /// The head is not complete yet.
    ReadMore,
    /// The request is for the metrics.
    Metrics,
    /// The request is for a path that is not served.
    NotFound,
    /// The request names another host, as after DNS rebinding by a web page.
    WrongHost,
    /// The data is not an HTTP request.
    Malformed,
}

/// Decides how to answer the data that a client has sent so far. `own_name` is the machine's host name.
pub(super) fn decide(head: &[u8], own_name: &str) -> RequestDecision {
    let Some(end) = head.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
        return if head.len() < MAX_HEAD_BYTES {
            RequestDecision::ReadMore
        } else {
            RequestDecision::Malformed
        };
    };
    let Ok(text) = std::str::from_utf8(&head[..end]) else { return RequestDecision::Malformed };
    let mut lines = text.split("\r\n");
    let mut request = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path), Some(version)) = (request.next(), request.next(), request.next()) else {
        return RequestDecision::Malformed;
    };
    if !version.starts_with("HTTP/1.") || request.next().is_some() {
        return RequestDecision::Malformed;
    }
    let mut hosts = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim())
    });
    if !hosts.all(|host| is_own_host(host, own_name)) {
        return RequestDecision::WrongHost;
    }
    match (method, path) {
        ("GET", "/metrics") => RequestDecision::Metrics,
        _ => RequestDecision::NotFound,
    }
}

/// Returns whether a `Host` header means this machine. An address always does, because DNS rebinding needs a name.
fn is_own_host(host: &str, own_name: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    address.parse::<IpAddr>().is_ok()
        || name == "localhost"
        || name.ends_with(".localhost")
        || !own_name.is_empty() && name == own_name.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str, host: &str) -> RequestDecision {
        decide(format!("GET {path} HTTP/1.1\r\nAccept: */*\r\nhost: {host}\r\n\r\n").as_bytes(), "Build7")
    }

    #[test]
    fn only_metrics_of_this_machine_are_served() {
        for host in
            ["127.0.0.1:9464", "[::1]:9464", "[::1]", "localhost", "LOCALHOST.:80", "a.localhost", "build7:1"]
        {
            assert_eq!(get("/metrics", host), RequestDecision::Metrics, "{host}");
        }
        for host in ["evil.example", "evil.example:9464", "localhost.evil.example", "127.0.0.1.nip.io", ""] {
            assert_eq!(get("/metrics", host), RequestDecision::WrongHost, "{host}");
        }
        assert_eq!(get("/", "localhost"), RequestDecision::NotFound);
        assert_eq!(decide(b"POST /metrics HTTP/1.1\r\n\r\n", ""), RequestDecision::NotFound);
        assert_eq!(decide(b"GET /metrics HTTP/1.0\r\n\r\n", ""), RequestDecision::Metrics);
    }

    #[test]
    fn a_request_head_is_read_up_to_its_limit() {
        assert_eq!(decide(b"GET /metrics HTTP/1.1\r\nHost: x\r\n", ""), RequestDecision::ReadMore);
        assert_eq!(decide(&[b'a'; MAX_HEAD_BYTES], ""), RequestDecision::Malformed);
        assert_eq!(decide(b"\x16\x03\x01\r\n\r\n", ""), RequestDecision::Malformed);
        assert_eq!(decide(b"GET /metrics\r\n\r\n", ""), RequestDecision::Malformed);
        assert_eq!(decide(b"GET /metrics HTTP/1.1 x\r\n\r\n", ""), RequestDecision::Malformed);
    }
}
