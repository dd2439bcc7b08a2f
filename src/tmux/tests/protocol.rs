//! The protocol gives the same answers as the program, and anything that is not an answer is an error: it is never
//! treated as one, and the call is not repeated.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};

use super::*;

const VERSION: u32 = 12;
const EXIT: u32 = 203;
const READY: u32 = 207;
const WRITE_OPEN: u32 = 303;
const WRITE: u32 = 304;

fn message(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(16 + body.len()).unwrap();
    let header = [kind, length, 8, u32::MAX].map(u32::to_le_bytes).concat();
    [&header, body].concat()
}

fn numbers(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Takes a snapshot of a fake server that reads the handshake, sends these bytes and then runs `then` on the
/// connection.
fn status_source(says: &[u8], then: fn(UnixStream)) -> (Result<TmuxSnapshot, TmuxError>, usize) {
    let server = TestServer::with(|setup| setup.bound = Duration::from_millis(500));
    let listener = UnixListener::bind(server.tmux.socket()).unwrap();
    let says = says.to_owned();
    let serving = std::thread::spawn(move || {
        let mut calls = 0;
        loop {
            let (mut stream, _) = listener.accept().unwrap();
            let mut opening = [0; 16 * 1024];
            // The connection that ends the test sends a single byte.
            if stream.read(&mut opening).unwrap() == 1 {
                return calls;
            }
            calls += 1;
            stream.write_all(&says).unwrap();
            then(stream);
        }
    });
    let answer = server.tmux.snapshot();
    UnixStream::connect(server.tmux.socket()).unwrap().write_all(b"q").unwrap();
    (answer, serving.join().unwrap())
}

#[test]
fn protocol_and_program_give_the_same_answer() {
    let server = TestServer::running();
    let program = Tmux { transport: Transport::Program, ..server.tmux.clone() };
    let long = "é".repeat(5000);
    let words: [&[&str]; 8] = [
        &["display-message", "-p", "é 🦀 #{session_name} #{client_termname} #{client_utf8}"],
        &["display-message", "-p", &long],
        &["list-sessions", "-F", "#{session_name}", ";", "list-nothing"],
        &["list-panes", "-t", "=missing"],
        &["has-session", "-t", "=bystander"],
        &["show-options", "-g"],
        &["run-shell", "echo out; echo err >&2; exit 3"],
        &["display-message", "-p", "a;", ";", "display-message", "-p", ""],
    ];
    for words in words {
        let output = [&server.tmux, &program].map(|tmux| {
            let output = tmux.run(&tmux.call("test", words)).unwrap();
            (output.success, String::from_utf8(output.out).unwrap(), output.err)
        });
        assert_eq!(output[0], output[1], "{words:?}");
    }
}

#[test]
fn tmux_program_supports_everything_the_protocol_does() {
    let mut server = TestServer::new();
    server.tmux.transport = Transport::Program;
    let start = TestLaunch::new("a", &["sh", "-c", "pwd; echo \"$PATH\"; exec cat"]);
    let started = server.start(&start);
    until("the output is printed", || {
        let text = server.tmux.capture(&started.pane, Capture::Screen).unwrap();
        text.contains(path_var().to_str().unwrap()).then_some(())
    });
    server.tmux.paste(&started.pane, b"pasted\n", Paste::Raw).unwrap();
    server.tmux.keys(&started.pane, &["C-d".to_owned()]).unwrap();
    until("the process has ended", || server.pane("a")?.dead);
    server.respawn(&start, &started.pane).unwrap();
    assert!(matches!(server.tmux.capture("%99", Capture::All), Err(TmuxError::NoPane { .. })));
    assert!(server.tmux.kill_session("a", start.id).unwrap());
}

#[test]
fn malformed_answer_is_an_error_without_a_retry() {
    let mut half = message(EXIT, &numbers(&[0]));
    half.truncate(18);
    let unopened = message(WRITE, &[&numbers(&[1])[..], b"S|1:2|3.3a\n"].concat());
    let refused = message(EXIT, &[&numbers(&[1])[..], b"access not allowed\0"].concat());
    for (says, output) in [
        (Vec::new(), "closed the connection"),
        (half, "closed the connection"),
        (message(READY, &[]), "type 207"),
        (message(EXIT, &[0]), "1 bytes in a message of type 203"),
        (message(WRITE_OPEN, &numbers(&[1, 1])), "8 bytes in a message of type 303"),
        (unopened, "stream 1"),
        (vec![0xff; 64], "version"),
        (refused, "access not allowed"),
    ] {
        let (answer, calls) = status_source(&says, drop);
        assert!(matches!(&answer, Err(why) if why.to_string().contains(output)), "{output}: {answer:?}");
        assert_eq!(calls, 1, "{output}");
    }
}

#[test]
fn silence_after_half_an_answer_is_a_time_out() {
    let opened = message(WRITE_OPEN, &numbers(&[1, 1, 0]));
    let listen = |mut stream: UnixStream| {
        let _ = stream.read_to_end(&mut Vec::new());
    };
    for says in [Vec::new(), opened.clone(), opened[..20].to_vec()] {
        let (answer, calls) = status_source(&says, listen);
        assert!(matches!(answer, Err(TmuxError::TimedOut { what: "look", .. })), "{answer:?}");
        assert_eq!(calls, 1);
    }
}

#[test]
fn a_server_of_another_version_is_left_to_the_program() {
    let (answer, calls) = status_source(&message(VERSION, &[]), drop);
    assert!(
        matches!(&answer, Err(TmuxError::Refused { output, .. }) if output.contains("protocol version")),
        "{answer:?}"
    );
    assert_eq!(calls, 2, "once by us, once by the program");
}

#[test]
fn a_server_that_leaves_without_reading_is_left_to_the_program() {
    let server = TestServer::new();
    let listener = UnixListener::bind(server.tmux.socket()).unwrap();
    let leaving = std::thread::spawn(move || (0..3).for_each(|_| drop(listener.accept().unwrap())));
    assert_eq!(server.tmux.snapshot().unwrap(), TmuxSnapshot::NoServer);
    drop(UnixStream::connect(server.tmux.socket()).unwrap());
    leaving.join().unwrap();
}

#[test]
fn server_that_ends_during_a_call_is_reported_as_ended() {
    let server = TestServer::running();
    let answer = server.tmux.run_words("test", &["run-shell", "kill -9 #{pid}"]);
    assert!(matches!(answer, Err(TmuxError::NoServer { .. })), "{answer:?}");
    assert_eq!(server.tmux.snapshot().unwrap(), TmuxSnapshot::NoServer);
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    assert!(server.pane("a").is_some());
}

#[test]
fn files_that_the_users_hooks_name_are_read_for_the_server() {
    let server = TestServer::with(|setup| {
        let (extra, gone) = (setup.home.join("extra.conf"), setup.home.join("gone.conf"));
        std::fs::write(&extra, format!("set-option -g @extra {}\n", "x".repeat(9000))).unwrap();
        let hook = format!("source-file {} ; source-file -q {}", extra.display(), gone.display());
        std::fs::write(&setup.user_conf, format!("set-hook -g after-new-window '{hook}'\n")).unwrap();
    });
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    server.tmux.run_words("test", &["new-window", "-d", "-t", "=a:"]).unwrap();
    assert_eq!(server.bare(&["show-options", "-gv", "@extra"]).trim().len(), 9000);
}

#[test]
fn concurrent_calls_are_answered() {
    let server = TestServer::running();
    std::thread::scope(|scope| {
        for at in 0..16 {
            let tmux = &server.tmux;
            scope.spawn(move || {
                for round in 0..20 {
                    let word = format!("{at} {round}");
                    let output = tmux.run_words("test", &["display-message", "-p", &word]).unwrap();
                    assert_eq!(output.trim(), word);
                }
            });
        }
    });
}
