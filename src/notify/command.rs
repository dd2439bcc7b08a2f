//! Runs a command of the user with the notice as JSON on standard input. No shell is involved, the output is discarded,
//! and the caller does not wait.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::NoticeError;
use crate::base::child::{BoundedChild, ChildCommand, KillScope, memory_file};
use crate::base::wait::deadline::deadline_after;
use crate::model::Exit;

/// Time limit of the command: enough to reach a server, too short for commands to pile up.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

/// Starts a command with this standard input and exactly this environment. It is killed and reaped in time without a
/// caller that waits.
pub fn command(argv: &[String], json: &[u8], env: &[(OsString, OsString)]) -> Result<(), NoticeError> {
    bounded(argv, json, env, COMMAND_TIMEOUT).map(drop)
}

fn bounded(
    argv: &[String],
    json: &[u8],
    env: &[(OsString, OsString)],
    bound: Duration,
) -> Result<JoinHandle<Result<(), NoticeError>>, NoticeError> {
    let (program, args) = argv.split_first().ok_or(NoticeError::NoProgram)?;
    let not_run = |source| NoticeError::NotRun { program: program.clone(), source };
    // The program does not share a pipe with this process: one that does not read its input blocks nothing.
    let input = memory_file(json).map_err(not_run)?;
    let command = ChildCommand::new(program, KillScope::Group).args(args).input(input).without_output();
    let child =
        command.environment(env.iter().map(|(name, value)| (name, value))).spawn().map_err(not_run)?;
    let program = program.clone();
    Ok(std::thread::spawn(move || outcome_of(child, program, bound)))
}

fn outcome_of(child: BoundedChild, program: String, bound: Duration) -> Result<(), NoticeError> {
    match child.wait(deadline_after(Instant::now(), bound)) {
        Err(source) => Err(NoticeError::NotRun { program, source }),
        Ok(None) => Err(NoticeError::TimedOut { program, bound }),
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => {
            Err(NoticeError::Failed { program, exit: Exit { code: status.code(), signal: status.signal() } })
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
        bounded(&argv, br#"{"title":"$(x)"}"#, &env(), COMMAND_TIMEOUT).unwrap().join().unwrap().unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(read("in"), r#"{"title":"$(x)"}"#);
        assert!(read("env").contains("ONLY=this\n") && !read("env").contains("CARGO"), "{}", read("env"));
    }

    #[test]
    fn failing_missing_and_unnamed_programs_are_reported() {
        let dir = tempfile::tempdir().unwrap();
        let started = bounded(&script("exit 3", &dir), b"{}", &env(), COMMAND_TIMEOUT).unwrap();
        let error = started.join().unwrap().unwrap_err();
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
        assert!(!started.is_finished());
        // The read ends when no process is left that could write.
        assert_eq!(std::fs::read_to_string(&pipe).unwrap(), "up\n");
        let error = started.join().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "`sh` did not end within 2 s, and was killed");
    }
}
