//! Runs a command of the user with the notice as JSON on standard input. No shell is involved, the output is discarded,
//! and the caller does not wait.

use std::ffi::OsString;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::NoticeError;
use crate::model::Exit;

/// Time limit of the command: enough to reach a server, too short for commands to pile up.
pub const COMMAND_BOUND: Duration = Duration::from_secs(10);

/// A running command. It continues, and is killed and reaped in time, whether or not a caller waits.
#[derive(Debug)]
pub struct Delivery {
    outcome: JoinHandle<Result<(), NoticeError>>,
}

impl Delivery {
    /// Waits until the command has ended or was killed.
    pub fn wait(self) -> Result<(), NoticeError> {
        self.outcome.join().unwrap_or(Err(NoticeError::Garbled))
    }

    /// Returns `true` if [`Delivery::wait`] would return at once.
    pub fn is_over(&self) -> bool {
        self.outcome.is_finished()
    }
}

/// Starts a command with this standard input and exactly this environment.
pub fn command(argv: &[String], json: &[u8], env: &[(OsString, OsString)]) -> Result<Delivery, NoticeError> {
    bounded(argv, json, env, COMMAND_BOUND)
}

fn bounded(
    argv: &[String],
    json: &[u8],
    env: &[(OsString, OsString)],
    bound: Duration,
) -> Result<Delivery, NoticeError> {
    let (program, args) = argv.split_first().ok_or(NoticeError::NoProgram)?;
    let not_run = |source| NoticeError::NotRun { program: program.clone(), source };
    let child = start(program, args, json, env).map_err(not_run)?;
    let program = program.clone();
    let outcome = std::thread::spawn(move || see_to_its_end(child, program, bound));
    Ok(Delivery { outcome })
}

#[expect(clippy::disallowed_methods, reason = "the door through which the user's own program is started")]
fn start(program: &str, args: &[String], json: &[u8], env: &[(OsString, OsString)]) -> io::Result<Child> {
    // The input is an unnamed file, not a pipe: a command that does not read it cannot block the writer.
    let mut input = tempfile::tempfile()?;
    input.write_all(json)?;
    input.seek(SeekFrom::Start(0))?;
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(env.iter().map(|(name, value)| (name, value)));
    command.stdin(input).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn()
}

fn see_to_its_end(mut child: Child, program: String, bound: Duration) -> Result<(), NoticeError> {
    let in_time = ends_within(&child, bound);
    if !matches!(in_time, Ok(true)) {
        // The child is not reaped yet, so its process id still identifies its own group.
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    }
    let not_run = |source| NoticeError::NotRun { program: program.clone(), source };
    let status = child.wait().map_err(not_run)?;
    match in_time.map_err(not_run)? {
        false => Err(NoticeError::TimedOut { program, bound }),
        true if status.success() => Ok(()),
        true => {
            Err(NoticeError::Failed { program, exit: Exit { code: status.code(), signal: status.signal() } })
        }
    }
}

fn ends_within(child: &Child, bound: Duration) -> io::Result<bool> {
    let ended = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let until = Instant::now() + bound;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&ended, PollFlags::IN)], Some(&left)) {
            Err(Errno::INTR) => {}
            answer => return Ok(answer? > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env() -> Vec<(OsString, OsString)> {
        vec![("PATH".into(), "/usr/bin:/bin".into()), ("ONLY".into(), "this".into())]
    }

    fn script(script: &str, dir: &tempfile::TempDir) -> Vec<String> {
        ["sh", "-c", script, "sh", dir.path().to_str().unwrap()].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_program_gets_json_its_arguments_and_only_the_given_environment() {
        let dir = tempfile::tempdir().unwrap();
        let argv = script("cat > $1/in; env > $1/env; echo noise; echo noise >&2", &dir);
        command(&argv, br#"{"title":"$(x)"}"#, &env()).unwrap().wait().unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(read("in"), r#"{"title":"$(x)"}"#);
        assert!(read("env").contains("ONLY=this\n") && !read("env").contains("CARGO"), "{}", read("env"));
    }

    #[test]
    fn a_program_that_fails_is_not_found_or_is_not_named_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let error = command(&script("exit 3", &dir), b"{}", &env()).unwrap().wait().unwrap_err();
        assert_eq!(error.to_string(), "`sh` ended with code 3");
        let error = command(&["/no/such".into()], b"{}", &env()).unwrap_err();
        assert!(matches!(error, NoticeError::NotRun { .. }), "{error}");
        assert!(matches!(command(&[], b"{}", &env()), Err(NoticeError::NoProgram)));
    }

    #[test]
    fn a_program_that_does_not_end_is_killed_with_what_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)
            .unwrap();
        let argv = script("trap '' TERM HUP; { echo up; exec sleep 1000; } > $1/pipe & wait", &dir);
        let started = bounded(&argv, &vec![b'x'; 1 << 20], &env(), Duration::from_secs(2)).unwrap();
        assert!(!started.is_over());
        // The read ends when no process is left that could write.
        assert_eq!(std::fs::read_to_string(&pipe).unwrap(), "up\n");
        let error = started.wait().unwrap_err();
        assert_eq!(error.to_string(), "`sh` did not end within 2 s, and was killed");
    }
}
