//! Terminals that do not read: they neither prevent the start of a new server nor keep the role of driver.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process};

use super::{agent, shown, spawned, wait_for};
use crate::support::TestEnv;
use crate::support::terminal::Terminal;

/// A terminal emulator that is stopped, so that its terminal is not read. Dropping it lets the emulator continue.
struct Stopped(Pid);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::CONT);
    }
}

/// Stops the emulator of this terminal, which is attached to `a`, and fills the terminal.
fn stop_reading(env: &TestEnv, terminal: &Terminal<'_>) -> Stopped {
    let client = shown(env, "a")["clients"][0]["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok());
    // The client was started by `agent attach` in a shell, which the emulator has started.
    let attach = client.and_then(parent_of);
    let emulator = attach.and_then(parent_of).and_then(parent_of).and_then(Pid::from_raw);
    let emulator = emulator.expect("the processes live");
    let tty = open(&*terminal.tty(), OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK, Mode::empty());
    let tty = tty.expect("the terminal is ours");
    kill_process(emulator, Signal::STOP).expect("the emulator lives");
    let stopped = Stopped(emulator);
    env.wait_until("the terminal is full", || {
        while rustix::io::write(&tty, &[b' '; 1024]).is_ok() {}
        let moment = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        poll(&mut [PollFd::new(&tty, PollFlags::OUT)], Some(&moment)) == Ok(0)
    });
    stopped
}

/// Returns the parent of a process.
fn parent_of(pid: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

/// Starts an agent that prints without end.
fn printing_agent(env: &TestEnv) {
    spawned(env, &["--name", "a", "--", "sh", "-c", "while :; do seq 300; sleep 0.1; done"]);
}

#[test]
fn restore_ends_clients_that_block_the_exit_of_the_server() {
    let env = TestEnv::new();
    printing_agent(&env);
    // Several agents are restored at the same time, and the reason is reported once.
    for name in ["b", "c", "d", "e", "f"] {
        spawned(&env, &["--name", name, "--", "sleep", "1000"]);
    }
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("detach: C-b d");
    let stopped = stop_reading(&env, &terminal);
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
    assert_eq!(restored.stderr.matches("was told to end and waits for").count(), 1, "{restored:?}");
    wait_for(&env, "a", "working");
    let new = env.tmux(["display-message", "-p", "#{pid}"]).ok().stdout.trim().to_owned();
    assert_ne!(new, server);
    drop(stopped);
}

#[test]
fn a_driver_whose_terminal_does_not_read_yields_to_a_waiting_client() {
    let env = TestEnv::new();
    printing_agent(&env);
    let former = env.terminal([env.binary(), "agent", "attach", "a"]);
    former.wait_for_text("detach: C-b d");
    assert_eq!(shown(&env, "a")["clients"][0]["driver"], true);
    let stopped = stop_reading(&env, &former);
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("you drive now");
    let clients = shown(&env, "a")["clients"].clone();
    let drivers: Vec<_> =
        clients.as_array().into_iter().flatten().filter(|one| one["driver"] == true).collect();
    assert_eq!((drivers.len(), drivers[0]["tty"] == terminal.tty()), (1, true), "{clients}");
    drop(stopped);
}
