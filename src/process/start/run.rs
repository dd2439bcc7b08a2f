//! Runs a program and waits for it: in this terminal, or in the background with a time limit.

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use signal_hook::consts::{SIGINT, SIGQUIT};

use crate::model::Exit;
use crate::process::end::pidfd::{after, left};

/// Maximum number of output bytes, more than any version line. Further output is dropped.
const MOST_OUTPUT: usize = 1 << 20;

/// A program to run.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Path of the program.
    pub program: &'a Path,
    /// Arguments without the program name.
    pub args: &'a [String],
    /// Working directory, or `None` for the current one.
    pub dir: Option<&'a Path>,
    /// Complete environment, or `None` for the environment of this process.
    pub env: Option<&'a [(OsString, OsString)]>,
}

/// Result of a run with a time limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Exit status of the program.
    pub exit: Exit,
    /// Bytes from standard output.
    pub stdout: Vec<u8>,
    /// Bytes from standard error.
    pub stderr: Vec<u8>,
}

/// Runs a program in this terminal until it ends.
///
/// The program is in our process group, so Ctrl-C, Ctrl-\ and Ctrl-Z reach it directly. This process survives the first
/// two, also after the program has ended.
pub fn run_foreground(run: &Run<'_>, started: impl FnOnce(i32)) -> io::Result<Exit> {
    // A handler, unlike an ignored signal, is not inherited: the program starts with the default reactions.
    for signal in [SIGINT, SIGQUIT] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let mut child = command(run).spawn()?;
    started(i32::try_from(child.id()).unwrap_or_default());
    Ok(exit(child.wait()?))
}

/// Runs a program in this terminal until it ends. Calls `look` with its process id whenever `every` has passed, and
/// kills the program if that returns [`ControlFlow::Break`].
pub fn run_watched(
    run: &Run<'_>,
    every: impl Fn() -> Duration,
    mut look: impl FnMut(i32) -> ControlFlow<()>,
) -> io::Result<Exit> {
    let mut child = command(run).spawn()?;
    let ended = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
    let pid = i32::try_from(child.id()).unwrap_or_default();
    loop {
        let until = after(Instant::now(), every());
        match poll(&mut [PollFd::new(&ended, PollFlags::IN)], Some(&left(until))) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(0) => {
                if look(pid).is_break() {
                    child.kill()?;
                }
            }
            Ok(_) => return Ok(exit(child.wait()?)),
        }
    }
}

/// Runs a program in the background without input. Kills its whole process group when the time is over.
pub fn run_bounded(run: &Run<'_>, bound: Duration) -> io::Result<Output> {
    let until = after(Instant::now(), bound);
    let mut command = command(run);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let heard = listen(&child, until);
    if !matches!(heard, Ok(Some(_))) {
        // The child is not reaped yet, so its process id still identifies its own group.
        let group = Pid::from_child(&child);
        let _ = kill_process_group(group, Signal::KILL);
    }
    let status = child.wait()?;
    match heard? {
        Some([stdout, stderr]) => Ok(Output { exit: exit(status), stdout, stderr }),
        None => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("`{}` did not end within {bound:?}", run.program.display()),
        )),
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the door through which programs are run")]
pub(in crate::process) fn command(run: &Run<'_>) -> Command {
    let mut command = Command::new(run.program);
    command.args(run.args);
    if let Some(dir) = run.dir {
        command.current_dir(dir);
    }
    if let Some(env) = run.env {
        command.env_clear().envs(env.iter().map(|(name, value)| (name, value)));
    }
    command
}

/// Collects the output of a child until it ends. Returns `None` if the time is over first.
///
/// Does not wait for the end of the output, because a daemon that the child started may hold it open forever.
fn listen(child: &Child, until: Instant) -> io::Result<Option<[Vec<u8>; 2]>> {
    let (Some(stdout), Some(stderr)) = (&child.stdout, &child.stderr) else {
        return Err(io::Error::other("the child has no output"));
    };
    let mut sources = [Source::new(stdout.as_fd()), Source::new(stderr.as_fd())];
    let ended = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    loop {
        let mut polled = vec![PollFd::new(&ended, PollFlags::IN)];
        let open: Vec<usize> = (0..sources.len()).filter(|at| sources[*at].open).collect();
        polled.extend(open.iter().map(|at| PollFd::from_borrowed_fd(sources[*at].fd, PollFlags::IN)));
        match poll(&mut polled, Some(&left(until))) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let ready: Vec<bool> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut heard = false;
        for (at, _) in open.into_iter().zip(&ready[1..]).filter(|(_, ready)| **ready) {
            sources[at].read()?;
            heard = true;
        }
        if ready[0] && !heard {
            return Ok(Some(sources.map(|source| source.text)));
        }
        if Instant::now() >= until {
            return Ok(None);
        }
    }
}

/// One pipe and the data read from it.
struct Source<'a> {
    fd: BorrowedFd<'a>,
    open: bool,
    text: Vec<u8>,
}

impl<'a> Source<'a> {
    fn new(fd: BorrowedFd<'a>) -> Self {
        Source { fd, open: true, text: Vec::new() }
    }

    fn read(&mut self) -> io::Result<()> {
        let mut buffer = [0; 8192];
        let count = match rustix::io::read(self.fd, &mut buffer) {
            Err(Errno::INTR) => return Ok(()),
            count => count?,
        };
        self.open = count > 0;
        let room = MOST_OUTPUT.saturating_sub(self.text.len());
        self.text.extend_from_slice(&buffer[..count.min(room)]);
        Ok(())
    }
}

pub(in crate::process) fn exit(status: ExitStatus) -> Exit {
    Exit { code: status.code(), signal: status.signal() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::testing::{Child as Marked, alive_with};

    fn shell(script: &str, env: Option<&[(OsString, OsString)]>, bound: Duration) -> io::Result<Output> {
        let args = ["-c".to_owned(), script.to_owned()];
        run_bounded(
            &Run { program: Path::new("/bin/sh"), args: &args, dir: Some(Path::new("/")), env },
            bound,
        )
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_bounded_run_hands_over_output_and_exit() {
        let output = shell("pwd; echo wrong >&2; exit 3", None, LONG).unwrap();
        assert_eq!(output.exit, Exit { code: Some(3), signal: None });
        assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"/\n"[..], &b"wrong\n"[..]));
        assert_eq!(shell("kill -9 $$", None, LONG).unwrap().exit, Exit { code: None, signal: Some(9) });
    }

    #[test]
    fn a_given_environment_is_the_whole_environment() {
        let env = [("ONLY".into(), "this".into())];
        let output = shell("/usr/bin/env", Some(&env), LONG).unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("ONLY=this\n") && !text.contains("HOME="), "{text}");
    }

    #[test]
    fn a_run_over_its_bound_is_killed_with_its_children() {
        let mark = Marked::fresh_mark();
        let env = [(mark.variable.clone().into(), mark.value.clone().into())];
        let bound = Duration::from_millis(200);
        let error = shell("trap '' TERM; sleep 1000 & sleep 1000", Some(&env), bound).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(alive_with(&mark), 0);
    }

    #[test]
    fn a_daemon_that_holds_the_output_open_does_not_delay_the_answer() {
        let mark = Marked::fresh_mark();
        let env = [(mark.variable.clone().into(), mark.value.clone().into())];
        let output = shell("setsid sleep 1000 & echo done", Some(&env), LONG).unwrap();
        assert_eq!(output.stdout, b"done\n");
        Marked::end_all(&mark);
    }

    #[test]
    fn a_flood_is_cut_and_does_not_hang() {
        let output = shell("head -c 3000000 /dev/zero", None, LONG).unwrap();
        assert_eq!(output.stdout.len(), MOST_OUTPUT);
    }

    #[test]
    fn a_missing_program_is_not_found() {
        let run = Run { program: Path::new("/no/such/program"), args: &[], dir: None, env: None };
        assert_eq!(run_bounded(&run, LONG).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(run_foreground(&run, |_| ()).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_foreground_run_outlives_the_interrupt_that_ends_its_program() {
        let us = rustix::process::getpid().as_raw_pid().to_string();
        let args = ["-c".to_owned(), format!("kill -INT {us}; kill -QUIT {us}; kill -INT $$")];
        let run = Run { program: Path::new("/bin/sh"), args: &args, dir: None, env: None };
        assert_eq!(run_foreground(&run, |_| ()).unwrap(), Exit { code: None, signal: Some(2) });
    }
}
