//! Hooks report tmux events with the right arguments, and never execute any part of a name.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// Starts a server whose hooks call a program that logs its arguments, in a directory with a hostile name.
pub(super) fn listening() -> (TestServer, PathBuf) {
    let server = TestServer::with(|setup| {
        let dir = setup.home.join("b 'in\"$(touch pwned)#{pid}#[x]%H\t~");
        std::fs::create_dir_all(&dir).unwrap();
        let log = setup.home.join("log");
        setup.binary = dir.join("sympo");
        setup.home = dir;
        // The line is written at once, because two hooks may run at the same time.
        let text = format!(
            "#!/bin/sh\nline=$(printf '%s|' \"$@\")\nprintf '%s\\n' \"$line\" >> '{}'\n",
            log.display()
        );
        std::fs::write(&setup.binary, text).unwrap();
        std::fs::set_permissions(&setup.binary, std::fs::Permissions::from_mode(0o755)).unwrap();
    });
    let log = server.path().join("home/log");
    (server, log)
}

fn has(log: &Path, text: &str) -> bool {
    std::fs::read_to_string(log).is_ok_and(|all| all.contains(text))
}

fn line(server: &TestServer, event: &str) -> String {
    format!("--home|{}|event|{event}|\n", server.tmux.setup.home.display())
}

#[test]
fn ended_pane_and_closed_session_are_reported() {
    let (server, log) = listening();
    server.start(&TestLaunch::new("other", &["sleep", "1000"]));
    let code = server.start(&TestLaunch::new("code", &["sh", "-c", "exit 3"]));
    let hook_line = format!("pane-died|--session=code|--pane={}|--code=3|--signal=", code.pane);
    // A snapshot makes a busy tmux notice the exit.
    until("the exit code is reported", || {
        Some(server.look()).filter(|_| has(&log, &line(&server, &hook_line)))
    });
    let killed = TestLaunch::new("killed", &["sh", "-c", "kill -9 $$"]);
    let pane = server.start(&killed).pane;
    let hook_line = format!("pane-died|--session=killed|--pane={pane}|--code=|--signal=9");
    until("the signal is reported", || Some(server.look()).filter(|_| has(&log, &line(&server, &hook_line))));
    server.tmux.kill_session("killed", killed.id).unwrap();
    file_with(&log, &line(&server, "session-closed|--session=killed"));
}

#[test]
fn end_of_the_last_session_is_reported() {
    let (server, log) = listening();
    let last = TestLaunch::new("last", &["sleep", "1000"]);
    server.start(&last);
    assert!(server.tmux.kill_session("last", last.id).unwrap());
    file_with(&log, &line(&server, "session-closed|--session=last"));
    assert!(server.look().panes.is_empty());
    assert!(!server.tmux.kill_session("last", last.id).unwrap());
    assert!(server.tmux.records().unwrap().is_empty());
    assert_eq!(server.tmux.detach("last", None).unwrap(), 0);
    assert_eq!(server.tmux.pane_facts("%0").unwrap(), None);
    assert!(matches!(server.tmux.paste("%0", b"x", Paste::Raw), Err(TmuxError::NoPane { .. })));
}

#[test]
fn attached_and_detached_clients_are_reported() {
    let (server, log) = listening();
    server.start(&TestLaunch::new("other", &["sleep", "1000"]));
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    let outer = server.terminal(&server.attach_line("a", AttachAs::Driver));
    file_with(&log, &line(&server, "client-attached|--session=a"));
    server.tmux.detach("a", None).unwrap();
    file_with(&log, &line(&server, "client-detached|--session="));
    drop(outer);
}

#[test]
fn a_session_with_a_hostile_name_runs_nothing() {
    let (server, log) = listening();
    server.start(&TestLaunch::new("other", &["sleep", "1000"]));
    let pwned = server.path().join("pwned");
    for hostile in
        ["x$(touch P)", "`touch P`", "';touch P;'", "a;touch P", "#(touch P)", "~root", "a\\", "-x"]
    {
        // tmux expands formats in `-s`, so a `#` in a name must be doubled.
        let hostile = hostile.replace('P', pwned.to_str().unwrap()).replace('#', "##");
        server.bare(&["new-session", "-d", "-s", &hostile, "exit 1"]);
        let words = ["new-session", "-dPF", "#{session_id}", "-s", &format!("{hostile} 2"), "sleep 1000"];
        let id = server.bare(&words);
        server.bare(&["kill-session", "-t", id.trim()]);
    }
    let end = TestLaunch::new("end", &["sleep", "1000"]);
    server.start(&end);
    server.tmux.kill_session("end", end.id).unwrap();
    let hook_line = file_with(&log, "session-closed|--session=end|\n");
    assert_eq!(hook_line, line(&server, "session-closed|--session=end"));
    assert!(!pwned.exists());
}

#[test]
fn the_users_hooks_and_ours_live_side_by_side() {
    let server = TestServer::with(|setup| {
        std::fs::write(&setup.user_conf, "set-hook -g pane-died 'display-message mine'\n").unwrap();
    });
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    let hooks = server.bare(&["show-hooks", "-g", "pane-died"]);
    assert!(hooks.contains("mine") && hooks.contains("[7700]"), "{hooks}");
}

#[test]
fn moved_binary_is_found_again() {
    let (server, log) = listening();
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    let moved = server.path().join("moved");
    std::fs::rename(&server.tmux.setup.binary, &moved).unwrap();
    let newer = Tmux::find(TmuxSetup { binary: moved, ..server.tmux.setup.clone() }).unwrap();
    let b = TestLaunch::new("b", &["sleep", "1000"]);
    b.launch(|launch| newer.start(launch)).unwrap();
    newer.kill_session("b", b.id).unwrap();
    file_with(&log, "session-closed|--session=b");
}

#[test]
fn a_server_of_an_older_symposium_gets_the_hooks_of_this_one() {
    let (server, log) = listening();
    server.start(&TestLaunch::new("first", &["sleep", "1000"]));
    server.bare(&["set-hook", "-gu", "session-closed[7700]"]);
    server.bare(&["set-option", "-s", "@symposium_conf", "older"]);
    let second = TestLaunch::new("second", &["sleep", "1000"]);
    server.start(&second);
    server.tmux.kill_session("second", second.id).unwrap();
    file_with(&log, &line(&server, "session-closed|--session=second"));
}
