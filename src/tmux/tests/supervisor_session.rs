//! tmux restarts the process of the supervisor's session, and the session is never treated as an agent.

use rustix::process::{Pid, Signal, kill_process};

use super::*;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn start(server: &TestServer, argv: &[&str]) {
    let env = env(&[("PATH", path_var().to_str().unwrap()), ("ONLY", "a;b #{pid}")]);
    server.tmux.start_supervisor(&words(argv), &env).unwrap();
}

#[test]
fn killed_supervisor_session_is_restarted_with_its_environment() {
    let server = TestServer::new();
    assert_eq!(server.tmux.supervisor_pid().unwrap(), None);
    start(&server, &["sleep", "1000"]);
    for _ in 0..5 {
        let pid = until("the supervisor is running", || server.tmux.supervisor_pid().unwrap());
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
        // A snapshot makes a busy tmux notice the exit.
        until("the process is back", || {
            server.look();
            server.tmux.supervisor_pid().unwrap().filter(|again| *again != pid)
        });
    }
    let pid = server.tmux.supervisor_pid().unwrap().unwrap();
    let environment = until("the supervisor has its own environment", || {
        let text = String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/environ")).ok()?).into_owned();
        text.contains("ONLY=").then_some(text)
    });
    assert!(environment.contains("ONLY=a;b #{pid}\0"), "{environment}");
}

#[test]
fn supervisor_session_that_exits_is_restarted() {
    let server = TestServer::new();
    let out = server.path().join("out");
    start(&server, &["sh", "-c", "echo up >> \"$0\"; exit 1", out.to_str().unwrap()]);
    until("the process was started twice", || {
        server.look();
        std::fs::read_to_string(&out).ok().filter(|text| text.lines().count() == 2)
    });
}

#[test]
fn supervisor_session_is_unique_and_not_an_agent() {
    let server = TestServer::new();
    start(&server, &["sleep", "1000"]);
    let pid = server.tmux.supervisor_pid().unwrap();
    assert!(pid.is_some());
    start(&server, &["sleep", "2000"]);
    assert_eq!(server.tmux.supervisor_pid().unwrap(), pid);
    assert!(server.look().panes.is_empty());
    assert!(server.tmux.records().unwrap().is_empty());
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    assert_eq!(server.look().panes.len(), 1);
    assert!(server.tmux.stop_supervisor().unwrap());
    assert!(!server.tmux.stop_supervisor().unwrap());
    assert_eq!(server.tmux.supervisor_pid().unwrap(), None);
    assert!(server.pane("a").unwrap().dead.is_none());
}
