//! Status line, titles and screens as users see them; attaching and detaching.

use super::*;

pub(super) fn screen(outer: &TestServer) -> String {
    outer.tmux.capture(&outer.pane("term").unwrap().pane, Capture::Screen).unwrap()
}

pub(super) fn screen_with(outer: &TestServer, part: &str) -> String {
    until(part, || Some(screen(outer)).filter(|text| text.contains(part)))
}

#[test]
fn the_status_line_shows_a_title_as_it_is_and_the_way_out() {
    let server = TestServer::running();
    let pwned = server.path().join("pwned");
    let title = format!("#[fg=red]R#{{pid}}%H ##[x],}}#(touch {}) é", pwned.display());
    let start = TestLaunch { title: Some(&title), ..TestLaunch::new("a", &["sleep", "1000"]) };
    server.start(&start);
    assert!(server.tmux.set_status_option("a", start.id, "waiting, #[fg=red]you").unwrap());
    assert!(!server.tmux.set_status_option("a", AgentId::fresh(), "x").unwrap());
    let outer = server.terminal(&server.attach_line("a", AttachAs::Driver));
    let seen = screen_with(&outer, "detach: C-b d");
    let title = title.chars().take(40).collect::<String>();
    assert!(seen.contains(&format!(" a · {title}")), "{seen}");
    assert!(!pwned.exists());
    outer.bare(&["resize-window", "-t", "=term:", "-x", "250"]);
    screen_with(&outer, "· waiting, #[fg=red]you");
}

#[test]
fn an_ended_agent_says_how_it_ended() {
    let server = TestServer::running();
    // The program runs a moment longer: tmux 3.3a may lose the last output of a program that ends at once.
    server.start(&TestLaunch::new("a", &["sh", "-c", "echo bye; sleep 0.2; exit 3"]));
    let output = server.last_words("a");
    assert!(output.contains("bye"), "{output}");
    if !server.tmux.version().starts_with("3.2") {
        assert!(output.contains(" the agent has ended: code 3; symposium agent resume a"), "{output}");
    }
}

#[test]
fn how_an_ended_agent_is_brought_back_can_be_pasted_or_has_no_name() {
    let server = TestServer::running();
    if server.tmux.version().starts_with("3.2") {
        return;
    }
    let ended = |from: &str, to: &str| {
        let start = TestLaunch::new(from, &["sh", "-c", "read -r line; exit 3"]);
        server.start(&start);
        server.tmux.rename_session(start.id, from, &name(to), "{}").unwrap();
        server.bare(&["resize-window", "-t", &format!("={to}:"), "-x", "80"]);
        server.bare(&["send-keys", "-t", &format!("={to}:"), "Enter"]);
        server.last_words(to)
    };
    let output = ended("b", "renamed");
    assert!(output.contains(" the agent has ended: code 3; symposium agent resume renamed"), "{output}");
    // A name of the maximum length does not fit into 80 columns with the text before it.
    let output = ended("c", &"n".repeat(63));
    assert!(
        output.contains(" the agent has ended: code 3 (bring it back: symposium agent resume)"),
        "{output}"
    );
}

#[test]
fn captures_join_lines_and_keep_history() {
    let server = TestServer::running();
    let line = "printf '\\033[31mred\\033[0m\\n'; seq 100; printf '%0200d\\n' 7; exec cat";
    let started = server.start(&TestLaunch::new("a", &["sh", "-c", line]));
    let tail = format!("{:0200}", 7);
    let visible = until("the output is printed", || {
        let text = server.tmux.capture(&started.pane, Capture::Screen).unwrap();
        text.contains(&tail).then_some(text)
    });
    assert!(!visible.contains("red"));
    assert!(server.tmux.capture(&started.pane, Capture::All).unwrap().starts_with("red\n1\n"));
    let styled = server.start(&TestLaunch::new("b", &["sh", "-c", "printf '\\033[31mred'; exec cat"]));
    until("colours are shown", || {
        let text = server.tmux.capture(&styled.pane, Capture::ScreenStyled).unwrap();
        text.contains("\x1b[31mred").then_some(())
    });
    assert!(matches!(server.tmux.capture("%99", Capture::All), Err(TmuxError::NoPane { .. })));
}

#[test]
fn a_detach_counts_terminals_and_takes_only_those_of_the_session() {
    let server = TestServer::running();
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    let terminals = ["a", "a", "bystander"]
        .map(|session| server.terminal(&server.attach_line(session, AttachAs::Driver)));
    let clients =
        until("all clients are attached", || Some(server.look().clients).filter(|all| all.len() == 3));
    let of_a: Vec<_> = clients.iter().filter(|client| client.session == "a").collect();
    let other = clients.iter().find(|client| client.session == "bystander").unwrap();
    assert!(of_a[0].tty.starts_with("/dev/") && !of_a[0].observer);
    assert_eq!(server.tmux.detach("a", Some(&other.tty)).unwrap(), 0);
    assert_eq!(server.tmux.detach("a", Some(&of_a[0].tty)).unwrap(), 1);
    until("one client has left", || (server.look().clients.len() == 2).then_some(()));
    assert_eq!(server.tmux.detach("a", None).unwrap(), 1);
    until("two clients have left", || (server.look().clients.len() == 1).then_some(()));
    assert_eq!(server.tmux.detach("a", None).unwrap(), 0);
    assert_eq!(server.tmux.detach("missing", None).unwrap(), 0);
    drop(terminals);
}

#[test]
fn a_switch_moves_the_terminal_that_called_and_no_other() {
    let server = TestServer::running();
    let from = server.start(&TestLaunch::new("from", &["sleep", "1000"]));
    server.start(&TestLaunch::new("to", &["sleep", "1000"]));
    let bystander = server.terminal(&server.attach_line("bystander", AttachAs::Driver));
    until("the other client is attached", || (server.look().clients.len() == 1).then_some(()));
    let caller = server.terminal(&server.attach_line("from", AttachAs::Driver));
    until("the caller is attached", || (server.look().clients.len() == 2).then_some(()));
    let inside = env(&[("TMUX_PANE", &from.pane)]);
    let gone = server.tmux.switch_own_client(&entry(&name("missing"), AttachAs::Observer), &inside);
    assert!(matches!(gone, Err(TmuxError::NoSession { .. })), "{gone:?}");
    server.tmux.switch_own_client(&entry(&name("to"), AttachAs::Observer), &inside).unwrap();
    let clients = server.look().clients;
    let at =
        |session: &str| clients.iter().find(|client| client.session == session).map(|client| client.observer);
    assert_eq!((at("to"), at("from"), at("bystander")), (Some(true), None, Some(false)));
    assert!(
        server.tmux.switch_own_client(&entry(&name("to"), AttachAs::Driver), &inside).is_err(),
        "no client shows it now"
    );
    drop((bystander, caller));
}

#[test]
fn an_observer_sees_the_screen_and_types_nothing() {
    let server = TestServer::running();
    let started = server.start(&TestLaunch::new("a", &["sh", "-c", "echo hello; exec cat"]));
    let outer = server.terminal(&server.attach_line("a", AttachAs::Observer));
    screen_with(&outer, "watching only");
    screen_with(&outer, "hello");
    assert!(server.look().clients[0].observer);
    let watching = outer.pane("term").unwrap().pane;
    outer.tmux.keys(&watching, &["typed".to_owned()]).unwrap();
    // The driver's keys are sent after the observer's: when they have arrived, the observer's would have arrived too.
    let driver = server.terminal(&server.attach_line("a", AttachAs::Driver));
    screen_with(&driver, "hello");
    driver.tmux.keys(&driver.pane("term").unwrap().pane, &["driven".to_owned()]).unwrap();
    screen_with(&driver, "driven");
    assert!(!server.tmux.capture(&started.pane, Capture::Screen).unwrap().contains("typed"));
}

#[test]
fn inside_means_inside_our_own_server() {
    let server = TestServer::running();
    let socket = server.tmux.socket().to_str().unwrap();
    let link = server.path().join("a,b");
    std::os::unix::fs::symlink(socket, &link).unwrap();
    for (text, inside) in [
        (format!("{socket},1,2"), true),
        (format!("{},1,2", link.display()), true),
        (socket.to_owned(), false),
        ("/tmp/tmux-0/default-that-is-not-there,1,2".to_owned(), false),
        (String::new(), false),
    ] {
        assert_eq!(server.tmux.is_inside(Some(OsStr::new(&text))), inside, "{text}");
    }
    assert!(!server.tmux.is_inside(None));
}
