//! `agent logs`: everything that an agent printed, while it runs and after it and its server ended.

use std::fs;
use std::time::Duration;

use serde_json::json;

use super::{agent, printed, spawned, wait_for};
use crate::support::TestEnv;

#[test]
fn logs_print_every_byte_and_plain_prints_text() {
    let env = TestEnv::new();
    let script =
        r"printf 'one\n\033[31mred\033[0m two\nover\rOVER\n\033[?25lspin 1\033[5D2\n'; printf 'last'";
    spawned(&env, &["--name", "a", "--", "sh", "-c", &format!("{script}; exec sleep 1000")]);
    env.wait_until("the whole output is logged", || printed(&env, "a").contains("last"));
    let raw = agent(&env, &["logs", "a"]).ok().stdout;
    assert_eq!(raw, "one\r\n\u{1b}[31mred\u{1b}[0m two\r\nover\rOVER\r\n\u{1b}[?25lspin 1\u{1b}[5D2\r\nlast");
    assert_eq!(printed(&env, "a"), "one\nred two\nOVER\ns2in 1\nlast\n");
    let outcome = agent(&env, &["logs", "a", "--json"]).ok();
    assert_eq!(outcome.json(), json!({"agent": "a", "lines": ["one", "red two", "OVER", "s2in 1", "last"]}));
}

#[test]
fn follow_is_refused_with_json() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let outcome = agent(&env, &["logs", "a", "-f", "--json"]).fails(2);
    assert!(outcome.stderr.contains("`--follow` cannot be combined with `--json`"), "{outcome:?}");
}

#[test]
fn logs_outlive_the_agent_and_the_server() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo kept; exec sleep 1000"]);
    env.wait_until("the output is logged", || printed(&env, "a") == "kept\n");
    agent(&env, &["kill", "a"]).ok();
    assert_eq!(printed(&env, "a"), "kept\n");
    env.tmux(["kill-server"]).ok();
    env.wait_until("the server has ended", || env.processes().is_empty());
    assert_eq!(agent(&env, &["logs", "a"]).ok().stdout, "kept\r\n");
    assert_eq!(agent(&env, &["peek", "a"]).ok().stdout, "kept\n");
}

#[test]
fn the_last_output_of_a_short_program_is_kept() {
    let env = TestEnv::new();
    for n in 0..5 {
        let name = format!("a{n}");
        spawned(&env, &["--name", &name, "--", "sh", "-c", "echo some; echo the very last"]);
        wait_for(&env, &name, "exited");
        env.wait_until("the last output is logged", || printed(&env, &name) == "some\nthe very last\n");
    }
}

#[test]
fn a_resumed_agent_appends_to_the_same_transcript() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo life; exec sleep 1000"]);
    env.wait_until("the output is logged", || printed(&env, "a") == "life\n");
    agent(&env, &["kill", "a"]).ok();
    agent(&env, &["resume", "a"]).ok();
    env.wait_until("the output of both runs is logged", || printed(&env, "a").matches("life").count() == 2);
}

#[test]
fn since_omits_earlier_output() {
    let env = TestEnv::new();
    let script = "echo before; while [ ! -e go ]; do sleep 0.02; done; echo after; exec sleep 1000";
    spawned(&env, &["--name", "a", "--", "sh", "-c", script]);
    env.wait_until("the first output is logged", || printed(&env, "a") == "before\n");
    // The index has a resolution of one second, so the chosen time is a whole second away from both outputs.
    let seconds = || env.program("date", ["+%s"]).ok().stdout.trim().parse::<i64>().expect("a number");
    let first = seconds();
    env.wait_until("two seconds have passed", || seconds() > first + 1);
    let between = env.program("date", ["-u", "+%Y-%m-%dT%H:%M:%SZ"]).ok().stdout.trim().to_owned();
    fs::write(env.project().join("go"), "").unwrap();
    env.wait_until("the second output is logged", || printed(&env, "a").contains("after"));
    assert_eq!(agent(&env, &["logs", "a", "--plain", "--since", &between]).ok().stdout, "after\n");
    assert_eq!(agent(&env, &["logs", "a", "--plain", "--since", "1h"]).ok().stdout, "before\nafter\n");
    let outcome = agent(&env, &["logs", "a", "--since", "yesterday"]).fails(2);
    assert_eq!(
        outcome.stderr,
        "error: `yesterday` is neither a time (2026-01-31T12:00:00Z) nor a span (10m)\n"
    );
}

#[test]
fn follow_prints_output_until_the_agent_ends() {
    let env = TestEnv::new();
    let script = "echo first; while read -r line; do echo \"got $line\"; done";
    spawned(&env, &["--name", "a", "--", "sh", "-c", script]);
    env.wait_until("the first output is logged", || printed(&env, "a") == "first\n");
    let follower = agent(&env, &["logs", "a", "-f"]).start();
    env.wait_until("earlier output is shown", || follower.stdout_so_far().contains("first"));
    agent(&env, &["send", "a", "more"]).ok();
    env.wait_until("new output is shown", || follower.stdout_so_far().contains("got more"));
    agent(&env, &["kill", "a"]).ok();
    let shown = follower.finish().ok().stdout;
    assert_eq!(shown.matches("first").count(), 1, "{shown}");
    assert_eq!(shown.matches("got more").count(), 1, "{shown}");
}

#[test]
fn follow_continues_after_a_rename() {
    let env = TestEnv::new();
    let script = "echo first; while read -r line; do echo \"got $line\"; done";
    spawned(&env, &["--name", "old", "--", "sh", "-c", script]);
    env.wait_until("the first output is logged", || printed(&env, "old") == "first\n");
    let follower = agent(&env, &["logs", "old", "-f"]).start();
    env.wait_until("earlier output is shown", || follower.stdout_so_far().contains("first"));
    agent(&env, &["rename", "old", "new"]).ok();
    agent(&env, &["send", "new", "more"]).ok();
    env.wait_until("new output is shown", || follower.stdout_so_far().contains("got more"));
    agent(&env, &["kill", "new"]).ok();
    assert_eq!(follower.finish().ok().stdout.matches("got more").count(), 1);
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sh", "-c", "seq 100000; exec sleep 1000"]);
    env.wait_until("the whole output is logged", || printed(&env, "a").contains("\n100000\n"));
    let script = format!("{} agent logs a | head -n 1; echo ${{PIPESTATUS[0]}}", env.binary());
    assert_eq!(env.program("bash", ["-c", &script]).ok().stdout, "1\r\n0\n");
}

#[test]
fn logs_of_an_unknown_agent_fail_and_of_a_silent_one_are_empty() {
    let env = TestEnv::new();
    agent(&env, &["logs", "a"]).fails(3);
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let outcome = agent(&env, &["logs", "a"]).ok();
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", ""));
}

#[test]
fn output_beyond_the_log_limit_neither_blocks_nor_fills_the_disk() {
    let env = TestEnv::new();
    // Long lines, because tmux itself is slow with short ones: with these it processes about 30 MB per second. The log
    // keeps at most five files of 16 MiB, which is 84 MB.
    let script = "yes \"$(seq -s ' ' 1000)\" | head -c 120000000; echo; echo the end; sleep 0.1";
    spawned(&env, &["--name", "a", "--", "sh", "-c", script]);
    agent(&env, &["wait", "a", "--for", "exited", "--timeout", "170s"]).within(Duration::from_secs(180)).ok();
    let size = || -> u64 {
        let files = fs::read_dir(env.state().join("instances/a")).unwrap();
        files.filter_map(|file| Some(file.ok()?.metadata().ok()?.len())).sum()
    };
    let log = env.state().join("instances/a/transcript.log");
    env.wait_until("the end is logged", || fs::read(&log).is_ok_and(|text| text.ends_with(b"the end\r\n")));
    assert!(size() < 100_000_000, "{} bytes", size());
    let tail = agent(&env, &["logs", "a"]).within(Duration::from_secs(30)).ok().stdout;
    assert!(tail.ends_with("the end\r\n"), "{:?}", &tail[tail.len().saturating_sub(200)..]);
}

#[test]
fn alternate_screen_output_is_logged_in_place() {
    let env = TestEnv::new();
    let script = r"printf 'plain\n\033[?1049h\033[2J\033[HALT SCREEN\n\033[?1049lback\n'; exec sleep 1000";
    spawned(&env, &["--name", "a", "--", "sh", "-c", script]);
    env.wait_until("the whole output is logged", || printed(&env, "a").contains("back"));
    assert_eq!(printed(&env, "a"), "plain\nALT SCREEN\nback\n");
    let value = agent(&env, &["logs", "a", "--json"]).ok().json();
    assert_eq!(value["lines"], json!(["plain", "ALT SCREEN", "back"]));
}
