//! `agent attach` in a shell: the terminal is restored for the shell, however the tmux client ends.

use std::fs;

use super::{shown, spawned};
use crate::support::TestEnv;
use crate::support::terminal::Terminal;

/// Starts an agent that prints a line.
fn agent(env: &TestEnv) {
    spawned(env, &["--name", "a", "--", "sh", "-c", "echo this is a; exec sleep 1000"]);
}

/// Starts an interactive shell in which `agent attach a` was entered.
fn shell_attached(env: &TestEnv) -> Terminal<'_> {
    let terminal = env.terminal(["env", "PS1=ready> ", "bash", "--norc", "--noprofile", "-i"]);
    terminal.wait_for_text("ready>");
    type_line(&terminal, &format!("stty -g >{}", env.root().join("before").display()));
    type_line(&terminal, &format!("{} agent attach a", env.binary()));
    terminal.wait_for_text("this is a");
    // An answer that arrives after the client was killed would be typed into the shell.
    env.wait_until("the terminal has answered the queries of tmux", || {
        !env.tmux(["list-clients", "-F", "#{client_termtype}"]).stdout.trim().is_empty()
    });
    terminal
}

fn type_line(terminal: &Terminal<'_>, line: &str) {
    terminal.type_text(line);
    terminal.keys(&["Enter"]);
}

/// Asserts that the shell's commands find the terminal unchanged, and that their lines, of which the last is `last`,
/// begin in the first column.
#[track_caller]
fn assert_usable(env: &TestEnv, terminal: &Terminal<'_>, last: &str) {
    let after = env.root().join("after");
    type_line(terminal, &format!("stty -g >{}", after.display()));
    type_line(terminal, &format!("printf '\\033[2J\\033[H'; printf '%s\\n' one two {last}"));
    terminal.wait_for_text(&format!("one\ntwo\n{last}\n"));
    let before = fs::read_to_string(env.root().join("before")).expect("written by the shell");
    assert_eq!(fs::read_to_string(after).expect("written by the shell"), before);
    assert_eq!(terminal.modes(), "0 0", "no mouse, and not on the other screen");
}

/// Returns the pid of the only client.
fn client(env: &TestEnv) -> i64 {
    shown(env, "a")["clients"][0]["pid"].as_i64().expect("one client")
}

#[test]
fn the_terminal_is_restored_after_the_tmux_server_was_killed() {
    let env = TestEnv::new();
    agent(&env);
    let terminal = shell_attached(&env);
    let server = env.tmux(["display-message", "-p", "#{pid}"]).stdout;
    env.program("sh", ["-c", &format!("kill -9 {server}")]).ok();
    terminal.wait_for_text("the tmux server has ended");
    assert_usable(&env, &terminal, "three");
}

#[test]
fn the_terminal_is_restored_after_a_detach_and_no_process_remains() {
    let env = TestEnv::new();
    agent(&env);
    let terminal = shell_attached(&env);
    terminal.keys(&["C-b", "d"]);
    terminal.wait_for_text("[detached (from session a)]");
    assert_usable(&env, &terminal, "three");
    let attach = format!("{} agent attach", env.binary());
    env.wait_until("no process is left", || {
        !env.processes().iter().any(|one| one.command.starts_with(&attach) || one.command.contains(" tied "))
    });
}

#[test]
fn the_terminal_is_restored_after_the_client_was_killed() {
    let env = TestEnv::new();
    agent(&env);
    let terminal = shell_attached(&env);
    env.program("sh", ["-c", &format!("kill -9 {}", client(&env))]).ok();
    terminal.wait_for_text("ready>");
    assert_usable(&env, &terminal, "three");
}

#[test]
fn the_client_detaches_when_its_attach_command_is_killed() {
    let env = TestEnv::new();
    agent(&env);
    let terminal = shell_attached(&env);
    let attach = format!("{} agent attach", env.binary());
    let processes = env.processes();
    let command = processes.iter().find(|one| one.command.starts_with(&attach)).expect("it waits").pid;
    env.program("sh", ["-c", &format!("kill -9 {command}")]).ok();
    env.wait_until("no client is attached", || shown(&env, "a")["clients"] == serde_json::json!([]));
    assert_usable(&env, &terminal, "three");
}

#[test]
fn an_attached_client_can_be_suspended_and_resumed() {
    let env = TestEnv::new();
    agent(&env);
    let terminal = shell_attached(&env);
    terminal.keys(&["C-b", "C-z"]);
    terminal.wait_for_text("Stopped");
    assert_usable(&env, &terminal, "three");
    type_line(&terminal, "fg");
    terminal.wait_for_text("this is a");
    terminal.keys(&["C-b", "d"]);
    terminal.wait_for_text("[detached (from session a)]");
    assert_usable(&env, &terminal, "four");
}
