//! The user's terminal is as it was after every end of the dashboard, and while another program uses it.

use rustix::process::{Pid, Signal, kill_process};

use super::{dashboard, echoing, wait_until_gone};
use crate::support::TestEnv;
use crate::support::terminal::Terminal;

/// Returns the process of the open dashboard.
#[track_caller]
pub(super) fn dashboard_process(env: &TestEnv) -> Pid {
    let command = format!("{} dashboard", env.binary());
    let found = env.processes().into_iter().find(|process| process.command == command);
    found.and_then(|process| Pid::from_raw(process.pid)).expect("the dashboard runs")
}

/// Opens a shell that runs the dashboard and then shows the settings of its terminal.
fn dashboard_in_shell<'a>(env: &'a TestEnv, before: &str) -> Terminal<'a> {
    let script = format!("{before} {} dashboard; echo ended with $?; stty -a; exec cat", env.binary());
    env.terminal_sized((120, 36), ["sh", "-c", &script])
}

/// Waits until the dashboard has ended, and checks that the terminal accepts lines again.
#[track_caller]
fn assert_restored(terminal: &Terminal<'_>) {
    terminal.wait_for_text("ended with");
    terminal.wait_for_text(" icanon ");
    let screen = terminal.screen();
    assert!(screen.contains(" echo ") && screen.contains(" icrnl "), "{screen}");
    assert_eq!(terminal.modes(), "0 0", "{screen}");
}

#[test]
fn signals_restore_the_terminal() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let env = TestEnv::new();
        echoing(&env, "a");
        let terminal = dashboard_in_shell(&env, "");
        terminal.wait_for_text("this is a");
        kill_process(dashboard_process(&env), signal).expect("the dashboard runs");
        assert_restored(&terminal);
    }
}

/// A program that takes the terminal discards output that the terminal has not read yet, so saving the title right
/// before it starts would be too late.
#[test]
fn the_title_is_saved_before_the_first_frame_and_restored_at_the_end() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let terminal = dashboard_in_shell(&env, "");
    let title = terminal.title();
    terminal.wait_for_text("this is a");
    terminal.set_title("of another program");
    terminal.keys(&["q"]);
    assert_restored(&terminal);
    env.wait_until("the title is the former one", || terminal.title() == title);
}

#[test]
fn a_panic_restores_the_terminal_and_is_reported() {
    let env = TestEnv::new();
    let terminal = dashboard_in_shell(&env, "SYMPOSIUM_FAILPOINT=panic:dashboard.drawn");
    assert_restored(&terminal);
    terminal.wait_for_text("failpoint dashboard.drawn");
}

#[test]
fn the_dashboard_suspends_and_continues() {
    let env = TestEnv::new();
    echoing(&env, "a");
    // An interactive shell has job control.
    let terminal = env.terminal_sized((120, 36), ["sh", "-i"]);
    terminal.type_text(&format!("{} dashboard", env.binary()));
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("this is a");
    terminal.keys(&["C-z"]);
    terminal.wait_for_text("Stopped");
    assert_eq!(terminal.modes(), "0 0");
    terminal.type_text("fg");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("this is a");
    terminal.wait_for_text("[group: project]");
    terminal.keys(&["?"]);
    terminal.wait_for_text("Keys: the list");
    terminal.keys(&["Escape"]);
    wait_until_gone(&env, &terminal, "Keys: the list");
    terminal.keys(&["q"]);
    wait_until_gone(&env, &terminal, "[group: project]");
    assert_eq!(terminal.modes(), "0 0");
}

#[test]
fn a_closed_terminal_ends_the_dashboard() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    let process = dashboard_process(&env);
    terminal.close();
    env.wait_until("the dashboard has ended", || {
        env.processes().iter().all(|other| Pid::from_raw(other.pid) != Some(process))
    });
}

#[test]
fn a_terminal_that_was_smaller_while_the_dashboard_could_not_draw_is_drawn_again() {
    let env = TestEnv::new();
    echoing(&env, "a");
    // The shell is the process of the terminal: tmux continues its own processes if they are stopped.
    let terminal = dashboard_in_shell(&env, "");
    terminal.wait_for_text("this is a");
    terminal.wait_for_text("q quit");
    let process = dashboard_process(&env);
    kill_process(process, Signal::STOP).expect("the dashboard runs");
    terminal.resize(40, 15);
    terminal.resize(120, 36);
    assert!(!terminal.screen().contains("q quit"), "the terminal has kept what had no room");
    kill_process(process, Signal::CONT).expect("the dashboard runs");
    terminal.wait_for_text("q quit");
}
