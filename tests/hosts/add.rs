//! `host add|list|remove`: the checks, the messages and the hints.

use std::fs;

use serde_json::json;

use super::{Far, Near, machines};
use crate::support::run::Outcome;

#[test]
fn a_host_is_added_listed_and_removed() {
    let Some((near, far)) = machines() else { return };
    let hosts = near.run(&["host", "list", "--json"]).ok().json();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        (
            &hosts[0]["name"],
            &hosts[0]["address"],
            &hosts[0]["port"],
            &hosts[0]["version"],
            &hosts[0]["agents"]
        ),
        (&json!("far"), &json!(far.address), &json!(2222), &json!(version), &json!(null))
    );
    far.echoing("a");
    near.run(&["agent", "list", "--host", "far", "--timeout", "50s"]).ok();
    let text = near.run(&["host", "list"]).ok().stdout;
    assert!(text.starts_with("NAME") && text.contains(&format!("{} port 2222", far.address)), "{text}");
    assert_eq!(near.run(&["host", "list", "--json"]).ok().json()[0]["agents"], json!(1));

    let taken = near.run(&["host", "add", "far", &far.address]).fails(1);
    assert!(taken.stderr.contains("a host named `far` already exists"), "{taken:?}");
    let gone = near.run(&["host", "remove", "far"]).ok();
    assert_eq!(gone.stderr, "host `far` was removed; its agents keep running\n");
    assert_eq!(near.run(&["host", "list", "--json"]).ok().json(), json!([]));
    let unknown = near.run(&["agent", "show", "far:a"]).fails(3);
    assert_eq!(
        unknown.stderr,
        "error: no host named `far`\n  there are no hosts yet\nhint: add it with `symposium host add far [USER@]ADDRESS`\n"
    );
    assert_eq!(far.agents().len(), 1);
}

#[test]
fn a_missing_remote_binary_is_reported_with_install_instructions() {
    let Some(near) = Near::new(None) else { return };
    let Some(far) = Far::new(&near) else { return };
    let port = far.port.to_string();
    let add =
        |more: &[&str]| near.run(&[&["host", "add", "far", &far.address, "--port", &port], more].concat());
    let lacks = add(&["--binary", "/no/such/symposium"]).fails(1);
    assert!(lacks.stderr.starts_with("error: symposium is not installed on host `far`\n"), "{lacks:?}");
    for outcome in [
        "searched at /no/such/symposium\n",
        "scp -P 2222",
        "`cargo install --path .`",
        "--binary PATH",
        "--force",
    ] {
        assert!(lacks.stderr.contains(outcome), "{outcome}: {lacks:?}");
    }
    assert_eq!(near.run(&["host", "list", "--json"]).ok().json(), json!([]));
    let forced = add(&["--binary", "/no/such/symposium", "--force"]).ok();
    assert!(
        forced.stderr.contains("warning: added anyway: symposium is not installed on host `far`"),
        "{forced:?}"
    );
    let unanswered = near.run(&["agent", "show", "far:a", "--json"]).fails(1);
    assert!(unanswered.stderr.contains("\"host-lacks-symposium\""), "{unanswered:?}");

    // Another program is at that path.
    far.env.fake_program("other", "echo Welcome to nothing");
    let other = far.env.root().join("fakes/other").display().to_string();
    let other = add(&["--binary", &other, "--force"]).ok();
    assert!(other.stderr.contains("symposium is not installed on host"), "{other:?}");
    assert!(other.stderr.contains("Welcome to nothing"), "{other:?}");
}

#[test]
fn an_unreachable_host_is_reported_with_the_ssh_error() {
    let Some(near) = Near::new(None) else { return };
    let refused = near.run(&["host", "add", "far", "127.0.0.1", "--port", "1"]).fails(1);
    assert!(refused.stderr.starts_with("error: host `far` cannot be reached\n"), "{refused:?}");
    assert!(refused.stderr.contains("Connection refused"), "{refused:?}");
    assert!(refused.stderr.contains("hint: check whether `ssh -p 1 127.0.0.1` logs in"), "{refused:?}");
    let Some(far) = Far::new(&near) else { return };
    // A host key that differs from the known one.
    fs::remove_file(near.env.root().join("ssh/known")).unwrap();
    fs::write(near.env.root().join("ssh/known"), "").unwrap();
    let port = far.port.to_string();
    let stranger = near.run(&["host", "add", "far", &far.address, "--port", &port]).fails(1);
    assert!(stranger.stderr.contains("Host key verification failed"), "{stranger:?}");
    near.env.forget_program("ssh");
    let missing = near.run(&["host", "add", "far", "gpu1"]).fails(1);
    assert!(missing.stderr.contains("`ssh` is not installed, or not in PATH"), "{missing:?}");
}

#[test]
fn interactive_ssh_settings_do_not_interfere() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    // An interactive shell of the user already holds the forwarded port.
    let held = std::net::TcpListener::bind((far.address.as_str(), 0)).unwrap();
    let place = format!("{}:{}", far.address, held.local_addr().unwrap().port());
    near.run(&["host", "remove", "far"]).ok();
    near.configure(&format!(
        "Host {}\n  RemoteCommand tmux new -A\n  RequestTTY yes\n  LocalForward {place} localhost:1\n  \
         ExitOnForwardFailure yes\n  LogLevel QUIET\nHost *\n  LogLevel QUIET\n",
        far.address
    ));
    near.add("far", &far);
    assert_eq!(near.run(&["agent", "show", "far:a", "--json"]).ok().json()["name"], "a");
    let terminal = near.env.terminal([near.env.binary(), "agent", "attach", "far:a"]);
    terminal.wait_for_text("this is a");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    // The reason for a failed connection is reported despite `LogLevel QUIET`.
    near.run(&["host", "add", "gone", "127.0.0.1", "--port", "1", "--force"]).ok();
    let gone = near.run(&["agent", "send", "gone:a", "x"]).fails(1);
    assert!(gone.stderr.contains("Connection refused"), "{gone:?}");
}

#[test]
fn options_and_commands_in_host_fields_are_refused() {
    let Some(near) = Near::new(None) else { return };
    let marker = near.env.root().join("x");
    let proxy = format!("-oProxyCommand=touch {}", marker.display());
    for (name, address, binary) in [
        ("far", proxy.as_str(), "/bin/s"),
        ("far", "me@-oProxyCommand=x", "/bin/s"),
        ("far", "$(touch x)", "/bin/s"),
        ("far", "gpu1; touch x", "/bin/s"),
        ("far", "gpu1", "/bin/s; touch x"),
        ("far", "gpu1", "'/bin/s'"),
        ("far", "gpu1", "relative"),
        ("all", "gpu1", "/bin/s"),
        ("any", "gpu1", "/bin/s"),
        ("../x", "gpu1", "/bin/s"),
        ("a:b", "gpu1", "/bin/s"),
        ("-rf", "gpu1", "/bin/s"),
    ] {
        let refused = near.run(&["host", "add", "--force", "--binary", binary, "--", name, address]).fails(2);
        assert!(refused.stderr.contains("is not a valid host: "), "{name} {address}: {refused:?}");
    }
    assert!(!marker.exists() && !near.env.project().join("x").exists());
    assert!(!near.env.state().join("hosts.json").exists());
}

#[test]
fn another_remote_version_is_reported_and_an_old_one_refused() {
    let Some((near, far)) = machines() else { return };
    let port = far.port.to_string();
    let path = far.env.root().join("fakes/other");
    let other = path.display().to_string();
    let answering = |format: u32, version: &str| {
        let hello = format!("{{\\\"format\\\":{format},\\\"version\\\":\\\"{version}\\\"}}");
        far.env.fake_program(
            "other",
            &format!("read -r line; printf '\\002symposium-remote %s\\nend 0\\n' \"{hello}\""),
        );
    };
    let add =
        || near.run(&["host", "add", "--force", "old", &far.address, "--port", &port, "--binary", &other]);
    answering(1, "0.0.7");
    let outcome = add().ok();
    assert!(
        outcome.stderr.contains("symposium 0.0.7 runs there") && outcome.stderr.contains("the same format"),
        "{outcome:?}"
    );
    answering(0, "0.0.1");
    let outcome = add().ok();
    assert!(
        outcome.stderr.contains("it is older") && outcome.stderr.contains("must be upgraded first"),
        "{outcome:?}"
    );
    let refused = near.run(&["agent", "kill", "old:a"]).fails(1);
    assert!(refused.stderr.starts_with("error: symposium 0.0.1 on host `old` is too old"), "{refused:?}");
    // A symposium from before `remote` existed.
    far.env.fake_program("other", "echo \"error: unrecognized subcommand 'remote'\" >&2; exit 2");
    let ancient = near.run(&["agent", "kill", "old:a"]).fails(1);
    assert!(ancient.stderr.starts_with("error: symposium on host `old` is too old"), "{ancient:?}");
    answering(9, "9.0.0");
    assert!(add().ok().stderr.contains("it is newer"), "newer");
}

#[test]
fn the_remote_binary_is_found_in_the_usual_directories() {
    let Some(near) = Near::new(None) else { return };
    let Some(far) = Far::new(&near) else { return };
    let port = far.port.to_string();
    let add = |name| near.run(&["host", "add", name, &far.address, "--port", &port]);
    let missing = add("far").fails(1);
    assert!(missing.stderr.contains("~/.cargo/bin and in ~/.local/bin"), "{missing:?}");
    for (name, directory) in [("one", ".cargo/bin"), ("two", ".local/bin")] {
        let directory = far.env.home().join(directory);
        fs::create_dir_all(&directory).unwrap();
        fs::rename(far.binary(), directory.join("symposium")).unwrap();
        add(name).ok();
        fs::rename(directory.join("symposium"), far.binary()).unwrap();
    }
}

#[test]
fn concurrent_additions_of_one_host_name_add_one() {
    let Some(near) = Near::new(None) else { return };
    let Some(far) = Far::new(&near) else { return };
    let (port, binary) = (far.port.to_string(), far.binary());
    let add = ["host", "add", "far", &far.address, "--port", &port, "--binary", &binary];
    // Each command has found no host of that name before the first one receives its answer.
    far.shut();
    let adding: Vec<_> = (0..3).map(|_| near.run(&add).start()).collect();
    near.env.wait_until("all connections are open", || near.connections().len() >= 3);
    far.open();
    let output: Vec<_> = adding.into_iter().map(|one| one.finish()).collect();
    assert_eq!(output.iter().filter(|one| one.code == 0).count(), 1, "{output:?}");
    let taken = |one: &&Outcome| one.stderr.starts_with("error: a host named `far` already exists\n");
    assert_eq!(output.iter().filter(taken).count(), 2, "{output:?}");
}

#[test]
fn port_0_is_refused() {
    let env = crate::support::TestEnv::new();
    let refused = env.symposium(["host", "add", "far", "address", "--port", "0"]).fails(2);
    assert!(refused.stderr.contains("invalid value '0' for '--port <P>'"), "{refused:?}");
}
