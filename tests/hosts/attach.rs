//! `agent attach HOST:NAME`: a terminal on a remote agent that reconnects by itself.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Near, machines};
use crate::support::terminal::Terminal;

#[test]
fn attach_shows_the_remote_screen_and_detaches() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let terminal = near.env.terminal([near.env.binary(), "agent", "attach", "far:a"]);
    terminal.wait_for_text("this is a");
    terminal.type_text("hello");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("got <hello>");
    // `~.` is the escape sequence that closes an interactive ssh session.
    terminal.type_text("~.config is wrong");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("got <~.config is wrong>");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    far.env.wait_until("no client is attached", || far.agents()[0]["clients"] == json!([]));
    assert_eq!(far.agents()[0]["status"], "working");
}

#[test]
fn attach_from_inside_tmux_shows_the_nested_detach_keys() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let line = format!("{} agent attach far:a; echo \"left with $?\"; exec cat", near.env.binary());
    let terminal = near.env.terminal_in_tmux(["sh", "-c", &line]);
    terminal.wait_for_text("detach: C-b C-b d");
    terminal.keys(&["C-b", "d"]);
    terminal.wait_for_text("left with 0");
    // The line before it may be missing: tmux discards output that a terminal has not shown yet when it takes the
    // terminal over. `attach_works_inside_the_users_own_tmux` checks that line.
    let screen = terminal.screen();
    assert!(!screen.contains("leave with C-b d"), "{screen}");
}

#[test]
fn a_remote_spawn_can_attach_at_once() {
    let Some((near, far)) = machines() else { return };
    let script = "echo this is $0 $1; while read -r l; do echo \"got <$l>\"; done";
    let line = ["agent", "spawn", "--host", "far", "--attach", "--", "sh", "-c", script, "a", "--attach"];
    let terminal = near.env.terminal([near.env.binary()].into_iter().chain(line));
    terminal.wait_for_text("this is a --attach");
    terminal.type_text("hello");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("got <hello>");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    let agents = far.agents();
    assert_eq!(agents.len(), 1, "{agents:?}");
    assert_eq!(agents[0]["command"][4], "--attach");
    // A failed spawn leaves this terminal unchanged.
    let refused =
        near.env.terminal([near.env.binary(), "agent", "spawn", "no-such", "--name", "far:b", "--attach"]);
    assert_ne!(refused.wait_for_exit(), 0);
    assert!(refused.screen().contains("on `far`: "), "{}", refused.screen());
}

/// Attaches to `far:a` in a shell that prints the exit code and continues. Returns the terminal and the process that is
/// attached.
fn attached_in_a_shell(near: &Near) -> (Terminal<'_>, Pid) {
    let attach = format!("{} agent attach far:a", near.env.binary());
    let line = format!("{attach}; echo \"left with $?\"; exec cat");
    let terminal = near.env.terminal(["sh", "-c", &line]);
    terminal.wait_for_text("this is a");
    let mut processes = near.env.processes().into_iter();
    let process = processes.find(|process| process.command.trim() == attach).expect("the program is running");
    (terminal, Pid::from_raw(process.pid).expect("a process id"))
}

#[test]
fn sigterm_to_a_remote_attach_restores_the_terminal() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let (terminal, attach) = attached_in_a_shell(&near);
    assert_eq!(terminal.modes(), "1 1");
    kill_process(attach, Signal::TERM).unwrap();
    terminal.wait_for_text("left with 143");
    near.env.wait_until("the terminal is restored", || terminal.modes() == "0 0");
}

#[test]
fn a_killed_remote_attach_leaves_a_clean_terminal() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let (terminal, attach) = attached_in_a_shell(&near);
    kill_process(attach, Signal::KILL).unwrap();
    // The text that is typed next is for the shell.
    far.env.wait_until("no client is attached", || far.agents()[0]["clients"] == json!([]));
    terminal.type_text("for the shell");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("for the shell");
    assert_eq!(far.printed("a", "for the shell"), 0);
}

#[test]
fn a_remote_attach_reconnects_after_a_cut() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let log_file = near.env.home().join("said");
    let line = format!("exec {} agent attach far:a 2>{}", near.env.binary(), log_file.display());
    let terminal = near.env.terminal(["sh", "-c", &line]);
    terminal.wait_for_text("this is a");
    let pid = far.agents()[0]["pid"].clone();
    for round in ["one", "two"] {
        let before = far.agents()[0]["clients"].clone();
        far.cut();
        let text = format!("typed after cut {round}");
        terminal_comes_back(&near, &far, &before);
        terminal.wait_for_text("this is a");
        terminal.type_text(&text);
        terminal.keys(&["Enter"]);
        terminal.wait_for_text(&format!("got <{text}>"));
        far.printed_once("a", &format!("got <{text}>"));
    }
    let log_text = std::fs::read_to_string(&log_file).unwrap();
    assert!(
        log_text.contains(
            "the connection to `far` was lost; agent `a` keeps running; trying again in 1 s (C-c ends)"
        ),
        "{log_text}"
    );
    assert_eq!(far.agents()[0]["pid"], pid, "the agent never noticed");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

/// Waits until exactly one terminal is attached remotely and may type, and the former one is gone.
#[track_caller]
pub(super) fn terminal_comes_back(near: &super::Near, far: &super::Far, before: &Value) {
    near.env.wait_until("another terminal is attached", || {
        let now = far.agents()[0]["clients"].clone();
        now.as_array().map(Vec::len) == Some(1)
            && now[0]["pid"] != before[0]["pid"]
            && now[0]["observer"] == false
    });
}

#[test]
fn a_timed_out_command_does_not_cut_an_attached_client() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let terminal = near.env.terminal([near.env.binary(), "agent", "attach", "far:a"]);
    terminal.wait_for_text("this is a");
    let before = far.agents()[0]["clients"].clone();
    far.fall_silent();
    // The first is too short for any answer; the second is the silence after which a connection counts as dead.
    for patience in ["100ms", "5s"] {
        let late = near.run(&["agent", "list", "--host", "far", "--timeout", patience]).fails(1);
        assert!(late.stderr.contains("host `far` did not answer in time"), "{late:?}");
        terminal.type_text(patience);
        terminal.keys(&["Enter"]);
        terminal.wait_for_text(&format!("got <{patience}>"));
    }
    let gave_up = near.run(&["agent", "logs", "far:a", "-f"]).fails(1);
    assert!(gave_up.stderr.contains("`far`"), "{gave_up:?}");
    near.run(&["host", "remove", "far"]).ok();
    far.speak_again();
    near.add("far", &far);
    near.run(&["agent", "list", "--host", "far", "--timeout", "50s"]).ok();
    terminal.type_text("still here");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("got <still here>");
    assert_eq!(far.agents()[0]["clients"][0]["pid"], before[0]["pid"], "it is the same terminal");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(!terminal.screen().contains("was lost"), "{}", terminal.screen());
}

#[test]
fn keys_typed_while_disconnected_are_discarded() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let terminal = near.env.terminal([near.env.binary(), "agent", "attach", "far:a"]);
    terminal.wait_for_text("this is a");
    let before = far.agents()[0]["clients"].clone();
    far.shut();
    terminal.wait_for_text("trying again in 1 s");
    type_blindly(&terminal, "while it waits");
    // From now on ssh tries to connect, and sshd does not accept.
    near.env.wait_until("ssh connects", || {
        near.env.processes().iter().any(|one| one.command.contains(" -tt -- "))
    });
    type_blindly(&terminal, "while it knocks");
    // An incomplete line must be discarded too, because it would precede the text that is typed next.
    terminal.type_text("half a ");
    terminal.wait_for_text("half a");
    far.open();
    terminal_comes_back(&near, &far, &before);
    terminal.wait_for_text("this is a");
    terminal.type_text("with open eyes");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("got <with open eyes>");
    far.printed_once("a", "got <");
    far.printed_once("a", "got <with open eyes>");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn control_c_ends_the_wait_for_a_connection() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let terminal = near.env.terminal([near.env.binary(), "agent", "attach", "far:a"]);
    terminal.wait_for_text("this is a");
    far.shut();
    terminal.wait_for_text("trying again in 2 s");
    type_blindly(&terminal, "hello");
    terminal.keys(&["C-c"]);
    near.env.wait_until("no reconnecting client is left", || {
        !near.env.processes().iter().any(|one| one.command.starts_with(near.env.binary()))
    });
    assert_eq!(terminal.key_modes(), "0 0");
    far.open();
    assert_eq!(far.printed("a", "got <"), 0);
}

#[test]
fn a_changed_host_key_ends_the_reconnection() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let terminal = near.env.terminal([near.env.binary(), "agent", "attach", "far:a"]);
    terminal.wait_for_text("this is a");
    near.know_another_key();
    far.cut();
    assert_eq!(terminal.wait_for_exit(), 1);
    let screen = terminal.screen();
    assert!(screen.contains("error: host `far` cannot be reached"), "{screen}");
    assert!(screen.contains("Host key verification failed."), "{screen}");
    assert_eq!(screen.matches("trying again").count(), 1, "{screen}");
    // Other commands do not connect to it either.
    let refused = near.run(&["agent", "send", "far:a", "x"]).fails(1);
    assert!(refused.stderr.contains("Host key verification failed."), "{refused:?}");
    assert_eq!(far.printed("a", "got <"), 0);
}

/// Types a line that only the terminal itself echoes, because no program reads it.
#[track_caller]
fn type_blindly(terminal: &Terminal<'_>, text: &str) {
    terminal.type_text(text);
    terminal.keys(&["Enter"]);
    terminal.wait_for_text(text);
}

#[test]
fn a_reconnecting_client_does_not_take_over_from_a_new_driver() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let terminal = near.env.terminal([near.env.binary(), "agent", "attach", "far:a", "--take"]);
    terminal.wait_for_text("this is a");
    let there = far.env.terminal([far.env.binary(), "agent", "attach", "a", "--take"]);
    terminal.wait_for_text("you watch");
    let seats = || -> Vec<(String, bool)> {
        let agents = far.agents();
        let clients = agents[0]["clients"].as_array().unwrap();
        clients.iter().map(|one| (one["tty"].to_string(), one["driver"] == true)).collect()
    };
    let driver = serde_json::Value::from(there.tty()).to_string();
    let before = far.agents()[0]["clients"].clone();
    far.cut();
    near.env.wait_until("another terminal is attached beside the driver", || {
        let clients = far.agents()[0]["clients"].clone();
        clients != before && clients.as_array().map(Vec::len) == Some(2)
    });
    near.env.wait_until("only the remote client drives", || {
        seats().iter().all(|(tty, drives)| *drives == (*tty == driver)) && seats().len() == 2
    });
    terminal.wait_for_text("watching only");
    there.type_text("still mine");
    there.keys(&["Enter"]);
    terminal.wait_for_text("got <still mine>");
}

#[test]
fn a_hung_connection_leaves_no_remote_client_behind() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let terminal = near.env.terminal([near.env.binary(), "agent", "attach", "far:a"]);
    terminal.wait_for_text("this is a");
    let client = || far.agents()[0]["clients"].clone();
    let before = client();
    // The local side gives up while the remote side has not noticed yet.
    for pid in far.sessions() {
        kill_process(pid, Signal::STOP).unwrap();
    }
    near.lose_connections();
    near.env.wait_until("another terminal drives", || {
        let now = client();
        now.as_array().map(Vec::len) == Some(1) && now != before
    });
}

#[test]
fn attach_reports_a_missing_remote_agent_and_an_unknown_host() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let terminal = near.env.terminal([near.env.binary(), "agent", "attach", "far:nobody"]);
    assert_eq!(terminal.wait_for_exit(), 3);
    assert!(terminal.screen().contains("on `far`: no agent named `nobody`"), "{}", terminal.screen());
    far.run(&["agent", "kill", "a"]).ok();
    let terminal = near.env.terminal_sized((120, 20), [near.env.binary(), "agent", "attach", "far:a"]);
    assert_ne!(terminal.wait_for_exit(), 0);
    let screen = terminal.screen();
    assert!(screen.contains("`symposium --host far agent resume a`"), "{screen}");
    near.run(&["host", "add", "gone", "127.0.0.1", "--port", "1", "--force"]).ok();
    let terminal = near.env.terminal([near.env.binary(), "agent", "attach", "gone:a"]);
    assert_eq!(terminal.wait_for_exit(), 1);
    assert!(terminal.screen().contains("host `gone` cannot be reached"), "{}", terminal.screen());
    let piped = near.run(&["agent", "attach", "far:a"]).fails(2);
    assert!(piped.stderr.contains("needs a terminal"), "{piped:?}");
    assert!(piped.stderr.contains("run `symposium agent attach far:a` in a terminal"), "{piped:?}");
    assert!(piped.stderr.contains("look with `symposium agent peek far:a`"), "{piped:?}");
}

#[test]
fn remote_messages_use_the_local_name_of_the_agent() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let words = [near.env.binary(), "agent", "attach", "far:a"];
    let first = near.env.terminal_sized((160, 30), words);
    first.wait_for_text("this is a");
    let second = near.env.terminal_sized((160, 30), words);
    second.wait_for_text("drives, you watch; take over: symposium agent attach far:a --take");
    let here = far.env.terminal_sized((160, 30), [far.env.binary(), "agent", "attach", "a", "--take"]);
    here.wait_for_text("this is a");
    first.wait_for_text("took over, you watch; take it back: symposium agent attach far:a --take");
    let there = near.env.terminal_sized((160, 30), [&words[..], &["--take"]].concat());
    there.wait_for_text("this is a");
    here.wait_for_text("took over, you watch; take it back: symposium agent attach a --take");
}

#[test]
fn the_driver_drives_again_after_a_simultaneous_cut() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    let words = [near.env.binary(), "agent", "attach", "far:a"];
    let watches = near.env.terminal(words);
    watches.wait_for_text("this is a");
    let drives = near.env.terminal([&words[..], &["--take"]].concat());
    drives.wait_for_text("this is a");
    watches.wait_for_text("took over, you watch");
    for round in ["one", "two", "three"] {
        let before = far.agents()[0]["clients"].clone();
        let is_new =
            |client: &Value| before.as_array().unwrap().iter().all(|old| old["pid"] != client["pid"]);
        far.cut();
        near.env.wait_until("both clients are back and one drives", || {
            let now = far.agents()[0]["clients"].as_array().cloned().unwrap_or_default();
            now.len() == 2
                && now.iter().all(is_new)
                && now.iter().filter(|client| client["driver"] == true).count() == 1
        });
        let text = format!("after cut {round}");
        drives.wait_for_text("this is a");
        near.env.wait_until("each client has its former role", || {
            !drives.screen().contains("watching only") && watches.screen().contains("watching only")
        });
        drives.type_text(&text);
        drives.keys(&["Enter"]);
        watches.wait_for_text(&format!("got <{text}>"));
    }
}
