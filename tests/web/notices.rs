//! Notices to other devices with ntfy and webhooks, and the answers in them.

use serde_json::{Value, json};

use super::notice_service::{Delivery, NoticeService};
use super::{Request, Response, Server, spawned, wait_for};
use crate::support::TestEnv;

/// A server, a service that gets its notices, and a supervisor that sends them.
fn ready(env: &TestEnv, service: &NoticeService, more: &str) -> Server {
    let server = Server::start(env);
    std::fs::write(env.home().join("token"), "tk_secret\n").unwrap();
    let config = format!(
        "[notify]\npage_url = \"{}/\"\n[notify.ntfy]\nurl = \"{}\"\ntoken_file = \"~/token\"\n{more}",
        server.origin(),
        service.url("/private-topic"),
    );
    std::fs::write(env.state().join("config.toml"), config).unwrap();
    env.symposium(["supervisor", "start"]).env("SYMPOSIUM_SUPERVISOR", "on").ok();
    server
}

/// Waits for the notice in ntfy about the question of an agent. ntfy gets notices at its root, unlike the webhook.
#[track_caller]
fn question_notice(env: &TestEnv, service: &NoticeService, name: &str) -> Delivery {
    let title = format!("{name} waits for approval");
    service.wait_for(env, "the question was sent", |delivery| {
        delivery.path == "/" && delivery.json()["title"] == title
    })
}

/// Returns the token of a button.
#[track_caller]
fn token(notice: &Value, label: &str) -> String {
    let actions = notice["actions"].as_array().expect("a list");
    let action = actions.iter().find(|action| action["label"] == label).expect("the button");
    let body: Value = serde_json::from_str(action["body"].as_str().expect("a body")).expect("JSON");
    body["token"].as_str().expect("a token").to_owned()
}

/// Sends a token like the app of a service, without an origin.
fn answer(server: &Server, token: &str) -> Response {
    server.send(&answer_request(server, token).without("origin"))
}

fn answer_request(server: &Server, token: &str) -> Request {
    let body = json!({ "token": token }).to_string();
    Request { body, ..server.request("POST", "/api/notices/answer") }
}

#[test]
fn a_question_is_approved_from_a_notice_once() {
    let env = TestEnv::new();
    let service = NoticeService::start("200 OK");
    let webhook = format!(
        "actions = true\n[notify.webhook]\nurl = \"{}\"\nsecret_command = [\"echo\", \"hook-key\"]\n",
        service.url("/hook"),
    );
    let server = ready(&env, &service, &webhook);
    spawned(&env, "a", Some("/ask make clean"), "waiting");
    let notice = question_notice(&env, &service, "a");
    assert_eq!((notice.path.as_str(), notice.header("authorization")), ("/", Some("Bearer tk_secret")));
    let body = notice.json();
    assert_eq!((&body["topic"], &body["message"]), (&"private-topic".into(), &"Bash: make clean".into()));
    assert_eq!(body["click"], format!("{}/#agent=a", server.origin()));
    let (approve, deny) = (token(&body, "Approve"), token(&body, "Deny"));

    let hook = service.wait_for(&env, "the webhook was called", |delivery| delivery.path == "/hook");
    assert!(hook.header("x-symposium-signature-256").is_some_and(|value| value.starts_with("sha256=")));
    assert_eq!((&hook.json()["agent"], &hook.json()["answers"]), (&"a".into(), &json!([])));

    let foreign = answer_request(&server, &approve).with("origin", "http://evil.example");
    assert_eq!(server.send(&foreign).code(), "origin");
    let elsewhere = answer_request(&server, &approve).with("host", "evil.example").without("origin");
    assert_eq!(server.send(&elsewhere).code(), "host");
    let taken = answer(&server, &approve);
    assert_eq!((taken.status, taken.json()), (200, json!({ "taken": true, "answer": "approve" })));
    wait_for(&env, "a", "idle");
    for used in [&approve, &deny] {
        let refused = answer(&server, used);
        assert_eq!((refused.status, refused.code().as_str()), (403, "token"), "the tokens were used");
    }
    let stored = ["notice-answers.json", "supervisor.log"]
        .map(|file| std::fs::read_to_string(env.state().join(file)).unwrap());
    for secret in [approve.as_str(), &deny, "private-topic", "tk_secret", "hook-key"] {
        assert!(!stored.iter().any(|text| text.contains(secret)), "{secret} is in a file");
    }
}

#[test]
fn an_answer_of_a_notice_reaches_no_newer_question() {
    let env = TestEnv::new();
    let service = NoticeService::start("200 OK");
    let server = ready(&env, &service, "actions = true\n");
    spawned(&env, "a", Some("/ask make clean"), "waiting");
    let old = token(&question_notice(&env, &service, "a").json(), "Approve");
    env.symposium(["agent", "deny", "a"]).ok();
    wait_for(&env, "a", "idle");
    env.symposium(["agent", "send", "a", "/ask rm -rf build"]).ok();
    wait_for(&env, "a", "waiting");
    let refused = answer(&server, &old);
    assert_eq!((refused.status, refused.code().as_str()), (409, "asks-another"), "{refused:?}");
    wait_for(&env, "a", "waiting");
    let harmful = service.wait_for(&env, "the second question was sent", |delivery| {
        delivery.json()["message"] == "Bash: rm -rf build"
    });
    let body = harmful.json();
    let labels: Vec<&Value> = body["actions"].as_array().unwrap().iter().map(|a| &a["label"]).collect();
    assert_eq!(labels, ["Deny", "Open"], "a harmful command is approved on the page only");
    assert_eq!(answer(&server, &token(&body, "Deny")).status, 200);
    wait_for(&env, "a", "idle");
}

#[test]
fn expired_and_wrong_tokens_are_refused_and_limited() {
    let env = TestEnv::new();
    let service = NoticeService::start("200 OK");
    let server = ready(&env, &service, "actions = true\n");
    spawned(&env, "a", Some("/ask make clean"), "waiting");
    let body = question_notice(&env, &service, "a").json();
    let file = env.state().join("notice-answers.json");
    let stored = std::fs::read_to_string(&file).unwrap();
    let mut expired: Value = serde_json::from_str(&stored).unwrap();
    for grant in expired["answers"].as_object_mut().unwrap().values_mut() {
        grant["expires_at"] = "2026-01-01T00:00:00.000Z".into();
    }
    std::fs::write(&file, expired.to_string()).unwrap();
    assert_eq!(answer(&server, &token(&body, "Approve")).code(), "token");
    let limited = (0..20).map(|_| answer(&server, "wrong").status).find(|status| *status == 429);
    assert_eq!(limited, Some(429));
    std::fs::write(&file, stored).unwrap();
    assert_eq!(answer(&server, &token(&body, "Deny")).status, 200, "a valid token is always accepted");
}

#[test]
fn notices_have_no_answers_unless_they_are_enabled() {
    let env = TestEnv::new();
    let service = NoticeService::start("200 OK");
    let _server = ready(&env, &service, "on = [\"waiting\"]\n");
    spawned(&env, "a", None, "idle");
    env.symposium(["agent", "send", "a", "hello"]).ok();
    wait_for(&env, "a", "idle");
    env.symposium(["agent", "send", "a", "/ask make clean"]).ok();
    let body = question_notice(&env, &service, "a").json();
    let labels: Vec<&Value> = body["actions"].as_array().unwrap().iter().map(|a| &a["label"]).collect();
    assert_eq!(labels, ["Open"]);
    assert!(!env.state().join("notice-answers.json").exists());
    assert_eq!(service.paths(), ["/"], "only the selected events are sent");
}

#[test]
fn a_channel_that_fails_is_reported_and_delays_no_other() {
    let env = TestEnv::new();
    let (broken, service) = (NoticeService::start("403 Forbidden"), NoticeService::start("200 OK"));
    let _server = ready(&env, &broken, &format!("[notify.webhook]\nurl = \"{}\"\n", service.url("/hook")));
    spawned(&env, "a", Some("/ask make clean"), "waiting");
    service.wait_for(&env, "the webhook was called", |delivery| delivery.path == "/hook");
    env.wait_until("doctor reports the failure", || {
        let checks = env.symposium(["doctor", "--json"]).outcome().json();
        let health = |name: &str| {
            let all = checks.as_array().cloned().unwrap_or_default();
            all.into_iter().find(|check| check["what"] == name)
        };
        let (ntfy, webhook) = (health("ntfy").expect("a check"), health("webhook").expect("a check"));
        assert_eq!(webhook["health"], "good");
        ntfy["health"] == "bad"
            && ntfy["saw"].as_str().is_some_and(|saw| saw.ends_with("127.0.0.1 answered 403"))
    });
}
