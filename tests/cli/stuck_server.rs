//! Terminals that are not being read: they neither keep a new server from starting nor keep the driver's seat.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};

use super::{agent, shown, spawned, wait_for};
use crate::support::TestEnv;
use crate::support::run::Running;

/// Attaches to `a` from a terminal whose other end is never read, and waits until tmux cannot write to it any more.
fn unread_terminal(env: &TestEnv) -> Running {
    let script = "import os, pty, sys, time\n\
                  pid, _ = pty.fork()\n\
                  if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])\n\
                  time.sleep(600)";
    let running = env.program("python3", ["-c", script, env.binary(), "agent", "attach", "a"]).start();
    let mut tty = String::new();
    env.wait_until("the terminal is attached", || {
        tty = env.tmux(["list-clients", "-F", "#{client_tty}"]).stdout.trim().to_owned();
        !tty.is_empty()
    });
    let terminal = open(&*tty, OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK, Mode::empty());
    let terminal = terminal.expect("the terminal is ours");
    // Faster than an agent would: tmux prints no more than a screen can show.
    env.wait_until("the terminal is full", || {
        while rustix::io::write(&terminal, &[b' '; 1024]).is_ok() {}
        let moment = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        poll(&mut [PollFd::new(&terminal, PollFlags::OUT)], Some(&moment)) == Ok(0)
    });
    running
}

/// An agent that prints without end.
fn printing_agent(env: &TestEnv) {
    let script = "while :; do seq 30000; sleep 0.02; done";
    spawned(env, &["--name", "a", "--", "sh", "-c", script]);
}

#[test]
fn restore_ends_terminals_that_keep_an_ending_server_from_ending() {
    let env = TestEnv::new();
    printing_agent(&env);
    let mut unread = unread_terminal(&env);
    let server = env.tmux(["display-message", "-p", "#{pid}"]).ok().stdout.trim().to_owned();
    let client = shown(&env, "a")["clients"][0]["pid"].to_string();
    env.tmux(["kill-server"]);
    wait_for(&env, "a", "lost");
    let doctor = env.symposium(["doctor"]).fails(1).stdout;
    let stuck =
        format!("BAD   server: the tmux server (process {server}) was told to end and waits for a terminal");
    assert!(doctor.contains(&stuck), "{doctor}");
    assert!(doctor.contains(&format!("that is not being read (process {client})")), "{doctor}");
    let restored = agent(&env, &["restore", "--all"]).ok();
    assert!(restored.stderr.contains("was told to end and waits for"), "{restored:?}");
    wait_for(&env, "a", "working");
    let new = env.tmux(["display-message", "-p", "#{pid}"]).ok().stdout.trim().to_owned();
    assert_ne!(new, server);
    unread.kill();
}

#[test]
fn a_driver_whose_terminal_is_not_being_read_yields_to_one_that_waits() {
    let env = TestEnv::new();
    printing_agent(&env);
    let mut unread = unread_terminal(&env);
    assert_eq!(shown(&env, "a")["clients"][0]["driver"], true);
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("you drive now");
    let clients = shown(&env, "a")["clients"].clone();
    let drivers: Vec<_> =
        clients.as_array().into_iter().flatten().filter(|one| one["driver"] == true).collect();
    assert_eq!((drivers.len(), drivers[0]["tty"] == terminal.tty()), (1, true), "{clients}");
    unread.kill();
}
