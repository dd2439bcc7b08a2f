//! A supervisor or a transcript writer that is stopped is reported and replaced or continued.

use super::{configure, log, supervision, symposium};
use crate::support::TestEnv;

fn signal(env: &TestEnv, signal: &str, pid: i64) {
    env.program("kill", [signal, &pid.to_string()]).ok();
}

/// Returns the state letter of a process, as `ps` shows it.
fn state(pid: i64) -> char {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).unwrap_or('X')
}

/// Returns the process that writes an agent's transcript.
fn writer(env: &TestEnv, name: &str) -> i64 {
    let dir = env.state().join("instances").join(name);
    let dir = dir.to_str().unwrap();
    let found = env.processes().into_iter().find(|process| {
        let args = std::fs::read_to_string(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
        args.contains("\0transcript\0") && args.contains(dir)
    });
    i64::from(found.expect("a transcript writer").pid)
}

#[test]
fn a_stopped_supervisor_is_reported_and_replaced_by_start() {
    let env = TestEnv::new();
    configure(&env, "[supervisor]\nreconcile = \"1h\"\n");
    symposium(&env, &["agent", "spawn", "demo", "--name", "a"]).ok();
    symposium(&env, &["supervisor", "start"]).ok();
    let pid = supervision(&env)["pid"].as_i64().expect("the program is running");
    signal(&env, "-STOP", pid);
    env.wait_until("the process is stopped", || state(pid) == 'T');

    let status = supervision(&env);
    assert_eq!((&status["running"], &status["stall"]["process_stopped"]), (&true.into(), &true.into()));
    let words = symposium(&env, &["supervisor", "status"]).ok().stdout;
    let expected = format!(
        "the supervisor does not respond: process {pid} is stopped (state T)\nhint: kill -CONT {pid}"
    );
    assert!(words.starts_with(&expected), "{words}");
    let doctor = symposium(&env, &["doctor"]).fails(1).stdout;
    assert!(doctor.contains("BAD   supervisor: it does not respond: "), "{doctor}");
    let added = symposium(&env, &["task", "add", "a", "hello"]).ok();
    assert!(added.stderr.contains("does not respond") && added.stderr.contains("kill -CONT"), "{added:?}");

    assert_eq!(symposium(&env, &["supervisor", "start"]).ok().stderr, "the supervisor is running\n");
    let status = supervision(&env);
    assert!(status["pid"].as_i64().is_some_and(|now| now != pid) && status["stall"].is_null(), "{status}");
}

#[test]
fn an_unresponsive_supervisor_is_replaced() {
    let env = TestEnv::new();
    configure(&env, "[supervisor]\nreconcile = \"1s\"\n");
    symposium(&env, &["supervisor", "start"]).ok();
    let pid = || supervision(&env)["pid"].as_i64();
    let first = pid().expect("the program is running");
    signal(&env, "-STOP", first);
    env.wait_until("another supervisor is running", || pid().is_some_and(|now| now != first));
    let is_report = |line: &serde_json::Value| {
        line["message"].as_str().is_some_and(|message| message.starts_with("ended by its watchdog: process "))
    };
    assert!(log(&env).iter().any(is_report), "{:?}", log(&env));
}

#[test]
fn a_supervisor_that_is_stopped_before_its_first_sign_of_life_is_replaced() {
    let env = TestEnv::new();
    configure(&env, "[supervisor]\nreconcile = \"1s\"\n");
    let keep = symposium(&env, &["supervisor", "keep"]);
    let mut watchdog = keep.env("SYMPOSIUM_FAILPOINT", "stop:supervisor.locked").start();
    let is_report = |line: &serde_json::Value| {
        line["message"].as_str().is_some_and(|message| message.starts_with("ended by its watchdog: process "))
    };
    env.wait_until("the watchdog has ended it", || log(&env).iter().any(is_report));
    watchdog.kill();
}

#[test]
fn a_stopped_transcript_writer_is_reported_without_a_supervisor() {
    let env = TestEnv::new();
    env.symposium(["agent", "spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    let pid = writer(&env, "a");
    signal(&env, "-STOP", pid);
    env.wait_until("the process is stopped", || state(pid) == 'T');
    let doctor = env.symposium(["doctor"]).fails(1).stdout;
    let expected = format!("BAD   transcripts: the writer of `a`, process {pid}, is stopped (state T)");
    assert!(doctor.contains(&expected) && doctor.contains(&format!("do: kill -CONT {pid}")), "{doctor}");
    signal(&env, "-CONT", pid);
}

#[test]
fn the_supervisor_lets_a_stopped_transcript_writer_continue() {
    continues_after_a_stop(&["sh", "-c", "read -r x; echo got $x; sleep 1000"], "working");
}

#[test]
fn the_supervisor_lets_a_stopped_transcript_writer_of_a_shell_continue() {
    continues_after_a_stop(&["sh"], "unknown");
}

/// Stops the transcript writer of an agent with this command and status, and waits for the output of the agent.
#[track_caller]
fn continues_after_a_stop(command: &[&str], status: &str) {
    let env = TestEnv::new();
    symposium(&env, &[&["agent", "spawn", "--name", "a", "--"], command].concat()).ok();
    symposium(&env, &["supervisor", "start"]).ok();
    env.wait_until("the status is known", || super::shown(&env, "a")["status"] == status);
    let pid = writer(&env, "a");
    signal(&env, "-STOP", pid);
    env.wait_until("the writer continues", || state(pid) == 'S');
    env.tmux(["send-keys", "-t", "=a:", "echo got hello", "Enter"]).ok();
    env.wait_until("the writer logs the output of the agent", || {
        symposium(&env, &["agent", "logs", "a"]).outcome().stdout.contains("got ")
    });
}
