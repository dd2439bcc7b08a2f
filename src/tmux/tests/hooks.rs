//! Hooks report tmux events with the right arguments, and never execute any part of a name.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// Starts a server whose hooks call a program that logs its arguments, in a directory with a hostile name.
pub(super) fn listening() -> (Server, PathBuf) {
    let server = Server::with(|setup| {
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

fn line(server: &Server, event: &str) -> String {
    format!("--home|{}|event|{event}|\n", server.tmux.setup.home.display())
}

#[test]
fn a_death_and_a_closed_session_are_told() {
    let (server, log) = listening();
    server.start(&Start::new("other", &["sleep", "1000"]));
    let code = server.start(&Start::new("code", &["sh", "-c", "exit 3"]));
    let said = format!("pane-died|--session=code|--pane={}|--code=3|--signal=", code.pane);
    // A snapshot makes a busy tmux notice the exit.
    until("the code is told", || Some(server.look()).filter(|_| has(&log, &line(&server, &said))));
    let killed = Start::new("killed", &["sh", "-c", "kill -9 $$"]);
    let pane = server.start(&killed).pane;
    let said = format!("pane-died|--session=killed|--pane={pane}|--code=|--signal=9");
    until("the signal is told", || Some(server.look()).filter(|_| has(&log, &line(&server, &said))));
    server.tmux.kill_session("killed", killed.id).unwrap();
    file_with(&log, &line(&server, "session-closed|--session=killed"));
}

#[test]
fn the_last_session_is_told_of_too() {
    let (server, log) = listening();
    let last = Start::new("last", &["sleep", "1000"]);
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
fn terminals_that_come_and_go_are_told() {
    let (server, log) = listening();
    server.start(&Start::new("other", &["sleep", "1000"]));
    server.start(&Start::new("a", &["sleep", "1000"]));
    let outer = server.terminal(&server.attach_line("a", AttachAs::Driver));
    file_with(&log, &line(&server, "client-attached|--session=a"));
    server.tmux.detach("a", None).unwrap();
    file_with(&log, &line(&server, "client-detached|--session="));
    drop(outer);
}

#[test]
fn a_session_with_a_hostile_name_runs_nothing() {
    let (server, log) = listening();
    server.start(&Start::new("other", &["sleep", "1000"]));
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
    let end = Start::new("end", &["sleep", "1000"]);
    server.start(&end);
    server.tmux.kill_session("end", end.id).unwrap();
    let said = file_with(&log, "session-closed|--session=end|\n");
    assert_eq!(said, line(&server, "session-closed|--session=end"));
    assert!(!pwned.exists());
}

#[test]
fn the_users_hooks_and_ours_live_side_by_side() {
    let server = Server::with(|setup| {
        std::fs::write(&setup.user_conf, "set-hook -g pane-died 'display-message mine'\n").unwrap();
    });
    server.start(&Start::new("a", &["sleep", "1000"]));
    let hooks = server.bare(&["show-hooks", "-g", "pane-died"]);
    assert!(hooks.contains("mine") && hooks.contains("[7700]"), "{hooks}");
}

#[test]
fn a_binary_that_moved_is_found_again() {
    let (server, log) = listening();
    server.start(&Start::new("a", &["sleep", "1000"]));
    let moved = server.path().join("moved");
    std::fs::rename(&server.tmux.setup.binary, &moved).unwrap();
    let newer = Tmux::find(Setup { binary: moved, ..server.tmux.setup.clone() }).unwrap();
    let b = Start::new("b", &["sleep", "1000"]);
    b.launch(|launch| newer.start(launch)).unwrap();
    newer.kill_session("b", b.id).unwrap();
    file_with(&log, "session-closed|--session=b");
}

#[test]
fn a_server_of_an_older_symposium_gets_the_hooks_of_this_one() {
    let (server, log) = listening();
    server.start(&Start::new("first", &["sleep", "1000"]));
    server.bare(&["set-hook", "-gu", "session-closed[7700]"]);
    server.bare(&["set-option", "-s", "@symposium_conf", "older"]);
    let second = Start::new("second", &["sleep", "1000"]);
    server.start(&second);
    server.tmux.kill_session("second", second.id).unwrap();
    file_with(&log, &line(&server, "session-closed|--session=second"));
}
