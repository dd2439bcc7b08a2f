//! `symposium service`: the files that are written, the calls of the service manager, and what happens without one.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;

use super::{spawned, status};
use crate::support::TestEnv;

/// Installs a service manager that records its calls and fails if they contain `fails`.
fn systemctl(env: &TestEnv, fails: &str) {
    let log = env.root().join("systemctl.log");
    let script = format!(
        "echo \"$*\" >> {}\ncase \"$*\" in *{fails}*) echo 'Failed to connect to bus' >&2; exit 1;; esac",
        log.display()
    );
    env.fake_program("systemctl", &script);
}

/// Returns the calls since the last one of this function.
fn calls(env: &TestEnv) -> String {
    let log = env.root().join("systemctl.log");
    let text = fs::read_to_string(&log).unwrap_or_default();
    let _ = fs::remove_file(log);
    text
}

fn unit(env: &TestEnv) -> PathBuf {
    env.home().join(".config/systemd/user/symposium.service")
}

fn redacted(env: &TestEnv, text: &str) -> String {
    env.redacted(&text.replace(env.binary(), "/usr/bin/symposium"))
}

#[test]
fn a_unit_is_installed_once_and_removed_while_agents_continue() {
    let env = TestEnv::new();
    systemctl(&env, "nothing");
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    env.symposium(["service", "install"]).ok();
    calls(&env);
    let outcome = env.symposium(["service", "install"]).ok();
    assert_snapshot!(redacted(&env, &outcome.stderr), @"
    installed for systemd: [ROOT]/home/.config/systemd/user/symposium.service
    it starts with your first login; to start it with the machine: loginctl enable-linger tester
    our tmux server is already running and is not changed; after the next boot it belongs to the service
    ");
    assert_snapshot!(calls(&env), @"
    --user show-environment
    --user daemon-reload
    --user enable --now symposium.service
    ");
    assert_snapshot!(redacted(&env, &fs::read_to_string(unit(&env)).unwrap()), @r#"
    # Written by `symposium service install`; `symposium service uninstall` removes it.

    [Unit]
    Description=Symposium: AI coding agents, kept alive

    [Service]
    Type=oneshot
    RemainAfterExit=yes
    Environment="PATH=[ROOT]/fakes:[ROOT]/tools"
    Environment="TMUX_TMPDIR=[ROOT]/sockets"
    UnsetEnvironment=INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID
    # The supervisor lives in our tmux server: starting it starts the server.
    ExecStart="/usr/bin/symposium" supervisor start
    # One agent that does not come back is no reason to give up the others.
    ExecStart=-"/usr/bin/symposium" agent restore --all
    TimeoutStartSec=10min
    # Stopping the unit ends no agent; `symposium agent kill --all` does.
    KillMode=process
    OOMPolicy=continue
    TasksMax=infinity

    [Install]
    WantedBy=default.target
    "#);
    let outcome = env.symposium(["service", "uninstall"]).ok();
    assert_snapshot!(redacted(&env, &outcome.stderr), @"removed [ROOT]/home/.config/systemd/user/symposium.service; agents keep running");
    assert_snapshot!(calls(&env), @"
    --user show-environment
    --user disable --now symposium.service
    --user daemon-reload
    ");
    assert!(!unit(&env).exists());
    assert_eq!(env.symposium(["service", "uninstall"]).ok().stderr, "no service was installed\n");
    assert_eq!((calls(&env).as_str(), status(&env, "a").as_str()), ("", "working"));
}

#[test]
fn service_json_reports_manager_path_and_text() {
    let env = TestEnv::new();
    systemctl(&env, "nothing");
    let path = unit(&env).display().to_string();
    let printed = env.symposium(["service", "install", "--print", "--json"]).ok().json();
    assert_eq!((&printed["manager"], &printed["path"]), (&"systemd".into(), &path.clone().into()));
    assert!(!unit(&env).exists());
    let installed = env.symposium(["service", "install", "--json"]).ok().json();
    assert_eq!(installed["text"], printed["text"]);
    assert_eq!(installed["at_boot"], false);
    assert_eq!(installed["remarks"].as_array().unwrap().len(), 1);
    let removed = env.symposium(["service", "uninstall", "--json"]).ok().json();
    assert_eq!(removed, serde_json::json!({ "path": path, "was_installed": true }));
}

#[test]
fn without_a_service_manager_nothing_is_written() {
    let env = TestEnv::new();
    systemctl(&env, "show-environment");
    let outcome = env.symposium(["service", "install"]).fails(1);
    assert_snapshot!(outcome.stderr, @"
    error: the service manager of this user does not answer
      `systemctl --user show-environment`: Failed to connect to bus
      nothing was changed
    hint: `symposium service install --print` prints the unit, so that it can be started in another way
    hint: or run `symposium agent restore --all` after each start of the machine
    ");
    assert!(!unit(&env).exists());
    env.forget_program("systemctl");
    let outcome = env.symposium(["service", "install"]).fails(1);
    assert!(outcome.stderr.contains("`systemctl --user show-environment`: No such file"), "{outcome:?}");
    let printed = env.symposium(["service", "install", "--print"]).ok();
    assert!(printed.stdout.contains("ExecStart="), "{printed:?}");
    assert!(!unit(&env).exists());
}

#[test]
fn a_unit_that_cannot_be_enabled_is_removed() {
    let env = TestEnv::new();
    systemctl(&env, "enable");
    let outcome = env.symposium(["service", "install"]).fails(1);
    assert_snapshot!(outcome.stderr, @"
    error: `systemctl --user enable --now symposium.service` failed
      Failed to connect to bus
    hint: `journalctl --user -e` shows its log; `symposium service install --print` prints the unit
    ");
    assert!(!unit(&env).exists());
}

#[test]
fn a_unit_can_be_removed_without_its_service_manager() {
    let env = TestEnv::new();
    systemctl(&env, "nothing");
    env.symposium(["service", "install"]).ok();
    systemctl(&env, "--user");
    env.symposium(["service", "uninstall"]).ok();
    assert!(!unit(&env).exists());
}

#[test]
fn another_environment_gets_its_own_service() {
    let env = TestEnv::new();
    let other = env.root().join("other home");
    let printed =
        env.symposium(["service", "install", "--print", "--json"]).env("SYMPOSIUM_HOME", &other).ok();
    let printed = printed.json();
    let name = PathBuf::from(printed["path"].as_str().unwrap());
    let name = name.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("symposium-") && name.ends_with(".service"), "{name}");
    let line = format!("Environment=\"SYMPOSIUM_HOME={}\"\n", other.display());
    assert!(printed["text"].as_str().unwrap().contains(&line), "{printed}");
}
