//! A tmux server that hangs or is gone, and a supervisor that is gone: the dashboard stays responsive and says so.

use rustix::process::{Pid, Signal, kill_process};

use super::{dashboard, echoing, wait_until_gone};
use crate::support::TestEnv;

/// The tmux server of the agents while it is stopped. Dropping it lets the server continue.
struct StoppedServer(Pid);

impl Drop for StoppedServer {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::CONT);
    }
}

/// Starts the agents `a` and `b`, which repeat what is typed.
fn two_agents() -> TestEnv {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        echoing(&env, name);
    }
    env
}

/// Returns the process of the tmux server.
fn server_process(env: &TestEnv) -> Pid {
    let pid = env.tmux(["display-message", "-p", "#{pid}"]).ok().stdout;
    pid.trim().parse().ok().and_then(Pid::from_raw).expect("the server has a process")
}

#[test]
fn keys_work_while_tmux_hangs_and_the_dashboard_says_so() {
    let env = two_agents();
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    let server = server_process(&env);
    kill_process(server, Signal::STOP).expect("the server lives");
    let stopped = StoppedServer(server);
    // A change of the registry makes the dashboard ask tmux again.
    env.edit_registry(|registry| registry["sessions"]["b"]["title"] = "changed".into());
    terminal.wait_for_text("tmux");
    terminal.keys(&["j", "?"]);
    terminal.wait_for_text("Keys: the list");
    terminal.keys(&["Escape"]);
    wait_until_gone(&env, &terminal, "Keys: the list");
    terminal.keys(&["/"]);
    terminal.type_text("zzz");
    terminal.wait_for_text("no agent matches");
    terminal.keys(&["Escape"]);
    wait_until_gone(&env, &terminal, "no agent matches");
    drop(stopped);
    terminal.keys(&["k"]);
    terminal.wait_for_text("this is a");
    terminal.keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn the_dashboard_works_without_the_supervisor() {
    let env = two_agents();
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    env.symposium(["supervisor", "stop"]).ok();
    env.symposium(["agent", "send", "a", "still here"]).ok();
    terminal.wait_for_text("a got <still here>");
    env.symposium(["agent", "kill", "b"]).ok();
    env.wait_until("the row of b has the shape of a stopped agent", || {
        terminal.screen().lines().any(|line| line.contains("■ b "))
    });
    terminal.keys(&["Enter"]);
    terminal.type_text("typed");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("a got <typed>");
    terminal.keys(&["C-]", "q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn agents_are_shown_as_lost_when_the_tmux_server_is_gone() {
    let env = two_agents();
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    let server = server_process(&env);
    kill_process(server, Signal::KILL).expect("the server lives");
    terminal.wait_for_text("2 lost");
    terminal.wait_for_text("the end of its transcript");
    terminal.wait_for_text("this is a");
    terminal.keys(&["L"]);
    terminal.wait_for_text("Restore `a`, `b`?");
    terminal.keys(&["y"]);
    wait_until_gone(&env, &terminal, "lost");
    terminal.keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}
