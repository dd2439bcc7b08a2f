//! Runs a program as part of this process's job, so that the shell sees a single program: this process stops when the
//! program stops, and ends when it ends.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, getsid, kill_process, waitpid};
use signal_hook::consts::{SIGINT, SIGQUIT};

use super::run::Run;
use super::run::command;
use crate::model::Exit;

/// Returns `true` if this process leads its session, like the first program of a terminal. Then no shell waits for its
/// end.
pub fn is_session_leader() -> bool {
    getsid(None) == Ok(getpid())
}

/// Runs a program in this terminal and process group until it ends.
///
/// Unlike [`super::run::run_foreground`], this process stops when the program stops itself, so that the shell gets the
/// terminal back; `fg` continues both.
pub fn run_in_job(run: &Run<'_>) -> io::Result<Exit> {
    // A handler, unlike an ignored signal, is not inherited: the program starts with the default reactions.
    for signal in [SIGINT, SIGQUIT] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let child = command(run).spawn()?;
    let pid = Pid::from_child(&child);
    loop {
        match waitpid(Some(pid), WaitOptions::UNTRACED) {
            Err(Errno::INTR) | Ok(None) => {}
            Err(error) => return Err(error.into()),
            Ok(Some((_, status))) if status.stopped() => kill_process(getpid(), Signal::STOP)?,
            Ok(Some((_, status))) => {
                return Ok(Exit { code: status.exit_status(), signal: status.terminating_signal() });
            }
        }
    }
}
