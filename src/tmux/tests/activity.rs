//! Activity and silence are reported once each, for the right session, with or without attached clients, and ring no
//! terminal.

use super::hooks::listening;
use super::*;

/// Prints a line once for each time that the file appears.
const ON_DEMAND: &str = "while :; do if [ -e \"$0\" ]; then rm \"$0\"; echo line; fi; sleep 0.05; done";

fn watched_launch<'a>(name: &'a str, argv: &[&str]) -> TestLaunch<'a> {
    TestLaunch { edges: ActivityReports::On, ..TestLaunch::new(name, argv) }
}

fn edges_of(log: &Path, session: &str) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let marker = format!("|event|edge|--session={session}|--edge=");
    let edge = |line: &str| Some(line.split_once(&marker)?.1.trim_end_matches('|').to_owned());
    text.lines().filter_map(edge).collect()
}

/// Waits until tmux has had time for one more silence alert of every window: that of a session that starts now.
fn another_silence(server: &TestServer, log: &Path, name: &'static str) {
    server.start(&watched_launch(name, &["sleep", "1000"]));
    until("the next silence is reported", || {
        edges_of(log, name).contains(&"silence".to_owned()).then_some(())
    });
}

fn until_edges(log: &Path, session: &str, expected: &[&str]) {
    until("the activity events are reported", || (edges_of(log, session) == expected).then_some(()));
}

#[test]
fn activity_and_silence_are_reported_once_per_session() {
    let (server, log) = listening();
    let wanted = ["a", "b"].map(|name| server.path().join(name));
    for (name, file) in ["a", "b"].iter().zip(&wanted) {
        server.start(&watched_launch(name, &["sh", "-c", ON_DEMAND, file.to_str().unwrap()]));
    }
    server.start(&TestLaunch::new("untold", &["sh", "-c", "while :; do echo x; sleep 0.5; done"]));
    // No agent has printed yet; an agent that starts silently is reported as silent.
    until_edges(&log, "a", &["silence"]);
    until_edges(&log, "b", &["silence"]);
    std::fs::write(&wanted[0], "").unwrap();
    until_edges(&log, "a", &["silence", "activity", "silence"]);
    another_silence(&server, &log, "later");
    assert_eq!(edges_of(&log, "a"), ["silence", "activity", "silence"]);
    assert_eq!(edges_of(&log, "b"), ["silence"]);
    assert!(edges_of(&log, "untold").is_empty());
}

#[test]
fn observer_changes_nothing_and_gets_no_bell() {
    let (server, log) = listening();
    let (prints, rings) = (server.path().join("prints"), server.path().join("rings"));
    let line = "while :; do [ -e \"$0\" ] && rm \"$0\" && echo line; [ -e \"$1\" ] && rm \"$1\" && printf '\\007'; sleep 0.05; done";
    let argv = ["sh", "-c", line, prints.to_str().unwrap(), rings.to_str().unwrap()];
    server.start(&watched_launch("a", &argv));
    let terminal = server.terminal(&server.attach_line("a", AttachAs::Driver));
    let rung = server.path().join("rung");
    let hook = format!("run-shell -b 'echo ring >> {}'", rung.display());
    terminal.bare(&["set-hook", "-g", "alert-bell[1]", &hook]);
    until("the client is attached", || (server.look().clients.len() == 1).then_some(()));
    until_edges(&log, "a", &["silence"]);
    std::fs::write(&prints, "").unwrap();
    until_edges(&log, "a", &["silence", "activity", "silence"]);
    another_silence(&server, &log, "later");
    another_silence(&server, &log, "latest");
    assert_eq!(edges_of(&log, "a"), ["silence", "activity", "silence"]);
    assert!(!rung.exists(), "no alert of ours may ring");
    std::fs::write(&rings, "").unwrap();
    file_with(&rung, "ring");
    until("the bell is reported", || edges_of(&log, "a").contains(&"bell".to_owned()).then_some(()));
}

#[test]
fn pane_watched_again_reports_activity_without_a_silence() {
    let (server, log) = listening();
    let argv = ["sh", "-c", "while :; do echo x; sleep 0.2; done"];
    let started = server.start(&watched_launch("a", &argv));
    until_edges(&log, "a", &["activity"]);
    server.tmux.rearm_activity(&started.pane).unwrap();
    until_edges(&log, "a", &["activity", "activity"]);
    assert!(matches!(server.tmux.rearm_activity("%99"), Err(TmuxError::NoPane { .. })));
    assert!(matches!(server.tmux.rearm_activity("a"), Err(TmuxError::NoPane { .. })));
}

#[test]
fn repeated_bells_are_reported_once_and_dead_panes_not_as_silent() {
    let (server, log) = listening();
    let storm = "for i in 1 2 3 4 5 6 7 8 9; do printf '\\007'; sleep 0.02; done; exit 3";
    server.start(&watched_launch("a", &["sh", "-c", storm]));
    until("the process has ended", || server.pane("a")?.dead);
    another_silence(&server, &log, "later");
    let edges = edges_of(&log, "a");
    assert_eq!(edges.iter().filter(|edge| *edge == "bell").count(), 1, "{edges:?}");
    assert!(!edges.contains(&"silence".to_owned()), "{edges:?}");
}

#[test]
fn resumed_agent_is_announced_again() {
    let (server, log) = listening();
    let first = watched_launch("a", &["sh", "-c", "echo x; sleep 2.5; exit 0"]);
    let started = server.start(&first);
    until("the process has ended", || server.pane("a")?.dead);
    until_edges(&log, "a", &["activity", "silence"]);
    server
        .respawn(&TestLaunch { argv: ["sleep", "1000"].map(str::to_owned).to_vec(), ..first }, &started.pane)
        .unwrap();
    until("the pane is silent again", || {
        (edges_of(&log, "a").iter().filter(|edge| *edge == "silence").count() == 2).then_some(())
    });
}

#[test]
fn coalesced_silences_are_still_reported() {
    let (server, log) = listening();
    server.tmux.align_silence_timers().expect("no server is no error");
    let file = server.path().join("a");
    server.start(&watched_launch("a", &["sh", "-c", ON_DEMAND, file.to_str().unwrap()]));
    until_edges(&log, "a", &["silence"]);
    std::fs::write(&file, "").unwrap();
    until_edges(&log, "a", &["silence", "activity"]);
    server.tmux.align_silence_timers().unwrap();
    until_edges(&log, "a", &["silence", "activity", "silence"]);
    server.tmux.align_silence_timers().unwrap();
    another_silence(&server, &log, "later");
    assert_eq!(edges_of(&log, "a"), ["silence", "activity", "silence"]);
}
