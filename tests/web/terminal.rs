//! The terminal of the page through the real socket: output with flow control, taking over, typing, resizing, and who is
//! refused.

use std::fs;
use std::io::BufRead;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::guests::guest;
use super::{Device, Response, Server, Stream};
use crate::support::TestEnv;

/// Maximum size of the output that a page gets without an acknowledgement, with one part that does not count.
const MAX_UNACKNOWLEDGED_BYTES: usize = 512 * 1024;
/// Maximum memory of the server in KiB.
const MAX_MEMORY_KIB: u64 = 100_000;

/// An open terminal of agent `a`, as a page has it.
struct Terminal<'a> {
    server: &'a Server,
    device: &'a Device,
    stream: Stream,
    id: String,
}

impl<'a> Terminal<'a> {
    #[track_caller]
    fn open(server: &'a Server, device: &'a Device) -> Terminal<'a> {
        let mut stream = server.stream(device, "/api/agents/a/terminal/events");
        let viewer = stream.next("viewer").expect("its id");
        assert_eq!(viewer["driving"], "none");
        Terminal { server, device, stream, id: viewer["id"].as_str().expect("an id").to_owned() }
    }

    /// Returns the name and the data of the next event.
    #[track_caller]
    fn event(&mut self) -> Option<(String, Value)> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            let is_end = self.stream.lines.read_line(&mut line).expect("the server sends in time") == 0;
            if is_end || line == "0\r\n" {
                return None;
            }
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.trim_end().to_owned();
            }
            if let Some(data) = line.strip_prefix("data: ") {
                let value = serde_json::from_str(data).unwrap_or_else(|_| data.trim_end().into());
                return Some((name, value));
            }
        }
    }

    /// Reads events until the text of one of this name satisfies a condition. Acknowledges everything.
    #[track_caller]
    fn until(&mut self, name: &str, condition: impl Fn(&Value) -> bool) -> Value {
        loop {
            let (event, data) = self.event().expect("the stream goes on");
            if let Some(part) = data.get(0).and_then(Value::as_u64) {
                self.acknowledge(part);
            }
            if event == name && condition(&data) {
                return data;
            }
        }
    }

    #[track_caller]
    fn acknowledge(&self, part: u64) {
        let response = self.post("acknowledge", json!({ "part": part }));
        assert_eq!(response.status, 200, "{response:?}");
    }

    #[track_caller]
    fn post(&self, verb: &str, mut body: Value) -> Response {
        body["viewer"] = self.id.as_str().into();
        let path = format!("/api/agents/a/terminal/{verb}");
        self.server.send(&self.server.post(self.device, &path, &body))
    }

    #[track_caller]
    fn types(&self, text: &str) -> Response {
        self.post("type", json!({ "input": [{ "text": text }, { "key": "Enter" }] }))
    }

    #[track_caller]
    fn takes_over(&mut self) {
        assert_eq!(self.post("take", json!({})).status, 200);
        self.until("viewer", |viewer| viewer["driving"] == "this");
    }
}

/// Starts agent `a`, which writes what is typed into a file. Returns the file.
#[track_caller]
fn typist(env: &TestEnv) -> PathBuf {
    let file = env.root().join("typed");
    let script = format!("stty raw -echo; echo ready; cat > '{}'", file.display());
    env.symposium(["agent", "spawn", "--name", "a", "--", "/bin/sh", "-c", &script]).ok();
    env.wait_until("the agent is ready", || file.exists());
    file
}

/// Starts agent `a`, which prints after each line that is typed.
#[track_caller]
fn printer(env: &TestEnv, printing: &str) {
    let script = format!("stty -echo; echo ready; while read line; do {printing}; done");
    env.symposium(["agent", "spawn", "--name", "a", "--", "/bin/sh", "-c", &script]).ok();
}

fn typed(file: &PathBuf) -> String {
    String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned()
}

fn shows(screen: &Value, text: &str) -> bool {
    screen[1]["lines"].as_array().is_some_and(|lines| lines.iter().any(|line| line == text))
}

#[test]
fn the_terminal_begins_with_the_screen_and_continues_with_the_output() {
    let env = TestEnv::new();
    printer(&env, r"printf '\033[31mgot %s\033[0m\r\n' $line");
    let server = Server::start(&env);
    let device = server.paired(&env, "laptop");
    let (mut one, mut two) = (Terminal::open(&server, &device), Terminal::open(&server, &device));
    for terminal in [&mut one, &mut two] {
        let screen = terminal.until("screen", |_| true);
        assert!(screen[1]["width"].as_u64() > Some(20) && screen[1]["cursor"].is_array(), "{screen}");
    }
    one.takes_over();
    assert_eq!(one.types("x").status, 200);
    for terminal in [&mut one, &mut two] {
        terminal
            .until("output", |part| part[1].as_str().is_some_and(|text| text.contains("\u{1b}[31mgot x")));
        terminal.until("check", |screen| screen[1]["lines"].to_string().contains("got x"));
    }
}

#[test]
fn only_the_page_that_has_taken_over_types_and_what_it_types_arrives_to_the_letter() {
    let env = TestEnv::new();
    let file = typist(&env);
    let server = Server::start(&env);
    let (laptop, desktop) = (server.paired(&env, "laptop"), server.paired(&env, "desktop"));
    let (mut one, mut two) = (Terminal::open(&server, &laptop), Terminal::open(&server, &desktop));
    let refused = one.types("too early");
    assert_eq!((refused.status, refused.code().as_str()), (409, "driven"));
    assert_eq!(one.post("resize", json!({ "columns": 90, "lines": 30 })).status, 409);
    one.takes_over();
    two.until("viewer", |viewer| viewer["driving"] == "other");
    let text = "a;b #{pane_id} $(id) `id` \"x\" 'y' \\n %1 ~ C-c Enter ü日🦀;";
    assert_eq!(one.types(text).status, 200);
    let pasted = json!({ "input": [{ "paste": "one\ntwo;" }, { "key": "C-c" }, { "key": "Up" }] });
    assert_eq!(one.post("type", pasted).status, 200);
    let expected = format!("{text}\rone\ntwo;\u{3}\u{1b}[A");
    env.wait_until("everything was typed", || typed(&file).len() >= expected.len());
    assert_eq!(typed(&file), expected);
    two.takes_over();
    one.until("viewer", |viewer| viewer["driving"] == "other");
    assert_eq!(one.types("too late").status, 409);
    assert_eq!(two.types("mine").status, 200);
    env.wait_until("the new driver has typed", || typed(&file).ends_with("mine\r"));
    assert_eq!(typed(&file), format!("{expected}mine\r"));
    assert_eq!(two.post("release", json!({})).status, 200);
    one.until("viewer", |viewer| viewer["driving"] == "none");
    assert_eq!(two.types("released").status, 409);
}

#[test]
fn a_terminal_that_attaches_ends_the_right_of_a_page_to_type() {
    let env = TestEnv::new();
    let file = typist(&env);
    let server = Server::start(&env);
    let device = server.paired(&env, "laptop");
    let mut page = Terminal::open(&server, &device);
    page.takes_over();
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("ready");
    env.wait_until("the terminal drives", || {
        env.symposium(["agent", "show", "a", "--json"]).ok().json()["clients"][0]["driver"] == true
    });
    let refused = page.types("no");
    assert_eq!((refused.status, refused.code().as_str()), (409, "driven"));
    page.until("viewer", |viewer| viewer["driving"] == "none");
    page.takes_over();
    assert_eq!(page.post("resize", json!({ "columns": 90, "lines": 30 })).code(), "driven");
    assert_eq!(page.types("yes").status, 200);
    env.wait_until("the page has typed", || typed(&file) == "yes\r");
}

#[test]
fn the_screen_is_resized_only_by_the_page_that_drives() {
    let env = TestEnv::new();
    printer(&env, "stty size");
    let server = Server::start(&env);
    let device = server.paired(&env, "laptop");
    let mut page = Terminal::open(&server, &device);
    page.takes_over();
    for (columns, lines) in [(0, 30), (90, 1), (60_000, 30), (90, 60_000)] {
        assert_eq!(page.post("resize", json!({ "columns": columns, "lines": lines })).status, 400);
    }
    assert_eq!(page.post("resize", json!({ "columns": 91, "lines": 31 })).status, 200);
    page.until("check", |screen| screen[1]["width"] == 91 && screen[1]["height"] == 31);
    assert_eq!(page.types("size").status, 200);
    page.until("output", |part| part[1].as_str().is_some_and(|text| text.contains("31 91")));
}

#[test]
fn a_terminal_belongs_to_the_device_that_has_opened_it() {
    let env = TestEnv::new();
    let file = typist(&env);
    let server = Server::start(&env);
    let (laptop, other) = (server.paired(&env, "laptop"), server.paired(&env, "other"));
    let mut page = Terminal::open(&server, &laptop);
    page.takes_over();
    let body = json!({ "viewer": page.id, "input": [{ "text": "x" }] });
    let typing = server.post(&other, "/api/agents/a/terminal/type", &body);
    assert_eq!(server.send(&typing).status, 400);
    let typing = server.post(&laptop, "/api/agents/a/terminal/type", &body);
    for refused in [
        typing.clone().without("origin"),
        typing.clone().with("origin", "http://127.0.0.1:1"),
        typing.clone().without("x-symposium-key"),
        typing.clone().without("cookie"),
    ] {
        assert!(matches!(server.send(&refused).status, 401 | 403));
    }
    let upgrade = server.get(&laptop, "/api/agents/a/terminal/events").with("upgrade", "websocket");
    assert_eq!(server.send(&upgrade).status, 403, "an upgrade without an origin is refused");
    assert_eq!(typed(&file), "");
    let id = page.id.clone();
    drop(page);
    env.wait_until("a closed terminal cannot type", || server.send(&typing).status == 400);
    assert!(!typed(&file).contains(&id));
}

#[test]
fn a_guest_with_a_read_only_link_watches_the_terminal_and_cannot_take_over() {
    let env = TestEnv::new();
    let file = typist(&env);
    let server = Server::start(&env);
    let device = guest(&env, &server, &["a", "--read-only", "--for", "2h"]);
    let mut page = Terminal::open(&server, &device);
    page.until("screen", |screen| shows(screen, "ready"));
    for verb in ["take", "release", "type", "resize"] {
        assert_eq!(page.post(verb, json!({})).code(), "not-granted", "{verb}");
    }
    let writer = guest(&env, &server, &["a", "--for", "2h"]);
    let mut page = Terminal::open(&server, &writer);
    page.takes_over();
    assert_eq!(page.types("mine").status, 200);
    env.wait_until("a guest that may type has typed", || typed(&file) == "mine\r");
}

#[test]
fn a_revocation_ends_the_terminal_and_its_right_to_type() {
    let env = TestEnv::new();
    let file = typist(&env);
    let server = Server::start(&env);
    let (laptop, other) = (server.paired(&env, "laptop"), server.paired(&env, "other"));
    let mut page = Terminal::open(&server, &laptop);
    let mut watching = Terminal::open(&server, &other);
    page.takes_over();
    env.symposium(["web", "revoke", &laptop.id]).ok();
    while page.event().is_some() {}
    assert_eq!(page.types("x").status, 401);
    watching.until("viewer", |viewer| viewer["driving"] == "none");
    assert_eq!(typed(&file), "");
}

#[test]
fn a_terminal_stays_with_its_agent_when_another_one_gets_the_name() {
    let env = TestEnv::new();
    let file = typist(&env);
    let server = Server::start(&env);
    let device = server.paired(&env, "laptop");
    let mut page = Terminal::open(&server, &device);
    page.until("screen", |_| true);
    page.takes_over();
    env.symposium(["agent", "rename", "a", "b"]).ok();
    let other = env.root().join("other");
    let script = format!("stty raw -echo; echo the other one; cat > '{}'", other.display());
    env.symposium(["agent", "spawn", "--name", "a", "--", "/bin/sh", "-c", &script]).ok();
    let is_shown = || env.symposium(["agent", "peek", "a"]).ok().stdout.contains("the other one");
    env.wait_until("the other agent has printed", is_shown);
    assert_eq!(page.types("x").status, 400);
    let mut new = Terminal::open(&server, &device);
    let screen = new.until("screen", |_| true);
    assert!(shows(&screen, "the other one"), "{screen}");
    assert_eq!((typed(&file), typed(&other)), (String::new(), String::new()));
}

#[test]
fn the_end_of_the_agent_ends_the_terminal() {
    let env = TestEnv::new();
    typist(&env);
    let server = Server::start(&env);
    let device = server.paired(&env, "laptop");
    let mut page = Terminal::open(&server, &device);
    page.until("screen", |_| true);
    env.symposium(["agent", "kill", "a"]).ok();
    let mut last = None;
    while let Some(event) = page.event() {
        last = Some(event.0);
    }
    assert_eq!(last.as_deref(), Some("gone"));
    let again =
        server.send(&server.get(&device, "/api/agents/a/terminal/events").with("connection", "close"));
    assert!(again.body.contains("event: gone"), "{again:?}");
}

#[test]
fn a_page_that_acknowledges_nothing_gets_a_bounded_part_of_a_flood_and_then_the_newest_screen() {
    let env = TestEnv::new();
    let done = env.root().join("done");
    printer(
        &env,
        &format!("yes 0123456789abcdef | head -c 20000000; echo; echo flooded; touch '{}'", done.display()),
    );
    let server = Server::start(&env);
    let (laptop, other) = (server.paired(&env, "laptop"), server.paired(&env, "other"));
    let (mut slow, mut driver) = (Terminal::open(&server, &laptop), Terminal::open(&server, &other));
    slow.until("screen", |_| true);
    driver.takes_over();
    assert_eq!(driver.types("go").status, 200);
    env.wait_until("the agent has printed everything", || done.exists());
    driver.until("check", |screen| shows(screen, "flooded"));
    // Whatever was sent without an acknowledgement has arrived before this event.
    assert_eq!(driver.post("release", json!({})).status, 200);
    let (mut bytes, mut last) = (0, 0);
    loop {
        let (name, data) = slow.event().expect("the stream goes on");
        if name == "viewer" && data["driving"] == "none" {
            break;
        }
        bytes += data.to_string().len();
        last = data.get(0).and_then(Value::as_u64).unwrap_or(last);
    }
    assert!(bytes < MAX_UNACKNOWLEDGED_BYTES, "{bytes} bytes");
    slow.acknowledge(last);
    let screen = slow.until("screen", |_| true);
    assert!(shows(&screen, "flooded"), "the newest screen: {screen}");
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("it runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a size");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(peak < MAX_MEMORY_KIB, "{peak} KiB");
}
