//! Requests that are refused before any use case runs, each through the real socket.

use std::fs;

use serde_json::json;

use super::{Server, pairing_link, spawned};
use crate::support::TestEnv;

/// Every path that shows or changes something.
const PATHS: [(&str, &str); 30] = [
    ("GET", "/api/agents"),
    ("GET", "/api/events"),
    ("GET", "/api/agents/a/screen"),
    ("GET", "/api/agents/a/screen/events"),
    ("GET", "/api/agents/a/recap"),
    ("GET", "/api/agents/a/tasks"),
    ("GET", "/api/agents/a/messages"),
    ("POST", "/api/agents/a/answer"),
    ("POST", "/api/agents/a/prompt"),
    ("POST", "/api/agents/a/keys"),
    ("POST", "/api/agents/a/interrupt"),
    ("POST", "/api/agents/a/stop"),
    ("POST", "/api/agents/a/resume"),
    ("POST", "/api/agents/a/tasks"),
    ("POST", "/api/agents/a/messages"),
    ("POST", "/api/tasks/1/cancel"),
    ("POST", "/api/devices/x/revoke"),
    ("GET", "/api/hosts/far/agents/a/screen/events"),
    ("GET", "/api/hosts/far/agents/a/recap"),
    ("GET", "/api/hosts/far/agents/a/tasks"),
    ("GET", "/api/hosts/far/agents/a/messages"),
    ("POST", "/api/hosts/far/agents/a/answer"),
    ("POST", "/api/hosts/far/agents/a/prompt"),
    ("POST", "/api/hosts/far/agents/a/keys"),
    ("POST", "/api/hosts/far/agents/a/interrupt"),
    ("POST", "/api/hosts/far/agents/a/stop"),
    ("POST", "/api/hosts/far/agents/a/resume"),
    ("POST", "/api/hosts/far/agents/a/tasks"),
    ("POST", "/api/hosts/far/agents/a/tasks/1/cancel"),
    ("GET", "/no/such/path"),
];

#[test]
fn no_port_is_open_without_being_asked() {
    let env = TestEnv::new();
    spawned(&env, "a", None, "idle");
    let listening = || -> Vec<String> {
        let sockets: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
            .iter()
            .flat_map(|file| {
                fs::read_to_string(file).unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>()
            })
            .filter(|line| line.split_whitespace().nth(3) == Some("0A"))
            .filter_map(|line| Some(format!("socket:[{}]", line.split_whitespace().nth(9)?)))
            .collect();
        let files = env
            .processes()
            .into_iter()
            .filter_map(|process| fs::read_dir(format!("/proc/{}/fd", process.pid)).ok());
        let targets = files.flatten().flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
        targets.map(|target| target.display().to_string()).filter(|target| sockets.contains(target)).collect()
    };
    assert_eq!(listening(), [""; 0]);
    let _server = Server::start(&env);
    assert_eq!(listening().len(), 1);
}

#[test]
fn an_address_of_other_machines_needs_a_proxy() {
    let env = TestEnv::new();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let refused = env.symposium(["web", "--listen", address]).fails(2);
        assert!(
            refused.stderr.contains("the connection would not be encrypted\n  no port was opened"),
            "{refused:?}"
        );
        let refused = env.symposium(["web", "--listen", address, "--allow-host", "box.example"]).fails(2);
        assert!(refused.stderr.contains("--behind-proxy"), "{refused:?}");
    }
    env.symposium(["web", "--behind-proxy"]).fails(2);
}

#[test]
fn every_request_needs_both_halves_of_the_secret() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let cookie_name = device.cookie.split_once('=').unwrap().0;
    for (method, path) in PATHS {
        let whole = server.request(method, path).of(&device);
        let halves = [
            server.request(method, path),
            whole.clone().without("cookie"),
            whole.clone().without("x-symposium-key"),
            whole.clone().with("x-symposium-key", "0000000000000000000000000000000z"),
            whole.clone().with("cookie", &format!("{cookie_name}=0000000000000000000000000000000z")),
            whole.with("cookie", &format!("{cookie_name}={}", device.key)),
        ];
        for request in halves {
            let response = server.send(&request);
            assert_eq!((response.status, response.code().as_str()), (401, "device"), "{method} {path}");
        }
    }
    assert_eq!(server.send(&server.get(&device, "/api/agents")).status, 200);
}

#[test]
fn a_foreign_host_name_is_refused_even_with_the_secret() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let port = server.host.rsplit_once(':').unwrap().1.to_owned();
    for host in ["evil.example", "127.0.0.1", "localhost", "", &format!("evil.example:{port}")] {
        // After DNS rebinding, the name of the attacker is in both headers.
        let rebound =
            server.get(&device, "/api/agents").with("host", host).with("origin", &format!("http://{host}"));
        assert_eq!(server.send(&rebound).status, 421, "{host}");
        assert_eq!(server.send(&server.request("GET", "/").with("host", host)).status, 421, "{host}");
    }
    let missing = server.get(&device, "/api/agents").without("host");
    assert_ne!(server.send(&missing).status, 200);
    let mut twice = server.get(&device, "/api/agents");
    twice.headers.push(("host".into(), "evil.example".into()));
    assert_ne!(server.send(&twice).status, 200);
    let named = server.get(&device, "/api/agents").with("host", &format!("localhost:{port}"));
    assert_eq!(server.send(&named).status, 200);
}

#[test]
fn a_mutation_needs_the_exact_origin() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let port = server.host.rsplit_once(':').unwrap().1.to_owned();
    let posts = PATHS.iter().filter(|(method, _)| *method == "POST").map(|(_, path)| *path);
    for path in posts.chain(["/api/pair"]) {
        let request = server.post(&device, path, &json!({}));
        for origin in [
            "null",
            "http://evil.example",
            &format!("http://localhost:{port}"),
            &format!("https://{}", server.host),
            &format!("{}.evil.example", server.origin()),
            &format!("{}/", server.origin()),
            "http://127.0.0.1:1",
        ] {
            let response = server.send(&request.clone().with("origin", origin));
            assert_eq!((response.status, response.code().as_str()), (403, "origin"), "{path} {origin}");
        }
        assert_eq!(server.send(&request.without("origin")).code(), "origin", "{path}");
    }
}

#[test]
fn pages_of_other_ports_of_this_machine_are_refused() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let request = server.get(&device, "/api/agents");
    for site in ["same-site", "cross-site", "anything"] {
        assert_eq!(server.send(&request.clone().with("sec-fetch-site", site)).code(), "origin", "{site}");
    }
    assert_eq!(server.send(&request.clone().with("origin", "http://127.0.0.1:1")).code(), "origin");
    for site in ["same-origin", "none"] {
        assert_eq!(server.send(&request.clone().with("sec-fetch-site", site)).status, 200, "{site}");
    }
}

#[test]
fn an_upgrade_needs_the_exact_origin() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let upgrade = server
        .get(&device, "/api/events")
        .with("upgrade", "websocket")
        .with("sec-websocket-version", "13")
        .with("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    assert_eq!(server.send(&upgrade).code(), "origin");
    assert_eq!(server.send(&upgrade.clone().with("origin", "http://evil.example")).code(), "origin");
}

#[test]
fn other_methods_are_refused() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        let response = server.send(&server.request(method, "/api/agents").of(&device));
        assert_eq!(response.status, 405, "{method}");
        assert_eq!(response.header("access-control-allow-origin"), None);
    }
}

#[test]
fn every_response_has_strict_headers() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    for (request, status) in [
        (server.request("GET", "/"), 200),
        (server.request("GET", "/app.js"), 200),
        (server.get(&device, "/api/agents").with("origin", &server.origin()), 200),
        (server.request("GET", "/api/agents"), 401),
        (server.request("GET", "/").with("host", "evil.example"), 421),
        (server.get(&device, "/api/agents/no-such/recap"), 404),
    ] {
        let response = server.send(&request);
        assert_eq!(response.status, status, "{response:?}");
        let policy = response.header("content-security-policy").expect("a policy");
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        assert_eq!(response.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(response.header("access-control-allow-origin"), None);
    }
    assert_eq!(server.send(&server.get(&device, "/api/agents")).header("cache-control"), Some("no-store"));
}

#[test]
fn behind_a_proxy_links_name_the_host_of_the_proxy() {
    let env = TestEnv::new();
    let fixed = ["web", "--json", "--listen", "127.0.0.1:0", "--behind-proxy", "--allow-host", "box.example"];
    let talk = env.symposium(fixed).talk();
    assert_eq!(talk.hear().as_deref(), Some("{\"url\":\"https://box.example/\"}"));
    let link = pairing_link(&env);
    assert!(link["url"].as_str().is_some_and(|url| url.starts_with("https://box.example/#pair=")), "{link}");
}
