//! A client of the page: a paired device, requests on a connection that stays open, and event streams.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::place::Place;

/// Time limit for everything that is awaited.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A running server of the page with a paired device.
pub(super) struct PageServer {
    process: Child,
    host: String,
    secret: String,
}

impl PageServer {
    pub(super) fn start(place: &Place) -> PageServer {
        let mut command = place.command(&["web", "--json", "--listen", "127.0.0.1:0"]);
        let mut process = command.stdout(Stdio::piped()).spawn().expect("a server");
        let mut out = BufReader::new(process.stdout.take().expect("piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("the address");
        let ready: Value = serde_json::from_str(&line).expect("one object");
        let url = ready["url"].as_str().expect("an address");
        let host = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let pairing = format!("script -q -e -c '{} --json web pair' /dev/null", place.binary());
        let output = place.shell(&pairing).output().expect("script of util-linux");
        let link: Value = serde_json::from_slice(&output.stdout).expect("a link");
        let mut server = PageServer { process, host, secret: String::new() };
        let body = json!({ "code": link["code"], "name": "bench" }).to_string();
        let (head, body) = server.connect().request("POST", "/api/pair", &body);
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        let cookie = cookie.split(';').next().expect("a value");
        let key: Value = serde_json::from_slice(&body).expect("a key");
        let key = key["key"].as_str().expect("a text");
        server.secret = format!("cookie: {cookie}\r\nx-symposium-key: {key}\r\n");
        server
    }

    pub(super) fn pid(&self) -> i32 {
        self.process.id().try_into().expect("a process id")
    }

    /// Opens a connection for requests.
    pub(super) fn connect(&self) -> PageConnection {
        PageConnection::open(&self.host, &self.secret)
    }

    /// Opens an event stream.
    pub(super) fn stream(&self, path: &str) -> Events {
        Events::open(&self.host, &self.secret, path)
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A connection that stays open between requests.
pub(super) struct PageConnection {
    stream: BufReader<TcpStream>,
    host: String,
    secret: String,
}

impl PageConnection {
    pub(super) fn open(host: &str, secret: &str) -> PageConnection {
        let stream = TcpStream::connect(host).expect("the port is open");
        stream.set_nodelay(true).expect("an option");
        stream.set_read_timeout(Some(TIME_LIMIT)).expect("an option");
        PageConnection { stream: BufReader::new(stream), host: host.to_owned(), secret: secret.to_owned() }
    }

    fn write(&mut self, method: &str, path: &str, body: &str) {
        let PageConnection { host, secret, .. } = self;
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\n{secret}");
        let rest = format!(
            "accept-encoding: gzip\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        );
        self.stream.get_mut().write_all((head + &rest + body).as_bytes()).expect("it listens");
    }

    fn head(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.stream.read_line(&mut head).expect("an answer") > 0, "closed after {head:?}");
        }
        head
    }

    /// Sends a request and returns head and body of the answer.
    pub(super) fn request(&mut self, method: &str, path: &str, body: &str) -> (String, Vec<u8>) {
        self.write(method, path, body);
        let head = self.head();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
        let mut body = vec![0; length.parse().expect("a number")];
        self.stream.read_exact(&mut body).expect("a whole body");
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}{}", String::from_utf8_lossy(&body));
        (head, body)
    }

    pub(super) fn post(&mut self, path: &str, body: &Value) {
        self.request("POST", path, &body.to_string());
    }
}

/// One event of a stream.
pub(super) struct PageEvent {
    pub(super) at: Instant,
    pub(super) name: String,
    pub(super) data: Value,
}

/// An event stream, which a thread reads.
pub(super) struct Events(Receiver<PageEvent>);

impl Events {
    pub(super) fn open(host: &str, secret: &str, path: &str) -> Events {
        let mut connection = PageConnection::open(host, secret);
        connection.write("GET", path, "");
        let head = connection.head();
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        let (send, events) = channel();
        thread::spawn(move || {
            let mut name = String::new();
            for line in connection.stream.lines().map_while(Result::ok) {
                let at = Instant::now();
                if let Some(event) = line.strip_prefix("event: ") {
                    event.clone_into(&mut name);
                }
                let Some(data) = line.strip_prefix("data: ") else { continue };
                let data = serde_json::from_str(data).unwrap_or_default();
                if send.send(PageEvent { at, name: name.clone(), data }).is_err() {
                    return;
                }
            }
        });
        Events(events)
    }

    /// Returns the next event.
    pub(super) fn next(&self) -> PageEvent {
        self.0.recv_timeout(TIME_LIMIT).expect("an event in time")
    }

    /// Returns the next event, or `None` if the server has ended.
    pub(super) fn next_until_end(&self) -> Option<PageEvent> {
        self.0.recv().ok()
    }

    /// Returns the first event that satisfies a condition.
    pub(super) fn until(&self, is_meant: impl Fn(&PageEvent) -> bool) -> PageEvent {
        loop {
            let event = self.next();
            if is_meant(&event) {
                return event;
            }
        }
    }

    /// Drops the events that have arrived.
    pub(super) fn forget(&self) {
        while self.0.try_recv().is_ok() {}
    }
}

/// An open terminal of an agent.
pub(super) struct OpenTerminal {
    pub(super) events: Events,
    pub(super) requests: PageConnection,
    pub(super) id: String,
    agent: String,
}

impl OpenTerminal {
    pub(super) fn open(server: &PageServer, agent: &str) -> OpenTerminal {
        let events = server.stream(&format!("/api/agents/{agent}/terminal/events"));
        let viewer = events.until(|event| event.name == "viewer");
        let id = viewer.data["id"].as_str().expect("an id").to_owned();
        OpenTerminal { events, requests: server.connect(), id, agent: agent.to_owned() }
    }

    pub(super) fn post(&mut self, verb: &str, mut body: Value) {
        body["viewer"] = self.id.as_str().into();
        self.requests.post(&format!("/api/agents/{}/terminal/{verb}", self.agent), &body);
    }

    /// Acknowledges a part, as a page does after it has shown it.
    pub(super) fn acknowledge(&mut self, event: &PageEvent) {
        if let Some(part) = event.data.get(0).and_then(Value::as_u64) {
            self.post("acknowledge", json!({ "part": part }));
        }
    }
}
