//! Several terminals on one agent: one drives, the others watch; how the driver changes.

use std::fs;

use serde_json::Value;

use super::{agent, shown, spawned};
use crate::support::TestEnv;
use crate::support::terminal::Terminal;

/// Starts a program that prints each line that is typed into it.
fn echoing(env: &TestEnv, name: &str) {
    let script = format!("echo this is {name}; while read -r line; do echo \"got <$line>\"; done");
    spawned(env, &["--name", name, "--", "sh", "-c", &script]);
}

fn attached<'a>(env: &'a TestEnv, name: &str, more: &[&str]) -> Terminal<'a> {
    let words = [&[env.binary(), "agent", "attach", name], more].concat();
    let terminal = env.terminal(words);
    terminal.wait_for_text(&format!("this is {name}"));
    terminal
}

fn typed(terminal: &Terminal<'_>, text: &str) {
    terminal.type_text(text);
    terminal.keys(&["Enter"]);
}

fn clients(env: &TestEnv, name: &str) -> Vec<Value> {
    shown(env, name)["clients"].as_array().cloned().unwrap_or_default()
}

fn count(clients: &[Value], what: &str) -> usize {
    clients.iter().filter(|client| client[what] == true).count()
}

fn screen_of(env: &TestEnv, name: &str) -> String {
    env.tmux(["capture-pane", "-p", "-t", &format!("={name}:")]).ok().stdout
}

#[test]
fn the_second_client_watches_and_sees_the_name_of_the_driver() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let line = format!("SSH_CONNECTION='192.0.2.7 4711 192.0.2.1 22' exec {} agent attach a", env.binary());
    let first = env.terminal(["sh", "-c", &line]);
    first.wait_for_text("this is a");
    let log_file = env.home().join("said");
    let line = format!("exec {} agent attach a 2>{}", env.binary(), log_file.display());
    let second = env.terminal_sized((160, 30), ["sh", "-c", &line]);
    second
        .wait_for_text("tester drives, you watch; take over: symposium agent attach a --take (on /dev/pts/");
    let screen = second.screen();
    assert!(screen.contains(" from 192.0.2.7 since "), "{screen}");
    let log_file = fs::read_to_string(log_file).unwrap();
    assert!(log_file.contains(" from 192.0.2.7, driving since 20"), "{log_file}");
    assert!(
        log_file.contains("you attach as an observer; `symposium agent attach a --take` takes over"),
        "{log_file}"
    );
    typed(&second, "from the second");
    typed(&first, "from the first");
    second.wait_for_text("got <from the first>");
    assert!(!second.screen().contains("from the second"), "{}", second.screen());
    let all = clients(&env, "a");
    assert_eq!((all.len(), count(&all, "driver"), count(&all, "observer")), (2, 1, 1), "{all:?}");
    let driver = all.iter().find(|client| client["driver"] == true).unwrap();
    assert_eq!((&driver["from"], &driver["observer"]), (&"192.0.2.7".into(), &false.into()));
    assert!(driver["since"].is_string(), "{driver}");
    let card = agent(&env, &["show", "a"]).ok().stdout;
    assert!(card.contains(", driving since ") && card.contains(", watching since "), "{card}");
}

#[test]
fn the_driver_is_named_on_a_narrow_terminal() {
    let env = TestEnv::new();
    let name = "an-agent-with-a-long-name";
    let script = "echo ready; while read -r line; do echo \"got <$line>\"; done";
    spawned(&env, &["--name", name, "--title", &"long ".repeat(20), "--", "sh", "-c", script]);
    let attach = |columns: u16, more: &[&str]| {
        let words = [&[env.binary(), "agent", "attach", name], more].concat();
        let terminal = env.terminal_sized((columns, 12), words);
        terminal.wait_for_text("ready");
        terminal
    };
    let driver = attach(120, &[]);
    driver.wait_for_text(&format!(" {name} · long long long long …"));
    driver.wait_for_text("detach: C-b d");
    for (columns, left, right) in [
        (40, "an-agent-w…", "tester drives"),
        (60, "an-agent-w…", "watching only · tester drives"),
        (80, name, "watching only · tester drives · detach: C-b d"),
    ] {
        let observer = attach(columns, &["--observe"]);
        observer.wait_for_text("tester drives");
        let room = usize::from(columns) - 2 - left.chars().count();
        let line = format!(" {left}{right:>room$}");
        assert_eq!(observer.screen().lines().last(), Some(line.as_str()), "{columns}");
    }
    let observer = attach(120, &["--observe"]);
    observer.wait_for_text("watching only · tester drives (attach --take takes over) · detach: C-b d");
    let observer = attach(160, &["--observe"]);
    observer.wait_for_text(&format!(" {name} "));
    observer.wait_for_text("watching only · tester on /dev/pts/");
    let second = attach(40, &[]);
    second.wait_for_text("tester drives, you watch;");
    let taker = attach(120, &["--take"]);
    taker.wait_for_text("ready");
    driver.wait_for_text("tester took over, you watch; take it back: symposium agent attach");
    let third = attach(40, &["--take"]);
    taker.wait_for_text("tester took over, you watch");
    let fourth = attach(120, &["--take"]);
    third.wait_for_text("tester took over, you watch");
    drop(fourth);
}

/// Removes the hooks that correct the driver later, so that only the decision of `attach` itself counts.
fn without_events(env: &TestEnv) {
    for hook in ["client-attached", "client-detached", "client-session-changed"] {
        env.tmux(["set-hook", "-gu", &format!("{hook}[7700]")]).ok();
    }
}

#[test]
fn twenty_concurrent_attaches_leave_one_driver() {
    let env = TestEnv::new();
    echoing(&env, "a");
    without_events(&env);
    let line = format!("until [ -e go ]; do sleep 0.01; done; exec {} agent attach a", env.binary());
    let terminals: Vec<_> = (0..20).map(|_| env.terminal(["sh", "-c", &line])).collect();
    fs::write(env.project().join("go"), "").unwrap();
    terminals.iter().for_each(|terminal| terminal.wait_for_text("this is a"));
    let all = clients(&env, "a");
    assert_eq!((all.len(), count(&all, "driver"), count(&all, "observer")), (20, 1, 19), "{all:?}");
    assert!(all.iter().all(|client| client["driver"] != client["observer"]), "{all:?}");
    for (at, terminal) in terminals.iter().enumerate() {
        typed(terminal, &format!("typed by {at}"));
    }
    env.wait_until("one line arrived", || screen_of(&env, "a").contains("got <typed by"));
    // Keys of other clients would arrive before this text if they had been accepted.
    agent(&env, &["send", "a", "the end"]).outcome();
    env.wait_until("the last line is shown", || screen_of(&env, "a").contains("got <the end>"));
    assert_eq!(screen_of(&env, "a").matches("got <typed by").count(), 1, "{}", screen_of(&env, "a"));
}

#[test]
fn twenty_concurrent_takeovers_leave_one_driver() {
    let env = TestEnv::new();
    echoing(&env, "a");
    without_events(&env);
    let line = format!("until [ -e go ]; do sleep 0.01; done; exec {} agent attach a --take", env.binary());
    let terminals: Vec<_> = (0..20).map(|_| env.terminal(["sh", "-c", &line])).collect();
    fs::write(env.project().join("go"), "").unwrap();
    terminals.iter().for_each(|terminal| terminal.wait_for_text("this is a"));
    env.wait_until("one client drives and all others watch", || {
        let all = clients(&env, "a");
        (all.len(), count(&all, "driver"), count(&all, "observer")) == (20, 1, 19)
    });
    let all = clients(&env, "a");
    assert!(all.iter().all(|client| client["driver"] != client["observer"]), "{all:?}");
}

#[test]
fn take_makes_the_client_the_driver_and_notifies_the_former_one() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let first = attached(&env, "a", &[]);
    let second = attached(&env, "a", &["--take"]);
    first.wait_for_text("took over, you watch");
    typed(&first, "from the first");
    typed(&second, "from the second");
    first.wait_for_text("got <from the second>");
    assert!(!first.screen().contains("from the first"), "{}", first.screen());
    // When the new driver detaches, the former driver has waited longest.
    second.keys(&["C-b", "d"]);
    assert_eq!(second.wait_for_exit(), 0);
    first.wait_for_text("you drive now");
    typed(&first, "once more");
    first.wait_for_text("got <once more>");
}

#[test]
fn the_longest_waiting_client_becomes_the_next_driver() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let first = attached(&env, "a", &[]);
    let watcher = attached(&env, "a", &["--observe"]);
    let second = attached(&env, "a", &[]);
    let third = attached(&env, "a", &[]);
    let came: Vec<Value> = clients(&env, "a").iter().map(|client| client["since"].clone()).collect();
    // tmux reports whole seconds.
    let latest = came.iter().filter_map(|at| at.as_str()?.parse::<jiff::Timestamp>().ok()).max().unwrap();
    let later = latest.as_second() + 1;
    let clock = || env.program("date", ["+%s"]).ok().stdout.trim().parse::<i64>().unwrap();
    env.wait_until("a second has passed", || clock() >= later);
    // One client ends as after a dropped connection, the next one by SIGKILL.
    first.close();
    second.wait_for_text("you drive now");
    typed(&third, "not yet");
    typed(&second, "from the second");
    third.wait_for_text("got <from the second>");
    let all = clients(&env, "a");
    let driver = all.iter().find(|client| client["driver"] == true).unwrap();
    let drives_since: jiff::Timestamp = driver["since"].as_str().unwrap().parse().unwrap();
    assert!(drives_since > latest, "it drives since it was let, not since it came: {all:?}");
    let pid = driver["pid"].as_i64().unwrap();
    env.program("kill", ["-9", &pid.to_string()]).ok();
    third.wait_for_text("you drive now");
    typed(&third, "from the third");
    watcher.wait_for_text("got <from the third>");
    third.keys(&["C-b", "d"]);
    assert_eq!(third.wait_for_exit(), 0);
    env.wait_until("only the observer is attached", || clients(&env, "a").len() == 1);
    assert_eq!(clients(&env, "a")[0]["observer"], true);
    let last = attached(&env, "a", &[]);
    typed(&last, "the wheel was free");
    last.wait_for_text("got <the wheel was free>");
    assert!(!last.screen().contains("not yet"), "{}", last.screen());
}

#[test]
fn a_driver_that_left_without_an_event_does_not_block_the_next() {
    let env = TestEnv::new();
    echoing(&env, "a");
    without_events(&env);
    attached(&env, "a", &[]).close();
    let next = attached(&env, "a", &[]);
    typed(&next, "it is mine");
    next.wait_for_text("got <it is mine>");
}

#[test]
fn all_clients_can_type_under_the_shared_policy() {
    let env = TestEnv::new();
    echoing(&env, "a");
    fs::write(env.state().join("config.toml"), "[attach]\npolicy = \"shared\"\n").unwrap();
    let first = attached(&env, "a", &[]);
    let second = attached(&env, "a", &[]);
    typed(&first, "from the first");
    second.wait_for_text("got <from the first>");
    typed(&second, "from the second");
    first.wait_for_text("got <from the second>");
    let all = clients(&env, "a");
    assert_eq!((count(&all, "driver"), count(&all, "observer")), (0, 0), "{all:?}");
    assert!(agent(&env, &["show", "a"]).ok().stdout.contains(", typing since "));
}

#[test]
fn attach_reports_an_invalid_policy() {
    let env = TestEnv::new();
    echoing(&env, "a");
    fs::write(env.state().join("config.toml"), "[attach]\npolicy = \"dictator\"\n").unwrap();
    // Written to a file: the previous screen content is not always restored.
    let log_file = env.home().join("said");
    let line = format!("exec {} agent attach a 2>{}", env.binary(), log_file.display());
    let terminal = env.terminal(["sh", "-c", &line]);
    terminal.wait_for_text("this is a");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    let log_file = fs::read_to_string(log_file).unwrap();
    assert!(
        log_file.contains("config.toml") && log_file.contains("attaching with the defaults"),
        "{log_file}"
    );
}

#[test]
fn keys_of_an_observer_have_no_effect() {
    let env = TestEnv::new();
    echoing(&env, "a");
    echoing(&env, "b");
    let driver = attached(&env, "a", &[]);
    let observer = attached(&env, "a", &["--observe"]);
    let facts = || {
        let format = "#{window_width}x#{window_height} #{session_windows} #{window_panes} #{pane_in_mode}";
        env.tmux(["display-message", "-p", "-t", "=a:", format]).ok().stdout
    };
    let before = facts();
    observer.resize(60, 12);
    // The prompt, a new window, closing the window, a split, the choice of a client, scrolling, a paste, a menu.
    observer.keys(&["C-b", ":"]);
    typed(&observer, "run-shell 'touch made'");
    for key in ["c", "&", "y", "%", "D", "[", "x", "y", "C", "$", "r", "!"] {
        observer.keys(&["C-b", key]);
    }
    observer
        .type_text("\x1b[200~pasted\x1b[201~\x1b[<64;5;5M\x1b[<2;5;5M\x1b[<2;5;5m\x1b[<0;5;5M\x1b[<0;5;5m");
    typed(&observer, "typed");
    typed(&driver, "from the driver");
    observer.wait_for_text("got <from the driver>");
    assert_eq!(facts(), before);
    assert_eq!(clients(&env, "a").len(), 2);
    assert!(!env.project().join("made").exists());
    let screen = screen_of(&env, "a");
    assert!(
        !screen.contains("pasted") && !screen.contains("typed") && !screen.contains("run-shell"),
        "{screen}"
    );
    observer.keys(&["C-b", "d"]);
    assert_eq!(observer.wait_for_exit(), 0);
}

#[test]
fn an_observer_alone_does_not_resize() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let size =
        || env.tmux(["display-message", "-p", "-t", "=a:", "#{pane_width}x#{pane_height}"]).ok().stdout;
    let before = size();
    let observer = attached(&env, "a", &["--observe"]);
    observer.resize(61, 13);
    env.wait_until("the observer's terminal is small", || {
        env.tmux(["list-clients", "-F", "#{client_width}"]).ok().stdout.trim() == "61"
    });
    assert_eq!(size(), before);
    let driver = attached(&env, "a", &[]);
    driver.resize(77, 21);
    env.wait_until("the driver determines the size", || size().starts_with("77x"));
}

#[test]
fn under_the_shared_policy_an_observer_does_not_fix_the_size() {
    let env = TestEnv::new();
    echoing(&env, "a");
    fs::write(env.state().join("config.toml"), "[attach]\npolicy = \"shared\"\n").unwrap();
    let observer = attached(&env, "a", &["--observe"]);
    let typist = attached(&env, "a", &[]);
    typist.resize(77, 21);
    let size = || env.tmux(["display-message", "-p", "-t", "=a:", "#{pane_width}"]).ok().stdout;
    env.wait_until("the typing client determines the size", || size() == "77\n");
    drop(observer);
}

#[test]
fn attach_inside_our_server_follows_the_driver_rules() {
    let env = TestEnv::new();
    echoing(&env, "b");
    spawned(&env, &["--name", "a", "--env", "PS1=ready> ", "--", "bash", "--norc", "--noprofile"]);
    let driver = attached(&env, "b", &[]);
    let guest = env.terminal([env.binary(), "agent", "attach", "a"]);
    guest.wait_for_text("ready>");
    typed(&guest, &format!("{} agent attach b", env.binary()));
    guest.wait_for_text("drives, you watch");
    typed(&guest, "from the one who came over");
    typed(&driver, "from the driver");
    guest.wait_for_text("got <from the driver>");
    assert!(!guest.screen().contains("from the one"), "{}", guest.screen());
    driver.keys(&["C-b", "d"]);
    guest.wait_for_text("you drive now");
    // tmux's own keys lead back to `a`, which has no client.
    typed(&guest, "mine now");
    guest.wait_for_text("got <mine now>");
    let second = attached(&env, "b", &[]);
    guest.keys(&["C-b", ")"]);
    second.wait_for_text("you drive now");
    guest.wait_for_text("ready>");
    env.wait_until("each client drives one agent", || {
        ["a", "b"].iter().all(|name| count(&clients(&env, name), "driver") == 1)
    });
}

#[test]
fn a_plain_tmux_client_follows_the_driver_rules() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let first = attached(&env, "a", &[]);
    let socket = env.socket();
    let bare = env.terminal(["tmux", "-S", socket.to_str().unwrap(), "attach", "-t", "=a"]);
    bare.wait_for_text("drives, you watch");
    typed(&bare, "from bare tmux");
    typed(&first, "from the first");
    bare.wait_for_text("got <from the first>");
    assert!(!bare.screen().contains("from bare tmux"), "{}", bare.screen());
}

#[test]
fn an_observer_becomes_driver_of_an_agent_without_a_driver() {
    let env = TestEnv::new();
    echoing(&env, "a");
    echoing(&env, "b");
    let elsewhere = attached(&env, "b", &[]);
    let walker = attached(&env, "a", &[]);
    typed(&walker, "before");
    walker.wait_for_text("got <before>");
    walker.keys(&["C-b", ")"]);
    walker.wait_for_text("this is b");
    env.wait_until("one client drives `b` and one watches it", || {
        let clients = clients(&env, "b");
        count(&clients, "driver") == 1 && count(&clients, "observer") == 1
    });
    walker.keys(&["C-b", "L"]);
    walker.wait_for_text("this is a");
    env.wait_until("the walker drives `a` again", || {
        let clients = clients(&env, "a");
        count(&clients, "driver") == 1 && count(&clients, "observer") == 0
    });
    typed(&walker, "and after");
    walker.wait_for_text("got <and after>");
    // A client that attached as observer never becomes driver, in any session.
    let watcher = attached(&env, "b", &["--observe"]);
    drop(elsewhere);
    watcher.keys(&["C-b", "("]);
    watcher.wait_for_text("got <and after>");
    walker.keys(&["C-b", "d"]);
    walker.wait_for_exit();
    env.wait_until("agent `a` has no driver", || {
        let clients = clients(&env, "a");
        clients.len() == 1 && count(&clients, "observer") == 1
    });
}

#[test]
fn session_switch_keys_visit_agents_only() {
    let env = TestEnv::new();
    // `_supervisor` sorts between upper-case and lower-case letters.
    for name in ["A", "b", "c"] {
        echoing(&env, name);
    }
    env.tmux(["new-session", "-d", "-s", "_share-0-c", "sleep", "1000"]).ok();
    env.tmux(["new-session", "-d", "-s", "_supervisor", "sleep", "1000"]);
    let terminal = attached(&env, "A", &[]);
    for (key, name) in [(")", "b"), (")", "c"), (")", "A"), ("(", "c"), ("(", "b")] {
        terminal.keys(&["C-b", key]);
        terminal.wait_for_text(&format!("this is {name}"));
    }
    terminal.keys(&["C-b", "s"]);
    terminal.wait_for_text("c: 1 windows");
    let screen = terminal.screen();
    assert!(!screen.contains("_supervisor") && !screen.contains("_share"), "{screen}");
}

#[test]
fn the_user_name_comes_from_the_system_without_environment_variables() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let line = format!("unset USER LOGNAME; exec {} agent attach a", env.binary());
    let first = env.terminal(["sh", "-c", &line]);
    first.wait_for_text("this is a");
    let name = env.program("id", ["-un"]).ok().stdout;
    let second = env.terminal_sized((160, 30), [env.binary(), "agent", "attach", "a"]);
    second.wait_for_text(&format!("{} drives, you watch", name.trim_end()));
}

#[test]
fn a_replaced_driver_watches_from_the_time_of_the_takeover() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let _first = attached(&env, "a", &[]);
    let came = |env: &TestEnv| clients(env, "a")[0]["since"].as_str().unwrap().to_owned();
    let before = came(&env);
    // tmux counts whole seconds.
    env.wait_until("a second has passed", || {
        let now: i64 = env.program("date", ["+%s"]).ok().stdout.trim_end().parse().unwrap();
        now > before.parse::<jiff::Timestamp>().unwrap().as_second()
    });
    let _second = attached(&env, "a", &["--take"]);
    env.wait_until("the former driver watches", || count(&clients(&env, "a"), "observer") == 1);
    let watcher = clients(&env, "a").into_iter().find(|client| client["observer"] == true).unwrap();
    assert!(watcher["since"].as_str().unwrap() > before.as_str(), "{watcher}, it came {before}");
}
