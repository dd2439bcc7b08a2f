//! The only place that starts tmux. Every call is bounded, gets a small clean environment and never inherits
//! `TMUX`, so that it can only reach our own socket.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;

use super::{TmuxError, linux};

/// Variables that would lead tmux to another server or lie about where it is.
const NEVER: [&str; 3] = ["TMUX", "TMUX_PANE", "PWD"];

/// One call of the tmux program.
pub(super) struct Call<'a> {
    /// The call in a word, for errors.
    pub what: &'static str,
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment.
    pub env: Vec<(&'a OsStr, &'a OsStr)>,
    /// What it reads, when it reads.
    pub stdin: Option<&'a [u8]>,
    /// Where it runs, when that matters.
    pub dir: Option<&'a Path>,
}

/// What tmux said.
pub(super) struct Said {
    /// Whether it exited with 0.
    pub success: bool,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error, trimmed.
    pub err: String,
}

impl Call<'_> {
    /// Runs it to its end, or kills it when the bound is over.
    pub(super) fn run(self, bound: Duration) -> Result<Said, TmuxError> {
        let deadline = Instant::now() + bound;
        let failed = |source| TmuxError::NotRun { program: self.program.to_owned(), source };
        let stdin = match self.stdin {
            Some(bytes) => Stdio::from(linux::file_of(bytes).map_err(failed)?),
            None => Stdio::null(),
        };
        let mut command = program(self.program);
        command.args(&self.args).env_clear().envs(self.env.iter().copied());
        for name in NEVER {
            command.env_remove(name);
        }
        if let Some(dir) = self.dir {
            command.current_dir(dir);
        }
        let mut child =
            command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
        let read = read_until(&mut child, deadline);
        if !matches!(read, Ok(Some(_))) {
            // The client is ours to end; what it asked of the server may still happen.
            let _ = child.kill();
        }
        let status = child.wait().map_err(failed)?;
        let [out, err] = read.map_err(failed)?.ok_or(TmuxError::TimedOut { what: self.what, bound })?;
        let err = String::from_utf8_lossy(&err).trim().to_owned();
        Ok(Said { success: status.success(), out, err })
    }
}

/// A command that is not started yet.
#[expect(clippy::disallowed_methods, reason = "this is the door to tmux")]
pub(super) fn program(path: &Path) -> Command {
    Command::new(path)
}

/// Both outputs of a child that ended, or nothing when the deadline came first.
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
            // A pipe that somebody else still holds must not keep us once the child has ended.
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

/// Reads what is there, and closes the pipe at its end.
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
