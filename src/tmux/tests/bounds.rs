//! A tmux that does not answer is reported within the time limit, and never treated as absent.

use rustix::process::{Pid, Signal, kill_process};

use super::*;

#[test]
fn hung_server_times_out_and_is_not_reported_as_ended() {
    let server = TestServer::running();
    let identity = server.look().identity.0;
    let pid = Pid::from_raw(identity.split(':').nth(1).unwrap().parse().unwrap()).unwrap();
    let hasty = TmuxSetup { bound: Duration::from_millis(300), ..server.tmux.setup.clone() };
    let hasty = Tmux::find(hasty).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let began = Instant::now();
    let look = hasty.snapshot();
    let kill = hasty.kill_session("bystander", AgentId::fresh());
    let start = TestLaunch::new("a", &["true"]).launch(|launch| hasty.start(launch));
    let took = began.elapsed();
    kill_process(pid, Signal::CONT).unwrap();
    assert!(matches!(look, Err(TmuxError::TimedOut { what: "look", .. })), "{look:?}");
    assert!(matches!(kill, Err(TmuxError::TimedOut { .. })), "{kill:?}");
    assert!(matches!(start, Err(TmuxError::TimedOut { .. })), "{start:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert_eq!(server.look().identity.0, identity);
}

#[test]
fn an_answer_longer_than_a_pipe_is_read_whole() {
    let server = TestServer::running();
    let started = server.start(&TestLaunch::new("a", &["sh", "-c", "seq 40000; echo done; exec cat"]));
    until("the output is printed", || {
        server.tmux.capture(&started.pane, Capture::Screen).unwrap().contains("done").then_some(())
    });
    let text = server.tmux.capture(&started.pane, Capture::All).unwrap();
    assert!(
        text.len() > 200_000 && text.starts_with("1\n2\n") && text.contains("\n40000\ndone"),
        "{}",
        text.len()
    );
}

#[test]
fn a_socket_that_may_not_be_used_is_an_error() {
    for (stderr, gone) in [
        ("no server running on /tmp/x", true),
        ("error connecting to /tmp/x (No such file or directory)", true),
        ("error connecting to /tmp/x (Connection refused)", true),
        ("lost server", true),
        ("server exited unexpectedly", true),
        ("server exited", true),
        ("error connecting to /tmp/x (Permission denied)", false),
        ("error connecting to /tmp/x (Resource temporarily unavailable)", false),
        ("open terminal failed: not a terminal", false),
        ("", false),
    ] {
        assert_eq!(means_no_server(stderr), gone, "{stderr:?}");
    }
}

#[test]
fn socket_without_a_listener_is_no_server() {
    let server = TestServer::new();
    drop(std::os::unix::net::UnixListener::bind(server.tmux.socket()).unwrap());
    assert_eq!(server.tmux.snapshot().unwrap(), TmuxSnapshot::NoServer);
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    assert!(server.pane("a").is_some());
}

#[test]
fn many_starts_at_once_share_one_server() {
    let server = TestServer::new();
    let names: Vec<String> = (0..12).map(|at| format!("a{at}")).collect();
    let started: Vec<LaunchResult> = std::thread::scope(|scope| {
        let all: Vec<_> = names
            .iter()
            .map(|name| scope.spawn(|| server.start(&TestLaunch::new(name, &["sleep", "1000"]))))
            .collect();
        all.into_iter().map(|item| item.join().unwrap()).collect()
    });
    assert!(started.iter().all(|item| item.server == started[0].server));
    assert_eq!(server.look().panes.len(), 12);
}
