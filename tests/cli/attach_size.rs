//! The size of an agent's window: that of the driver's terminal, whatever other clients are attached, and that of the
//! last driver's terminal while there is no driver.

use std::collections::HashSet;
use std::fs;

use super::{agent, spawned};
use crate::support::TestEnv;
use crate::support::terminal::Terminal;

/// Starts a program that records each size that it receives.
fn measuring(env: &TestEnv, name: &str) {
    let script = format!(
        "trap 'stty size >> sizes' WINCH; echo this is {name}; while :; do sleep 100 & wait; kill $!; done"
    );
    spawned(env, &["--name", name, "--", "sh", "-c", &script]);
}

/// Attaches a terminal of this size.
fn attached<'a>(env: &'a TestEnv, size: (u16, u16), more: &[&str]) -> Terminal<'a> {
    let terminal = env.terminal_sized(size, [&[env.binary(), "agent", "attach", "a"], more].concat());
    terminal.wait_for_text("this is a");
    terminal
}

/// Returns the size of the agent's window, including the status line below it.
fn size(env: &TestEnv) -> (u16, u16) {
    let output = env.tmux(["display-message", "-p", "-t", "=a:", "#{window_width} #{window_height}"]).ok();
    let mut numbers = output.stdout.split_whitespace().map(|number| number.parse::<u16>().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap() + 1)
}

#[track_caller]
fn wait_for_size(env: &TestEnv, wanted: (u16, u16)) {
    env.wait_until(&format!("the window is {wanted:?}"), || size(env) == wanted);
}

/// Waits until tmux has processed the new size of a terminal.
#[track_caller]
fn resized(env: &TestEnv, terminal: &Terminal<'_>, (columns, lines): (u16, u16)) {
    terminal.resize(columns, lines);
    let line = format!("{} {columns} {lines}", terminal.tty());
    env.wait_until("tmux knows the new size", || {
        let format = "#{client_tty} #{client_width} #{client_height}";
        env.tmux(["list-clients", "-F", format]).ok().stdout.lines().any(|one| one == line)
    });
}

#[track_caller]
fn left(env: &TestEnv, terminal: Terminal<'_>) {
    let tty = terminal.tty();
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    env.wait_until("the client has left and the size is settled", || {
        let format = "#{client_tty} #{@symposium_driver} ";
        !env.tmux(["list-clients", "-F", format]).ok().stdout.contains(&format!("{tty} "))
    });
}

#[test]
fn the_size_survives_the_driver_and_ignores_observers() {
    let env = TestEnv::new();
    measuring(&env, "a");
    let driver = attached(&env, (120, 40), &[]);
    wait_for_size(&env, (120, 40));
    let observer = attached(&env, (60, 10), &["--observe"]);
    left(&env, driver);
    assert_eq!(size(&env), (120, 40));
    resized(&env, &observer, (50, 9));
    resized(&env, &observer, (150, 50));
    assert_eq!(size(&env), (120, 40));
    let another = attached(&env, (61, 11), &["--observe"]);
    assert_eq!(size(&env), (120, 40));
    let back = attached(&env, (100, 30), &[]);
    wait_for_size(&env, (100, 30));
    resized(&env, &back, (90, 20));
    wait_for_size(&env, (90, 20));
    // The terminal closes as after a dropped connection.
    back.close();
    env.wait_until("the driver has left", || env.tmux(["list-clients"]).ok().stdout.lines().count() == 2);
    resized(&env, &another, (62, 12));
    assert_eq!(size(&env), (90, 20));
    let sizes = fs::read_to_string(env.project().join("sizes")).unwrap();
    let seen: HashSet<&str> = sizes.lines().collect();
    assert!(seen.is_subset(&HashSet::from(["39 120", "29 100", "19 90"])), "the agent saw {sizes}");
}

#[test]
fn a_new_agent_does_not_take_the_size_of_another_driver() {
    let env = TestEnv::new();
    measuring(&env, "a");
    let driver = attached(&env, (20, 4), &[]);
    wait_for_size(&env, (20, 4));
    spawned(&env, &["--name", "b", "--", "sh", "-c", "stty size > born; exec sleep 1000"]);
    let window = || {
        let output = env.tmux(["display-message", "-p", "-t", "=b:", "#{window_width} #{window_height}"]);
        output.ok().stdout.trim().to_owned()
    };
    assert_eq!(window(), "160 48");
    agent(&env, &["kill", "b"]).ok();
    agent(&env, &["resume", "b"]).ok();
    assert_eq!((window().as_str(), size(&env)), ("160 48", (20, 4)));
    left(&env, driver);
}

#[test]
fn the_size_follows_the_driver_and_ignores_watching_clients() {
    let env = TestEnv::new();
    measuring(&env, "a");
    let driver = attached(&env, (120, 40), &[]);
    let watching = attached(&env, (60, 10), &[]);
    watching.wait_for_text("you watch");
    assert_eq!(size(&env), (120, 40));
    resized(&env, &driver, (110, 35));
    wait_for_size(&env, (110, 35));
    resized(&env, &watching, (160, 45));
    assert_eq!(size(&env), (110, 35));
    // The client that takes over determines the size, and the former driver no longer does.
    let taker = attached(&env, (80, 24), &["--take"]);
    wait_for_size(&env, (80, 24));
    resized(&env, &driver, (130, 41));
    assert_eq!(size(&env), (80, 24));
    resized(&env, &taker, (70, 20));
    wait_for_size(&env, (70, 20));
    // The client that has waited longest becomes the driver and determines the size.
    left(&env, taker);
    watching.wait_for_text("you drive now");
    wait_for_size(&env, (160, 45));
    left(&env, watching);
    driver.wait_for_text("you drive now");
    wait_for_size(&env, (130, 41));
    let sizes = fs::read_to_string(env.project().join("sizes")).unwrap();
    assert!(!sizes.lines().any(|line| line.ends_with(" 60")), "the agent saw {sizes}");
}

#[test]
fn an_observer_on_the_former_drivers_terminal_does_not_resize() {
    let env = TestEnv::new();
    measuring(&env, "a");
    for hook in ["client-attached", "client-detached", "client-session-changed"] {
        env.tmux(["set-hook", "-gu", &format!("{hook}[7700]")]).ok();
    }
    let line = format!("{0} agent attach a; exec {0} agent attach a --observe", env.binary());
    let terminal = env.terminal_sized((120, 40), ["sh", "-c", &line]);
    wait_for_size(&env, (120, 40));
    terminal.keys(&["C-b", "d"]);
    terminal.wait_for_text("watching only");
    resized(&env, &terminal, (60, 10));
    assert_eq!(size(&env), (120, 40));
    resized(&env, &terminal, (61, 10));
    assert_eq!(size(&env), (120, 40));
}

#[test]
fn an_observer_that_switches_agents_does_not_resize() {
    let env = TestEnv::new();
    measuring(&env, "a");
    let before = size(&env);
    spawned(&env, &["--name", "b", "--", "sh", "-c", "echo this is b; exec sleep 1000"]);
    let observer = env.terminal_sized((60, 10), [env.binary(), "agent", "attach", "b", "--observe"]);
    observer.wait_for_text("this is b");
    observer.keys(&["C-b", ")"]);
    observer.wait_for_text("this is a");
    resized(&env, &observer, (50, 9));
    assert_eq!(size(&env), before);
}

#[test]
fn observers_do_not_resize_under_the_shared_policy() {
    let env = TestEnv::new();
    measuring(&env, "a");
    fs::write(env.state().join("config.toml"), "[attach]\npolicy = \"shared\"\n").unwrap();
    let observer = attached(&env, (60, 10), &["--observe"]);
    let first = attached(&env, (120, 40), &[]);
    wait_for_size(&env, (120, 40));
    let second = attached(&env, (100, 30), &[]);
    wait_for_size(&env, (100, 30));
    resized(&env, &second, (90, 20));
    wait_for_size(&env, (90, 20));
    resized(&env, &observer, (50, 9));
    assert_eq!(size(&env), (90, 20));
    // The client that was used last determines the size.
    first.type_text("x");
    wait_for_size(&env, (120, 40));
    resized(&env, &second, (91, 21));
    wait_for_size(&env, (91, 21));
    left(&env, second);
    wait_for_size(&env, (120, 40));
    left(&env, first);
    resized(&env, &observer, (51, 9));
    assert_eq!(size(&env), (120, 40));
}

#[test]
fn a_new_window_of_the_driver_gets_the_drivers_size() {
    let env = TestEnv::new();
    measuring(&env, "a");
    let driver = attached(&env, (120, 40), &[]);
    let _observer = attached(&env, (60, 10), &["--observe"]);
    driver.keys(&["C-b", "c"]);
    env.wait_until("there are two windows", || {
        env.tmux(["list-windows", "-t", "=a"]).ok().stdout.lines().count() == 2
    });
    assert_eq!(size(&env), (120, 40));
    resized(&env, &driver, (90, 20));
    wait_for_size(&env, (90, 20));
    driver.keys(&["C-b", "p"]);
    driver.wait_for_text("this is a");
    wait_for_size(&env, (90, 20));
    left(&env, driver);
    assert_eq!(size(&env), (90, 20));
}

#[test]
fn a_prompt_is_delivered_while_a_small_observer_is_attached() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a"]);
    let driver = env.terminal_sized((120, 40), [env.binary(), "agent", "attach", "a"]);
    driver.wait_for_text("detach: C-b d");
    let observer = env.terminal_sized((30, 8), [env.binary(), "agent", "attach", "a", "--observe"]);
    env.wait_until("two clients are attached", || {
        env.tmux(["list-clients"]).ok().stdout.lines().count() == 2
    });
    left(&env, driver);
    resized(&env, &observer, (3, 2));
    agent(&env, &["send", "a", "remember the milk"]).ok();
}
