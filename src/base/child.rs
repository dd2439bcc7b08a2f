//! Runs a program in the background with a time limit and limits on its output.
//!
//! The output counts as complete when the program ends, not when its pipes are closed: a daemon that the program started
//! may hold them open forever. Nothing here polls: all waits are for descriptors.

mod output;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::wait::deadline::poll_until;
use output::OutputReader;

/// The processes that are killed when a program exceeds its time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillScope {
    /// The program and its children: it runs in a process group of its own, which is killed.
    Group,
    /// The program alone. It runs in the process group of this process, so that it receives Ctrl-C and can read from
    /// the terminal.
    Program,
}

/// The handling of output beyond the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// Further output is read and dropped. The program does not notice.
    Discard,
    /// The pipe is closed. The program receives SIGPIPE, and fails in most cases.
    ClosePipe,
}

/// Limit on each of the two outputs of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimit {
    /// Number of bytes that are kept.
    pub bytes: usize,
    /// Action taken on further output.
    pub overflow: Overflow,
}

/// Result of a program that ended within its time limit.
#[derive(Debug, PartialEq, Eq)]
pub struct ChildOutput<T = Vec<u8>> {
    /// Exit status of the program.
    pub status: ExitStatus,
    /// Standard output, or what the reader made of it.
    pub stdout: T,
    /// Bytes from standard error.
    pub stderr: Vec<u8>,
}

/// Outcome of a program whose output was passed to a reader.
#[derive(Debug)]
pub enum Streamed<T, E> {
    /// The program has ended.
    Ended(ChildOutput<T>),
    /// The reader returned an error, and the program was killed.
    Rejected(E),
    /// The time limit was exceeded, and the program was killed.
    TimedOut,
}

/// A program to run in the background. By default it has no input, and both outputs are collected.
#[derive(Debug)]
pub struct ChildCommand {
    command: Command,
    scope: KillScope,
}

impl ChildCommand {
    /// Creates a command for a program, a path or a name that is searched in `PATH`.
    #[expect(clippy::disallowed_methods, reason = "adapters start programs in the background here")]
    pub fn new(program: impl AsRef<OsStr>, scope: KillScope) -> ChildCommand {
        let mut command = Command::new(program);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if scope == KillScope::Group {
            command.process_group(0);
        }
        ChildCommand { command, scope }
    }

    /// Adds arguments after those that were added before.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> ChildCommand {
        self.command.args(args);
        self
    }

    /// Sets the working directory.
    pub fn dir(mut self, dir: &Path) -> ChildCommand {
        self.command.current_dir(dir);
        self
    }

    /// Replaces the environment, which is that of this process by default.
    pub fn environment<K, V>(mut self, variables: impl IntoIterator<Item = (K, V)>) -> ChildCommand
    where
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        self.command.env_clear().envs(variables);
        self
    }

    /// Sets one more variable of the environment.
    pub fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> ChildCommand {
        self.command.env(name, value);
        self
    }

    /// Uses a file as standard input, from its current position on.
    pub fn input(mut self, file: File) -> ChildCommand {
        self.command.stdin(file);
        self
    }

    /// Discards both outputs instead of collecting them.
    pub fn without_output(mut self) -> ChildCommand {
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        self
    }

    /// Returns the program as it was given.
    pub fn program(&self) -> &OsStr {
        self.command.get_program()
    }

    /// Starts the program.
    pub fn spawn(mut self) -> io::Result<BoundedChild> {
        Ok(BoundedChild { child: self.command.spawn()?, scope: self.scope })
    }
}

/// A program in the background, which is killed at a deadline.
#[derive(Debug)]
pub struct BoundedChild {
    child: Child,
    scope: KillScope,
}

impl BoundedChild {
    /// Waits for the end of a program that was started elsewhere.
    pub fn started(child: Child, scope: KillScope) -> BoundedChild {
        BoundedChild { child, scope }
    }

    /// Waits until the program ends, without reading its output. Kills it at the deadline and returns `None`.
    pub fn wait(mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        let ended = exit_of(&self.child)
            .and_then(|exit| poll_until(&mut [PollFd::new(&exit, PollFlags::IN)], deadline));
        if !matches!(ended, Ok(1..)) {
            self.kill();
        }
        let status = self.child.wait()?;
        Ok((ended? > 0).then_some(status))
    }

    /// Collects the output until the program ends. Kills the program at the deadline and returns `None`.
    pub fn output(self, deadline: Instant, limit: OutputLimit) -> io::Result<Option<ChildOutput>> {
        match self.stream(deadline, limit, |source| limit.collect(source))? {
            Streamed::Ended(output) => Ok(Some(output)),
            Streamed::TimedOut => Ok(None),
            Streamed::Rejected(error) => Err(error),
        }
    }

    /// Passes standard output to a reader while the program writes it, whatever its length, and then waits for the end of
    /// the program. The limit applies to standard error. If the reader returns before the end of the output, the pipe is
    /// closed.
    pub fn stream<T, E>(
        mut self,
        deadline: Instant,
        limit: OutputLimit,
        read: impl FnOnce(&mut dyn Read) -> Result<T, E>,
    ) -> io::Result<Streamed<T, E>> {
        let outcome = self.read(deadline, limit, read);
        if !matches!(outcome, Ok(Ok(Some(_)))) {
            self.kill();
        }
        let status = self.child.wait()?;
        Ok(match outcome? {
            Ok(Some((stdout, stderr))) => Streamed::Ended(ChildOutput { status, stdout, stderr }),
            Ok(None) => Streamed::TimedOut,
            Err(error) => Streamed::Rejected(error),
        })
    }

    /// Returns both outputs when the program has ended, or `None` if the deadline came first.
    #[expect(clippy::type_complexity, reason = "the inner error is that of the reader")]
    fn read<T, E>(
        &mut self,
        deadline: Instant,
        limit: OutputLimit,
        read: impl FnOnce(&mut dyn Read) -> Result<T, E>,
    ) -> io::Result<Result<Option<(T, Vec<u8>)>, E>> {
        let mut reader = OutputReader::new(&mut self.child, deadline, limit)?;
        let stdout = read(&mut reader);
        if reader.has_timed_out() {
            return Ok(Ok(None));
        }
        match stdout {
            Ok(stdout) => Ok(Ok(reader.finish()?.map(|stderr| (stdout, stderr)))),
            Err(error) => Ok(Err(error)),
        }
    }

    fn kill(&mut self) {
        let _ = match self.scope {
            // The child is not reaped yet, so its process id still identifies its own group.
            KillScope::Group => {
                kill_process_group(Pid::from_child(&self.child), Signal::KILL).map_err(Into::into)
            }
            KillScope::Program => self.child.kill(),
        };
    }
}

/// Creates a file in memory with these bytes, for the standard input of a program: the bytes never reach a disk, and a
/// program that does not read them cannot block this process.
pub fn memory_file(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("symposium", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// Returns a descriptor that becomes readable when the child has ended.
pub fn exit_of(child: &Child) -> io::Result<OwnedFd> {
    Ok(pidfd_open(Pid::from_child(child), PidfdFlags::empty())?)
}

#[cfg(test)]
mod tests;
