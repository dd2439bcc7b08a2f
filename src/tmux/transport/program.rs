//! The only place that starts the tmux program. Every call has a time limit and a small clean environment, and never
//! inherits `TMUX`, so that it can reach only our own socket.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;

use crate::tmux::transport::call::{Call, Said};
use crate::tmux::{TmuxError, transport::linux};

/// Runs the program with these options until it ends, or kills it at the time limit.
pub(in crate::tmux) fn run(path: &Path, options: &[&OsStr], call: &Call<'_>) -> Result<Said, TmuxError> {
    let deadline = call.deadline();
    let failed = |source| TmuxError::NotRun { program: path.to_owned(), source };
    let stdin = match call.stdin {
        Some(bytes) => Stdio::from(linux::file_of(bytes).map_err(failed)?),
        None => Stdio::null(),
    };
    let mut command = program(path);
    command.args(options).args(call.words).env_clear().envs(call.variables());
    if let Some(dir) = call.dir {
        command.current_dir(dir);
    }
    let mut child =
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let read = read_until(&mut child, deadline);
    if !matches!(read, Ok(Some(_))) {
        // Only the client is killed; the server may still execute its commands.
        let _ = child.kill();
    }
    let status = child.wait().map_err(failed)?;
    let [out, err] = read.map_err(failed)?.ok_or_else(|| call.timed_out())?;
    let err = String::from_utf8_lossy(&err).trim().to_owned();
    Ok(Said { success: status.success(), out, err })
}

/// Creates a command that is not started yet.
#[expect(clippy::disallowed_methods, reason = "this is the door to tmux")]
pub(in crate::tmux) fn program(path: &Path) -> Command {
    Command::new(path)
}

/// Returns both outputs of a child that ended, or `None` if the deadline came first.
fn read_until(child: &mut Child, deadline: Instant) -> io::Result<Option<[Vec<u8>; 2]>> {
    let ended = linux::end_of(child)?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let mut texts = [Vec::new(), Vec::new()];
    let mut over = false;
    loop {
        let ready = {
            let mut fds = vec![PollFd::new(&ended, PollFlags::IN)];
            fds.extend(out.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
            fds.extend(err.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
            if over {
                fds.remove(0);
            }
            // A pipe that another process still holds open must not block after the child has ended.
            let left = if over { Duration::ZERO } else { deadline.saturating_duration_since(Instant::now()) };
            match poll(&mut fds, Some(&Timespec::try_from(left).map_err(io::Error::other)?)) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let mut at = fds.iter().map(|fd| !fd.revents().is_empty());
            let over_now = over || at.next().unwrap_or(false);
            (
                over_now,
                out.is_some() && at.next().unwrap_or(false),
                err.is_some() && at.next().unwrap_or(false),
            )
        };
        match ready {
            (false, false, false) => return Ok(None),
            (true, false, false) if over => return Ok(Some(texts)),
            _ => {}
        }
        over = ready.0;
        if ready.1 {
            read_some(&mut out, &mut texts[0])?;
        }
        if ready.2 {
            read_some(&mut err, &mut texts[1])?;
        }
    }
}

/// Reads the available bytes, and closes the pipe at its end.
fn read_some<R: Read>(pipe: &mut Option<R>, text: &mut Vec<u8>) -> io::Result<()> {
    let mut chunk = [0; 1 << 16];
    let count = match pipe {
        Some(pipe) => pipe.read(&mut chunk)?,
        None => 0,
    };
    text.extend_from_slice(&chunk[..count]);
    if count == 0 {
        *pipe = None;
    }
    Ok(())
}
