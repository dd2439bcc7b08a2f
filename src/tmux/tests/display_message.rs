//! A notice reaches every client except those excluded, unchanged, with a bell if requested.

use super::screen::{screen, screen_with};
use super::*;

#[test]
fn message_is_shown_to_all_clients_except_observers() {
    let server = TestServer::running();
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    let pwned = server.path().join("pwned");
    assert_eq!(server.tmux.message_clients(Audience::AllBut("absent"), "no client", Bell::Ring).unwrap(), 0);
    let [of_a, other] =
        ["a", "bystander"].map(|session| server.terminal(&server.attach_line(session, AttachAs::Observer)));
    until("both clients are attached", || (server.look().clients.len() == 2).then_some(()));
    let rung = [&of_a, &other].map(|terminal| {
        let rung = terminal.path().join("rung");
        let hook = format!("run-shell -b 'echo ring >> {}'", rung.display());
        terminal.bare(&["set-hook", "-g", "alert-bell[1]", &hook]);
        rung
    });
    let text = format!("#[fg=red]é #{{pid}} %H ##\n#(touch {})", pwned.display());
    assert_eq!(server.tmux.message_clients(Audience::AllBut("a"), &text, Bell::Ring).unwrap(), 1);
    let seen = screen_with(&other, "#[fg=red]é");
    assert!(seen.contains(&text.replace('\n', " ")), "{seen}");
    file_with(&rung[1], "ring");
    assert!(!screen(&of_a).contains("fg=red") && !rung[0].exists());
    assert_eq!(server.tmux.message_clients(Audience::AllBut("absent"), "to all", Bell::Silent).unwrap(), 2);
    screen_with(&of_a, "to all");
    screen_with(&other, "to all");
    assert_eq!(std::fs::read_to_string(&rung[1]).unwrap(), "ring\n");
    assert!(!pwned.exists() && !rung[0].exists());
}

#[test]
fn guest_sees_no_other_agent() {
    let server = TestServer::running();
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    let [own, guest] =
        ["a", "a"].map(|session| server.terminal(&server.attach_line(session, AttachAs::Observer)));
    let keys = until("both clients are attached", || {
        let output = server.bare(&["list-clients", "-F", "#{client_pid}@#{client_name} #{client_tty}"]);
        (output.lines().count() == 2).then_some(output)
    });
    let tty = guest.bare(&["display-message", "-p", "#{pane_tty}"]);
    let key = keys.lines().find_map(|line| line.strip_suffix(&format!(" {}", tty.trim()))).unwrap();
    server.bare(&["set-option", "-t", "=a:", "@symposium_guests", &format!(" {key}=guest:w")]);
    let others = Audience::AllBut("bystander");
    assert_eq!(server.tmux.message_clients(others, "a secret", Bell::Ring).unwrap(), 1);
    screen_with(&own, "a secret");
    assert!(!screen(&guest).contains("a secret"), "{}", screen(&guest));
    assert_eq!(server.tmux.message_clients(Audience::Only("a"), "to those here", Bell::Silent).unwrap(), 2);
    screen_with(&guest, "to those here");
}

#[test]
fn no_message_is_shown_without_a_server() {
    assert_eq!(
        TestServer::new().tmux.message_clients(Audience::AllBut("absent"), "x", Bell::Ring).unwrap(),
        0
    );
}
