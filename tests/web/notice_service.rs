//! A service on loopback that stands in for ntfy, a webhook or a push service, and records what it gets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::support::TestEnv;

/// A request that the service got.
#[derive(Debug, Clone)]
pub(super) struct Delivery {
    pub(super) path: String,
    /// Names in lower case, and values.
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// A service that answers every request with one status. Its thread ends with the process.
pub(super) struct NoticeService {
    address: SocketAddr,
    deliveries: Arc<Mutex<Vec<Delivery>>>,
}

impl Delivery {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

impl NoticeService {
    pub(super) fn start(status: &'static str) -> NoticeService {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("it is bound");
        let deliveries: Arc<Mutex<Vec<Delivery>>> = Arc::default();
        let recorded = Arc::clone(&deliveries);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(delivery) = answer(stream, status) {
                    recorded.lock().unwrap().push(delivery);
                }
            }
        });
        NoticeService { address, deliveries }
    }

    /// Returns the address of a path of the service.
    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Waits for the first request that satisfies a condition.
    #[track_caller]
    pub(super) fn wait_for(
        &self,
        env: &TestEnv,
        what: &str,
        is_meant: impl Fn(&Delivery) -> bool,
    ) -> Delivery {
        let mut found = None;
        env.wait_until(what, || {
            found = self.deliveries.lock().unwrap().iter().find(|delivery| is_meant(delivery)).cloned();
            found.is_some()
        });
        found.expect("it was found")
    }

    /// Returns the paths of all requests so far.
    pub(super) fn paths(&self) -> Vec<String> {
        self.deliveries.lock().unwrap().iter().map(|delivery| delivery.path.clone()).collect()
    }
}

/// Reads one request, and answers it with an empty body.
fn answer(mut stream: TcpStream, status: &str) -> Option<Delivery> {
    let mut lines = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    lines.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    Some(Delivery { path, headers, body })
}
