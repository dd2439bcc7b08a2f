//! `agent share`: another user of the machine attaches to one agent, with three real users.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::supervisor::editor;
use crate::support::TestEnv;
use crate::support::terminal::Terminal;
use crate::support::users::User;

/// Starts a program that prints each line that is typed into it.
pub(super) fn echoing(owner: &User<'_>, name: &str) {
    let script = format!("echo this is {name}; while read -r line; do echo \"got <$line>\"; done");
    owner.symposium(["agent", "spawn", "--name", name, "--", "sh", "-c", &script]).ok();
}

pub(super) fn shared(owner: &User<'_>, name: &str, guest: &User<'_>, more: &[&str]) {
    let words = [&["agent", "share", name, "--with", &guest.name, "--yes"], more].concat();
    owner.symposium(words).ok();
}

pub(super) fn at<'a>(owner: &User<'_>, name: &str, guest: &User<'a>, more: &[&str]) -> Terminal<'a> {
    let address = format!("{}/{name}", owner.name);
    guest.terminal(&[&["agent", "attach", &address], more].concat())
}

fn typed(terminal: &Terminal<'_>, text: &str) {
    terminal.type_text(text);
    terminal.keys(&["Enter"]);
}

pub(super) fn shown(owner: &User<'_>, name: &str) -> Value {
    owner.symposium(["agent", "show", name, "--json"]).ok().json()
}

#[test]
fn a_guest_attaches_types_and_detaches() {
    let env = TestEnv::new();
    let Some([owner, guest, stranger]) = User::make(&env) else { return };
    echoing(&owner, "a");
    let words = ["agent", "share", "a", "--with", &guest.name, "--for", "2h", "--yes"];
    let stderr = owner.symposium(words).ok().stderr;
    let address = format!("{}/a", owner.name);
    assert!(stderr.contains("may watch and type into `a` until 20"), "{stderr}");
    assert!(stderr.contains(&format!("`symposium agent attach {address}`")), "{stderr}");
    let listed = guest.symposium(["agent", "list", "--shared", "--json"]).ok().json();
    assert_eq!(listed[0]["owner"], owner.name.as_str(), "{listed}");
    assert_eq!((&listed[0]["name"], &listed[0]["read_only"]), (&"a".into(), &false.into()), "{listed}");
    let listed = guest.symposium(["agent", "list", "--shared"]).ok().stdout;
    assert!(listed.contains(&format!("{address}  working  type     20")), "{listed}");
    assert_eq!(stranger.symposium(["agent", "list", "--shared", "--json"]).ok().stdout.trim(), "[]");

    let terminal = at(&owner, "a", &guest, &[]);
    terminal.wait_for_text("this is a");
    typed(&terminal, "hello from the guest");
    terminal.wait_for_text("got <hello from the guest>");
    let listed = owner.symposium(["agent", "list", "--json"]).ok().json();
    assert_eq!(listed[0]["shares"][0]["with"], guest.name.as_str(), "{listed}");
    super::schema::fits(&listed, "agent-list.schema.json");
    let agent = shown(&owner, "a");
    let client = &agent["clients"][0];
    assert_eq!((&client["user"], &client["guest"]), (&guest.name.as_str().into(), &true.into()), "{agent}");
    assert_eq!((&client["driver"], &client["observer"]), (&true.into(), &false.into()), "{agent}");
    assert_eq!(agent["shares"][0]["with"], guest.name.as_str(), "{agent}");
    editor::check(&env, "shares", json!({ "shares": agent["shares"] }), &[]);
    let card = owner.symposium(["agent", "show", "a"]).ok().stdout;
    assert!(card.contains(&format!("shared with  {}, may type until 20", guest.name)), "{card}");
    assert!(card.contains(&format!("guest {} on /dev/pts/", guest.name)), "{card}");
    // A resize, arrow keys and a paste arrive as they do from the owner's own terminal.
    terminal.resize(70, 20);
    env.wait_until("the guest's size applies", || {
        let socket = owner.socket();
        let size = ["display-message", "-p", "-t", "=a:", "#{pane_width}"];
        let words = [&["-S", socket.to_str().unwrap()][..], &size].concat();
        owner.program("tmux", words).ok().stdout.trim() == "70"
    });
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    env.wait_until("no client is attached", || shown(&owner, "a")["clients"] == json!([]));
}

#[test]
fn a_guests_terminal_is_restored_after_sigterm() {
    let env = TestEnv::new();
    let Some([owner, guest, _]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &[]);
    let terminal = at(&owner, "a", &guest, &[]);
    terminal.wait_for_text("this is a");
    let attach = guest.processes().into_iter().find(|one| one.command.contains(" agent attach "));
    let pid = attach.expect("the program is running").pid;
    kill_process(Pid::from_raw(pid).unwrap(), Signal::TERM).unwrap();
    terminal.wait_for_text("/a`: terminated");
    assert_eq!(terminal.wait_for_exit(), 1);
    assert_eq!(terminal.modes(), "0 0");
}

#[test]
fn a_guest_sees_the_detach_keys() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &[]);
    let socket = owner.socket();
    owner.program("tmux", ["-S", socket.to_str().unwrap(), "set-option", "-g", "prefix", "C-a"]).ok();
    let own = owner.terminal(&["agent", "attach", "a"]);
    own.wait_for_text("detach: C-a d");
    own.close();
    // The owner's prefix key does not apply to guests.
    let terminal = at(&owner, "a", &guest, &[]);
    terminal.wait_for_text("detach: C-b d");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    let address = format!("{}/a", owner.name);
    let nested = guest.terminal_with(&[("TMUX", "/nowhere,1,0")], &["agent", "attach", &address]);
    nested.wait_for_text("detach: C-b C-b d");
    nested.keys(&["C-b", "d"]);
    assert_eq!(nested.wait_for_exit(), 0);
    let screen = nested.screen();
    assert!(screen.contains("leave with C-b C-b d (C-b d if your own tmux has another prefix)"), "{screen}");
}

#[test]
fn a_read_only_guest_cannot_type() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &["--read-only"]);
    let watching = at(&owner, "a", &guest, &[]);
    watching.wait_for_text("this is a");
    watching.wait_for_text("watching only");
    typed(&watching, "from the guest");
    let driver = owner.terminal(&["agent", "attach", "a"]);
    driver.wait_for_text("this is a");
    typed(&driver, "from the owner");
    watching.wait_for_text("got <from the owner>");
    assert!(!watching.screen().contains("from the guest"), "{}", watching.screen());
    let taker = at(&owner, "a", &guest, &["--take"]);
    taker.wait_for_text("it is shared with you for watching only");
    assert_eq!(taker.wait_for_exit(), 1);
    assert_eq!(shown(&owner, "a")["clients"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_read_only_guest_does_not_resize() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    owner.symposium(["agent", "spawn", "demo", "--name", "a"]).ok();
    shared(&owner, "a", &guest, &["--read-only"]);
    let tmux = |words: &[&str]| {
        let socket = owner.socket();
        owner.program("tmux", [&["-S", socket.to_str().unwrap()], words].concat()).ok().stdout
    };
    let size = || tmux(&["display-message", "-p", "-t", "=a:", "#{window_width}x#{window_height}"]);
    let driver = owner.terminal(&["agent", "attach", "a"]);
    env.wait_until("the owner's size applies", || size() == "100x29\n");
    let watching = at(&owner, "a", &guest, &[]);
    env.wait_until("the guest is attached", || tmux(&["list-clients"]).lines().count() == 2);
    driver.keys(&["C-b", "d"]);
    assert_eq!(driver.wait_for_exit(), 0);
    watching.resize(3, 2);
    env.wait_until("tmux knows the guest's size", || {
        tmux(&["list-clients", "-F", "#{client_width}x#{client_height}"]) == "3x2\n"
    });
    assert_eq!(size(), "100x29\n");
    owner.symposium(["agent", "send", "a", "remember the milk"]).ok();
}

#[test]
fn a_guest_follows_the_driver_rules() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &[]);
    let first = owner.terminal(&["agent", "attach", "a"]);
    first.wait_for_text("this is a");
    let watching = at(&owner, "a", &guest, &[]);
    // Each user sees the name by which they know the agent.
    let (a, theirs) = ("symposium agent attach a --take", format!("{}/a --take", owner.name));
    watching.wait_for_text(&format!(
        "{} drives, you watch; take over: symposium agent attach {theirs}",
        owner.name
    ));
    typed(&watching, "not my turn");
    typed(&first, "from the owner");
    watching.wait_for_text("got <from the owner>");
    assert!(!watching.screen().contains("not my turn"), "{}", watching.screen());
    first.keys(&["C-b", "d"]);
    watching.wait_for_text("you drive now");
    typed(&watching, "my turn");
    watching.wait_for_text("got <my turn>");
    // The owner takes over, and then the guest again.
    let again = owner.terminal(&["agent", "attach", "a", "--take"]);
    watching.wait_for_text(&format!("took over, you watch; take it back: symposium agent attach {theirs}"));
    typed(&watching, "too late");
    typed(&again, "mine");
    watching.wait_for_text("got <mine>");
    assert!(!watching.screen().contains("too late"), "{}", watching.screen());
    let taker = at(&owner, "a", &guest, &["--take"]);
    again.wait_for_text(&format!("guest {} took over, you watch; take it back: {a}", guest.name));
    typed(&taker, "taken");
    again.wait_for_text("got <taken>");
}

#[test]
fn a_guest_with_too_many_terminals_is_refused() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &[]);
    let many: Vec<_> = (0..8).map(|_| at(&owner, "a", &guest, &["--observe"])).collect();
    many.iter().for_each(|terminal| terminal.wait_for_text("this is a"));
    let one_more = at(&owner, "a", &guest, &[]);
    assert_eq!(one_more.wait_for_exit(), 1, "{}", one_more.screen());
    one_more.wait_for_text("you already have 8 terminals attached");
    let listed = guest.symposium(["agent", "list", "--shared", "--json"]).ok().json();
    assert_eq!(listed[0]["name"], "a", "{listed}");
    drop(many);
    env.wait_until("no client is attached", || shown(&owner, "a")["clients"] == json!([]));
    at(&owner, "a", &guest, &[]).wait_for_text("this is a");
}

#[test]
fn a_guest_can_type_under_the_shared_policy() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    let config = owner.home().join(".symposium/config.toml");
    owner
        .program("sh", ["-c", &format!("printf '[attach]\\npolicy = \"shared\"\\n' > {}", config.display())])
        .ok();
    shared(&owner, "a", &guest, &[]);
    let first = owner.terminal(&["agent", "attach", "a"]);
    first.wait_for_text("this is a");
    let second = at(&owner, "a", &guest, &[]);
    second.wait_for_text("this is a");
    typed(&second, "from the guest");
    first.wait_for_text("got <from the guest>");
    typed(&first, "from the owner");
    second.wait_for_text("got <from the owner>");
    assert!(!second.screen().contains("watching only"), "{}", second.screen());
    // The client that was used last determines the size.
    let socket = owner.socket();
    let columns = || {
        let words = ["-S", socket.to_str().unwrap(), "display-message", "-p", "-t", "=a:", "#{window_width}"];
        owner.program("tmux", words).ok().stdout.trim().to_owned()
    };
    first.resize(90, 24);
    env.wait_until("the owner determines the size", || columns() == "90");
    typed(&second, "to its size");
    env.wait_until("the guest determines the size", || columns() == "100");
    typed(&first, "and back");
    env.wait_until("the owner determines the size again", || columns() == "90");
    let watching = at(&owner, "a", &guest, &["--observe"]);
    watching.wait_for_text("watching only");
    typed(&watching, "from who watches");
    typed(&second, "once more");
    watching.wait_for_text("got <once more>");
    assert!(!watching.screen().contains("from who watches"), "{}", watching.screen());
}

#[test]
fn ending_a_share_disconnects_its_guest() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    let ends: [(&str, &dyn Fn()); 4] = [
        ("unshare", &|| {
            let stderr = owner.symposium(["agent", "unshare", "a", "--with", &guest.name]).ok().stderr;
            assert_eq!(
                stderr,
                format!("`a` is no longer shared with {}; its guests were disconnected\n", guest.name)
            );
        }),
        ("kill -9 of the door", &|| {
            let is_listener = |line: &&str| line.contains("share-door");
            let processes =
                owner.program("ps", ["-u", &owner.uid.to_string(), "-o", "pid=,args="]).ok().stdout;
            let line = processes.lines().find(is_listener).expect("a door");
            let pid = line.split_whitespace().next().unwrap();
            owner.program("kill", ["-9", pid]).ok();
        }),
        ("rename", &|| {
            owner.symposium(["agent", "rename", "a", "b"]).ok();
            owner.symposium(["agent", "rename", "b", "a"]).ok();
        }),
        ("kill", &|| drop(owner.symposium(["agent", "kill", "a"]).ok())),
    ];
    for (what, end) in ends {
        shared(&owner, "a", &guest, &[]);
        let terminal = at(&owner, "a", &guest, &[]);
        terminal.wait_for_text("this is a");
        end();
        assert_eq!(terminal.wait_for_exit(), 1, "{what}\n{}", terminal.screen());
        assert_eq!(shown(&owner, "a")["shares"], json!([]), "{what}");
        let again = at(&owner, "a", &guest, &[]);
        assert_eq!(again.wait_for_exit(), 3, "{what}\n{}", again.screen());
        env.wait_until("no terminal of the guest is left", || shown(&owner, "a")["clients"] == json!([]));
    }
}

#[test]
fn a_share_ends_when_its_time_is_over() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &["--for", "3s"]);
    let terminal = at(&owner, "a", &guest, &[]);
    terminal.wait_for_text("this is a");
    assert_eq!(terminal.wait_for_exit(), 1);
    terminal.wait_for_text("it is not shared with you any more, or has ended");
    assert_eq!(guest.symposium(["agent", "list", "--shared", "--json"]).ok().stdout.trim(), "[]");
    env.wait_until("no trace of the share is left", || {
        !std::path::Path::new(&format!("/tmp/symposium-share-{}", owner.uid)).exists()
    });
    assert_eq!(shown(&owner, "a")["shares"], json!([]));
}

#[test]
fn a_share_ends_with_its_agent() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    let script = "echo this is a; read -r line; sleep 0.2; exit 3";
    owner.symposium(["agent", "spawn", "--name", "a", "--", "sh", "-c", script]).ok();
    shared(&owner, "a", &guest, &[]);
    let terminal = at(&owner, "a", &guest, &[]);
    terminal.wait_for_text("this is a");
    terminal.keys(&["Enter"]);
    // The query also makes tmux 3.3a notice the exit of a child that it has missed.
    env.wait_until("the agent has no shares", || shown(&owner, "a")["shares"] == json!([]));
    assert_eq!(terminal.wait_for_exit(), 1);
}

#[test]
fn share_states_what_a_guest_can_do_before_granting_it() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    let refused = owner.symposium(["agent", "share", "a", "--with", &guest.name]).fails(1).stderr;
    let name = &guest.name;
    assert_eq!(
        refused,
        format!(
            "error: a user who types into an agent can do everything that it can: run commands as you, read and change your \
             files, use what it is logged in to. `--read-only` lets {name} watch\n  nothing was changed\nhint: to \
             confirm, repeat the command with `--yes`\n"
        )
    );
    assert_eq!(shown(&owner, "a")["shares"], json!([]));
    let terminal = owner.terminal(&["agent", "share", "a", "--with", name]);
    terminal.wait_for_text(&format!("let {name} type? [y/N]"));
    terminal.keys(&["n"]);
    assert_eq!(terminal.wait_for_exit(), 1);
    let terminal = owner.terminal(&["agent", "share", "a", "--with", name]);
    terminal.wait_for_text(&format!("let {name} type? [y/N]"));
    terminal.keys(&["y"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(shown(&owner, "a")["shares"][0]["read_only"], false);
    let granted = owner.symposium(["agent", "share", "a", "--with", name, "--yes", "--json"]).ok().json();
    assert_eq!(granted["address"], format!("{}/a", owner.name), "{granted}");
    assert_eq!((&granted["with"], &granted["until"]), (&name.as_str().into(), &Value::Null), "{granted}");
    let refused = owner.symposium(["agent", "share", "a", "--with", name, "--json"]).fails(1).stderr;
    assert!(refused.starts_with("{\"error\":{\"code\":\"unsafe\",\"hints\":["), "{refused}");
    // A read-only share needs no confirmation, and replaces the earlier share.
    owner.symposium(["agent", "share", "a", "--with", name, "--read-only"]).ok();
    let shares = shown(&owner, "a")["shares"].clone();
    assert_eq!(
        (shares.as_array().map(Vec::len), &shares[0]["read_only"]),
        (Some(1), &true.into()),
        "{shares}"
    );
    owner.symposium(["agent", "share", "a", "--with", "no-such-user"]).fails(1);
    owner.symposium(["agent", "share", "a", "--with", "no-such-user", "--yes"]).fails(3);
    owner.symposium(["agent", "share", "a", "--with", &owner.name, "--yes"]).fails(2);
    for lasts in ["0s", "999999999999h", "soon"] {
        owner.symposium(["agent", "share", "a", "--with", name, "--yes", "--for", lasts]).fails(2);
    }
    let inside =
        owner.symposium(["agent", "share", "a", "--with", name, "--yes"]).env("SYMPOSIUM_AGENT_ID", "x");
    assert!(inside.fails(1).stderr.contains("only a user can share an agent"));
    owner.symposium(["agent", "unshare", "a", "--with", "root"]).fails(3);
}
