//! How a share ends, whatever records of it remain: by the owner, with the agent, or by its time limit, with real
//! users.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::share::{at, echoing, shared, shown};
use crate::support::TestEnv;
use crate::support::users::User;

/// The message to a guest who was disconnected.
const CUT: &str = "it is not shared with you any more, or has ended";

/// Returns the file that records the shares of an agent.
fn written(owner: &User<'_>, name: &str) -> PathBuf {
    owner.home().join(format!(".symposium/instances/{name}/state/shares.json"))
}

/// Returns the file that the process of a share listener holds.
fn kept(owner: &User<'_>, guest: &User<'_>, name: &str) -> PathBuf {
    owner.home().join(format!(".symposium/run/doors/{}-{name}", guest.uid))
}

fn signal_server(owner: &User<'_>, pid: &str, signal: &str) {
    owner.program("kill", [signal, pid]).ok();
}

fn ask_server(owner: &User<'_>, words: &[&str]) -> String {
    let socket = owner.socket();
    let words = [&["-S", socket.to_str().unwrap()], words].concat();
    owner.program("tmux", words).ok().stdout.trim().to_owned()
}

#[test]
fn a_share_listener_without_a_record_is_closed() {
    let env = TestEnv::new();
    let Some([owner, guest, other]) = User::make(&env) else { return };
    echoing(&owner, "a");
    echoing(&owner, "a-b");
    shared(&owner, "a-b", &other, &[]);
    let with = guest.name.as_str();
    let ends: [&[&str]; 6] = [
        &["unshare", "a"],
        &["unshare", "a", "--with", with],
        &["rename", "a", "c"],
        &["restart", "c"],
        &["kill", "c"],
        &["rm", "c", "--force"],
    ];
    for words in ends {
        let name = words[1];
        if words[0] == "rm" {
            owner.symposium(["agent", "resume", name]).ok();
        }
        shared(&owner, name, &guest, &[]);
        let terminal = at(&owner, name, &guest, &[]);
        terminal.wait_for_text("this is a");
        fs::remove_file(written(&owner, name)).unwrap();
        let shares = shown(&owner, name)["shares"].clone();
        assert_eq!(shares[0]["with"], with, "it is shown: {shares}");
        if words.contains(&"--with") {
            // A share listener that an older version of symposium has started: only tmux knows it.
            fs::remove_file(kept(&owner, &guest, name)).unwrap();
        }
        let output = owner.symposium([&["agent"], words].concat()).ok().stderr;
        assert!(output.contains(&format!("is no longer shared with {with}")), "{words:?}: {output}");
        if words[0] == "unshare" {
            let guests = ["display-message", "-p", "-t", "=a:", "[#{@symposium_guests}]"];
            assert_eq!(ask_server(&owner, &guests), "[]");
        }
        assert_eq!(terminal.wait_for_exit(), 1, "{words:?}\n{}", terminal.screen());
        terminal.wait_for_text(CUT);
        let again = at(&owner, name, &guest, &[]);
        assert_eq!(again.wait_for_exit(), 3, "{words:?}\n{}", again.screen());
    }
    // An agent whose name ends the same, and another user, are not affected.
    let shares = shown(&owner, "a-b")["shares"].clone();
    assert_eq!(shares[0]["with"], other.name.as_str(), "{shares}");
    at(&owner, "a-b", &other, &[]).wait_for_text("this is a-b");
}

#[test]
fn an_expired_share_listener_ends_without_writing_the_share_list() {
    let env = TestEnv::new();
    let Some([owner, guest, other]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &["--for", "1s"]);
    // Another process holds the lock of the agent in the meantime.
    let lock = fs::File::open(owner.home().join(".symposium/run/a.lock")).unwrap();
    lock.lock().unwrap();
    let list = fs::read_to_string(written(&owner, "a")).unwrap();
    let share_dir = PathBuf::from(format!("/tmp/symposium-share-{}", owner.uid));
    env.wait_until("the socket is removed", || !share_dir.exists());
    env.wait_until("the listener process has ended", || {
        let all = owner.program("ps", ["-u", &owner.uid.to_string(), "-o", "args="]).ok().stdout;
        !all.contains("share-door")
    });
    assert_eq!(fs::read_to_string(written(&owner, "a")).unwrap(), list);
    drop(lock);
    assert_eq!(shown(&owner, "a")["shares"], json!([]));
    shared(&owner, "a", &other, &[]);
    let shares = shown(&owner, "a")["shares"].clone();
    assert_eq!(shares.as_array().map(Vec::len), Some(1), "{shares}");
    owner.symposium(["agent", "unshare", "a", "--with", &guest.name]).fails(3);
    let output = owner.symposium(["agent", "unshare", "a"]).ok().stderr;
    assert_eq!(
        output,
        format!("`a` is no longer shared with {}; its guests were disconnected\n", other.name)
    );
}

#[test]
fn guests_are_disconnected_when_the_agent_restarts_ends_or_is_renamed() {
    let env = TestEnv::new();
    let Some([owner, guest, other]) = User::make(&env) else { return };
    owner.symposium(["agent", "spawn", "demo", "--name", "a", "--task", "remember this"]).ok();
    let idle = || owner.symposium(["agent", "wait", "a", "--for", "idle", "--timeout", "20s"]).ok();
    idle();
    let ends: [&[&str]; 5] = [
        &["restart", "a"],
        &["hibernate", "a"],
        &["kill", "a"],
        &["rename", "a", "b"],
        &["rm", "b", "--force"],
    ];
    for words in ends {
        let name = words[1];
        shared(&owner, name, &guest, &[]);
        shared(&owner, name, &other, &["--read-only"]);
        let driving = at(&owner, name, &guest, &[]);
        let watching = at(&owner, name, &other, &[]);
        let is_there = || shown(&owner, name)["clients"].as_array().map(Vec::len) == Some(2);
        env.wait_until("both guests are attached", is_there);
        let output = owner.symposium([&["agent"], words].concat()).ok().stderr;
        let names = format!("{}, {}", guest.name, other.name);
        assert!(
            output.contains(&format!("warning: `{name}` is no longer shared with {names}\n")),
            "{output}"
        );
        for terminal in [driving, watching] {
            assert_eq!(terminal.wait_for_exit(), 1, "{words:?}\n{}", terminal.screen());
            terminal.wait_for_text(CUT);
        }
        for guest in [&guest, &other] {
            for name in ["a", "b"] {
                let again = at(&owner, name, guest, &[]);
                assert_eq!(again.wait_for_exit(), 3, "{words:?}\n{}", again.screen());
            }
        }
        match words[0] {
            "hibernate" | "kill" => {
                owner.symposium(["agent", "resume", "a"]).ok();
                idle();
            }
            "restart" => drop(idle()),
            // A new agent of that name is not shared.
            "rename" => {
                echoing(&owner, "a");
                let again = at(&owner, "a", &guest, &[]);
                assert_eq!(again.wait_for_exit(), 3, "{}", again.screen());
            }
            _ => {}
        }
        let left = PathBuf::from(format!("/tmp/symposium-share-{}", owner.uid));
        assert!(!left.exists(), "{words:?} leaves nothing");
    }
}

#[test]
fn unshare_works_while_tmux_hangs() {
    let env = TestEnv::new();
    let Some([owner, guest, other]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &[]);
    shared(&owner, "a", &other, &[]);
    let first = at(&owner, "a", &guest, &[]);
    first.wait_for_text("this is a");
    let second = at(&owner, "a", &other, &[]);
    second.wait_for_text("this is a");
    let server = ask_server(&owner, &["display-message", "-p", "#{pid}"]);
    signal_server(&owner, &server, "-STOP");
    let output = owner.symposium(["agent", "unshare", "a", "--with", &guest.name]).ok().stderr;
    assert_eq!(
        output,
        format!(
            "warning: tmux did not answer within 5.0s (list the shares); shares were closed by ending their processes\n`a` is no longer shared with {}; its guests were disconnected\n",
            guest.name
        )
    );
    assert_eq!(first.wait_for_exit(), 1, "{}", first.screen());
    first.wait_for_text(CUT);
    assert!(!PathBuf::from(format!("/tmp/symposium-share-{}/{}", owner.uid, guest.uid)).exists());
    // If the process of a listener is unknown too, the share is not reported as closed.
    fs::remove_file(kept(&owner, &other, "a")).unwrap();
    let output = owner.symposium(["agent", "unshare", "a"]).fails(4).stderr;
    let with = &other.name;
    assert_eq!(
        output,
        format!(
            "error: `a` may still be shared with {with}\n  the share for {with} could not be ended: tmux did not \
             answer within 5.0s (list the shares)\nhint: `symposium doctor` shows the process of the tmux \
             server; `kill -CONT PID` resumes a stopped one\nhint: then run `symposium agent unshare a` again\n"
        )
    );
    signal_server(&owner, &server, "-CONT");
    let output = owner.symposium(["agent", "unshare", "a", "--json"]).ok().json();
    assert_eq!(output[0]["with"], with.as_str(), "{output}");
    assert_eq!(second.wait_for_exit(), 1, "{}", second.screen());
    env.wait_until("no terminal of a guest is left", || shown(&owner, "a")["clients"] == json!([]));
}

#[test]
fn unshare_disconnects_guests_while_the_agent_is_locked() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &[]);
    let terminal = at(&owner, "a", &guest, &[]);
    terminal.wait_for_text("this is a");
    let lock = fs::File::open(owner.home().join(".symposium/run/a.lock")).unwrap();
    lock.lock().unwrap();
    let unsharing = owner.symposium(["agent", "unshare", "a"]).start();
    assert_eq!(terminal.wait_for_exit(), 1, "{}", terminal.screen());
    terminal.wait_for_text(CUT);
    let output = unsharing.finish().ok().stderr;
    assert!(output.contains("shares were closed without waiting for it"), "{output}");
    assert!(
        output.ends_with(&format!(
            "`a` is no longer shared with {}; its guests were disconnected\n",
            guest.name
        ))
    );
    drop(lock);
    assert_eq!(shown(&owner, "a")["shares"], json!([]));
}

#[test]
fn unshare_works_for_an_agent_missing_from_the_registry() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &[]);
    let terminal = at(&owner, "a", &guest, &[]);
    terminal.wait_for_text("this is a");
    let registry = owner.home().join(".symposium/agent-sessions.json");
    fs::write(&registry, "{\"format\":1,\"sessions\":{}}").unwrap();
    owner.symposium(["agent", "unshare", "a"]).ok();
    assert_eq!(terminal.wait_for_exit(), 1, "{}", terminal.screen());
    owner.symposium(["agent", "unshare", "b"]).fails(3);
    assert!(!owner.home().join(".symposium/run/b.lock").exists());
}
