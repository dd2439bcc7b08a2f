//! Keys that lead from one agent to another while attached, and `agent attach --client`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::share::{at, echoing, shared};
use super::{agent, spawned};
use crate::support::TestEnv;
use crate::support::terminal::Terminal;
use crate::support::users::User;

/// Starts programs that print each line that is typed into them.
fn agents(env: &TestEnv, names: &[&str]) {
    for name in names {
        let script = format!("echo this is {name}; while read -r line; do echo \"{name} got <$line>\"; done");
        spawned(env, &["--name", name, "--", "sh", "-c", &script]);
    }
}

fn attached<'a>(env: &'a TestEnv, name: &str) -> Terminal<'a> {
    let terminal = env.terminal([env.binary(), "agent", "attach", name]);
    terminal.wait_for_text(&format!("this is {name}"));
    terminal
}

/// Waits until the terminal shows the agent, and drives it or only watches.
fn wait_for_role(env: &TestEnv, terminal: &Terminal<'_>, name: &str, watches: bool) {
    let role = format!("{} {name} {}", terminal.tty(), u8::from(watches));
    env.wait_until(&role, || {
        let list = env.tmux(["list-clients", "-F", "#{client_tty} #{session_name} #{client_readonly}"]);
        list.ok().stdout.lines().any(|line| line == role)
    });
}

#[test]
fn keys_visit_the_next_and_the_previous_agent() {
    let env = TestEnv::new();
    agents(&env, &["a", "b", "c"]);
    let terminal = attached(&env, "a");
    for (key, name) in [("N", "b"), ("N", "c"), ("N", "a"), ("P", "c"), ("P", "b")] {
        terminal.keys(&["C-b", key]);
        terminal.wait_for_text(&format!("this is {name}"));
        wait_for_role(&env, &terminal, name, false);
    }
    terminal.type_text("hello");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("b got <hello>");
}

#[test]
fn keys_pass_over_the_supervisor_in_both_directions() {
    let env = TestEnv::new();
    agents(&env, &["A", "b", "c"]);
    env.symposium(["supervisor", "start"]).env("SYMPOSIUM_SUPERVISOR", "on").ok();
    let sessions = env.tmux(["list-sessions", "-F", "#{session_name}"]).ok().stdout;
    let order: Vec<&str> = sessions.lines().collect();
    assert!(order.len() == 4 && order[1].starts_with("_supervisor-"), "{sessions}");
    let terminal = attached(&env, "b");
    for (key, name) in [("P", "A"), ("P", "c"), ("P", "b"), ("P", "A"), ("N", "b"), ("N", "c"), ("N", "A")] {
        terminal.keys(&["C-b", key]);
        wait_for_role(&env, &terminal, name, false);
    }
}

#[test]
fn a_terminal_that_arrives_by_key_watches_an_agent_that_has_a_driver() {
    let env = TestEnv::new();
    agents(&env, &["a", "b"]);
    let driver = attached(&env, "b");
    let terminal = attached(&env, "a");
    terminal.keys(&["C-b", "N"]);
    wait_for_role(&env, &terminal, "b", true);
    wait_for_role(&env, &driver, "b", false);
    terminal.type_text("from the observer");
    terminal.keys(&["Enter"]);
    driver.type_text("from the driver");
    driver.keys(&["Enter"]);
    driver.wait_for_text("b got <from the driver>");
    assert!(!driver.screen().contains("from the observer"), "{}", driver.screen());
    // An observer can leave with the same keys, and drives an agent without a driver again.
    terminal.keys(&["C-b", "P"]);
    wait_for_role(&env, &terminal, "a", false);
}

#[test]
fn the_choice_in_the_dashboard_popup_switches_the_terminal() {
    let env = TestEnv::new();
    agents(&env, &["a", "b"]);
    let terminal = attached(&env, "a");
    // A dashboard that chooses agent b at once. Its path contains characters with a meaning for shells and tmux.
    let dir = env.root().join("a $HOME dir; with #{pid} 'quotes'");
    fs::create_dir(&dir).unwrap();
    let (program, log) = (dir.join("symposium"), env.root().join("dashboard.log"));
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n*\" dashboard --switch-client \"*)\nprintf '%s\\n' \"$@\" >'{}'\n\
         for client; do :; done\nexec '{}' --home \"$2\" agent attach b --client \"$client\" ;;\nesac\n\
         exec '{}' \"$@\"\n",
        log.display(),
        env.binary(),
        env.binary()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let quoted = format!("'{}'", program.display().to_string().replace('\'', r"'\''"));
    env.tmux(["set-option", "-s", "@symposium_bin", &quoted]).ok();
    terminal.keys(&["C-b", "D"]);
    terminal.wait_for_text("this is b");
    wait_for_role(&env, &terminal, "b", false);
    let words = fs::read_to_string(&log).unwrap();
    let state = env.state().display().to_string();
    assert_eq!(words.lines().take(4).collect::<Vec<_>>(), ["--home", &state, "dashboard", "--switch-client"]);
    terminal.type_text("hello");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("b got <hello>");
}

#[test]
fn attach_client_switches_another_terminal_and_keeps_its_role() {
    let env = TestEnv::new();
    agents(&env, &["a", "b", "c"]);
    let driver = attached(&env, "b");
    let (first, second) = (attached(&env, "a"), attached(&env, "c"));
    agent(&env, &["attach", "b", "--client", &first.tty()]).ok();
    wait_for_role(&env, &first, "b", true);
    wait_for_role(&env, &driver, "b", false);
    // A terminal that waits to drive keeps waiting, one that watches keeps watching.
    agent(&env, &["attach", "a", "--client", &first.tty()]).ok();
    wait_for_role(&env, &first, "a", false);
    let watching = env.terminal([env.binary(), "agent", "attach", "a", "--observe"]);
    watching.wait_for_text("watching only");
    agent(&env, &["attach", "c", "--client", &watching.tty()]).ok();
    wait_for_role(&env, &watching, "c", true);
    second.close();
    env.wait_until("the driver of c has left", || {
        let list = env.tmux(["list-clients", "-t", "=c", "-F", "#{client_readonly}"]).ok().stdout;
        list == "1\n"
    });
    wait_for_role(&env, &watching, "c", true);
    let stderr = agent(&env, &["attach", "b", "--client", "/dev/pts/none"]).fails(2).stderr;
    assert!(stderr.contains("no terminal `/dev/pts/none` is attached"), "{stderr}");
    agent(&env, &["attach", "--client", &first.tty()]).fails(2);
}

#[test]
fn a_guest_reaches_no_other_agent_with_our_keys() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    for name in ["a", "secret"] {
        echoing(&owner, name);
    }
    shared(&owner, "a", &guest, &[]);
    let terminal = at(&owner, "a", &guest, &[]);
    terminal.wait_for_text("this is a");
    for key in ["n", "N", "P", "D", "s", "w", ")", "("] {
        terminal.keys(&["C-b", key]);
    }
    // The keys are text to the agent, which shows them before this line.
    terminal.type_text(" the end");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("the end>");
    let socket = owner.socket();
    let sessions = ["-S", socket.to_str().unwrap(), "list-clients", "-F", "#{session_name} #{client_tty}"];
    let clients = owner.program("tmux", sessions).ok().stdout;
    assert!(clients.lines().count() == 1 && clients.starts_with("a "), "{clients}");
    assert!(!terminal.screen().contains("secret"), "{}", terminal.screen());
    // Neither does the owner send the guest there by mistake.
    let tty = clients.trim_end().trim_start_matches("a ");
    let stderr = owner.symposium(["agent", "attach", "secret", "--client", tty]).fails(2).stderr;
    assert!(stderr.contains("belongs to a guest of `a`"), "{stderr}");
}

#[test]
fn tmux_conf_changes_our_keys() {
    let env = TestEnv::new();
    fs::create_dir_all(env.state()).unwrap();
    fs::write(env.state().join("tmux.conf"), "bind-key n next-window\nunbind-key D\n").unwrap();
    agents(&env, &["a"]);
    let keys = env.tmux(["list-keys", "-T", "prefix"]).ok().stdout;
    let bound = |key: &str| {
        let line = keys.lines().find(|line| line.split_whitespace().nth(3) == Some(key));
        line.map(|line| line.split_whitespace().skip(4).collect::<Vec<_>>().join(" "))
    };
    assert_eq!((bound("n").as_deref(), bound("D")), (Some("next-window"), None), "{keys}");
    assert_eq!(bound("N").as_deref(), Some("switch-client -n"), "{keys}");
}

#[test]
fn an_agent_is_chosen_in_the_dashboard_popup() {
    let env = TestEnv::new();
    agents(&env, &["a", "b"]);
    let terminal = attached(&env, "a");
    terminal.keys(&["C-b", "D"]);
    terminal.wait_for_text("b");
    terminal.wait_for_text("working");
    // The filter leaves agent b only, which is then attached.
    terminal.type_text("/b");
    terminal.keys(&["Enter"]);
    terminal.type_text("a");
    wait_for_role(&env, &terminal, "b", false);
    env.wait_until("the popup is closed", || !terminal.screen().contains('┌'));
    terminal.type_text("hello");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("b got <hello>");
}
