//! The page behind a reverse proxy that shows it below a path, with the path passed on (nginx) or removed (tailscale).

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::{Device, Request, Response, Server, pairing_link, spawned};
use crate::support::TestEnv;

const ORIGIN: &str = "https://box.example";

static SERVERS: AtomicU32 = AtomicU32::new(0);

/// Whether a proxy passes the path below which it shows the page on to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProxyPath {
    PassedOn,
    Removed,
}

/// Forwards connections to the server, with the headers that `tailscale serve` adds, and returns the address.
fn start_proxy(server: String, path: ProxyPath) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(&server).expect("the server listens");
            thread::spawn(move || forward(client, server, path));
        }
    });
    address
}

fn forward(mut client: TcpStream, mut server: TcpStream, path: ProxyPath) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).expect("a whole head");
        head.extend(byte);
    }
    let text = String::from_utf8(head).expect("a head of a test");
    let text = match path {
        ProxyPath::PassedOn => text,
        ProxyPath::Removed => text.replacen(" /symposium/", " /", 1),
    };
    let added = "\r\nx-forwarded-for: 192.0.2.1\r\nx-forwarded-host: box.example\r\n\
                 x-forwarded-proto: https\r\ntailscale-user-login: ann@example\r\n";
    server.write_all(text.replacen("\r\n", added, 1).as_bytes()).expect("it listens");
    let (mut from_client, mut to_server) =
        (client.try_clone().expect("a handle"), server.try_clone().expect("a handle"));
    thread::spawn(move || std::io::copy(&mut from_client, &mut to_server));
    // The end of a test ends the connections.
    let _ = std::io::copy(&mut server, &mut client);
    // The other thread still reads from it.
    let _ = client.shutdown(Shutdown::Both);
}

/// A server behind a proxy. Requests go through the proxy.
fn behind_proxy(env: &TestEnv, path: ProxyPath) -> Server {
    // All of 127/8 is this machine: each server has an address of its own, so no port is contended.
    let [_, a, b, c] = (std::process::id() * 16 + SERVERS.fetch_add(1, Ordering::Relaxed)).to_be_bytes();
    let listen = format!("127.{}.{b}.{c}:7717", a % 254 + 1);
    let options =
        ["--listen", &listen, "--behind-proxy", "--allow-host", "box.example", "--base-path", "/symposium/"];
    let mut server = Server::start_with(env, &options);
    assert_eq!(server.host, "box.example/symposium");
    server.host = start_proxy(listen, path);
    server
}

/// Makes a request one that the browser sends to the proxy.
fn of_browser(request: Request) -> Request {
    let is_post = request.method == "POST";
    let request = request.with("host", "box.example");
    if is_post { request.with("origin", ORIGIN) } else { request }
}

fn paired(env: &TestEnv, server: &Server) -> (Device, Response) {
    let link = pairing_link(env);
    let url = link["url"].as_str().expect("a link");
    assert!(url.starts_with("https://box.example/symposium/#pair="), "{url}");
    let body = json!({ "code": link["code"], "name": "phone" }).to_string();
    let request = Request { body, ..server.request("POST", "/symposium/api/pair") };
    let response = server.send(&of_browser(request));
    assert_eq!(response.status, 200, "{response:?}");
    let cookie = response.header("set-cookie").expect("a cookie").split(';').next().unwrap().to_owned();
    let text = |key: &str| response.json()[key].as_str().expect("a text").to_owned();
    (Device { id: text("id"), cookie, key: text("key") }, response)
}

#[test]
fn the_page_works_below_a_path_that_the_proxy_passes_on_or_removes() {
    for path in [ProxyPath::PassedOn, ProxyPath::Removed] {
        let env = TestEnv::new();
        let server = behind_proxy(&env, path);
        let page = server.send(&of_browser(server.request("GET", "/symposium/")));
        assert!(page.status == 200 && page.body.contains("<title>Symposium</title>"), "{path:?}: {page:?}");
        assert_eq!(server.send(&of_browser(server.request("GET", "/symposium/app.js"))).status, 200);
        let (device, response) = paired(&env, &server);
        let cookie = response.header("set-cookie").expect("a cookie");
        assert!(cookie.starts_with("__Secure-symposium-device="), "{cookie}");
        assert!(cookie.contains("; Path=/symposium/;") && cookie.ends_with("; Secure"), "{cookie}");
        let get = |path: &str| of_browser(server.get(&device, path));
        assert_eq!(server.send(&get("/symposium/api/agents")).json(), json!([]));
        let mut events = super::Stream::of(&server, &get("/symposium/api/events"));
        spawned(&env, "a", None, "idle");
        events.until("agents", |list| list["agents"][0]["name"] == "a");
        let stop = of_browser(server.post(&device, "/symposium/api/agents/a/stop", &json!({})));
        for origin in ["https://box.example/symposium", "http://box.example", "https://evil.example"] {
            assert_eq!(
                server.send(&stop.clone().with("origin", origin)).code(),
                "origin",
                "{path:?} {origin}"
            );
        }
        assert_eq!(server.send(&stop).json()["was_running"], Value::Bool(true));
        let direct = get("/symposium/api/agents").with("host", &server.host);
        assert_eq!(server.send(&direct).status, 421, "only the name of the proxy is served");
    }
}

#[test]
fn a_path_without_its_slash_leads_to_the_page() {
    let env = TestEnv::new();
    let server = behind_proxy(&env, ProxyPath::PassedOn);
    let response = server.send(&of_browser(server.request("GET", "/symposium")));
    assert_eq!((response.status, response.header("location")), (308, Some("/symposium/")), "{response:?}");
    assert!(response.header("content-security-policy").is_some());
    assert_eq!(server.send(&of_browser(server.request("GET", "/symposiumx/api/agents"))).code(), "device");
    for wrong in ["symposium", "/a/../b", "/api", "/a b"] {
        let options = ["web", "--behind-proxy", "--allow-host", "box.example", "--base-path", wrong];
        env.symposium(options).fails(2);
    }
    env.symposium(["web", "--base-path", "/symposium"]).fails(2);
}
