//! tmux restarts the process of the supervisor's session, and the session is never treated as an agent.

use rustix::process::{Pid, Signal, kill_process};

use super::*;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn start(server: &Server, argv: &[&str]) {
    let env = env(&[("PATH", path_var().to_str().unwrap()), ("ONLY", "a;b #{pid}")]);
    server.tmux.start_keeper(&words(argv), &env).unwrap();
}

#[test]
fn a_killed_keeper_is_back_each_time_with_its_environment() {
    let server = Server::new();
    assert_eq!(server.tmux.keeper().unwrap(), None);
    start(&server, &["sleep", "1000"]);
    for _ in 0..5 {
        let pid = until("it runs", || server.tmux.keeper().unwrap());
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
        // A snapshot makes a busy tmux notice the exit.
        until("it is back", || {
            server.look();
            server.tmux.keeper().unwrap().filter(|again| *again != pid)
        });
    }
    let pid = server.tmux.keeper().unwrap().unwrap();
    let environment = until("it has its own environment", || {
        let text = String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/environ")).ok()?).into_owned();
        text.contains("ONLY=").then_some(text)
    });
    assert!(environment.contains("ONLY=a;b #{pid}\0"), "{environment}");
}

#[test]
fn a_keeper_that_leaves_by_itself_is_back_too() {
    let server = Server::new();
    let out = server.path().join("out");
    start(&server, &["sh", "-c", "echo up >> \"$0\"; exit 1", out.to_str().unwrap()]);
    until("it was started twice", || {
        server.look();
        std::fs::read_to_string(&out).ok().filter(|text| text.lines().count() == 2)
    });
}

#[test]
fn a_keeper_is_one_and_is_no_agent() {
    let server = Server::new();
    start(&server, &["sleep", "1000"]);
    let pid = server.tmux.keeper().unwrap();
    assert!(pid.is_some());
    start(&server, &["sleep", "2000"]);
    assert_eq!(server.tmux.keeper().unwrap(), pid);
    assert!(server.look().panes.is_empty());
    assert!(server.tmux.records().unwrap().is_empty());
    server.start(&Start::new("a", &["sleep", "1000"]));
    assert_eq!(server.look().panes.len(), 1);
    assert!(server.tmux.stop_keeper().unwrap());
    assert!(!server.tmux.stop_keeper().unwrap());
    assert_eq!(server.tmux.keeper().unwrap(), None);
    assert!(server.pane("a").unwrap().dead.is_none());
}
