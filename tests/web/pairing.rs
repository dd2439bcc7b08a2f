//! Pairing, devices and revocation from the view of a user, and of an agent that tries the same.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{Server, spawned};
use crate::support::TestEnv;

#[test]
fn a_code_works_once_and_a_device_can_be_revoked() {
    let env = TestEnv::new();
    let outcome = env.symposium(["web", "pair"]).fails(1);
    assert_eq!(
        outcome.stderr,
        "error: the web page is not served\nhint: start it in another terminal: `symposium web`\n"
    );
    let server = Server::start(&env);
    let link = env.symposium(["web", "pair", "--json"]).ok().json();
    let code = link["code"].as_str().expect("a code").to_owned();
    assert!(
        link["url"].as_str().is_some_and(|url| url.starts_with(&format!("http://{}/#pair=", server.host)))
    );
    let first = server.pair(&code, "phone");
    assert_eq!(first.status, 200, "{first:?}");
    let cookie = first.header("set-cookie").expect("a cookie");
    assert!(cookie.contains("; HttpOnly; SameSite=Strict; Path=/;"), "{cookie}");
    assert_eq!(server.pair(&code, "again").code(), "code");
    let devices = env.symposium(["web", "devices", "--json"]).ok().json();
    assert_eq!(devices.as_array().map(Vec::len), Some(1));
    assert_eq!(devices[0]["name"], "phone");
    assert_eq!(devices[0]["secret_sha256"], serde_json::Value::Null);
    let listed = env.symposium(["web", "devices"]).ok();
    assert!(listed.stdout.starts_with("ID "), "{listed:?}");
    let revoked = env.symposium(["web", "revoke", "phone"]).ok();
    assert!(revoked.stderr.starts_with("device `phone` ("), "{revoked:?}");
    env.symposium(["web", "revoke", "phone"]).fails(3);
}

#[test]
fn a_revoked_device_is_refused_at_once() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let (phone, laptop) = (server.paired(&env, "phone"), server.paired(&env, "laptop"));
    let status = |device| server.send(&server.get(device, "/api/agents")).status;
    assert_eq!((status(&phone), status(&laptop)), (200, 200));
    env.symposium(["web", "revoke", &phone.id]).ok();
    assert_eq!((status(&phone), status(&laptop)), (401, 200));
    let all = env.symposium(["web", "revoke", "--all"]).ok();
    assert_eq!(all.stderr, "1 device was revoked\n");
    assert_eq!(status(&laptop), 401);
}

#[test]
fn attempts_to_pair_are_limited() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let codes: Vec<u16> = (0..11).map(|_| server.pair("wrong", "x").status).collect();
    assert_eq!(codes, [403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 429]);
}

#[test]
fn secrets_are_in_no_file_argument_or_environment() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let file = env.state().join("web.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o600);
    let half = device.cookie.split_once('=').unwrap().1;
    let places = env
        .processes()
        .into_iter()
        .flat_map(|process| ["cmdline", "environ"].map(|name| format!("/proc/{}/{name}", process.pid)));
    let files = fs::read_dir(env.state()).unwrap().map(|entry| entry.unwrap().path().display().to_string());
    let mut read = 0;
    for path in places.chain(files) {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
        read += usize::from(!text.is_empty());
        assert!(!text.contains(half) && !text.contains(&device.key), "{path}");
    }
    assert!(read >= 3, "{read} places were read");
}

#[test]
fn the_owner_is_notified_of_a_new_device() {
    let env = TestEnv::new();
    let received = env.root().join("notice.json");
    env.symposium(["agent", "list"]).ok();
    // Renamed into place, so that the test reads the whole notice.
    let script = format!("cat > '{0}.new' && mv '{0}.new' '{0}'", received.display());
    let command = env.fake_program("notice", &script);
    fs::write(env.state().join("config.toml"), format!("[notify]\ncommand = [\"{}\"]\n", command.display()))
        .expect("writing the configuration");
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    env.wait_until("the notice has arrived", || received.exists());
    let notice: serde_json::Value = serde_json::from_str(&fs::read_to_string(received).unwrap()).unwrap();
    assert_eq!(notice["title"], "new device on the web page: phone");
    assert_eq!(notice["body"], format!("if it is not yours: symposium web revoke {}", device.id));
    assert_eq!((&notice["on"], &notice["agent"]), (&"device".into(), &serde_json::Value::Null));
}

#[test]
fn an_agent_cannot_give_itself_access() {
    let env = TestEnv::new();
    let _server = Server::start(&env);
    let binary = env.binary();
    let result = env.root().join("result");
    // The agent clears its environment; it is recognized by its ancestors, even before its record is written.
    let script = format!(
        "for command in 'web pair' 'web link evil --for 2h' 'web devices' 'web revoke --all' 'web'; do \
           env -u SYMPOSIUM_AGENT -u SYMPOSIUM_AGENT_ID {binary} $command; echo \"$command: $?\"; \
           {binary} $command; echo \"$command: $?\"; \
         done > '{0}.new' 2>&1; mv '{0}.new' '{0}'; exec sleep 1000",
        result.display()
    );
    env.symposium(["agent", "spawn", "--name", "evil", "--", "sh", "-c", &script]).ok();
    env.wait_until("the agent has tried everything", || result.exists());
    let text = fs::read_to_string(result).unwrap();
    let codes: Vec<&str> = text.lines().filter(|line| line.starts_with("web")).collect();
    assert_eq!(codes.len(), 10, "{text}");
    assert!(codes.iter().all(|line| line.ends_with(": 1")), "{text}");
    let refusals = ["error: agent `evil` may not ", "error: a process of an agent may not "];
    assert_eq!(refusals.iter().map(|refusal| text.matches(refusal).count()).sum::<usize>(), 10, "{text}");
}

#[test]
fn only_one_server_runs_in_an_environment() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let outcome = env.symposium(["web", "--listen", "127.0.0.1:0"]).fails(1);
    assert!(outcome.stderr.starts_with("error: the web page is served already (pid "), "{outcome:?}");
    assert!(outcome.stderr.contains(&server.origin()), "{outcome:?}");
    spawned(&env, "a", None, "idle");
}
