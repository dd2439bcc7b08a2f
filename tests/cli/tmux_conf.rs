//! The user's additions to the configuration of our tmux server: mistakes are reported and never cover an agent's
//! screen.

use super::{agent, spawned};
use crate::support::TestEnv;

#[test]
fn tmux_conf_errors_are_reported_with_their_line_and_not_in_the_pane() {
    let env = TestEnv::new();
    super::without_settling(&env, &[]);
    let conf = env.state().join("tmux.conf");
    let text = "set -g status-interval 7\nset -g statu-left x\nset -g history-limit abc\n";
    std::fs::write(&conf, text).expect("writing tmux.conf");
    let outcome = agent(&env, &["spawn", "--name", "a", "--", "sh", "-c", "echo this is a; exec cat"]).ok();
    let located = |line: &str| format!("{}:{line}", conf.display());
    for mistake in [located("2: invalid option: statu-left"), located("3: value is invalid: abc")] {
        assert!(outcome.stderr.contains(&format!("warning: {mistake} (")), "{outcome:?}");
        let doctor = env.symposium(["doctor"]).outcome().stdout;
        assert!(doctor.contains("note  tmux.conf: ") && doctor.contains(&mistake), "{doctor}");
    }
    assert_eq!(env.tmux(["show-options", "-gv", "status-interval"]).ok().stdout, "7\n", "the rest counts");
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("this is a");
    assert!(!terminal.screen().contains("invalid option"), "{}", terminal.screen());
    terminal.type_text("hello");
    terminal.keys(&["Enter"]);
    env.wait_until("the agent received the text", || super::printed(&env, "a").matches("hello").count() == 2);
    let second = agent(&env, &["spawn", "--name", "b", "--", "sleep", "1000"]).ok();
    assert!(!second.stderr.contains("warning"), "once is enough: {second:?}");
}

#[test]
fn a_valid_tmux_conf_produces_no_message() {
    let env = TestEnv::new();
    super::without_settling(&env, &[]);
    std::fs::write(env.state().join("tmux.conf"), "set -g status-interval 7\n").expect("writing tmux.conf");
    let outcome = agent(&env, &["spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    assert_eq!(outcome.stderr, "");
    spawned(&env, &["--name", "b", "--", "sleep", "1000"]);
    assert!(!env.symposium(["doctor"]).outcome().stdout.contains("tmux.conf"));
}

#[test]
fn doctor_names_a_changed_tmux_conf_and_reload_applies_it() {
    let env = TestEnv::new();
    super::without_settling(&env, &[]);
    let conf = env.state().join("tmux.conf");
    std::fs::write(&conf, "set -g status-interval 7\n").expect("writing tmux.conf");
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let doctor = || env.symposium(["doctor"]).outcome().stdout;
    assert!(!doctor().contains("tmux.conf: "), "{}", doctor());
    std::fs::write(&conf, "set -g status-interval 8\nset -g statu-left x\n").expect("writing tmux.conf");
    let located = doctor();
    assert!(located.contains("note  tmux.conf: changed since the server read it"), "{located}");
    assert!(located.contains("do: symposium config reload"), "{located}");
    let reloaded = env.symposium(["config", "reload"]).fails(1);
    let mistake = format!("{}:2: invalid option: statu-left", conf.display());
    assert!(reloaded.stderr.contains("tmux.conf: applied to the running tmux server\n"), "{reloaded:?}");
    assert!(reloaded.stderr.contains(&format!("mistake: {mistake}\n")), "{reloaded:?}");
    assert!(
        reloaded.stderr.contains("needs a restart: settings that were removed from tmux.conf"),
        "{reloaded:?}"
    );
    assert_eq!(env.tmux(["show-options", "-gv", "status-interval"]).ok().stdout, "8\n");
    let located = doctor();
    assert!(located.contains(&format!("note  tmux.conf: {mistake}")), "{located}");
    std::fs::write(&conf, "set -g status-interval 9\n").expect("writing tmux.conf");
    let json = env.symposium(["config", "reload", "--json"]).ok().json();
    assert_eq!(json["tmux_conf"], "applied", "{json}");
    assert_eq!(json["mistakes"], serde_json::json!([]), "{json}");
    assert!(!doctor().contains("tmux.conf: "), "{}", doctor());
}

#[test]
fn reload_without_a_server_checks_config_toml() {
    let env = TestEnv::new();
    super::without_settling(&env, &[]);
    let located = env.symposium(["config", "reload"]).ok().stderr;
    assert_eq!(located, "config.toml: not present, using defaults\ntmux.conf: not present\n");
    std::fs::write(env.state().join("config.toml"), "max_agent = 3\n").expect("writing config.toml");
    let refused = env.symposium(["config", "reload"]).outcome();
    assert!(refused.code != 0 && refused.stderr.contains("there is no key `max_agent`"), "{refused:?}");
}
