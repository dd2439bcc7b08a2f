//! Pairing, devices and revocation from the view of a user, and of an agent that tries the same.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{Server, pairing_link, spawned};
use crate::support::TestEnv;

#[test]
fn a_code_works_once_and_a_device_can_be_revoked() {
    let env = TestEnv::new();
    let outcome = env.in_new_terminal("symposium web pair").fails(1);
    assert!(outcome.stdout.contains("the web page is not served"), "{outcome:?}");
    assert!(outcome.stdout.contains("start it in another terminal: `symposium web`"), "{outcome:?}");
    let server = Server::start(&env);
    let link = pairing_link(&env);
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
    for time in [&link["expires_at"], &devices[0]["last_used"], &devices[0]["paired_at"]] {
        let fraction = time.as_str().and_then(|time| Some(time.strip_suffix('Z')?.split_once('.')?.1));
        assert_eq!(fraction.map(str::len), Some(3), "{time}");
    }
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
    let code = pairing_link(&env)["code"].as_str().expect("a code").to_owned();
    assert_eq!(server.pair(&code, "phone").status, 200, "wrong codes of others do not lock the owner out");
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
fn a_process_that_left_its_agent_gets_no_code() {
    let env = TestEnv::new();
    let _server = Server::start(&env);
    let (binary, result) = (env.binary(), env.root().join("result"));
    let variables = format!(
        "HOME={} TMUX_TMPDIR={} PATH=/usr/bin:/bin",
        env.home().display(),
        env.root().join("sockets").display()
    );
    let pair = format!("env -i {variables} {binary} web pair --json");
    // Without its session and terminal, as a child of the tmux server, in a new pane of it, and as an orphan that keeps
    // the terminal of the agent.
    let script = format!(
        "setsid -f sh -c '{pair} >{0}.1 2>&1; echo $? >>{0}.1; touch {0}.1.done'
         tmux run-shell \"exec sh -c '{pair} >{0}.2 2>&1; echo \\$? >>{0}.2; touch {0}.2.done'\"
         tmux new-session -d \"exec sh -c '{pair} >{0}.3 2>&1; echo \\$? >>{0}.3; touch {0}.3.done'\"
         (sh -c 'while kill -0 '$$' 2>&-; do read -r _ </dev/null; [ -e {0}.go ] && break; done; \
           {pair} >{0}.4 2>&1; echo $? >>{0}.4; touch {0}.4.done' &)
         touch {0}.go
         exec sleep 1000",
        result.display()
    );
    env.symposium(["agent", "spawn", "--name", "evil", "--", "sh", "-c", &script]).ok();
    for attempt in 1..=4 {
        let file = format!("{}.{attempt}", result.display());
        env.wait_until("the attempt has ended", || fs::exists(format!("{file}.done")).unwrap_or(false));
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            (text.ends_with("\n1\n") || text.ends_with("\n2\n")) && !text.contains("#pair="),
            "attempt {attempt}: {text}"
        );
        assert!(text.contains(" may not pair a device with the web page"), "attempt {attempt}: {text}");
    }
}

#[test]
fn a_code_is_given_at_a_terminal_only() {
    let env = TestEnv::new();
    let _server = Server::start(&env);
    let refused = env.program("setsid", ["--wait", env.binary(), "web", "pair", "--json"]).fails(2);
    assert!(refused.stderr.contains("terminal"), "{refused:?}");
    env.in_new_terminal("symposium web pair --json").ok();
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

#[test]
fn the_name_of_a_device_cannot_forge_lines_of_lists_or_notices() {
    let env = TestEnv::new();
    let received = env.root().join("notice.json");
    env.symposium(["agent", "list"]).ok();
    let script = format!("cat > '{0}.new' && mv '{0}.new' '{0}'", received.display());
    let command = env.fake_program("notice", &script);
    fs::write(env.state().join("config.toml"), format!("[notify]\ncommand = [\"{}\"]\n", command.display()))
        .expect("writing the configuration");
    let server = Server::start(&env);
    let device = server.paired(&env, "phone\nID  owner\u{1b}[2J\u{202e}\u{7}\r\0x");
    let is_deceptive = |c: char| c.is_control() || c == '\u{202e}';
    env.wait_until("the notice has arrived", || received.exists());
    let notice: serde_json::Value = serde_json::from_str(&fs::read_to_string(received).unwrap()).unwrap();
    let title = notice["title"].as_str().expect("a title");
    assert!(title.starts_with("new device on the web page: phone ID owner"), "{title:?}");
    assert!(!title.contains(is_deceptive), "{title:?}");
    let listed = env.symposium(["web", "devices"]).ok().stdout;
    assert_eq!(listed.lines().count(), 2, "{listed:?}");
    assert!(!listed.replace('\n', "").contains(is_deceptive), "{listed:?}");
    let revoked = env.symposium(["web", "revoke", &device.id]).ok().stderr;
    assert!(revoked.lines().count() == 1 && !revoked.trim_end().contains(is_deceptive), "{revoked:?}");
}
