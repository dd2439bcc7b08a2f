//! `symposium web` through its real socket: access, limits, and everything that the page does, with demo agents.

mod admission;
mod agents;
mod diffs;
mod flood;
mod fuzz;
mod guard;
mod guests;
mod limits;
mod notice_service;
mod notices;
mod pairing;
mod proxy;
mod service;
mod spawning;
mod streams;
mod terminal;
mod tls;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_rustls::rustls::ClientConfig;

use crate::support::TestEnv;
use crate::support::run::Talk;

/// Longest time that a test waits for bytes of the server.
const READ_TIMEOUT: Duration = Duration::from_secs(40);

/// A running server. It ends with the value.
pub(crate) struct Server {
    /// Host and port.
    pub(crate) host: String,
    /// Whom a client trusts, if connections are encrypted.
    trust: Option<Arc<ClientConfig>>,
    talk: Talk,
}

/// An open connection, encrypted or not.
pub(crate) trait Connection: Read + Write {}

impl<T: Read + Write> Connection for T {}

/// The secret of a paired device.
#[derive(Clone)]
pub(crate) struct Device {
    id: String,
    cookie: String,
    key: String,
}

/// A response as it came over the socket.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

/// A request that a test changes before it is sent.
#[derive(Clone)]
pub(crate) struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Server {
    #[track_caller]
    pub(crate) fn start(env: &TestEnv) -> Server {
        Server::start_with(env, &[])
    }

    #[track_caller]
    pub(crate) fn start_with(env: &TestEnv, args: &[&str]) -> Server {
        let listen = ["--listen", "127.0.0.1:0"].iter().filter(|_| !args.contains(&"--listen"));
        let talk = env.symposium(["web", "--json"].iter().chain(listen).chain(args)).talk();
        let line = talk.hear().unwrap_or_else(|| panic!("it ended: {}", talk.stderr_so_far()));
        let ready: Value = serde_json::from_str(&line).expect("one object");
        let url = ready["url"].as_str().expect("an address").to_owned();
        let host = url.split_once("://").expect("an address").1.trim_end_matches('/').to_owned();
        Server { host, trust: None, talk }
    }

    /// Returns the process id of the server.
    pub(crate) fn pid(&self) -> u32 {
        self.talk.pid()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("the port is open");
        stream.set_read_timeout(Some(READ_TIMEOUT)).expect("a timeout");
        stream
    }

    /// Opens a connection for requests.
    pub(crate) fn open(&self) -> Box<dyn Connection> {
        match &self.trust {
            Some(trust) => Box::new(tls::encrypted(self, trust)),
            None => Box::new(self.connect()),
        }
    }

    pub(crate) fn origin(&self) -> String {
        format!("{}://{}", if self.trust.is_some() { "https" } else { "http" }, self.host)
    }

    /// A request as the page sends it, without a secret.
    pub(crate) fn request(&self, method: &'static str, path: &str) -> Request {
        let mut request = Request { method, path: path.to_owned(), headers: vec![], body: String::new() }
            .with("host", &self.host);
        if method == "POST" {
            request = request.with("origin", &self.origin()).with("content-type", "application/json");
        }
        request
    }

    pub(crate) fn get(&self, device: &Device, path: &str) -> Request {
        self.request("GET", path).of(device)
    }

    pub(crate) fn post(&self, device: &Device, path: &str, body: &Value) -> Request {
        Request { body: body.to_string(), ..self.request("POST", path).of(device) }
    }

    #[track_caller]
    pub(crate) fn send(&self, request: &Request) -> Response {
        let mut stream = self.open();
        stream.write_all(request.clone().with("connection", "close").text().as_bytes()).expect("it listens");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("a whole response");
        Response::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Pairs a device with a code of `web pair`.
    #[track_caller]
    pub(crate) fn paired(&self, env: &TestEnv, name: &str) -> Device {
        let link = pairing_link(env);
        self.opened(link["code"].as_str().expect("a code"), name)
    }

    /// Pairs a device with a code.
    #[track_caller]
    pub(crate) fn opened(&self, code: &str, name: &str) -> Device {
        let response = self.pair(code, name);
        assert_eq!(response.status, 200, "{response:?}");
        let cookie = response.header("set-cookie").expect("a cookie");
        let device = response.json();
        let text = |key: &str| device[key].as_str().expect("a text").to_owned();
        Device { id: text("id"), cookie: cookie.split(';').next().unwrap().to_owned(), key: text("key") }
    }

    #[track_caller]
    pub(crate) fn pair(&self, code: &str, name: &str) -> Response {
        let body = json!({ "code": code, "name": name }).to_string();
        self.send(&Request { body, ..self.request("POST", "/api/pair") })
    }

    /// Opens an event stream.
    #[track_caller]
    pub(crate) fn stream(&self, device: &Device, path: &str) -> Stream {
        Stream::of(self, &self.get(device, path))
    }
}

impl Request {
    pub(crate) fn with(mut self, name: &str, value: &str) -> Request {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Request {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn of(self, device: &Device) -> Request {
        self.with("cookie", &device.cookie).with("x-symposium-key", &device.key)
    }

    pub(crate) fn text(&self) -> String {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if self.method != "GET" {
            text.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        text + "\r\n" + &self.body
    }
}

impl Response {
    #[track_caller]
    pub(crate) fn parse(text: &str) -> Response {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no response: {text:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status: {head}"));
        Response { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        fields.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().expect("a code").to_owned()
    }
}

/// An event stream.
pub(crate) struct Stream {
    lines: BufReader<Box<dyn Connection>>,
}

impl Stream {
    /// Opens an event stream with this request.
    #[track_caller]
    pub(crate) fn of(server: &Server, request: &Request) -> Stream {
        let mut stream = server.open();
        stream.write_all(request.text().as_bytes()).expect("it listens");
        let mut lines = BufReader::new(stream);
        let mut first = String::new();
        lines.read_line(&mut first).expect("a status line");
        assert!(first.starts_with("HTTP/1.1 200"), "{first}");
        Stream { lines }
    }

    /// Returns the data of the next event of this name, or `None` if the stream has ended.
    #[track_caller]
    pub(crate) fn next(&mut self, name: &str) -> Option<Value> {
        loop {
            let (found, data) = self.next_of_any_name()?;
            if found == name {
                return Some(data);
            }
        }
    }

    /// Returns the name and the data of the next event, or `None` if the stream has ended.
    #[track_caller]
    pub(crate) fn next_of_any_name(&mut self) -> Option<(String, Value)> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            let is_end = self.lines.read_line(&mut line).expect("the server sends in time") == 0;
            // The last chunk is empty; the connection stays open after it.
            if is_end || line == "0\r\n" {
                return None;
            }
            if let Some(event) = line.strip_prefix("event: ") {
                event.trim_end().clone_into(&mut name);
            }
            if let Some(data) = line.strip_prefix("data: ") {
                // Some events have a sentence as their data.
                let data = serde_json::from_str(data).unwrap_or_else(|_| json!(data.trim_end()));
                return Some((name, data));
            }
        }
    }

    /// Reads events until one satisfies a condition.
    #[track_caller]
    pub(crate) fn until(&mut self, name: &str, condition: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.next(name).expect("the stream goes on");
            if condition(&event) {
                return event;
            }
        }
    }
}

/// Returns the answer of `web pair --json`, run in a terminal.
#[track_caller]
pub(crate) fn pairing_link(env: &TestEnv) -> Value {
    env.in_new_terminal("symposium web pair --json").ok().json()
}

/// Starts a demo agent and waits for a status.
#[track_caller]
pub(crate) fn spawned(env: &TestEnv, name: &str, task: Option<&str>, status: &str) {
    let task: Vec<&str> = task.iter().flat_map(|task| ["--task", task]).collect();
    env.symposium(["agent", "spawn", "demo", "--name", name].iter().chain(&task)).ok();
    wait_for(env, name, status);
}

#[track_caller]
pub(crate) fn wait_for(env: &TestEnv, name: &str, status: &str) {
    env.symposium(["agent", "wait", name, "--for", status, "--timeout", "20s"]).ok();
}
