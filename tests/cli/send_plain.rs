//! `agent send` to a program that is not an agent CLI: texts are delivered, or refused with a reason.

use std::fs;

use insta::assert_snapshot;

use super::{agent, printed, spawned};
use crate::support::TestEnv;

/// Starts a program that stores what it reads, and returns the path of the file.
fn reader(env: &TestEnv, script: &str) -> std::path::PathBuf {
    spawned(env, &["--name", "a", "--", "sh", "-c", script]);
    env.wait_until("the program reads its input", || printed(env, "a").contains("reading"));
    env.project().join("got")
}

/// Waits until the program has stored exactly this text; more text is an error.
#[track_caller]
fn has(env: &TestEnv, got: &std::path::Path, text: &str) {
    let read = || fs::read_to_string(got).unwrap_or_default();
    env.wait_until("the program has read everything", || read().len() >= text.len());
    assert_eq!(read(), text);
}

const COOKED: &str = "echo reading; exec cat > got";

#[test]
fn a_line_reaches_a_program_that_reads_lines() {
    let env = TestEnv::new();
    let got = reader(&env, COOKED);
    let line = "--x 'y' $(z) \\ é 日本 ;";
    let outcome = agent(&env, &["send", "a", line]).ok();
    assert_eq!(outcome.stderr, "delivered to `a`: the program has read it\n");
    has(&env, &got, &format!("{line}\n"));
}

#[test]
fn a_line_up_to_the_terminals_limit_arrives_and_a_longer_one_is_refused() {
    let env = TestEnv::new();
    let got = reader(&env, COOKED);
    let longest = "x".repeat(4095);
    agent(&env, &["send", "a", &longest]).ok();
    has(&env, &got, &format!("{longest}\n"));
    let outcome = agent(&env, &["send", "a", &format!("{longest}x")]).fails(6);
    assert_snapshot!(outcome.stderr, @"
    error: agent `a` cannot accept this text: line 1 has 4096 bytes, and the program reads line by line: the terminal keeps only 4095 of a line
      nothing was typed
    hint: put the text into a file and send the file's name
    ");
    assert_eq!(fs::read_to_string(&got).unwrap().len(), 4096);
}

#[test]
fn several_lines_are_refused_without_as_lines() {
    let env = TestEnv::new();
    let got = reader(&env, COOKED);
    let outcome = agent(&env, &["send", "a", "one\ntwo\n\nthree"]).fails(6);
    assert_snapshot!(outcome.stderr, @"
    error: agent `a` cannot accept this text: the text has 4 lines, and the program does not distinguish a paste from typing: each line would be submitted separately
      nothing was typed
    hint: `symposium agent send a --as-lines -` sends each line separately
    ");
    has(&env, &got, "");
    agent(&env, &["send", "a", "--as-lines", "-"]).stdin("one\ntwo\n\nthree\n").ok();
    has(&env, &got, "one\ntwo\n\nthree\n");
}

#[test]
fn many_lines_arrive_in_order() {
    let env = TestEnv::new();
    let got = reader(&env, COOKED);
    let lines: String = (0..300).map(|n| format!("line number {n} of many\n")).collect();
    agent(&env, &["send", "a", "--as-lines", "-"]).stdin(lines.clone()).ok();
    has(&env, &got, &lines);
}

#[test]
fn send_reports_a_program_that_does_not_read() {
    let env = TestEnv::new();
    reader(&env, "echo reading; exec sleep 1000");
    let outcome = agent(&env, &["send", "a", "hello"]).fails(6);
    assert_snapshot!(outcome.stderr, @"
    error: delivery to agent `a` is not confirmed: typed, but the program has not read it
      6 bytes wait unread in its terminal: the program is not reading
    hint: look with `symposium agent peek a`, or `symposium agent attach a`
    ");
}

#[test]
fn a_shell_runs_sent_commands_once() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--env", "PS1=ready> ", "--", "bash", "--norc", "--noprofile"]);
    env.wait_until("the shell shows its prompt", || printed(&env, "a").contains("ready>"));
    agent(&env, &["send", "a", "echo ran >> ran; echo 'é;'"]).ok();
    env.wait_until("the command ran", || env.project().join("ran").exists());
    agent(&env, &["send", "a", "for n in 1 2; do\necho loop$n >> ran\ndone"]).ok();
    let ran = || fs::read_to_string(env.project().join("ran")).unwrap();
    env.wait_until("the loop ran", || ran().ends_with("loop2\n"));
    assert_eq!(ran(), "ran\nloop1\nloop2\n");
}

#[test]
fn a_raw_reader_gets_keys_and_control_keys_are_refused() {
    let env = TestEnv::new();
    let got = reader(
        &env,
        "stty raw -echo; echo reading; while :; do c=$(dd bs=1 count=1 2>/dev/null; echo .); printf %s \"${c%.}\" | tee -a got | sed 's/\\r/ taken/'; done",
    );
    let outcome = agent(&env, &["send", "a", "a\tb"]).fails(6);
    assert_snapshot!(outcome.stderr, @"
    error: agent `a` cannot accept this text: the text contains a tab, and the program does not distinguish a paste from typing: it would interpret the tab as a key
      nothing was typed
    hint: put the text into a file and send the file's name
    ");
    agent(&env, &["send", "a", "hello"]).ok();
    env.wait_until("Enter has arrived", || fs::read_to_string(&got).unwrap() == "hello\r");
}

#[test]
fn the_task_of_a_plain_command_is_typed() {
    let env = TestEnv::new();
    let outcome =
        agent(&env, &["spawn", "--name", "a", "--task", "hello", "--", "sh", "-c", "exec cat > got"]).ok();
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("a\n", "its task was typed in\n"));
    has(&env, &env.project().join("got"), "hello\n");
}

#[test]
fn send_reports_code_and_last_lines_of_a_program_that_exits() {
    // The first program reads lines, the second reads keys.
    for script in ["echo reading; read -r x; exit 3", "stty raw -echo; echo reading; dd bs=1 count=1; exit 3"]
    {
        let env = TestEnv::new();
        reader(&env, script);
        let send =
            agent(&env, &["send", "a", "hello"]).env("SYMPOSIUM_FAILPOINT", "stop:send.pasted").start();
        env.wait_until("the sender has typed the text", || send.is_stopped());
        super::wait_for(&env, "a", "crashed");
        send.go_on();
        let outcome = send.finish().fails(6);
        let output = outcome.stderr.lines().map(str::trim_end).collect::<Vec<_>>();
        assert_eq!(output[0], "error: delivery to agent `a` is not confirmed: it ended with code 3");
        assert_eq!((output[1], output[2]), ("  last lines:", "    reading"), "{output:?}");
        let hints = "hint: `symposium agent resume a` resumes it, `symposium agent logs a` shows its output";
        assert_eq!(output.last(), Some(&hints));
    }
}
