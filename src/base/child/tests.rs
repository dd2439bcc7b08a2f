//! Tests of the runner with real shells.

use std::time::Duration;

use super::*;
use crate::base::wait::deadline::deadline_after;

const LONG: Duration = Duration::from_secs(60);

fn kept(bytes: usize) -> OutputLimit {
    OutputLimit { bytes, overflow: Overflow::Discard }
}

fn closing(bytes: usize) -> OutputLimit {
    OutputLimit { bytes, overflow: Overflow::ClosePipe }
}

fn within(timeout: Duration) -> Instant {
    deadline_after(Instant::now(), timeout)
}

fn shell(script: &str) -> BoundedChild {
    ChildCommand::new("/bin/sh", KillScope::Group).args(["-c", script]).spawn().unwrap()
}

fn run(script: &str, limit: OutputLimit) -> ChildOutput {
    shell(script).output(within(LONG), limit).unwrap().unwrap()
}

#[test]
fn both_outputs_and_the_exit_status_are_returned() {
    let output = run("echo out; echo err >&2; exit 3", kept(100));
    assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn output_beyond_the_limit_is_dropped_without_disturbing_the_program() {
    let output = run("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2", kept(1000));
    assert_eq!((output.stdout.len(), output.stderr.len()), (1000, 1000));
    assert!(output.status.success());
}

#[test]
fn a_program_that_exceeds_a_closing_limit_fails() {
    let output = run("exec head -c 3000000 /dev/zero", closing(1000));
    assert_eq!(output.stdout.len(), 1000);
    assert!(!output.status.success());
}

#[test]
fn the_last_output_of_a_program_is_complete() {
    // It fits into the pipe, so that the program can end before any of it is read.
    for _ in 0..50 {
        let output = run("head -c 60000 /dev/zero; head -c 60000 /dev/zero >&2", kept(1 << 20));
        assert_eq!((output.stdout.len(), output.stderr.len()), (60_000, 60_000));
    }
}

#[test]
fn a_daemon_that_keeps_writing_does_not_delay_the_result() {
    let output = run("echo done; (trap '' PIPE; yes; exec sleep 1000) & echo $! >&2", kept(1 << 20));
    assert!(output.stdout.starts_with(b"done\n"));
    let daemon: i32 = String::from_utf8(output.stderr).unwrap().trim().parse().unwrap();
    let daemon = Pid::from_raw(daemon).unwrap();
    rustix::process::kill_process(daemon, Signal::KILL).unwrap();
}

#[test]
fn a_program_over_its_deadline_is_killed_with_its_children() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let script = "trap '' TERM; { echo up; exec sleep 1000; } > pipe & sleep 1000";
    let command = ChildCommand::new("/bin/sh", KillScope::Group).args(["-c", script]).dir(dir.path());
    let child = command.spawn().unwrap();
    let mut source = File::open(&pipe).unwrap();
    let mut up = [0; 3];
    source.read_exact(&mut up).unwrap();
    assert_eq!(child.output(within(Duration::from_millis(20)), kept(100)).unwrap(), None);
    // The read ends when no process is left that could write.
    assert_eq!(source.read(&mut up).unwrap(), 0);
}

#[test]
fn a_program_that_prints_without_a_pause_is_killed_at_its_deadline() {
    assert_eq!(shell("exec yes").output(within(Duration::from_millis(50)), kept(100)).unwrap(), None);
}

#[test]
fn a_reader_sees_the_output_while_the_program_runs() {
    let dir = tempfile::tempdir().unwrap();
    let go = dir.path().join("go");
    let script = "echo first; until test -e go; do :; done; echo last";
    let command = ChildCommand::new("/bin/sh", KillScope::Group).args(["-c", script]).dir(dir.path());
    let streamed = command.spawn().unwrap().stream(within(LONG), kept(100), |source| {
        let mut line = [0; 6];
        source.read_exact(&mut line)?;
        std::fs::write(&go, "")?;
        let mut rest = String::new();
        source.read_to_string(&mut rest)?;
        Ok::<_, io::Error>(rest)
    });
    assert!(matches!(streamed, Ok(Streamed::Ended(output)) if output.stdout == "last\n"));
}

#[test]
fn an_error_of_the_reader_ends_the_program() {
    let streamed = shell("exec yes").stream(within(LONG), kept(100), |_| Err::<(), _>("enough"));
    assert!(matches!(streamed, Ok(Streamed::Rejected("enough"))));
}

#[test]
fn a_timeout_is_reported_even_if_the_reader_hides_it() {
    let streamed = shell("exec sleep 1000").stream(within(Duration::from_millis(20)), kept(100), |source| {
        let _ = source.read(&mut [0; 8]);
        Ok::<_, io::Error>(())
    });
    assert!(matches!(streamed, Ok(Streamed::TimedOut)));
}

#[test]
fn an_input_that_is_not_read_does_not_block() {
    let input = memory_file(&vec![b'x'; 1 << 20]).unwrap();
    let command =
        ChildCommand::new("/bin/sh", KillScope::Program).args(["-c", "head -c 3; exit 0"]).input(input);
    let output = command.spawn().unwrap().output(within(LONG), kept(100)).unwrap().unwrap();
    assert_eq!(output.stdout, b"xxx");
}

#[test]
fn wait_distinguishes_an_exit_from_a_timeout() {
    let start = |script: &str| {
        let command = ChildCommand::new("/bin/sh", KillScope::Program).args(["-c", script]);
        command.without_output().spawn().unwrap()
    };
    assert_eq!(start("exit 4").wait(within(LONG)).unwrap().and_then(|status| status.code()), Some(4));
    assert_eq!(start("exec sleep 1000").wait(within(Duration::from_millis(20))).unwrap(), None);
}

#[test]
fn an_environment_replaces_that_of_this_process() {
    let command = ChildCommand::new("/usr/bin/env", KillScope::Group);
    let command = command.environment([("ONLY", "this")]).variable("AND", "that");
    let output = command.spawn().unwrap().output(within(LONG), kept(1000)).unwrap().unwrap();
    let mut lines: Vec<_> = std::str::from_utf8(&output.stdout).unwrap().lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["AND=that", "ONLY=this"]);
}
