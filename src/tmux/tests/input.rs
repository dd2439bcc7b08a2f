//! Input arrives unchanged, once, in the right pane, and never in a dead one.

use super::*;

/// Starts a program that writes its input into a file, in raw mode, until `Q`.
fn reader(server: &TestServer, brackets: &str) -> (LaunchResult, PathBuf) {
    let out = server.path().join("typed");
    let line = format!("stty raw -echo; {brackets} echo ready; exec cat > \"$0\"");
    let started = server.start(&TestLaunch::new("a", &["sh", "-c", &line, out.to_str().unwrap()]));
    until("the program reads its input", || {
        server.tmux.capture(&started.pane, Capture::Screen).unwrap().contains("ready").then_some(())
    });
    (started, out)
}

#[test]
fn a_paste_has_brackets_only_when_asked_for_and_also_in_copy_mode() {
    for (brackets, expected) in
        [("printf '\\033[?2004h';", "\x1b[200~one\n  two\x1b[201~\r"), ("", "one\n  two\r")]
    {
        let server = TestServer::running();
        let (started, out) = reader(&server, brackets);
        server.bare(&["copy-mode", "-t", &started.pane]);
        assert!(server.tmux.pane_facts(&started.pane).unwrap().unwrap().in_mode);
        server.tmux.paste(&started.pane, b"one\n  two", Paste::Bracketed).unwrap();
        server.tmux.paste(&started.pane, b"", Paste::Raw).unwrap();
        server.tmux.paste(&started.pane, b"\r", Paste::Raw).unwrap();
        assert_eq!(file_with(&out, "\r"), expected);
        assert_eq!(server.bare(&["list-buffers"]), "");
    }
}

#[test]
fn a_long_paste_arrives_whole() {
    let server = TestServer::running();
    let (started, out) = reader(&server, "");
    let text: Vec<u8> = (0..1_000_000).map(|at| b'!' + (at % 90) as u8).collect();
    server.tmux.paste(&started.pane, &text, Paste::Raw).unwrap();
    until("the whole input has arrived", || {
        std::fs::metadata(&out).ok().filter(|meta| meta.len() >= 1_000_000).map(drop)
    });
    assert!(std::fs::read(&out).unwrap() == text);
}

#[test]
fn keys_are_pressed_by_name_even_in_copy_mode() {
    let server = TestServer::running();
    let (started, out) = reader(&server, "");
    server.bare(&["copy-mode", "-t", &started.pane]);
    let keys = ["Escape", "C-c", "x;", "-l", "Enter"].map(str::to_owned);
    server.tmux.keys(&started.pane, &keys).unwrap();
    assert_eq!(file_with(&out, "\r"), "\x1b\x03x;-l\r");
}

#[test]
fn nothing_is_typed_into_a_dead_or_missing_pane_and_the_server_lives_on() {
    let server = TestServer::running();
    let dead = server.start(&TestLaunch::new("dead", &["true"]));
    until("the process has ended", || server.pane("dead")?.dead);
    let keys = ["x".to_owned()];
    for how in [Paste::Bracketed, Paste::Raw] {
        let paste = server.tmux.paste(&dead.pane, b"x", how);
        assert!(matches!(paste, Err(TmuxError::DeadPane { .. })), "{paste:?}");
        let paste = server.tmux.paste("%99", b"x", how);
        assert!(matches!(paste, Err(TmuxError::NoPane { .. })), "{paste:?}");
    }
    assert!(matches!(server.tmux.keys(&dead.pane, &keys), Err(TmuxError::DeadPane { .. })));
    assert!(matches!(server.tmux.keys("%99", &keys), Err(TmuxError::NoPane { .. })));
    assert!(matches!(server.tmux.keys("=bystander:", &keys), Err(TmuxError::NoPane { .. })));
    assert_eq!(server.look().identity, dead.server);
    assert_eq!(server.bare(&["list-buffers"]), "");
}

#[test]
fn facts_are_never_those_of_another_pane() {
    let server = TestServer::running();
    let started = server.start(&TestLaunch::new("a", &["sh", "-c", "printf '\\033[?1049habc'; exec cat"]));
    let facts = until("the program has drawn", || {
        server.tmux.pane_facts(&started.pane).unwrap().filter(|facts| facts.cursor == (3, 0))
    });
    assert!(facts.alternate);
    assert_eq!(server.tmux.pane_facts("%99").unwrap(), None);
    server.bare(&["split-window", "-t", &started.pane, "sleep 1000"]);
    assert_eq!(server.tmux.pane_facts(&started.pane).unwrap().unwrap().tty, facts.tty);
}
