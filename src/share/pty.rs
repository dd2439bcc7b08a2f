//! The terminal on which a guest's screen is drawn, and the program that draws on it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A program on its own terminal. Dropping it ends both.
pub struct GuestTerminal {
    master: File,
    child: Child,
    name: String,
}

impl GuestTerminal {
    /// Starts the program with exactly these arguments and this environment.
    pub fn open(
        program: &Path,
        args: &[OsString],
        env: &[(OsString, OsString)],
        size: (u16, u16),
    ) -> io::Result<GuestTerminal> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        tcsetwinsize(&master, winsize(size))?;
        let path = ptsname(&master, Vec::new())?;
        let name = path.to_string_lossy().into_owned();
        let slave: OwnedFd = open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let mut command = program_at(program);
        command.args(args).env_clear().envs(env.iter().map(|(key, value)| (key, value)));
        command.process_group(0).stdin(slave.try_clone()?).stdout(slave.try_clone()?);
        let child = command.stderr(Stdio::from(slave)).spawn()?;
        Ok(GuestTerminal { master: File::from(master), child, name })
    }

    /// Reads the next output, or 0 bytes if the program has ended.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.master.read(buffer) {
            // No process has the other end open.
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => Ok(0),
            other => other,
        }
    }

    /// Sets the size of the terminal. The program is notified explicitly, because this is not its controlling terminal
    /// and the kernel does not send SIGWINCH.
    pub(super) fn resize(&self, size: (u16, u16)) {
        let _ = tcsetwinsize(&self.master, winsize(size));
        self.note_use();
    }

    /// Notifies the program that its terminal was used: for tmux, a client whose size may have changed is the one that
    /// was used last.
    pub fn note_use(&self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::WINCH);
    }

    /// Returns the key of the tmux client: its process id, `@` and the name of its terminal.
    pub fn key(&self) -> String {
        format!("{}@{}", self.child.id(), self.name)
    }
}

impl AsFd for GuestTerminal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }
}

impl Drop for GuestTerminal {
    fn drop(&mut self) {
        // A tmux client detaches properly on SIGHUP.
        let _ = kill_process(Pid::from_child(&self.child), Signal::HUP);
        let _ = self.child.wait();
    }
}

fn winsize((columns, rows): (u16, u16)) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

#[expect(clippy::disallowed_methods, reason = "the program that draws a guest's screen is started here")]
fn program_at(path: &Path) -> Command {
    Command::new::<&OsStr>(path.as_ref())
}
