//! Runs a program and waits for it: in this terminal, or in the background with a time limit.

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use signal_hook::consts::{SIGINT, SIGQUIT};

use crate::base::child::{ChildCommand, KillScope, OutputLimit, Overflow, exit_of};
use crate::base::wait::deadline::{deadline_after, poll_until};
use crate::model::Exit;

/// Limit on the output: more than any version line.
const OUTPUT_LIMIT: OutputLimit = OutputLimit { bytes: 1 << 20, overflow: Overflow::Discard };

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

/// Runs a program in this terminal until it ends. Calls `check` with its process id whenever `every` has passed, and
/// kills the program if that returns [`ControlFlow::Break`].
pub fn run_watched(
    run: &Run<'_>,
    every: impl Fn() -> Duration,
    mut check: impl FnMut(i32) -> ControlFlow<()>,
) -> io::Result<Exit> {
    let mut child = command(run).spawn()?;
    let ended = exit_of(&child)?;
    let pid = i32::try_from(child.id()).unwrap_or_default();
    while poll_until(&mut [PollFd::new(&ended, PollFlags::IN)], deadline_after(Instant::now(), every()))? == 0
    {
        if check(pid).is_break() {
            child.kill()?;
        }
    }
    Ok(exit(child.wait()?))
}

/// Runs a program in the background without input. Kills its whole process group when the time is over.
pub fn run_bounded(run: &Run<'_>, bound: Duration) -> io::Result<Output> {
    let deadline = deadline_after(Instant::now(), bound);
    let mut command = ChildCommand::new(run.program, KillScope::Group).args(run.args);
    if let Some(dir) = run.dir {
        command = command.dir(dir);
    }
    if let Some(env) = run.env {
        command = command.environment(env.iter().map(|(name, value)| (name, value)));
    }
    match command.spawn()?.output(deadline, OUTPUT_LIMIT)? {
        Some(output) => {
            Ok(Output { exit: exit(output.status), stdout: output.stdout, stderr: output.stderr })
        }
        None => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("`{}` did not end within {bound:?}", run.program.display()),
        )),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "programs in this terminal, or detached from it, are started here"
)]
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

pub(in crate::process) fn exit(status: ExitStatus) -> Exit {
    Exit { code: status.code(), signal: status.signal() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::testing::{Child as Marked, wait_until_all_ended};

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
        // The child of the killed program dies a moment later.
        assert!(wait_until_all_ended(&mark, LONG));
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
        assert_eq!(output.stdout.len(), OUTPUT_LIMIT.bytes);
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
